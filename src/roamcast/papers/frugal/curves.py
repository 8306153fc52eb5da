"""The algorithms that the Frugal paper compares, and the quantities on the axes of its figures."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.statistics import SHARE, Sample, pooled
from roamcast.papers.shared.curves import CURVE, Curve

FRACTION, SPEED, EVENTS = "workload.subscriber_fraction", "mobility.speed_mps", "workload.events"
HEARTBEAT, PUBLISHER = "protocol.heartbeat_s_max", "workload.publisher"

FRUGAL = Curve("Frugal", "frugal")
SIMPLE = Curve("(1) simple flooding", "flooding")
INTEREST = Curve("(2) interests-aware flooding", "interest-flooding")
NEIGHBOUR = Curve("(3) neighbours' interests flooding", "neighbour-flooding", {"protocol.per_neighbour": True})
"""With a copy of an event for each interested neighbour: only so can it cost more than (2), as the paper reports."""
FAIR = Curve("(3) with one frame for all", "neighbour-flooding")
"""The same without the needless copies; shown beside it and not judged."""
ALTERNATIVES = (SIMPLE, INTEREST, NEIGHBOUR)
CURVES = (FRUGAL, *ALTERNATIVES, FAIR)

FIELD_RUNS = 30
"""Section 5.2: in the random waypoint model, all simulations were run 30 times with different seeds."""
CITY_RUNS = 1
"""In the city all 30 runs of an experiment were on one movement of the cars: "a specific mobility model for 15
processes was created" (5.1), and publishers differ by the path that they take (5.2), by up to 60 points: over 30
movements, each with other paths, they would hardly differ. Our seeds are movements, so the paper's numbers are those of
one seed."""
ADDED = (
    "Added after a campaign with seeds 2001 to 2270 had been seen, and before any result of the seeds that judge it."
)
"""Of claims whose bands were fixed with results known that bear on them."""

RELIABILITY = "reliability"
BANDWIDTH = "payload_bytes_sent_per_node"
"""The paper's sizes (50, 16 and 400 bytes) are those of messages, without the MAC's header."""
EVENTS_SENT, DUPLICATES, PARASITES = "events_sent_per_node", "duplicates_per_node", "parasites_per_node"
RECEPTIONS = "receptions_per_event_received"


def cost_rows(
    measured: Measurements, sweep: str, metric: str, curve: Curve, labels: Mapping[str, Any] | None = None
) -> list[Measurement]:
    """Return what a curve costs at the points of a sweep, by the share of subscribers and the number of events."""
    rows = measured.where(sweep, metric, {CURVE: curve.label, **(labels or {})})
    return sorted(rows, key=lambda row: (row.point[FRACTION], row.point[EVENTS]))


def over_publishers(
    measured: Measurements, fraction: float, combine: Callable[[Sequence[float]], float]
) -> Measurement | None:
    """Return one number of the reliabilities of all publishers, seed by seed; a seed is a movement of the cars.

    Each publisher's own reliability is a mean over many draws of the other subscribers.
    """
    rows = measured.where("subscribers", RELIABILITY, {FRACTION: fraction})
    if not rows:
        return None
    by_seed = [{sample.seed: sample.amount / sample.base for sample in row.samples} for row in rows]
    seeds = sorted(set.intersection(*(set(values) for values in by_seed)))
    samples = [Sample(seed, combine([values[seed] for values in by_seed])) for seed in seeds]
    found = pooled(samples, SHARE)
    if found is None:
        return None
    places = tuple(row.place for row in rows)
    return Measurement.of("subscribers", {FRACTION: fraction}, RELIABILITY, found, samples, made_of=places)


def mean(values: Sequence[float]) -> float:
    """Return the mean over the publishers."""
    return sum(values) / len(values)


def spread(values: Sequence[float]) -> float:
    """Return the best publisher's reliability less the worst one's."""
    return max(values) - min(values)
