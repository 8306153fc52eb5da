"""Bars at one x stand side by side, and every marker stays with its own x."""

import math
from collections.abc import Sequence
from itertools import pairwise

import matplotlib
import matplotlib.style
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from symmetric_points import around

from roamcast.report.axis_scale import scale_of
from roamcast.report.dodge import BAND_FROM_POINTS, dodged
from roamcast.report.figure import Figure, Panel, Series
from roamcast.report.picture_layout import laid_out
from roamcast.report.style import SETTINGS

XS = (100.0, 200.0, 400.0)


def line(label: str, xs: Sequence[float] = XS, half_width: float | None = 0.1, from_paper: bool = False) -> Series:
    return Series(label, tuple(around(x, 0.5, half_width) for x in xs), from_paper)


def axes_of(*series: Series, log_x: bool = False) -> Axes:
    """Return a panel as it is drawn."""
    with matplotlib.style.context(["default", SETTINGS]):
        (axes,) = laid_out(Figure("f", "title", "caption", (Panel("", "x", "y", series, log_x=log_x),))).axes
    return axes


def markers(axes: Axes, marker: str) -> list[float]:
    (drawn,) = [each for each in axes.lines if each.get_marker() == marker]
    places: list[float] = np.asarray(drawn.get_xdata()).tolist()
    return places


def bars(axes: Axes) -> list[list[float]]:
    """Return where the bars of each series stand."""
    groups = [each for each in axes.collections if isinstance(each, LineCollection)]
    return [[float(segment[0][0]) for segment in map(np.asarray, group.get_segments())] for group in groups]


def width_pt(axes: Axes, left: float, right: float) -> float:
    """Return how far two places are apart on paper."""
    places = axes.transData.transform([(left, 0.5), (right, 0.5)])
    return float(places[1][0] - places[0][0])


@pytest.mark.parametrize("log_x", [False, True])
def test_two_series_stand_on_either_side_of_their_x_with_their_bars_and_the_ticks_stay(log_x: bool) -> None:
    axes = axes_of(line("a"), line("b"), log_x=log_x)
    left, right = markers(axes, "o"), markers(axes, "s")
    for x, one, other in zip(XS, left, right, strict=True):
        assert one < x < other
        middle = math.sqrt(one * other) if log_x else (one + other) / 2
        assert middle == pytest.approx(x)
        assert 6 < width_pt(axes, one, other) < 8
    assert bars(axes) == [left, right]
    assert axes.get_xticks().tolist() == list(XS)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["100", "200", "400"]


def test_three_series_stand_evenly_and_the_middle_one_at_its_x() -> None:
    axes = axes_of(line("a"), line("b"), line("c"))
    left, middle, right = (markers(axes, each) for each in "os^")
    assert middle == list(XS)
    for one, x, other in zip(left, middle, right, strict=True):
        assert x - one == pytest.approx(other - x)
        assert other > x


@pytest.mark.parametrize(
    "other",
    [
        line("bound", half_width=None),
        line("zero", half_width=0.0),
        line("elsewhere", (150.0, 300.0)),
        line("printed", half_width=None, from_paper=True),
        line("band", tuple(float(x) for x in range(100, 100 * (BAND_FROM_POINTS + 1), 100))),
        Series("none shown", tuple(around(x, math.nan, 0.1) for x in XS)),
    ],
)
def test_a_series_moves_only_where_another_with_bars_has_its_x(other: Series) -> None:
    axes = axes_of(line("a"), other)
    assert markers(axes, "o") == list(XS)
    assert not any(set(group) - {point.x for point in (*line("a").points, *other.points)} for group in bars(axes))


def test_series_without_bars_and_a_series_alone_stay_where_they_are() -> None:
    without = axes_of(line("a", half_width=None), line("b", half_width=None))
    assert markers(without, "o") == markers(without, "s") == list(XS)
    assert markers(axes_of(line("a")), "o") == list(XS)


def test_only_the_x_that_is_shared_moves() -> None:
    axes = axes_of(line("a"), line("b", (200.0, 300.0)))
    first, second = markers(axes, "o"), markers(axes, "s")
    assert (first[0], first[2], second[1]) == (100.0, 400.0, 300.0)
    assert first[1] < 200 < second[0]


def test_what_was_printed_stays_between_those_that_move() -> None:
    axes = axes_of(line("a"), line("b"), line("paper", half_width=None, from_paper=True))
    assert markers(axes, "^") == list(XS)
    assert markers(axes, "o")[0] < 100 < markers(axes, "s")[0]


@pytest.mark.parametrize("log_x", [False, True])
@pytest.mark.parametrize("x", [5.0, 1e-3, 1e17])
def test_a_single_x_is_in_the_middle_and_its_bars_are_near_it(x: float, log_x: bool) -> None:
    axes = axes_of(line("a", (x,)), line("b", (x,)), log_x=log_x)
    (left,), (right,) = markers(axes, "o"), markers(axes, "s")
    low, high = axes.get_xlim()
    assert low < left < x < right < high
    assert width_pt(axes, low, x) == pytest.approx(width_pt(axes, x, high))
    assert width_pt(axes, left, right) < 0.05 * width_pt(axes, low, high)


def test_where_no_tick_says_which_x_is_meant_the_bars_are_nearer_to_it() -> None:
    crowded = (1.0, 2.0, 3.0, 50.0, 90.0)
    axes = axes_of(line("a", crowded), line("b", crowded))
    assert not {50.0, 90.0} <= set(axes.get_xticks().tolist())
    assert 2 < width_pt(axes, markers(axes, "o")[3], markers(axes, "s")[3]) < 4


@pytest.mark.parametrize(
    ("speeds", "share"),
    [((10.0, 30.0, 60.0), 0.25), ((1.0, 10.0, 20.0), 0.25), ((10.0, 20.0, 30.0, 40.0, 50.0, 60.0), 0.4)],
)
def test_six_series_stay_near_their_x_and_their_bars_are_apart(speeds: tuple[float, ...], share: float) -> None:
    panel = Panel("", "speed", "y", tuple(line(name, speeds) for name in "abcdef"))
    with matplotlib.style.context(["default", SETTINGS]):
        axes = laid_out(Figure("f", "title", "caption", (panel,) * 3)).axes[0]
    least = min(right - left for left, right in pairwise(speeds))
    for at, speed in enumerate(speeds):
        places = [group[at] for group in bars(axes)]
        assert places == sorted(places)
        assert places[0] > 0
        assert max(places) - min(places) <= share * least
        assert all(width_pt(axes, *each) > 2 for each in pairwise(places))
        assert speed in axes.get_xticks()


numbers = st.integers(1, 10**6).map(lambda number: number / 100)


@given(
    st.lists(st.sets(numbers, min_size=1, max_size=8), min_size=2, max_size=9),
    st.booleans(),
    st.booleans(),
)
def test_no_marker_leaves_the_fifth_of_the_way_to_the_next_x_nor_its_place_in_the_row(
    every: list[set[float]], log_x: bool, ticks_at_values: bool
) -> None:
    series = tuple(line(str(number), sorted(xs)) for number, xs in enumerate(every))
    panel = Panel("", "x", "y", series, log_x=log_x)
    moved = dodged(panel, scale_of([panel]), 200.0, ticks_at_values)
    axis = math.log10 if log_x else float
    all_xs = sorted({x for xs in every for x in xs})
    neighbours = {
        x: [axis(right) - axis(left) for left, right in pairwise(all_xs) if x in (left, right)] for x in all_xs
    }
    for x in all_xs:
        here = [axis(moved[number].get(x, x)) for number, xs in enumerate(every) if x in xs]
        assert here == sorted(here)
        assert sum(here) / len(here) == pytest.approx(axis(x))
        if len(here) > 1:
            assert here[0] < here[-1]
        for place in here:
            assert abs(place - axis(x)) <= 0.2 * min(neighbours[x], default=math.inf) + 1e-9
