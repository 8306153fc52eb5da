"""Events as columns: what they hold, and which columns are refused."""

import numpy as np
import numpy.typing as npt
import pytest

from roamcast.core.errors import UserError
from roamcast.matching.attribute_space import AttributeSpace, Limits
from roamcast.matching.event_batch import EventBatch

SPACE = AttributeSpace({"age": Limits(0, 100, whole=True), "real": (-1.0, 1.0), "big": (-1e300, 1e300)})


def test_columns_and_single_events_are_the_same_batch() -> None:
    ages = np.ma.masked_array([1, 2, 3], mask=[False, True, False])
    by_column = EventBatch.from_columns(SPACE, {"real": [0.5, -1.0, 1.0], "age": ages})
    one_by_one = EventBatch.of(SPACE, [{"age": 1, "real": 0.5}, {"real": -1}, {"real": 1, "age": 3.0}])
    assert len(by_column) == len(one_by_one) == 3
    assert by_column.present.tolist() == one_by_one.present.tolist()
    assert by_column.values.tolist() == one_by_one.values.tolist()
    assert by_column[1:].values.tolist() == by_column.values[1:].tolist()


def test_what_is_masked_is_not_looked_at() -> None:
    hidden = np.ma.masked_array([np.nan, 7.0], mask=[True, False])
    assert EventBatch.from_columns(SPACE, {"age": hidden}).values[:, 0].tolist() == [0.0, 7.0]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"age": [1.0, np.nan]}, "age of event 1 = nan: must be a number, not NaN"),
        ({"age": [1, 101]}, "age of event 1 = 101: must be within its limits 0 to 100"),
        ({"age": [101]}, "age = 101: must be within its limits 0 to 100"),
        ({"real": [-1.5]}, "real = -1.5: must be within its limits -1 to 1"),
        ({"age": [1.5]}, "age = 1.5: must be a whole number"),
        ({"big": np.array([2**53 + 1])}, "big = 9007199254740993: must be a number that a 64-bit float holds exactly"),
        ({"age": ["x"]}, "must be a column of numbers"),
        ({"age": [[1]]}, "must be a column of numbers"),
        ({"age": [1, 2], "real": [0.0]}, "real = \"1 values\": must be 2"),
        ({"agge": [1]}, "unknown attribute 'agge'; did you mean 'age'? known: age, big, real"),
        ({}, "at least one attribute"),
    ],
)  # fmt: skip
def test_a_bad_column_is_named(columns: dict[str, npt.ArrayLike], words: str) -> None:
    with pytest.raises(UserError) as raised:
        EventBatch.from_columns(SPACE, columns)
    assert words in str(raised.value)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Limits(3, 1), "x limits = [3.0, 1.0]: the low limit must not be above"),
        (Limits(0, float("inf")), "x limits = [0.0, inf]: must be finite"),
        (Limits(-1.7e308, 1.7e308), "must be finite, and so must their difference"),
        (Limits(0.5, 3, whole=True), "must be whole numbers below 2^53"),
        (Limits(float("nan"), 3), "x low limit = nan: must be a number, not NaN"),
    ],
)
def test_bad_limits_are_named(limits: Limits, words: str) -> None:
    with pytest.raises(UserError) as raised:
        AttributeSpace({"x": limits})
    assert words in str(raised.value)
