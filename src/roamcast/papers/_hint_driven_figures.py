"""The hint-driven paper's figures 6 to 13, drawn from measurements; of numbers, its text has those of figure 7 only."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from roamcast.experiments.measurements import Measurement, Measurements
from roamcast.papers._hint_driven_curves import (
    COST,
    CREDITS,
    CURVE,
    DELIVERY,
    NODES,
    PROBABILITY,
    RATE,
    SPEED,
    SUBSCRIBERS,
)
from roamcast.report.figure import Figure, Panel, Point, Series

PAPER_DELIVERY, PAPER_COST, PAPER_GOSSIP_COST = 0.7, 2.5, 5.5
"""What hints deliver without credits, the frames that a delivery costs them, and what it costs gossip; section 5.2."""


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
    """What of the scenario a reader has to know."""
    metrics: tuple[str, ...] = (DELIVERY, COST)


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
TITLES = {DELIVERY: "delivery", COST: "network load"}
Y_LABELS = {DELIVERY: "share of subscribers reached", COST: "frames per delivered event"}
STATED = {(7, DELIVERY): Point(0.0, PAPER_DELIVERY), (7, COST): Point(0.0, PAPER_COST)}
"""The points that the paper's text states."""


def hint_driven_figures(measured: Measurements) -> Sequence[Figure]:
    """Return the figures whose sweeps were measured."""
    return [_figure(measured, plot) for plot in PLOTS if measured.where(plot.sweep, DELIVERY)]


def _figure(measured: Measurements, plot: Plot) -> Figure:
    rows = measured.where(plot.sweep, DELIVERY)
    return Figure(
        f"figure-{plot.number}",
        f"Figure {plot.number}: {plot.title}",
        f"Random waypoint, two-ray ground, {plot.where}. Frames include beacons. {_seeds(rows)}",
        tuple(_panel(measured, plot, metric) for metric in plot.metrics),
    )


def _panel(measured: Measurements, plot: Plot, metric: str) -> Panel:
    rows = measured.where(plot.sweep, metric)
    names = dict.fromkeys(str(row.point[CURVE]) for row in measured.where(plot.sweep, DELIVERY))
    series = [
        _series(name, (row for row in rows if row.point[CURVE] == name), plot.axis)
        for name in sorted(names, key=_order)
    ]
    if (plot.number, metric) in STATED:
        series.append(Series("paper", (STATED[plot.number, metric],), from_paper=True))
    widest = plot.sweep in ("subscribers", "speed") and metric == COST
    y_limits = (0.0, 1.05) if metric == DELIVERY else None
    return Panel(TITLES[metric], plot.x_label, Y_LABELS[metric], tuple(series), log_y=widest, y_limits=y_limits)


def _order(name: str) -> tuple[bool, float]:
    """Put hints first, and curves of one protocol in the order of the number in their names."""
    number = re.search(r"[0-9.]+", name)
    return name.startswith("gossip"), float(number.group()) if number else 0.0


def _series(name: str, rows: Iterable[Measurement], axis: str) -> Series:
    points = (Point(float(row.point[axis]), row.mean, row.half_width_95) for row in rows)
    return Series(name, tuple(sorted(points, key=lambda point: point.x)))


def _seeds(rows: Iterable[Measurement]) -> str:
    counts = sorted({row.seeds for row in rows})
    shown = "-".join(str(each) for each in ([counts[0], counts[-1]] if len(counts) > 1 else counts))
    return f"Mean over {shown} seeds with its 95 % interval."
