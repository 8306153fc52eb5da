"""Where axes begin and end, and what happens to values that an axis cannot show."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from symmetric_points import around

from roamcast.report.axes import tick_text
from roamcast.report.axis_scale import notes_of, scale_of
from roamcast.report.figure import Panel, Point, Series

finite = st.floats(min_value=-1e9, max_value=1e9, allow_subnormal=False).filter(lambda y: y == 0 or abs(y) > 1e-9)


def panel_of(
    *points: Point, log_y: bool = False, log_x: bool = False, limits: tuple[float, float] | None = None
) -> Panel:
    return Panel("panel", "x", "y", (Series("series", points),), log_y=log_y, y_limits=limits, log_x=log_x)


def test_a_linear_axis_begins_at_zero_and_has_room_for_the_upper_ends_of_the_intervals() -> None:
    scale = scale_of([panel_of(around(1, 50.0, 10.0), around(2, 90.0, 10.0))])
    assert -10 < scale.bottom < 0
    assert 100 < scale.top < 110
    assert not scale.log


def test_a_linear_axis_goes_below_zero_where_values_do() -> None:
    assert scale_of([panel_of(around(1, -5.0, 2.0), Point(2, 3.0))]).bottom < -7


def test_a_linear_axis_does_not_go_below_zero_for_an_interval_alone_which_is_cut_there_and_said() -> None:
    panel = panel_of(around(1, 1.0, 3.0), around(2, 5.0, 1.0))
    scale = scale_of([panel])
    assert scale.low == 0
    assert scale.bottom == pytest.approx(-0.04 * 6)
    assert scale.interval(around(1, 1.0, 3.0)) == (1.0, 3.0)
    assert scale.cut(around(1, 1.0, 3.0)) == (True, False)
    assert scale.cut(around(2, 5.0, 1.0)) == (False, False)
    assert notes_of(panel, scale) == ["an interval that ends in a triangle continues beyond the axis"]


def test_an_interval_is_cut_at_both_ends_of_what_a_share_can_be() -> None:
    scale = scale_of([panel_of(around(1, 0.5, 0.9), limits=(0.0, 1.0))])
    assert scale.interval(around(1, 0.5, 0.9)) == (0.5, 0.5)
    assert scale.cut(around(1, 0.5, 0.9)) == (True, True)


def test_an_interval_that_ends_where_the_axis_does_is_not_said_to_go_on() -> None:
    scale = scale_of([panel_of(around(1, 0.7, 0.3), limits=(0.0, 1.0))])
    assert scale.cut(around(1, 0.7, 0.1 + 0.2)) == (False, False)
    assert scale.cut(around(1, 0.3, 0.1 + 0.2)) == (False, False)


def test_a_point_outside_the_limits_has_no_mark_for_its_interval() -> None:
    scale = scale_of([panel_of(around(1, 7.0, 0.1), limits=(0.0, 1.0))])
    assert scale.cut(around(1, 7.0, 0.1)) == (False, False)


def test_limits_are_kept_with_room_for_a_marker() -> None:
    scale = scale_of([panel_of(Point(1, 0.5), limits=(0.0, 1.0))])
    assert scale.bottom == pytest.approx(-0.04)
    assert scale.top == pytest.approx(1.04)


def test_a_zero_on_a_logarithmic_axis_stands_a_decade_below_it() -> None:
    panel = panel_of(Point(1, 0.0), Point(2, 3.0), Point(3, 500.0), log_y=True)
    scale = scale_of([panel])
    assert scale.log
    assert scale.zero_at == pytest.approx(0.1)
    assert scale.position(0.0) == scale.zero_at
    assert scale.bottom < 0.1 < 500 < scale.top
    assert notes_of(panel, scale) == ["zeros are drawn at the tick 0 below the logarithmic axis"]


def test_a_logarithmic_axis_without_zeros_has_no_place_for_them() -> None:
    scale = scale_of([panel_of(Point(1, 3.0), Point(2, 30.0), log_y=True)])
    assert scale.log
    assert scale.zero_at is None
    assert 0.8 < scale.bottom < 1 == scale.low
    assert 30 < scale.top < 36


@pytest.mark.parametrize(("largest", "is_log"), [(1300.0, False), (7300.0, False), (7400.0, True)])
def test_an_axis_is_logarithmic_from_a_decade_between_its_values_on(largest: float, is_log: bool) -> None:
    scale = scale_of([panel_of(around(1, 740.0, 400.0), around(2, largest, 2000.0), log_y=True)])
    assert scale.log is is_log
    assert (scale.low > 0) is is_log


def test_a_negative_value_on_a_logarithmic_axis_is_left_out_and_said() -> None:
    panel = panel_of(Point(1, -2.0), Point(2, 3.0), Point(3, 30.0), log_y=True)
    scale = scale_of([panel])
    assert math.isnan(scale.position(-2.0))
    assert notes_of(panel, scale) == ["1 point below zero not shown on the logarithmic axis"]


def test_an_axis_with_nothing_but_zeros_is_linear_though_logarithmic_was_asked() -> None:
    panel = panel_of(Point(1, 0.0), log_y=True)
    assert not scale_of([panel]).log
    assert notes_of(panel, scale_of([panel])) == []


def test_an_interval_that_reaches_below_zero_is_cut_at_the_end_of_a_logarithmic_axis() -> None:
    panel = panel_of(around(1, 3.0, 5.0), around(2, 30.0, 5.0), log_y=True)
    scale = scale_of([panel])
    below, above = scale.interval(around(1, 3.0, 5.0))
    assert 3.0 - below == scale.low == 1.0
    assert above == 5.0
    assert scale.cut(around(1, 3.0, 5.0)) == (True, False)
    assert notes_of(panel, scale) == ["an interval that ends in a triangle continues beyond the axis"]


def test_an_interval_on_a_linear_axis_with_values_below_zero_is_not_cut() -> None:
    scale = scale_of([panel_of(around(1, 3.0, 5.0), Point(2, -1.0))])
    assert scale.interval(around(1, 3.0, 5.0)) == (5.0, 5.0)
    assert scale.cut(around(1, 3.0, 5.0)) == (False, False)


@pytest.mark.parametrize("half_width", [None, math.nan, math.inf, 0.0, -1.0])
def test_a_point_without_a_usable_interval_has_none(half_width: float | None) -> None:
    scale = scale_of([panel_of(around(1, 3.0, half_width))])
    assert scale.interval(around(1, 3.0, half_width)) == (0.0, 0.0)
    assert scale.top < 3.2


def test_points_outside_the_limits_are_said() -> None:
    panel = panel_of(Point(1, 0.5), Point(2, 1.5), Point(3, -1.0), limits=(0.0, 1.0))
    assert notes_of(panel, scale_of([panel])) == ["2 points outside the vertical axis"]


def test_a_point_left_of_a_logarithmic_horizontal_axis_is_said_and_does_not_count() -> None:
    panel = panel_of(Point(0, 500.0), Point(1, 2.0), log_x=True)
    scale = scale_of([panel])
    assert scale.top < 3
    assert notes_of(panel, scale) == ["1 point at or left of zero not shown on the logarithmic axis"]


def test_what_is_not_a_number_does_not_count() -> None:
    panel = panel_of(Point(1, math.nan), Point(math.inf, 7.0), Point(2, 1.0))
    assert scale_of([panel]).top < 1.1
    assert notes_of(panel, scale_of([panel])) == []


def test_panels_of_one_quantity_have_one_scale() -> None:
    scale = scale_of([panel_of(Point(1, 1.0)), panel_of(Point(1, 100.0))])
    assert scale.top > 100


@given(st.lists(st.tuples(finite, st.none() | finite), max_size=8), st.booleans())
def test_every_value_that_has_a_place_lies_within_the_axis(
    values: list[tuple[float, float | None]], log_y: bool
) -> None:
    points = [around(place, y, half_width) for place, (y, half_width) in enumerate(values)]
    scale = scale_of([panel_of(*points, log_y=log_y)])
    assert scale.bottom < scale.top
    for point in points:
        place = scale.position(point.y)
        below, above = scale.interval(point)
        assert below >= 0
        assert above >= 0
        if math.isfinite(place):
            assert scale.bottom < place < scale.top
            rounding = 1e-12 * abs(place)
            assert place + above <= scale.top + rounding
            assert place - below >= scale.bottom - rounding
        else:
            assert scale.log
            assert point.y < 0


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.25, "0.25"),
        (0.1 + 0.2, "0.3"),
        (-2.5, "-2.5"),
        (12.0, "12"),
        (1500.0, "1,500"),
        (999_999.0, "999,999"),
        (2_500_000.0, "2.5 M"),
        (3e9, "3 G"),
        (0.00002, "2e-05"),
    ],
)
def test_a_tick_is_written_for_people(value: float, text: str) -> None:
    assert tick_text(value) == text
