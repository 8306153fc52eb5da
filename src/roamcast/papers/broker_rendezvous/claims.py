"""The broker and rendezvous paper's claims in section 5, with tolerances; each claim for each of its two scenarios.

The paper's text has no numbers, only words. Each word is read as one of the constants below, the same wherever it
occurs. A statement about all speeds is checked for the mean over the speeds, or point by point where the paper says so.
"""

from collections.abc import Callable, Sequence
from math import inf
from typing import NamedTuple

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.verdicts import Claim, Part, Share, Verdict, above, at_least, at_most, part_verdict
from roamcast.papers.broker_rendezvous.curves import (
    B_AODV,
    B_GPSR,
    B_MAP,
    BANDWIDTH,
    CITY,
    DELAY,
    DELIVERY,
    HIGHWAY,
    PLACES,
    R_AODV,
    R_GPSR,
    R_MAP,
    SPEED,
    SYSTEMS,
)
from roamcast.papers.shared.claim_parts import (
    combined_part,
    difference_part,
    if_measured,
    limits,
    ratio_part,
    value_part,
)
from roamcast.papers.shared.curves import Curve, row_at, rows_along

VERY_LOW = 1 / 3
""""Very low reliability": at most a third of the subscribers."""
SIGNIFICANTLY = 0.2
"""An increase that is "significant": at least a fifth of the subscribers more."""
MOST = 0.5
""""In most settings": at more than half of the speeds."""

OTHERS = tuple(system for system in SYSTEMS if system != B_MAP)
RIVALS = tuple(
    (rendezvous, other)
    for rendezvous, brokers in ((R_MAP, B_MAP), (R_GPSR, B_GPSR))
    for other in (B_AODV, brokers, R_AODV)
)
"""Both "rendezvous-geographic-based variants", each with whom it is compared: brokers that know as much of the map, and
both systems over AODV."""
WITHOUT_MAP = (B_GPSR, R_GPSR)
PlaceMeasure = Callable[[Measurements, str], Sequence[Part]]
Pairs = Sequence[tuple[Curve, Curve]]


def broker_rendezvous_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order, first of the highway and then of the city."""
    return tuple(claim for place in (HIGHWAY, CITY) for claim in (*_delivery(place), *_delay(place), *_load(place)))


class Notes(NamedTuple):
    """Notes on a claim."""

    remark: str = ""
    """The known reason why it does not reproduce, if it does not."""
    choice: str = ""
    """A choice of ours on which the value depends."""


NO_NOTES = Notes()


def _claim(
    name: str, place: str, statement: str, tolerance: str, measure: PlaceMeasure, notes: Notes = NO_NOTES
) -> Claim:
    return Claim(
        f"{name}-{place}",
        f"5, figure {PLACES[place]}",
        f"{'On the highway' if place == HIGHWAY else 'In the city'}, {statement}",
        tolerance,
        (PLACES[place],),
        if_measured(place, lambda measured: measure(measured, place)),
        notes.remark,
        notes.choice,
    )


# --- delivery ----------------------------------------------------------------------------------------------


def _delivery(place: str) -> Sequence[Claim]:
    return (
        _claim(
            "no-map",
            place,
            "geographic systems without a map deliver very little",
            "at most a third at every speed",
            _no_map,
            Notes(NO_MAP_REMARKS[place], FAR_HOMES),
        ),
        _claim(
            "map",
            place,
            "a map raises the delivery of geographic systems significantly",
            "with a map less without: at least 0.2, averaged over the speeds",
            _map,
            Notes(MAP_REMARKS[place], FAR_HOMES),
        ),
        _claim(
            "broker-map-best",
            place,
            "brokers over GPSR with a map are the most reliable in most settings",
            "clearly above every other system at more than half of the speeds",
            _best,
            Notes(
                "AODV here finds routes again within a fraction of a second, repairs them where they break, and lets "
                "packets wait meanwhile. ns-3's delivers as much within 5 % if it is given our parameters, and far "
                "less with its own (docs/routing.md)."
            ),
        ),
        _claim(
            "rendezvous-sensitive",
            place,
            "speed hurts rendezvous over GPSR more than brokers over GPSR or any system over AODV",
            "the delivery it loses from the lowest to the highest speed, with a map and without, exceeds the loss of "
            "brokers with the same map and of both systems over AODV",
            _sensitive,
            Notes(
                "An event is sent to the position that the subscription gave. A subscription reaches the broker or, by "
                "way of the rendezvous point, the publisher within a second or two, so both know nearly the same.",
                "The loss is a share of all subscribers, so a system that delivers little has little to lose.",
            ),
        ),
    )


def _rows(measured: Measurements, place: str, metric: str, system: Curve) -> Sequence[Measurement]:
    return rows_along(measured, place, metric, system, SPEED)


def _no_map(measured: Measurements, place: str) -> Sequence[Part]:
    return [
        value_part(f"{system.label} at {row.point[SPEED]:g} m/s", row, at_most(VERY_LOW))
        for system in WITHOUT_MAP
        for row in _rows(measured, place, DELIVERY, system)
    ] or [Part.missing("delivery without a map")]


def _map(measured: Measurements, place: str) -> Sequence[Part]:
    return [
        _mean_difference(measured, place, DELIVERY, with_map, without, SIGNIFICANTLY)
        for with_map, without in ((B_MAP, B_GPSR), (R_MAP, R_GPSR))
    ]


def _mean_difference(measured: Measurements, place: str, metric: str, one: Curve, less: Curve, low: float) -> Part:
    """Return by how much one system exceeds another, as a mean over the speeds, paired by seed."""
    terms = _mean_terms(measured, place, metric, one, 1.0) + _mean_terms(measured, place, metric, less, -1.0)
    label = f"{one.label} less {less.label}"
    return combined_part(label, terms, at_least(low, no_effect=0)) if terms else Part.missing(label)


def _mean_terms(
    measured: Measurements, place: str, metric: str, system: Curve, sign: float
) -> list[tuple[float, Measurement | None]]:
    speeds = _speeds(measured, place)
    return [(sign / len(speeds), row_at(measured, place, metric, system, SPEED, each)) for each in speeds]


def _speeds(measured: Measurements, place: str) -> Sequence[float]:
    """Return the speeds at which any system was measured, in order; one that lacks some of them leaves a claim open."""
    return sorted({float(row.point[SPEED]) for row in measured.where(place, DELIVERY)})


def _best(measured: Measurements, place: str) -> Sequence[Part]:
    """Count the speeds at which brokers with a map are surely, surely not, or perhaps the best.

    The share of speeds that they win is between the sure ones and those with the open ones; beside it, not judged, how
    far they are from the best of the others.
    """
    speeds, parts, won, lost = _speeds(measured, place), [], 0, 0
    for speed in speeds:
        ours, *others = (row_at(measured, place, DELIVERY, each, SPEED, speed) for each in (B_MAP, *OTHERS))
        ahead = [difference_part(each.label, ours, row, above(0)) for each, row in zip(OTHERS, others, strict=True)]
        verdicts = {part_verdict(each) for each in ahead}
        won += verdicts == {Verdict.HOLDS}
        lost += Verdict.CONTRADICTED in verdicts
        best = max((row for row in others if row is not None), key=lambda row: row.mean, default=None)
        if best is not None:
            parts.append(difference_part(f"less {best.point['curve']} at {speed:g} m/s", ours, best))
    if not speeds:
        return [Part.missing("delivery with a map")]
    lowest, highest = won / len(speeds), 1 - lost / len(speeds)
    label = f"the share of {len(speeds)} speeds at which it is the best"
    seeds = max((part.quantity.seeds for part in parts if part.quantity is not None), default=0)
    points = frozenset(point for part in parts for point in part.points)
    return [Part(label, Share(lowest, highest, seeds), at_least(MOST + 1e-9), points), *parts]


def _sensitive(measured: Measurements, place: str) -> Sequence[Part]:
    return [
        combined_part(
            f"{ours.label} falls more than {other.label} by",
            [*_fall_terms(measured, place, ours, 1.0), *_fall_terms(measured, place, other, -1.0)],
            above(0),
        )
        for ours, other in RIVALS
    ]


def _fall_terms(
    measured: Measurements, place: str, system: Curve, sign: float
) -> Sequence[tuple[float, Measurement | None]]:
    """Return the delivery at the lowest speed less that at the highest; neither where there is only one speed."""
    speeds = _speeds(measured, place)
    if len(speeds) < 2:
        return (sign, None), (-sign, None)
    slow, fast = (row_at(measured, place, DELIVERY, system, SPEED, each) for each in (speeds[0], speeds[-1]))
    return (sign, slow), (-sign, fast)


# --- delay -------------------------------------------------------------------------------------------------


def _delay(place: str) -> Sequence[Claim]:
    return (
        _claim(
            "rendezvous-delay",
            place,
            "rendezvous over GPSR has the longest delay",
            f"at the highest speed, {MAPS_JUDGED[place]}: longer than brokers over GPSR with the same map and than "
            "both systems over AODV",
            _longest,
            Notes(
                "An event waits for a list of subscriptions only if none has come for 3.5 s; otherwise a publisher "
                "sends at once, where a broker's event makes a detour by the home. Section 3.2.2 expects that, too.",
                "A publisher's first event waits for its first list: one of six at quick scale, one of 90 at full. "
                + ARRIVED,
            ),
        ),
        _claim(
            "aodv-delay",
            place,
            "AODV has the lower delay when mobility is high",
            f"at the highest speed, {MAPS_JUDGED[place]}: shorter than over GPSR, each family with its own",
            _aodv_delay,
            Notes(choice=ARRIVED),
        ),
    )


def _at_top(measured: Measurements, place: str, metric: str, system: Curve) -> Measurement | None:
    speeds = _speeds(measured, place)
    return row_at(measured, place, metric, system, SPEED, speeds[-1]) if speeds else None


def _longest(measured: Measurements, place: str) -> Sequence[Part]:
    return _delay_ratios(measured, place, RIVALS, low=1.0)


def _aodv_delay(measured: Measurements, place: str) -> Sequence[Part]:
    pairs = ((B_AODV, B_MAP), (R_AODV, R_MAP), (B_AODV, B_GPSR), (R_AODV, R_GPSR))
    return _delay_ratios(measured, place, pairs, high=1.0)


def _delay_ratios(
    measured: Measurements, place: str, pairs: Pairs, *, low: float = -inf, high: float = inf
) -> Sequence[Part]:
    """Return the ratio of the delays of each pair at the highest speed.

    On the highway, those without a map are shown but not judged, and only if anything arrived at all.
    """
    parts = []
    for one, other in pairs:
        label = f"{one.label} over {other.label}"
        one_row, other_row = (_at_top(measured, place, DELAY, each) for each in (one, other))
        if place == CITY or not (one in WITHOUT_MAP or other in WITHOUT_MAP):
            parts.append(ratio_part(label, one_row, other_row, limits(low, high)))
        elif one_row is not None and other_row is not None:
            parts.append(ratio_part(f"not judged: {label}", one_row, other_row))
    return parts


# --- bandwidth ---------------------------------------------------------------------------------------------


def _load(place: str) -> Sequence[Claim]:
    return (
        _claim(
            "gpsr-bandwidth",
            place,
            "geographic systems use more bandwidth than those over AODV",
            "bytes per node and second over GPSR less those over AODV, averaged over the speeds: above 0",
            _gpsr_load,
            Notes(
                "A beacon a second is 40 bytes a second; AODV's floods of requests, which every broken route starts, "
                "cost more wherever cars are fast.",
                BYTES,
            ),
        ),
        _claim(
            "broker-bandwidth",
            place,
            "brokers use less bandwidth than rendezvous, which need advertisements",
            "bytes per node and second of rendezvous less those of brokers, averaged over the speeds: above 0",
            _broker_load,
            Notes("Section 3.2.2 expects the opposite, since events need not go by way of a broker.", BYTES),
        ),
    )


def _gpsr_load(measured: Measurements, place: str) -> Sequence[Part]:
    pairs = ((B_GPSR, B_AODV), (B_MAP, B_AODV), (R_GPSR, R_AODV), (R_MAP, R_AODV))
    return [_mean_difference(measured, place, BANDWIDTH, gpsr, aodv, 0.0) for gpsr, aodv in pairs]


def _broker_load(measured: Measurements, place: str) -> Sequence[Part]:
    pairs = ((R_AODV, B_AODV), (R_GPSR, B_GPSR), (R_MAP, B_MAP))
    return [_mean_difference(measured, place, BANDWIDTH, other, broker, 0.0) for other, broker in pairs]


FAR_HOMES = (
    "Where nobody is within half a range of a topic's place, packets for it are lost. This follows section 5 "
    "(topics hashed to void regions) and section 3.1 (packets for nodes); by section 3.3 the nearest node would serve."
)
BYTES = (
    "Bytes are those of packets with their routing and IP headers in data frames on the air: one that the MAC sends "
    "again counts again, one whose RTS nobody answers does not count."
)
NO_MAP_REMARKS = {
    HIGHWAY: "On our map, a good part of the area is within half a range of a freeway: topics hashed there are served.",
    CITY: "The grid of streets leaves few places that are farther than half a range from a street.",
}
MAP_REMARKS = {
    HIGHWAY: "",
    CITY: "On a grid with blocks of 270 m no place within it is farther than 135 m from a street, so there is "
    "little to gain.",
}
MAPS_JUDGED = {HIGHWAY: "with a map (without one it is shown, but not judged)", CITY: "with a map and without"}
ARRIVED = (
    "A mean delay is that of the events that arrive. Without a map, many never do on the highway, and those that do "
    "are not the same in two systems, so that it is not judged there; in the city most arrive."
)
