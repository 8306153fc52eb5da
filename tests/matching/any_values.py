"""Any Python values, for the tests that hand them to whatever takes something."""

import datetime
from typing import Any

import numpy as np
from hypothesis import strategies as st

from roamcast.matching.attribute_space import Limits, Range
from roamcast.matching.range_table import RangeTable

ODD: tuple[Any, ...] = (
    object(),
    10**4000,
    (10**4000,),
    2**53 + 1,
    np.array([1.0, 2.0]),
    np.array(3.0),
    np.ma.masked,
    np.float32(0.5),
    np.longdouble("0.1"),
    np.int64(2**62 + 1),
    np.uint64(2**63),
    np.True_,
    np.str_("x"),
    np.datetime64("2020-01-01"),
    datetime.date(2020, 1, 1),
    range(3),
    len,
    int,
    "two\nlines",
    [[1.0], [1.0, 2.0]],
    np.array([2**60 + 1, 3]),
    np.array([["a"]], object),
)
"""Values at the borders: not-a-numbers, numbers too long to be written, and texts that look like numbers."""
numbers = st.integers(-20, 120) | st.floats() | st.decimals() | st.fractions() | st.booleans() | st.complex_numbers()
single = (
    st.none()
    | numbers
    | st.text(max_size=3)
    | st.binary(max_size=3)
    | st.integers(0, len(ODD) - 1).map(ODD.__getitem__)
)
ranges = st.builds(Range, single, single, single | st.booleans(), single | st.booleans())
anything: st.SearchStrategy[Any] = st.recursive(
    single | ranges | st.builds(Limits, single, single, single),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner)
        | st.tuples(inner, inner)
        | st.tuples(inner, inner, inner)
        | st.dictionaries(st.sampled_from(["age", "real", "x", 5, None]), inner, max_size=2)
        | st.sets(st.integers(), max_size=2)
    ),
    max_leaves=4,
)
columns = anything | st.lists(st.integers(-1, 3) | st.floats(), max_size=3) | st.lists(st.integers(0, 1), max_size=2)


@st.composite
def tables(draw: st.DrawFn) -> Any:
    """Draw a way to make a table, which may fail."""
    drawn: list[Any] = [draw(columns) for _ in range(4)]
    return lambda: RangeTable(*drawn)
