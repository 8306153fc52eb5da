"""Tables and numbers for a terminal."""

import math

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
    rows = [["rendezvous-gpsr-map", *[cell] * 3] for cell in ("1,336 ± 3,252 (4.36 x*)", "4 ± 12 (12.5 x)")]
    lines = table(rows, ["protocol", "frames per delivery", "bytes sent per node", "delay [s]"], width=64).splitlines()
    assert max(map(len, lines)) <= 64
    for piece in ("1,336 ± 3,252", "(4.36 x*)", "4 ± 12", "(12.5 x)"):
        assert [line.count(piece) for line in lines].count(3) == 1


def test_where_there_is_no_room_for_that_a_line_ends_before_the_interval_and_not_within_a_ratio() -> None:
    row = ["rendezvous", *["32,965 ± 25,937 (1.63 x)"] * 4]
    lines = table([row], ["protocol", "a", "b", "c", "d"], width=70).splitlines()
    assert max(map(len, lines)) <= 70
    for piece in ("32,965", "± 25,937", "(1.63 x)"):
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
    ("value", "half_width", "text"),
    [
        (None, None, "-"),
        (None, 0.1, "-"),
        (math.nan, 0.1, "-"),
        (math.inf, None, "inf"),
        (-math.inf, 1.0, "-inf"),
        (0.953, 0.012, "0.953 ± 0.012"),
        (0.9527, 0.1, "0.95 ± 0.10"),
        (3.0, 0.25, "3.00 ± 0.25"),
        (12.34, 2.0, "12.3 ± 2.0"),
        (150.0, 12.7, "150 ± 13"),
        (12345.6, 234.7, "12,346 ± 235"),
        (1_000_000.4, 3.2, "1,000,000 ± 3"),
        (0.5, 230.0, "0 ± 230"),
        (-0.0001, 0.5, "0.00 ± 0.50"),
        (0.0, 0.013, "0.000 ± 0.013"),
        (0.0, 0.0, "0 ± 0"),
        (1.0, 0.0, "1 ± 0"),
        (0.95, 0.0, "0.950 ± 0"),
        (0.953, 1e-12, "0.95300 ± 0.00000"),
        (2e-9, 3e-10, "2.00e-09 ± 3.00e-10"),
        (0.95312, None, "0.953"),
        (0.95312, math.nan, "0.953"),
        (12.345, None, "12.3"),
        (152.3, None, "152"),
        (1234, None, "1,234"),
        (1234567.8, None, "1,234,568"),
        (0.00012345, None, "0.000123"),
        (1.2e-7, None, "1.20e-07"),
        (1e18, None, "1.00e+18"),
        (-3.25, 0.4, "-3.25 ± 0.40"),
        (0, None, "0"),
    ],
)
def test_a_number_has_the_digits_that_its_interval_supports(
    value: float | None, half_width: float | None, text: str
) -> None:
    assert number(value, half_width) == text


@pytest.mark.parametrize(
    ("value", "half_width", "text"),
    [(152.3, None, "152 x"), (3.42, 0.31, "3.42 ± 0.31 x"), (None, None, "-"), (math.inf, None, "inf x")],
)
def test_a_ratio_says_times(value: float | None, half_width: float | None, text: str) -> None:
    assert ratio(value, half_width) == text


@given(st.floats(min_value=-1e12, max_value=1e12), st.floats(min_value=1e-4, max_value=1e12))
def test_rounding_stays_well_within_the_interval(value: float, half_width: float) -> None:
    shown_value, shown_half_width = (float(part.replace(",", "")) for part in number(value, half_width).split(" ± "))
    larger = max(abs(value), half_width)
    assert abs(shown_value - value) <= max(half_width / 2, larger * 1e-4)
    assert abs(shown_half_width - half_width) <= max(half_width / 2, larger * 1e-4)
