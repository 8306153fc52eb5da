"""The BRVST paper's figures 6 to 9, drawn from measurements; the paper's text gives no numbers for them."""

from collections.abc import Mapping, Sequence

from roamcast.measuring.measurements import Measurements
from roamcast.measuring.metrics import axis_label
from roamcast.papers.brvst.curves import (
    ALPHA,
    BROKER_STORAGE,
    BRVST,
    CONTROL,
    DRIP,
    EQUAL_LEVELS,
    EVENTS_PER_MATCH,
    FALSE_POSITIVES,
    GRID,
    LEVELS,
    LOAD,
    MATCHED,
    MEMBER_STORAGE,
    NODE_STORAGE,
    PER_MATCH,
    PUBLICATION_TIME,
    PUBLICATIONS,
    SLOW,
    SPEED,
    SUBSCRIPTION_TIME,
    SUBSCRIPTIONS,
    TAMA,
    TIME,
    WASTED,
)
from roamcast.papers.shared.claim_parts import seeds_text
from roamcast.papers.shared.curves import Curve, point_at, row_at, rows_along
from roamcast.report.figure import Figure, Panel, Point, Series

WHERE = "400 nodes on 1 km², range 80 m"
SUBSCRIPTION_AXIS, PUBLICATION_AXIS = "subscriptions per minute", "publications per minute"
LOAD_AXIS = "publications and subscriptions per minute, each"
KILO = 1e-3
BOUND = "1 - alpha"
SERIES_NAMES: Mapping[int, tuple[str, ...]] = {
    6: (BRVST.label, DRIP.label),
    7: (BRVST.label, DRIP.label, SLOW.label),
    8: (BRVST.label, TAMA.label, DRIP.label),
    9: (BRVST.label, BOUND, TAMA.label),
}


def brvst_figures(measured: Measurements) -> Sequence[Figure]:
    """Return the figures whose sweeps were measured."""
    figures: list[Figure] = []
    if measured.has("subscriptions") and measured.has("publications"):
        figures.append(_figure_6(measured))
    if measured.has("speed") and measured.has("grids"):
        figures.append(_figure_7(measured))
    if measured.has("load"):
        figures.append(_figure_8(measured))
    if measured.has("alpha") and measured.has("levels"):
        figures.append(_figure_9(measured))
    return figures


def _line(measured: Measurements, sweep: str, metric: str, curve: Curve, axis: str, unit: float = 1.0) -> Series:
    rows = rows_along(measured, sweep, metric, curve, axis)
    return Series(curve.label, tuple(point_at(float(row.point[axis]), row, unit) for row in rows))


def _seeds(measured: Measurements, sweep: str) -> str:
    return seeds_text(measured.where(sweep, MATCHED))


def _figure_6(measured: Measurements) -> Figure:
    panels = (
        ("i(a) per publication", PUBLICATION_TIME, "subscriptions", SUBSCRIPTIONS, SUBSCRIPTION_AXIS),
        ("i(b) per publication", PUBLICATION_TIME, "publications", PUBLICATIONS, PUBLICATION_AXIS),
        ("ii(a) per subscription", SUBSCRIPTION_TIME, "publications", PUBLICATIONS, PUBLICATION_AXIS),
        ("ii(b) per subscription", SUBSCRIPTION_TIME, "subscriptions", SUBSCRIPTIONS, SUBSCRIPTION_AXIS),
    )
    drawn = tuple(
        Panel(title, x_label, axis_label(metric), tuple(_line(measured, sweep, metric, c, axis) for c in (BRVST, DRIP)))
        for title, metric, sweep, axis, x_label in panels
    )
    seeds = _seeds(measured, "publications")
    caption = f"{WHERE}, 5 m/s; the other rate is 200 a minute. Means over what found a match. {seeds}"
    return Figure("figure-6", "Figure 6: matching time by the rates of subscriptions and publications", caption, drawn)


def _figure_7(measured: Measurements) -> Figure:
    speed = Panel(
        "(a) by speed: time",
        "speed of all nodes [m/s]",
        axis_label(TIME),
        tuple(_line(measured, "speed", TIME, curve, SPEED) for curve in (BRVST, DRIP)),
    )
    kinds = (
        ("(b) by grid size: time", TIME, axis_label(TIME), 1.0, (BRVST, SLOW)),
        ("(b) by grid size: storage", NODE_STORAGE, axis_label(NODE_STORAGE, "kB"), KILO, (BRVST,)),
        ("(b) by grid size: traffic", PER_MATCH, axis_label(PER_MATCH, "kB"), KILO, (BRVST,)),
    )
    grids = tuple(
        Panel(
            title,
            "side of a grid [m]",
            y_label,
            tuple(_line(measured, "grids", metric, curve, GRID, unit) for curve in curves),
            log_x=True,
        )
        for title, metric, y_label, unit, curves in kinds
    )
    caption = (
        f"{WHERE}, 200 subscriptions and publications a minute. The three quantities of the paper's (b) have a panel "
        f"each. {_seeds(measured, 'speed')}"
    )
    return Figure("figure-7", "Figure 7: mobility, and the size of grids", caption, (speed, *grids))


def _figure_8(measured: Measurements) -> Figure:
    kinds = (
        ("i(a) storage, ordinary node", MEMBER_STORAGE, "kB", (BRVST, TAMA, DRIP)),
        ("i(b) storage, broker", BROKER_STORAGE, "kB", (BRVST, TAMA, DRIP)),
        ("ii(a) management", CONTROL, "kB/s", (BRVST, DRIP)),
        ("ii(b) events for a match", EVENTS_PER_MATCH, "kB", (BRVST, DRIP)),
    )
    panels = tuple(
        Panel(
            title,
            LOAD_AXIS,
            axis_label(metric, unit),
            tuple(_line(measured, "load", metric, curve, LOAD, KILO) for curve in curves),
            log_y=True,
        )
        for title, metric, unit, curves in kinds
    )
    caption = (
        f"{WHERE}, 5 m/s. Brokers: DRIP's brokers, and grid and zone managers. TAMA has {EQUAL_LEVELS} levels. "
        f"{_seeds(measured, 'load')}"
    )
    return Figure("figure-8", "Figure 8: storage and traffic by load", caption, panels)


def _figure_9(measured: Measurements) -> Figure:
    rates = _line(measured, "alpha", FALSE_POSITIVES, BRVST, ALPHA)
    bound = Series(BOUND, tuple(Point(each.x, 1 - each.x) for each in rates.points))
    x_label = "accuracy threshold alpha"
    by_alpha = tuple(
        Panel(title, x_label, axis_label(metric, "kB"), (_line(measured, "alpha", metric, BRVST, ALPHA, KILO),))
        for title, metric in (("(a) by alpha: storage", BROKER_STORAGE), ("(a) by alpha: traffic", PER_MATCH))
    )
    wasted = Panel(
        "(b) wasted traffic",
        axis_label(FALSE_POSITIVES),
        axis_label(WASTED),
        (_wasted(measured, "alpha", BRVST, ALPHA), _wasted(measured, "levels", TAMA, LEVELS)),
    )
    false_positives = Panel("(a) by alpha: false positives", x_label, axis_label(FALSE_POSITIVES), (rates, bound))
    panels = (false_positives, *by_alpha, wasted)
    caption = (
        f"{WHERE}, 5 m/s. The three quantities of the paper's (a) have a panel each. TAMA in the same zones, with "
        f"trees of fewer and more levels. {_seeds(measured, 'alpha')}"
    )
    return Figure("figure-9", "Figure 9: accuracy, and what false positives cost", caption, panels)


def _wasted(measured: Measurements, sweep: str, curve: Curve, axis: str) -> Series:
    """Return the wasted traffic over the false positive rate."""
    points = [
        point_at(rate.mean, wasted)
        for rate in rows_along(measured, sweep, FALSE_POSITIVES, curve, axis)
        if (wasted := row_at(measured, sweep, WASTED, curve, axis, float(rate.point[axis]))) is not None
    ]
    return Series(curve.label, tuple(sorted(points, key=lambda each: each.x)))
