"""The cost of matching an event against 1,000 subscriptions by content, for each kind of predicate.

The target is the project's promise for content-based routing: under a millisecond of CPU time for an event. It is met
in a plain loop over the predicates, as a node's hint table or the recorder has it, without an index.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import median
from time import process_time
from typing import Any

from roamcast.core.attributes import Attributes
from roamcast.core.events import Event, EventId
from roamcast.core.predicates import Predicate, parse
from roamcast.core.topics import Topic

PREDICATES = "predicates"
COUNT = 1_000
EVENTS = 50
TARGET_MS = 1.0
"""For one event against all predicates of a kind."""

KINDS: dict[str, Callable[[int], str]] = {
    "topic and number": lambda n: f'topic = "traffic.t{n % 10}" and speed_mps < {n % 30}',
    "topic or number": lambda n: f'topic = "traffic.t{n % 10}" or severity >= {n % 6}',
    "topics or number": lambda n: f'topic in {{"news.n{n % 3}", "weather.w{n % 5}"}} or severity >= {n % 6}',
    "other topics": lambda n: f'topic != "news" and topic != "weather.w{n % 5}"',
    "number": lambda n: f"speed_mps between {n % 10} and {n % 10 + 9}",
    "number but one": lambda n: f"lanes between {n % 3} and {n % 3 + 4} and lanes != {n % 3 + 1}",
    "another number": lambda n: f"lanes != {n % 6}",
    "text": lambda n: f'zone = "z{n % 9}"',
    "another text": lambda n: f'zone != "z{n % 9}" and speed_mps present',
    "prefix": lambda n: f'zone starts with "z{n % 9}"',
    "texts from": lambda n: f'zone >= "z{n % 9}"',
    "set and truth": lambda n: f'road in {{"r{n % 5}", "r{n % 7 + 2}"}} and jam = true',
    "absence and truth": lambda n: f"indoor missing and jam = {str(n % 2 == 0).lower()}",
}
"""Predicates by number, all kinds of comparison among them, in the sizes in which people write them."""


@dataclass(frozen=True, slots=True)
class PredicateMeasurement:
    """The cost of matching one event against all predicates of a kind, in milliseconds of CPU time."""

    kind: str
    example: str
    matched_share: float
    """Of all pairs of an event and a predicate; it tells whether two measurements are of the same work."""
    repeats: int
    event_ms_best: float
    event_ms_median: float
    target_ms: float = TARGET_MS

    @property
    def is_reached(self) -> bool:
        """Tell whether the target was reached, by the fastest run: others share this machine."""
        return self.event_ms_best < self.target_ms


def measure_predicates(repeats: int, count: int = COUNT) -> list[PredicateMeasurement]:
    """Measure every kind."""
    return [_measure(kind, repeats, count) for kind in KINDS]


def as_rows(measured: list[PredicateMeasurement]) -> list[dict[str, Any]]:
    """Return measurements by the names of their fields."""
    return [asdict(each) for each in measured]


def show_predicates(measured: list[PredicateMeasurement]) -> str:
    """Return measurements as a table."""
    lines = [f"{'1 event, 1,000 predicates':25} {'CPU ms: best':>12} {'median':>7} {'matched':>8}  for example"]
    for each in measured:
        missed = "" if each.is_reached else f"; target {each.target_ms:g} ms: NOT reached"
        figures = f"{each.event_ms_best:12.3f} {each.event_ms_median:7.3f} {each.matched_share:8.1%}"
        lines.append(f"{each.kind:25} {figures}  {each.example}{missed}")
    slowest = max(measured, key=lambda each: each.event_ms_best)
    verdict = "reached" if slowest.is_reached else "NOT reached"
    lines.append(f"the slowest kind takes {slowest.event_ms_best:.3f} ms; target {slowest.target_ms:g} ms: {verdict}")
    return "\n".join(lines)


def _measure(kind: str, repeats: int, count: int) -> PredicateMeasurement:
    predicates = [parse(KINDS[kind](number)) for number in range(count)]
    events = [_event(number) for number in range(EVENTS)]
    matched = sum(predicate.matches(event) for event in events for predicate in predicates)
    spent_ms = [1e3 * _matching_s(predicates, events) / len(events) for _ in range(repeats)]
    share = matched / (len(events) * len(predicates))
    return PredicateMeasurement(kind, str(predicates[0]), share, repeats, min(spent_ms), median(spent_ms))


def _matching_s(predicates: list[Predicate], events: list[Event]) -> float:
    began_s = process_time()
    for event in events:
        for predicate in predicates:
            predicate.matches(event)
    return process_time() - began_s


def _event(number: int) -> Event:
    """Return an event that says everything that predicates ask for, but ``indoor``."""
    says: dict[str, object] = {
        "speed_mps": number % 30 + 0.5,
        "severity": number % 6,
        "lanes": number % 6,
        "zone": f"z{number % 11}",
        "road": f"r{number % 9}",
        "jam": number % 2 == 0,
    }
    topic = f"traffic.t{number % 10}" if number % 3 else f"weather.w{number % 5}"
    return Event(EventId(0, number), Topic(topic), 0.0, 1.0, 400, Attributes(says))
