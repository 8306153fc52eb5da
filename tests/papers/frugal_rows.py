"""Measurements as they would be if all were as the Frugal paper says, at the points that its sweeps make."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from all_measured import sweeps_of

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.statistics import Sample
from roamcast.measuring.verdicts import Finding, Verdict, examine
from roamcast.papers import load_paper

PAPER = load_paper("frugal")
FRACTION, EVENTS, SPEED = "workload.subscriber_fraction", "workload.events", "mobility.speed_mps"
HEARTBEAT, PUBLISHER, CURVE = "protocol.heartbeat_s_max", "workload.publisher", "curve"
RELIABILITY, BANDWIDTH, EVENTS_SENT = "reliability", "payload_bytes_sent_per_node", "events_sent_per_node"
DUPLICATES, PARASITES = "duplicates_per_node", "parasites_per_node"
RECEPTIONS = "receptions_per_event_received"
COSTS = (BANDWIDTH, EVENTS_SENT, DUPLICATES, PARASITES, RECEPTIONS)
"""Written out, since names that come from the paper's module would change along with it."""
FRUGAL, SIMPLE, INTEREST = "Frugal", "(1) simple flooding", "(2) interests-aware flooding"
NEIGHBOUR, FAIR = "(3) neighbours' interests flooding", "(3) with one frame for all"
FLOODINGS = (SIMPLE, INTEREST, NEIGHBOUR)
SEEDS = range(1, 31)
"""Those of an earlier campaign; the paper's own begin at 8001."""

BY_HEARTBEAT = {1: 0.769, 2: 0.751, 3: 0.655, 4: 0.699, 5: 0.540}
BY_SHARE = {0.2: 0.581, 0.4: 0.597, 0.6: 0.625, 0.8: 0.686, 1.0: 0.769}
SPREADS = {0.2: 0.409, 0.4: 0.447, 0.6: 0.479, 0.8: 0.539, 1.0: 0.600}
BY_VALIDITY = {25: 0.11, 50: 0.27, 75: 0.44, 100: 0.52, 125: 0.69, 150: 0.77}
"""The tables of figures 13 to 16."""
CARS = 15
FLOODED_LARGE, OWN_LARGE = 4.0, 4 / 3
"""How bytes grow from an event of 400 bytes to one of 1.6 kB. A flooding sends nothing but events; most of what Frugal
sends are heartbeats and identifiers."""

Point = Mapping[str, Any]
Value = float | None


def metrics_of(sweep: str, validities_s: tuple[float, ...]) -> tuple[str, ...]:
    """Return the metrics that claims and figures ask a sweep for, each validity only where the sweep has it."""
    costs = COSTS if sweep in ("frugality", "one-event", "large-event") else ()
    return (RELIABILITY, *(f"{RELIABILITY}@{validity_s:g}" for validity_s in validities_s), *costs)


def truth(sweep: str, point: Point, metric: str) -> Value:
    """Return the value of a metric at a point, if the paper is right."""
    if metric.startswith(RELIABILITY):
        validity_s = int(metric.partition("@")[2] or 0)
        return _reliability(sweep, point, validity_s)
    return _cost(sweep, point, metric)


def _reliability(sweep: str, point: Point, validity_s: int) -> Value:
    if sweep == "speed":
        few = 0.9 if point[SPEED][0] == 40 else 0.3
        return few if point[FRACTION] == 0.2 else 0.95
    if sweep == "heartbeat":
        return BY_VALIDITY[validity_s] if validity_s else BY_HEARTBEAT[point[HEARTBEAT]]
    if sweep == "subscribers":  # one publisher is far worse than the others, which are all the same
        mean, spread = BY_SHARE[point[FRACTION]], SPREADS[point[FRACTION]]
        return mean + spread / CARS - (spread if point[PUBLISHER] == 4 else 0)
    if sweep in ("mixed", "same-average"):
        return {0.2: 0.4}.get(point[FRACTION], 0.99)
    return {SIMPLE: 0.997}.get(point[CURVE], 0.98)


def _cost(sweep: str, point: Point, metric: str) -> Value:
    own = {
        BANDWIDTH: 1000.0 * point[EVENTS] * (OWN_LARGE if sweep == "large-event" else 1.0),
        EVENTS_SENT: 2.0 * point[EVENTS],
        DUPLICATES: 3.0 * point[EVENTS],
        PARASITES: {0.2: 0.5, 0.4: 0.55, 0.6: 0.6, 0.8: 0.3, 1.0: 0.0}[point[FRACTION]] * point[EVENTS],
        RECEPTIONS: 3.5,
    }
    return float(own[metric] * _factor(sweep, point, metric))


def _factor(sweep: str, point: Point, metric: str) -> float:
    """Return how many times Frugal's cost that of a curve is."""
    curve = point[CURVE]
    if curve == FRUGAL or metric == RECEPTIONS:
        return 1.0
    if sweep == "one-event":
        return {BANDWIDTH: 4.0, EVENTS_SENT: 70.0, DUPLICATES: 85.0, PARASITES: 70.0}[metric]
    if metric == BANDWIDTH:
        is_exception = point[EVENTS] < 4 and point[FRACTION] == 0.2 and curve == INTEREST
        usual = 0.8 if is_exception else 60.0 if curve == NEIGHBOUR else 4.0
        return usual * (FLOODED_LARGE / OWN_LARGE if sweep == "large-event" else 1.0)
    if metric == DUPLICATES:
        return 65.0 if curve == INTEREST else 300.0
    return {EVENTS_SENT: 75.0, PARASITES: 35.0}[metric]


@dataclass(frozen=True)
class Change:
    """A difference between the table and what the paper says."""

    sweep: str
    metric: str
    to: Callable[[float], Value]
    """From a value to another; None: it was not measured."""
    labels: Mapping[str, Any]

    def __call__(self, sweep: str, point: Point, metric: str, value: Value) -> Value:
        is_meant = (sweep, metric) == (self.sweep, self.metric) and all(
            point.get(key) == label for key, label in self.labels.items()
        )
        return self.to(value) if is_meant and value is not None else value


def changed(sweep: str, metric: str, to: Value | Callable[[float], Value], **labels: Any) -> Change:
    """Return a change of a metric at the points with some labels, to a value or by a function."""
    names = {
        "share": FRACTION,
        "events": EVENTS,
        "speed": SPEED,
        "heartbeat": HEARTBEAT,
        "publisher": PUBLISHER,
        "curve": CURVE,
    }
    wanted = {names[name]: [label, label] if name == "speed" else label for name, label in labels.items()}
    return Change(sweep, metric, to if callable(to) else lambda _: to, wanted)


def times(factor: float) -> Callable[[float], Value]:
    """Return the function that multiplies."""
    return lambda value: value * factor


def rows(*changes: Change, scale: str = "quick", noise: float = 0.001, seeds: range = SEEDS) -> Iterator[Measurement]:
    """Yield a row for each point of a scale and each metric; seeds differ from each other by a share of the value."""
    for sweep in sweeps_of(type(PAPER), scale):
        for point in map(json.loads, dict.fromkeys(run.point for run in sweep.runs)):
            for metric in metrics_of(sweep.name, sweep.validities_s):
                value = truth(sweep.name, point, metric)
                for change in changes:
                    value = change(sweep.name, point, metric, value)
                if value is not None:
                    yield row(sweep.name, point, metric, value, noise, seeds)


def row(sweep: str, point: Point, metric: str, value: float, noise: float = 0.001, seeds: range = SEEDS) -> Measurement:
    """Return a value with seeds round it that scatter evenly, each row in its own way, but have exactly this mean."""
    draw = Random(f"{sweep} {sorted(point.items())} {metric}")
    scatter = [draw.uniform(-1.0, 1.0) for _ in seeds]
    mean = sum(scatter) / len(scatter)
    samples = [Sample(seed, value * (1 + noise * (each - mean))) for seed, each in zip(seeds, scatter, strict=True)]
    return Measurement(sweep, point, metric, value, value * (1 - noise), value * (1 + noise), len(seeds), samples)


def findings(measured: Iterator[Measurement]) -> dict[str, Finding]:
    """Return what becomes of each claim."""
    return {each.claim.name: each for each in examine(PAPER.claims(), Measurements(measured))}


def verdicts(measured: Iterator[Measurement]) -> dict[str, Verdict]:
    """Return the verdict on each claim."""
    return {name: finding.verdict for name, finding in findings(measured).items()}
