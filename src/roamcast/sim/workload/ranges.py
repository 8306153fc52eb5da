"""A steady stream of subscriptions and publications of ranges: the workload of the BRVST paper, section V.

There are 15 numeric attributes. Subscriptions and publications arrive at random moments, each at a random node and with
one to three of the attributes. A subscription has a range for each, a publication a point or a range for each, and they
match if each range of the subscription contains the publication's (section III; ``core.attribute_ranges``).

The paper leaves some things open; our choices:
- All attributes have the same limits: other units would change nothing.
- The width of a subscription's range is drawn from a tenth to a half of the limits, that of a publication's up to a
  tenth; half of a publication's attributes are points. The paper draws ranges "randomly" within the limits.
- A subscription lasts a minute, and a publication is valid for as long: without an end, both would grow forever.
- The average number of subscriptions exists from the start, each with the rest of its lifetime; and everything can
  begin before the measurement, so that there are as many valid events at its start as later.

The subscriptions at the start, the later ones and the publications each have their own random stream, and a rate only
stretches the times: with the same seed, the 50th publication has the same content at every rate.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf, log
from random import Random
from typing import Annotated, ClassVar

from roamcast.core.attribute_ranges import range_attributes, range_predicate
from roamcast.core.parameters import (
    AT_LEAST_ONE,
    AT_LEAST_ZERO,
    FRACTION,
    GREATER_THAN_ZERO,
    Limit,
    ParameterError,
    at_most,
)
from roamcast.core.topics import Topic
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.workload import Publication, Subscription, Workload, WorkloadModel

DEFAULT_TOPIC = Topic("ranges")
MESSAGES_MAX = 1_000_000
MINUTE_S = 60.0
_Few = Annotated[int, AT_LEAST_ONE, at_most(32)]
_Number = Annotated[float, Limit(lambda value: abs(value) <= 1e15, "must be between -1e15 and 1e15")]
_Fraction = Annotated[float, FRACTION]
_PerMinute = Annotated[float, AT_LEAST_ZERO, at_most(1e6)]
_Seconds = Annotated[float, GREATER_THAN_ZERO, at_most(1e6)]


@dataclass(frozen=True, slots=True)
class Ranges(WorkloadModel):
    """Random nodes that subscribe to ranges and publish points and ranges, throughout the run."""

    summary: ClassVar[str] = "a steady stream of publications and of subscriptions to ranges of numeric attributes"

    subscriptions_per_minute: _PerMinute = 200.0
    """How many subscriptions begin per minute, in the whole network. Default: section V."""

    publications_per_minute: _PerMinute = 200.0
    """How many events are published per minute, in the whole network. Default: section V."""

    lifetime_s: _Seconds = 60.0
    """How long a subscription lasts, in seconds. Our choice."""

    validity_s: _Seconds = 60.0
    """How long an event is worth delivering after its publication, in seconds. Our choice."""

    lead_s: Annotated[float, AT_LEAST_ZERO, at_most(1e6)] = 0.0
    """How long before the measurement the workload begins, in seconds, at most ``settle_s``. Our choice."""

    attributes: _Few = 15
    """How many attributes there are. Default: section V."""

    attributes_each: tuple[_Few, _Few] = (1, 3)
    """[fewest, most] attributes of a subscription or an event; all numbers are equally likely. Default: section V."""

    limits: tuple[_Number, _Number] = (0.0, 1000.0)
    """[lowest, highest] value of every attribute. Our choice."""

    subscription_width: tuple[_Fraction, _Fraction] = (0.1, 0.5)
    """[narrowest, widest] range of a subscription, as fractions of the limits. Our choice."""

    publication_width: tuple[_Fraction, _Fraction] = (0.0, 0.1)
    """[narrowest, widest] range of an event, as fractions of the limits. Our choice."""

    point_fraction: _Fraction = 0.5
    """The share of the events' attributes that are points. Our choice; section III allows points and ranges."""

    topic: Topic = DEFAULT_TOPIC
    """The topic of all events."""

    event_size_bytes: Annotated[int, GREATER_THAN_ZERO, at_most(65_535)] = 400
    """The size of an event on the air, in bytes. The paper gives none; 400 is the Frugal paper's."""

    def __post_init__(self) -> None:
        for key in ("attributes_each", "subscription_width", "publication_width", "limits"):
            if getattr(self, key)[0] > getattr(self, key)[1]:
                raise ParameterError(key, "must have the smaller number first")
        if self.limits[0] == self.limits[1]:
            raise ParameterError("limits", "must be two different numbers")
        if self.attributes_each[1] > self.attributes:
            raise ParameterError("attributes_each", f"must be at most {self.attributes}, the number of attributes")

    def attribute_limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the limits, which are the same for all attributes."""
        return {f"a{number}": self.limits for number in range(self.attributes)}

    def most_attributes(self) -> int:
        """Return the largest number of attributes of an event: both ends of each range count."""
        return 2 * self.attributes_each[1]

    def begins_before_s(self) -> float:
        """Return the lead."""
        return self.lead_s

    def workload(self, count: int, duration_s: float, streams: RandomStreams) -> Workload:
        """Draw all subscriptions and publications."""
        lasts_s = self.lead_s + duration_s
        for key in ("subscriptions_per_minute", "publications_per_minute"):
            if getattr(self, key) * (lasts_s + self.lifetime_s) / MINUTE_S > MESSAGES_MAX:
                raise ParameterError(key, f"yields more than {MESSAGES_MAX:,} in total, over lead_s and duration_s")
        subscriptions = [
            *self._initial_subscriptions(count, lasts_s, streams.python("ranges-there")),
            *self._later_subscriptions(count, lasts_s, streams.python("ranges-subscriptions")),
        ]
        subscriptions.sort(key=lambda change: (change.at_s, change.node))
        publications = self._published(count, lasts_s, streams)
        return Workload(
            tuple(replace(change, at_s=change.at_s - self.lead_s) for change in subscriptions),
            tuple(replace(publication, at_s=publication.at_s - self.lead_s) for publication in publications),
        )

    def _initial_subscriptions(self, count: int, duration_s: float, draws: Random) -> Iterator[Subscription]:
        """Yield the subscriptions that exist at the start, which end at even intervals."""
        initial = round(self.subscriptions_per_minute * self.lifetime_s / MINUTE_S)
        for number in range(initial):
            yield from self._changes(-inf, self.lifetime_s * (number + 0.5) / initial, count, duration_s, draws)

    def _later_subscriptions(self, count: int, duration_s: float, draws: Random) -> Iterator[Subscription]:
        for at_s in _arrivals(self.subscriptions_per_minute, duration_s, draws):
            yield from self._changes(at_s, at_s + self.lifetime_s, count, duration_s, draws)

    def _changes(
        self, from_s: float, until_s: float, count: int, duration_s: float, draws: Random
    ) -> Iterator[Subscription]:
        """Yield the start of a new subscription and, if it comes before the run's end, its end."""
        node = int(draws.random() * count)
        predicate = range_predicate({name: self._range(self.subscription_width, draws) for name in self._names(draws)})
        yield Subscription(from_s, node, predicate)
        if until_s < duration_s:
            yield Subscription(until_s, node, predicate, active=False)

    def _published(self, count: int, duration_s: float, streams: RandomStreams) -> Iterator[Publication]:
        draws = streams.python("ranges-publications")
        for at_s in _arrivals(self.publications_per_minute, duration_s, draws):
            node = int(draws.random() * count)
            ranges = {}
            for name in self._names(draws):
                is_point = draws.random() < self.point_fraction
                ranges[name] = self._range((0.0, 0.0) if is_point else self.publication_width, draws)
            yield Publication(at_s, node, self.topic, self.validity_s, self.event_size_bytes, range_attributes(ranges))

    def _names(self, draws: Random) -> list[str]:
        """Draw some of the attributes, each at most once."""
        fewest, most = self.attributes_each
        left = [f"a{number}" for number in range(self.attributes)]
        chosen = fewest + int(draws.random() * (most - fewest + 1))
        return [left.pop(int(draws.random() * len(left))) for _ in range(chosen)]

    def _range(self, widths: tuple[float, float], draws: Random) -> tuple[float, float]:
        """Draw the width of a range, and then its position within the limits."""
        lowest, highest = self.limits
        width = (widths[0] + draws.random() * (widths[1] - widths[0])) * (highest - lowest)
        low = min(max(lowest + draws.random() * (highest - lowest - width), lowest), highest)  # whatever the rounding
        return low, min(low + width, highest)


def _arrivals(per_minute: float, duration_s: float, draws: Random) -> Iterator[float]:
    """Yield the times of a Poisson process with a given rate."""
    if per_minute == 0:
        return
    at_s = 0.0
    while True:
        at_s -= log(1.0 - draws.random()) * MINUTE_S / per_minute
        if at_s >= duration_s:
            return
        yield at_s
