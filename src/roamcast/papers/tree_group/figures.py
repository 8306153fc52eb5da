"""The tree group paper's figures 2 to 6, drawn from measurements; the paper's text gives no numbers for them."""

from collections.abc import Mapping, Sequence

from roamcast.measuring.measurements import Measurements
from roamcast.measuring.metrics import axis_label
from roamcast.papers.shared.claim_parts import seeds_text
from roamcast.papers.shared.curves import Curve, point_at
from roamcast.papers.tree_group.curves import (
    COMPARED,
    DELIVERY,
    FAR_FLOODING,
    FLOODING,
    GLOBAL_SHARE,
    GROUPS,
    LATENCY,
    LEVELS,
    LOCAL,
    LOCAL_SHARE,
    MAINTENANCE,
    MEMORY,
    MESSAGES,
    NODES,
    NOTIFICATION,
    SPEED,
    TREE,
    measured_curves,
    row_of,
    rows_of,
)
from roamcast.report.figure import Figure, Panel, Series

WHERE = "500 nodes on 4 km², range 150 m"
MESSAGES_LABEL = "messages sent per node"
KINDS = {"all": MESSAGES, "notification": NOTIFICATION, "maintenance": MAINTENANCE}
"""The messages of figure 4."""
STORED = "stored"
BY_SPEED = tuple(curve.label for curve in (FLOODING, FAR_FLOODING, TREE, GROUPS))
SERIES_NAMES: Mapping[int, tuple[str, ...]] = {
    2: BY_SPEED,
    3: BY_SPEED,
    4: tuple(KINDS),
    5: (STORED,),
    6: tuple(curve.label for curve in COMPARED),
}


def tree_group_figures(measured: Measurements) -> Sequence[Figure]:
    """Return the figures whose sweeps were measured."""
    figures: list[Figure] = []
    if measured.where("speed", DELIVERY):
        figures += [_figure_2(measured), _figure_3(measured)]
    if measured.where("levels", NOTIFICATION):
        figures += [_figure_4(measured), _figure_5(measured)]
    if measured.where("size", LATENCY):
        figures.append(_figure_6(measured))
    return figures


def _by_speed(measured: Measurements, metric: str) -> tuple[Series, ...]:
    return tuple(
        Series(
            curve.label,
            tuple(point_at(float(row.point[SPEED]), row) for row in rows_of(measured, "speed", metric, curve, SPEED)),
        )
        for curve in measured_curves(measured, "speed")
    )


def _figure_2(measured: Measurements) -> Figure:
    series = _by_speed(measured, DELIVERY)
    panel = Panel("delivery", "speed of all nodes [m/s]", axis_label(DELIVERY), series, y_limits=(0.0, 1.0))
    seeds = seeds_text(measured.where("speed", DELIVERY))
    caption = f"Random waypoint, {WHERE}, as many local as global events. {seeds} TTL 30 is ours: ten hops do not reach"
    return Figure("figure-2", "Figure 2: delivery by speed", f"{caption} across the area.", (panel,))


def _figure_3(measured: Measurements) -> Figure:
    panel = Panel("messages", "speed of all nodes [m/s]", MESSAGES_LABEL, _by_speed(measured, MESSAGES))
    seeds = seeds_text(measured.where("speed", NOTIFICATION))
    caption = (
        f"Random waypoint, {WHERE}. All messages, including MAC retransmissions, without the MAC's own frames. {seeds}"
    )
    return Figure("figure-3", "Figure 3: message overhead by speed", caption, (panel,))


def _bars(measured: Measurements, label: str, metric: str, curves: Sequence[Curve], unit: float = 1.0) -> Series:
    rows = [row_of(measured, "levels", metric, curve) for curve in curves]
    return Series(label, tuple(point_at(float(index), row, unit) for index, row in enumerate(rows) if row is not None))


def _figure_4(measured: Measurements) -> Figure:
    series = tuple(_bars(measured, label, metric, LEVELS) for label, metric in KINDS.items())
    names = tuple(curve.label for curve in LEVELS)
    seeds = seeds_text(measured.where("levels", NOTIFICATION))
    what = "Notification: messages that carry events. Without the MAC's own frames."
    caption = f"Random waypoint, {WHERE}, 2 m/s. {what} {seeds}"
    panel = Panel("messages", "", MESSAGES_LABEL, series, x_names=names)
    return Figure("figure-4", "Figure 4: what the messages are for", caption, (panel,))


def _figure_5(measured: Measurements) -> Figure:
    curves = LEVELS[1:]
    series = (_bars(measured, STORED, MEMORY, curves),)
    names = tuple(curve.label for curve in curves)
    seeds = seeds_text(measured.where("levels", MEMORY))
    caption = f"Random waypoint, {WHERE}, 2 m/s. Flooding stores no subscriptions. {seeds}"
    panel = Panel("memory for subscriptions", "", axis_label(MEMORY), series, x_names=names, y_limits=None)
    return Figure("figure-5", "Figure 5: memory for subscriptions", caption, (panel,))


def _figure_6(measured: Measurements) -> Figure:
    shares = ((GLOBAL_SHARE, "(a) global : local = 3 : 1"), (LOCAL_SHARE, "(b) global : local = 1 : 3"))
    panels = tuple(
        Panel(
            title,
            "nodes on 4 km²",
            axis_label(LATENCY, "ms"),
            tuple(_latencies(measured, curve, share) for curve in COMPARED),
        )
        for share, title in shares
    )
    seeds = seeds_text(measured.where("size", LATENCY))
    caption = f"Random waypoint, 2 m/s, range 150 m. From publication to delivery, over what was delivered. {seeds}"
    return Figure("figure-6", "Figure 6: notification latency by the number of nodes", caption, panels)


def _latencies(measured: Measurements, curve: Curve, share: float) -> Series:
    rows = [row for row in rows_of(measured, "size", LATENCY, curve, NODES) if row.point[LOCAL] == share]
    return Series(curve.label, tuple(point_at(float(row.point[NODES]), row, 1e3) for row in rows))
