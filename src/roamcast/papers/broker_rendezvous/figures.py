"""The broker and rendezvous paper's figures 4 and 5, drawn from measurements; its text gives no numbers for them."""

from collections.abc import Mapping, Sequence

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.metrics import axis_label
from roamcast.papers.broker_rendezvous.curves import (
    BANDWIDTH,
    CITY,
    DELAY,
    DELIVERY,
    DURATION,
    HIGHWAY,
    PLACES,
    SLOWEST,
    SPEED,
    SYSTEMS,
)
from roamcast.papers.shared.claim_parts import seeds_text
from roamcast.papers.shared.curves import Curve, point_at, rows_along
from roamcast.report.figure import Figure, Panel, Series

TITLES = {HIGHWAY: "highway traffic report", CITY: "police surveillance in a city"}
WHERE = {
    HIGHWAY: "60 cars on two freeways, 2 topics with 1 publisher and 9 subscribers each, events of 512 bytes",
    CITY: "60 cars on a grid of streets, 6 topics with 2 publishers and 5 subscribers each, events of 1024 bytes",
}
LETTERS = (
    "B: brokers, R: rendezvous points. AODV: routes to nodes, sought on demand; GPSR: packets are routed by positions, "
    "and topics have their home anywhere (no map) or on a street (with map)."
)
PANELS = {DELIVERY: "delivery", DELAY: "delay", BANDWIDTH: "bandwidth"}

SERIES_NAMES: Mapping[int, tuple[str, ...]] = dict.fromkeys(PLACES.values(), tuple(system.label for system in SYSTEMS))


def broker_rendezvous_figures(measured: Measurements) -> Sequence[Figure]:
    """Return the figures whose sweeps were measured."""
    return [_figure(measured, place) for place in PLACES if measured.where(place, DELIVERY)]


def _figure(measured: Measurements, place: str) -> Figure:
    rows = measured.where(place, DELIVERY)
    texts = (f"{WHERE[place]}, one every 10 s.", _driving_text(rows), LETTERS, seeds_text(rows))
    return Figure(
        f"figure-{PLACES[place]}",
        f"Figure {PLACES[place]}: {TITLES[place]}",
        " ".join(texts),
        tuple(_panel(measured, place, metric) for metric in PANELS),
    )


def _driving_text(rows: Sequence[Measurement]) -> str:
    """State how long the runs are and what a speed on the axis means."""
    durations_s = " or ".join(f"{each:g} s" for each in sorted({row.point[DURATION] for row in rows}))
    fastest_mps = max(float(row.point[SPEED]) for row in rows)
    return (
        f"Runs of {durations_s}; {fastest_mps:g} m/s means cars between {SLOWEST * fastest_mps:g} and "
        f"{fastest_mps:g} m/s, and likewise at each speed."
    )


def _panel(measured: Measurements, place: str, metric: str) -> Panel:
    series = tuple(_series(measured, place, metric, system) for system in SYSTEMS)
    y_limits = (0.0, 1.0) if metric == DELIVERY else None
    log_y = metric != DELIVERY
    return Panel(PANELS[metric], "speed [m/s]", axis_label(metric), series, log_y=log_y, y_limits=y_limits)


def _series(measured: Measurements, place: str, metric: str, system: Curve) -> Series:
    rows = rows_along(measured, place, metric, system, SPEED)
    return Series(system.label, tuple(point_at(float(row.point[SPEED]), row) for row in rows))
