"""Tables and numbers for a terminal."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roamcast.report.text_tables import number, ratio, table


def test_columns_are_aligned_under_their_header() -> None:
    text = table([["frugal", "0.95", "few"], ["simple-flooding", "12.5", "many"]], ["protocol", "frames", "note"], "lr")
    assert text.splitlines() == [
        "protocol         frames  note",
        "---------------  ------  ----",
        "frugal             0.95  few",
        "simple-flooding    12.5  many",
    ]


def test_the_last_column_is_wrapped_to_the_width() -> None:
    text = table([["first", "one two three four five six seven eight"], ["second", ""]], ["claim", "remark"], width=36)
    assert text.splitlines() == [
        "claim   remark",
        "------  ----------------------------",
        "first   one two three four five six",
        "        seven eight",
        "second",
    ]


def test_other_columns_are_wrapped_where_the_last_one_alone_cannot_give_enough() -> None:
    text = table([["a " * 60, "b " * 60, "c"]], ["first", "second", "third"], width=80)
    assert max(map(len, text.splitlines())) == 80
    assert text.count("a") == 60
    assert text.count("b") == 60


def test_a_cell_of_several_lines_stays_in_its_row_and_cannot_steer_the_terminal() -> None:
    assert table([["a\nb\x1b[31m", "c"]], ["x", "y"]).splitlines()[2] == "a b[31m  c"


def test_a_table_without_rows_is_its_header() -> None:
    assert table([], ["a", "bb"]) == "a  bb\n-  --"


def test_a_row_with_a_cell_too_few_is_refused() -> None:
    with pytest.raises(ValueError, match="2 cells"):
        table([["a"]], ["x", "y"])


def test_an_unknown_alignment_is_refused() -> None:
    with pytest.raises(ValueError, match="not 'lx'"):
        table([["a", "b"]], ["x", "y"], "lx")


def test_a_value_and_its_interval_stay_on_a_line_and_so_does_a_ratio() -> None:
    rows = [["gpsr-map", *[cell] * 3] for cell in ("1,336 [0, 3,252] (4.36 x*)", "4 [1, 12]* (12.5 x)")]
    lines = table(rows, ["protocol", "frames per delivery", "bytes sent per node", "delay [s]"], width=64).splitlines()
    assert max(map(len, lines)) <= 64
    for piece in ("1,336 [0, 3,252]", "(4.36 x*)", "4 [1, 12]*", "(12.5 x)"):
        assert [line.count(piece) for line in lines].count(3) == 1


def test_where_there_is_no_room_for_that_a_line_ends_before_the_interval_and_not_within_it_or_a_ratio() -> None:
    row = ["rendezvous", *["32,965 [7,028, 58,902]* (1.63 x)"] * 4]
    lines = table([row], ["protocol", "a", "b", "c", "d"], width=82).splitlines()
    assert max(map(len, lines)) <= 82
    for piece in ("32,965", "[7,028, 58,902]*", "(1.63 x)"):
        assert [line.count(piece) for line in lines].count(4) == 1


words = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=12)
cells = st.lists(words, max_size=20).map(" ".join)


@given(
    st.lists(st.tuples(cells, cells, cells), max_size=5),
    st.text("lr", min_size=3, max_size=3),
    st.integers(min_value=60, max_value=120),
)
def test_a_table_fits_its_width_and_loses_no_word(rows: list[tuple[str, str, str]], align: str, width: int) -> None:
    lines = table(rows, ["one", "two", "three"], align, width).splitlines()
    assert max(map(len, lines)) <= width
    shown = "".join(lines[2:]).replace(" ", "")
    assert sorted(shown) == sorted("".join(cell for row in rows for cell in row).replace(" ", ""))


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (None, None, None, "-"),
        (None, 0.1, 0.2, "-"),
        (math.nan, 0.1, 0.2, "-"),
        (math.inf, None, None, "inf"),
        (-math.inf, 1.0, 2.0, "-inf"),
        (0.953, 0.941, 0.965, "0.953 [0.941, 0.965]"),
        (0.08, 0.004, 0.61, "0.08 [0.00, 0.61]"),
        (0.9527, 0.85, 1.0, "0.953 [0.850, 1.000]"),
        (3.0, 2.75, 3.25, "3.00 [2.75, 3.25]"),
        (12.34, 10.3, 15.1, "12.3 [10.3, 15.1]"),
        (150.0, 138.0, 163.0, "150 [138, 163]"),
        (12345.6, 12111.0, 12580.0, "12,346 [12,111, 12,580]"),
        (1_000_000.4, 999_997.0, 1_000_003.0, "1,000,000 [999,997, 1,000,003]"),
        (0.5, 0.0, 230.0, "0 [0, 230]"),
        (-0.0001, -0.5, 0.5, "0.00 [-0.50, 0.50]"),
        (0.0, 0.0, 0.0, "0 [0, 0]"),
        (1.0, 1.0, 1.0, "1 [1, 1]"),
        (0.95, 0.95, 0.95, "0.950 [0.950, 0.950]"),
        (2e-9, 1.7e-9, 2.3e-9, "2.00e-09 [1.70e-09, 2.30e-09]"),
        (0.95312, None, None, "0.953"),
        (0.95312, math.nan, 1.0, "0.953"),
        (0.95312, 0.9, math.inf, "0.953"),
        (12.345, None, None, "12.3"),
        (152.3, None, None, "152"),
        (1234, None, None, "1,234"),
        (1234567.8, None, None, "1,234,568"),
        (0.00012345, None, None, "0.000123"),
        (1.2e-7, None, None, "1.20e-07"),
        (1e18, None, None, "1.00e+18"),
        (-3.25, -3.65, -2.85, "-3.25 [-3.65, -2.85]"),
        (0, None, None, "0"),
    ],
)
def test_a_number_has_the_digits_that_its_interval_supports(
    value: float | None, low: float | None, high: float | None, text: str
) -> None:
    assert number(value, low, high) == text


@pytest.mark.parametrize(("value", "text"), [(152.3, "152 x"), (3.42, "3.42 x"), (None, "-"), (math.inf, "inf x")])
def test_a_ratio_says_times(value: float | None, text: str) -> None:
    assert ratio(value) == text


@given(
    st.floats(min_value=-1e12, max_value=1e12),
    st.floats(min_value=1e-4, max_value=1e12),
    st.floats(min_value=1e-4, max_value=1e12),
)
def test_rounding_stays_well_within_the_interval(value: float, below: float, above: float) -> None:
    low, high = value - below, value + above
    shown = [float(part.replace(",", "")) for part in re.split(r" \[|, |\]", number(value, low, high))[:3]]
    slack = max((high - low) / 4, max(abs(low), abs(high)) * 1e-4)
    assert shown == pytest.approx([value, low, high], rel=0, abs=slack)
