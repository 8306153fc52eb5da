"""The Frugal paper's figures 11 to 20, drawn from measurements, together with the numbers that the paper prints."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.papers.frugal.curves import (
    BANDWIDTH,
    CURVES,
    DUPLICATES,
    EVENTS,
    EVENTS_SENT,
    FRACTION,
    HEARTBEAT,
    PARASITES,
    RELIABILITY,
    SPEED,
    cost_rows,
    mean,
    over_publishers,
    spread,
)
from roamcast.papers.shared.claim_parts import seeds_text
from roamcast.papers.shared.curves import Curve, point_at
from roamcast.report.figure import Figure, Panel, Point, Series

PAPER_HEARTBEAT = {1: 0.769, 2: 0.751, 3: 0.655, 4: 0.699, 5: 0.540}
"""Figure 13: reliability by the upper bound of the heartbeat period in seconds."""
PAPER_SUBSCRIBERS = {0.2: 0.581, 0.4: 0.597, 0.6: 0.625, 0.8: 0.686, 1.0: 0.769}
"""Figure 14: reliability by the share of subscribers."""
PAPER_SPREAD = {0.2: 0.409, 0.4: 0.447, 0.6: 0.479, 0.8: 0.539, 1.0: 0.600}
"""Figure 15: the best publisher's reliability less the worst one's, by the share of subscribers."""
PAPER_VALIDITY = {25: 0.11, 50: 0.27, 75: 0.44, 100: 0.52, 125: 0.69, 150: 0.77}
"""Figure 16: reliability by the validity period in seconds."""

FIELD_VALIDITIES_S = (30, 60, 90, 120, 150, 180)
"""The validity periods of figures 11 and 12."""
CITY_VALIDITIES_S = tuple(PAPER_VALIDITY)
SPEEDS_MPS = (0, 1, 5, 10, 20, 30, 40)
"""The speeds of figure 11."""
FRACTIONS = tuple(PAPER_SUBSCRIBERS)
"""The shares of subscribers."""

RELIABILITY_AXIS = "reliability: share of subscribers reached"
"""The paper's word, and what it means by it. Its axes of costs are in its own words as well."""
MEASURED = "measured"


def _speed_name(speed_mps: float) -> str:
    return f"{speed_mps:g} m/s"


def _share_name(fraction: float) -> str:
    return f"{fraction:.0%} subscribe"


SERIES_NAMES: Mapping[int, tuple[str, ...]] = {
    11: tuple(map(_speed_name, SPEEDS_MPS)),
    12: tuple(map(_share_name, FRACTIONS)),
    **dict.fromkeys((13, 14, 15, 16), (MEASURED,)),
    **dict.fromkeys((17, 18, 19, 20), tuple(curve.label for curve in CURVES)),
}


def frugal_figures(measured: Measurements) -> Sequence[Figure]:
    """Return the figures whose sweeps were measured."""
    figures = [
        _figure_11(measured),
        _figure_12(measured),
        *_city_figures(measured),
        *(_cost_figure(measured, *each) for each in COST_FIGURES),
    ]
    return [figure for figure in figures if figure is not None]


def _by_validity(measured: Measurements, sweep: str, labels: Mapping[str, Any]) -> list[tuple[float, Measurement]]:
    found = []
    for validity_s in FIELD_VALIDITIES_S:
        found += [(float(validity_s), row) for row in measured.where(sweep, f"reliability@{validity_s}", labels)]
    return found


def _curve(label: str, rows: Sequence[tuple[float, Measurement]]) -> Series:
    return Series(label, tuple(point_at(x, row) for x, row in rows))


def _labels(rows: Iterable[Measurement], key: str) -> list[Any]:
    """Return the values of a label, in order."""
    values: list[Any] = []
    for row in rows:
        if row.point[key] not in values:
            values.append(row.point[key])
    return sorted(values)


def _figure_11(measured: Measurements) -> Figure | None:
    rows = measured.where("speed", "reliability")
    if not rows:
        return None
    panels = tuple(
        Panel(
            title=_share_name(fraction),
            x_label="validity period [s]",
            y_label=RELIABILITY_AXIS,
            series=tuple(
                _curve(_speed_name(speed[0]), _by_validity(measured, "speed", {FRACTION: fraction, SPEED: speed}))
                for speed in _labels(rows, SPEED)
            ),
            y_limits=(0.0, 1.0),
        )
        for fraction in _labels(rows, FRACTION)
    )
    return Figure(
        "figure-11",
        "Figure 11: reliability by validity period, speed and share of subscribers",
        f"Random waypoint, 150 processes on 25 km². {seeds_text(rows)}",
        panels,
    )


def _figure_12(measured: Measurements) -> Figure | None:
    rows = measured.where("mixed", "reliability")
    if not rows:
        return None
    panel = Panel(
        "speeds of 1 to 40 m/s",
        "validity period [s]",
        RELIABILITY_AXIS,
        tuple(
            _curve(_share_name(fraction), _by_validity(measured, "mixed", {FRACTION: fraction}))
            for fraction in _labels(rows, FRACTION)
        ),
        y_limits=(0.0, 1.0),
    )
    return Figure(
        "figure-12",
        "Figure 12: reliability in a mixed network, 1 to 40 m/s",
        f"Random waypoint; each trip has a speed of its own. {seeds_text(rows)}",
        (panel,),
    )


@dataclass(frozen=True, slots=True)
class _CityTable:
    """A table that the paper prints of its city runs, drawn together with our measurements."""

    number: int
    title: str
    x_label: str
    y_label: str
    paper: Mapping[Any, float]
    x_unit: float = 1.0

    def figure(self, rows: Sequence[tuple[float, Measurement]]) -> Figure | None:
        """Draw the values measured at each x; None if there are none."""
        if not rows:
            return None
        ours = (point_at(x * self.x_unit, row) for x, row in rows)
        series = Series(MEASURED, tuple(sorted(ours, key=lambda point: point.x)))
        printed = Series("paper", tuple(Point(x * self.x_unit, y) for x, y in self.paper.items()), from_paper=True)
        panel = Panel("city section", self.x_label, self.y_label, (series, printed), y_limits=(0.0, 1.0))
        seeds = seeds_text(row for _, row in rows)
        caption = f"15 cars, range 44 m. {seeds} Each car is the publisher in turn. The map is ours, not the paper's."
        return Figure(f"figure-{self.number}", f"Figure {self.number}: {self.title}", caption, (panel,))


def _city_figures(measured: Measurements) -> Sequence[Figure | None]:
    """Return figures 13 to 16."""
    heartbeat = _CityTable(
        13,
        "reliability by heartbeat period",
        "upper bound of the heartbeat period [s]",
        RELIABILITY_AXIS,
        PAPER_HEARTBEAT,
    )
    subscribers = _CityTable(
        14, "reliability by share of subscribers", "subscribers [%]", RELIABILITY_AXIS, PAPER_SUBSCRIBERS, 100
    )
    spread_table = _CityTable(
        15,
        "difference between the best and the worst publisher",
        "subscribers [%]",
        "difference in reliability",
        PAPER_SPREAD,
        100,
    )
    shares = sorted({row.point[FRACTION] for row in measured.where("subscribers", RELIABILITY)})
    validity = _CityTable(16, "reliability by validity period", "validity period [s]", RELIABILITY_AXIS, PAPER_VALIDITY)
    return (
        heartbeat.figure([(row.point[HEARTBEAT], row) for row in measured.where("heartbeat", RELIABILITY)]),
        subscribers.figure(_known((share, over_publishers(measured, share, mean)) for share in shares)),
        spread_table.figure(_known((share, over_publishers(measured, share, spread)) for share in shares)),
        validity.figure(
            [
                (validity_s, row)
                for validity_s in PAPER_VALIDITY
                for row in measured.where("heartbeat", f"reliability@{validity_s}", {HEARTBEAT: 1})
            ]
        ),
    )


def _known(rows: Iterable[tuple[float, Measurement | None]]) -> list[tuple[float, Measurement]]:
    return [(x, row) for x, row in rows if row is not None]


COST_FIGURES = (
    (
        17,
        "bandwidth used by Frugal and by the floodings",
        BANDWIDTH,
        "message bytes sent per process in 180 s [kB]",
        1e-3,
        1.0,
    ),
    (
        18,
        "events sent by Frugal and by the floodings",
        EVENTS_SENT,
        "events sent per process in 180 s",
        1.0,
        1.0,
    ),
    (
        19,
        "duplicates received with Frugal and with the floodings",
        DUPLICATES,
        "duplicates received per process in 180 s",
        1.0,
        1.0,
    ),
    (
        20,
        "parasites received with Frugal and with the floodings",
        PARASITES,
        "parasite events received per process in 180 s",
        1.0,
        0.99,
    ),
)
"""Number, title, metric, axis, unit, and the largest share of subscribers at which there is anything to see."""


def _cost_figure(
    measured: Measurements, number: int, title: str, metric: str, y_label: str, unit: float, fraction_max: float
) -> Figure | None:
    rows = measured.where("frugality", metric)
    if not rows:
        return None
    panels = tuple(
        Panel(
            title=_share_name(fraction),
            x_label="events published",
            y_label=y_label,
            series=tuple(_scaled(curve, measured, metric, fraction, unit) for curve in _drawn(measured)),
            log_y=True,
        )
        for fraction in _labels(rows, FRACTION)
        if fraction <= fraction_max
    )
    caption = f"Random waypoint at 10 m/s, 150 processes, events of 400 bytes. {seeds_text(rows)}"
    return Figure(f"figure-{number}", f"Figure {number}: {title}", caption, panels)


def _drawn(measured: Measurements) -> list[Curve]:
    """Return the curves that were measured."""
    return [curve for curve in CURVES if cost_rows(measured, "frugality", BANDWIDTH, curve)]


def _scaled(curve: Curve, measured: Measurements, metric: str, fraction: float, unit: float) -> Series:
    rows = cost_rows(measured, "frugality", metric, curve, {FRACTION: fraction})
    return Series(curve.label, tuple(point_at(float(row.point[EVENTS]), row, unit) for row in rows))
