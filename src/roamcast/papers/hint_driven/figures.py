"""The hint-driven paper's figures 6 to 13, drawn from measurements; its text gives numbers only for figure 7."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from roamcast.measuring.measurements import Measurements
from roamcast.measuring.metrics import axis_label
from roamcast.papers.hint_driven.curves import (
    COST,
    CREDITS,
    DELIVERY,
    NODES,
    PAPER_COST,
    PAPER_DELIVERY,
    PROBABILITY,
    RATE,
    SPEED,
    SUBSCRIBERS,
    SWEEP_CURVES,
    measured_curves,
)
from roamcast.papers.shared.claim_parts import seeds_text
from roamcast.papers.shared.curves import Curve, point_at, rows_along
from roamcast.report.figure import Figure, Panel, Point, Series


@dataclass(frozen=True, slots=True)
class Plot:
    """A figure of curves over one quantity."""

    number: int
    sweep: str
    title: str
    axis: str
    """The key on the axis."""
    x_label: str
    where: str
    """The parts of the scenario that a reader has to know."""
    metrics: tuple[str, ...] = (DELIVERY, COST)
    log_load: bool = False
    """Whether to draw the load on a logarithmic axis, because it covers more than a decade."""


IN_REFERENCE = "100 nodes on 1 km², 2 publishers, 10 subscribers"
PLOTS = (
    Plot(6, "probability", "gossip by its forwarding probability", PROBABILITY, "forwarding probability", IN_REFERENCE),
    Plot(7, "credits", "hints by the credits of a message", CREDITS, "credits", IN_REFERENCE),
    Plot(
        8,
        "subscribers",
        "hints and gossip by the number of subscribers",
        SUBSCRIBERS,
        "subscribers",
        "100 nodes, 2 publishers",
        log_load=True,
    ),
    Plot(9, "rate", "hints and gossip by the publishing rate", RATE, "events of each publisher [1/s]", IN_REFERENCE),
    Plot(10, "speed", "hints by speed and beacon interval", SPEED, "speed of all nodes [m/s]", IN_REFERENCE),
    Plot(
        11,
        "size",
        "hints and gossip as the network grows at constant density",
        NODES,
        "nodes, 100 on each km²",
        "2 % publish, 10 % subscribe",
    ),
    Plot(
        12,
        "density",
        "delivery of hints and gossip by density",
        NODES,
        "nodes on 1 km²",
        "2 % publish, 10 % subscribe",
        (DELIVERY,),
    ),
    Plot(
        13,
        "density",
        "network load of hints and gossip by density",
        NODES,
        "nodes on 1 km²",
        "2 % publish, 10 % subscribe",
        (COST,),
    ),
)
SERIES_NAMES: Mapping[int, tuple[str, ...]] = {
    plot.number: tuple(curve.label for curve in SWEEP_CURVES[plot.sweep]) for plot in PLOTS
}
TITLES = {DELIVERY: "delivery", COST: "network load"}
STATED = {(7, DELIVERY): Point(0.0, PAPER_DELIVERY), (7, COST): Point(0.0, PAPER_COST)}
"""The points that the paper's text states."""


def hint_driven_figures(measured: Measurements) -> Sequence[Figure]:
    """Return the figures whose sweeps were measured."""
    return [_figure(measured, plot) for plot in PLOTS if measured.where(plot.sweep, DELIVERY)]


def _figure(measured: Measurements, plot: Plot) -> Figure:
    load = " Load: all frames of the seeds, beacons included, over all deliveries." if COST in plot.metrics else ""
    seeds = seeds_text(measured.where(plot.sweep, DELIVERY))
    return Figure(
        f"figure-{plot.number}",
        f"Figure {plot.number}: {plot.title}",
        f"Random waypoint, two-ray ground, {plot.where}. {seeds}{load}",
        tuple(_panel(measured, plot, metric) for metric in plot.metrics),
    )


def _panel(measured: Measurements, plot: Plot, metric: str) -> Panel:
    series = [_series(measured, plot, metric, curve) for curve in measured_curves(measured, plot.sweep)]
    if (plot.number, metric) in STATED:
        series.append(Series("paper", (STATED[plot.number, metric],), from_paper=True))
    log_y = plot.log_load and metric == COST
    y_limits = (0.0, 1.0) if metric == DELIVERY else None
    return Panel(TITLES[metric], plot.x_label, axis_label(metric), tuple(series), log_y=log_y, y_limits=y_limits)


def _series(measured: Measurements, plot: Plot, metric: str, curve: Curve) -> Series:
    rows = rows_along(measured, plot.sweep, metric, curve, plot.axis)
    return Series(curve.label, tuple(point_at(float(row.point[plot.axis]), row) for row in rows))
