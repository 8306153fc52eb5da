"""Subscriptions and publications of ranges that come all the time: the workload of the BRVST paper, section V.

There are 15 numeric attributes. Subscriptions and publications arrive at random moments, each at a random node and with
one to three of the attributes; a subscription asks for a range of each, a publication says a point or a range of each,
and they match where each range of the subscription contains the publication's (section III; ``core.ranges``).

What the paper leaves open, and what we chose:
- All attributes have the same limits: another unit would change nothing.
- The width of a subscription's range is drawn from a tenth to a half of the limits, that of a publication's up to a
  tenth; half of a publication's attributes are points. The paper draws ranges "randomly" within the limits.
- A subscription lasts a minute, and a publication is valid for as long: with no end, both would grow for ever.
- As many subscriptions as there are on average are there from the start, with what is left of their time; and all can
  begin before the measurement, so that it finds as many valid events from its start.

Each of the three (subscriptions at the start, later ones, publications) has a random stream of its own, and a rate only
stretches the moments: with the same seed, the 50th publication says the same at every rate.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf, log
from random import Random
from typing import Annotated, ClassVar

from roamcast.core.parameters import (
    AT_LEAST_ONE,
    AT_LEAST_ZERO,
    FRACTION,
    GREATER_THAN_ZERO,
    Limit,
    ParameterError,
    at_most,
)
from roamcast.core.ranges import range_attributes, range_predicate
from roamcast.core.topics import Topic
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.workload import Publication, Subscription, Workload, WorkloadModel

ROOM = Topic("ranges")
MESSAGES_MAX = 1_000_000
MINUTE_S = 60.0
_Few = Annotated[int, AT_LEAST_ONE, at_most(32)]
_Number = Annotated[float, Limit(lambda value: abs(value) <= 1e15, "must be between -1e15 and 1e15")]
_Fraction = Annotated[float, FRACTION]
_PerMinute = Annotated[float, AT_LEAST_ZERO, at_most(1e6)]
_Seconds = Annotated[float, GREATER_THAN_ZERO, at_most(1e6)]


@dataclass(frozen=True, slots=True)
class Ranges(WorkloadModel):
    """Random nodes that subscribe to ranges and publish points and ranges, all the time."""

    summary: ClassVar[str] = "subscriptions to ranges of numeric attributes and publications arrive all the time"

    subscriptions_per_minute: _PerMinute = 200.0
    """How many subscriptions begin in a minute, in the whole network; section V."""

    publications_per_minute: _PerMinute = 200.0
    """How many events are published in a minute, in the whole network; section V."""

    lifetime_s: _Seconds = 60.0
    """How long a subscription lasts, in seconds. Our choice."""

    validity_s: _Seconds = 60.0
    """How long an event is worth delivering after its publication, in seconds. Our choice."""

    lead_s: Annotated[float, AT_LEAST_ZERO, at_most(1e6)] = 0.0
    """How long before the measurement all this begins, in seconds, at most ``settle_s``. Our choice."""

    attributes: _Few = 15
    """How many attributes there are; section V."""

    attributes_each: tuple[_Few, _Few] = (1, 3)
    """[fewest, most]: how many of them a subscription or an event has, all numbers as likely; section V."""

    limits: tuple[_Number, _Number] = (0.0, 1000.0)
    """[lowest, highest] value of every attribute. Our choice."""

    subscription_width: tuple[_Fraction, _Fraction] = (0.1, 0.5)
    """[narrowest, widest] range of a subscription, as parts of the limits. Our choice."""

    publication_width: tuple[_Fraction, _Fraction] = (0.0, 0.1)
    """[narrowest, widest] range of an event, as parts of the limits. Our choice."""

    point_fraction: _Fraction = 0.5
    """How many of the events' attributes are points. Our choice; section III allows points and ranges."""

    topic: Topic = ROOM
    """What all events are about."""

    event_size_bytes: Annotated[int, GREATER_THAN_ZERO, at_most(65_535)] = 400
    """The size of an event on the air, in bytes; the paper gives none, 400 is the Frugal paper's."""

    def __post_init__(self) -> None:
        for key in ("attributes_each", "subscription_width", "publication_width", "limits"):
            if getattr(self, key)[0] > getattr(self, key)[1]:
                raise ParameterError(key, "must not have the greater number first")
        if self.limits[0] == self.limits[1]:
            raise ParameterError("limits", "must be two different numbers")
        if self.attributes_each[1] > self.attributes:
            raise ParameterError("attributes_each", f"must be at most {self.attributes}, the number of attributes")

    def attribute_limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the limits, which are the same for all."""
        return {f"a{number}": self.limits for number in range(self.attributes)}

    def most_attributes(self) -> int:
        """Return how many attributes an event can have: both ends of each range."""
        return 2 * self.attributes_each[1]

    def begins_before_s(self) -> float:
        """Return the lead."""
        return self.lead_s

    def workload(self, count: int, duration_s: float, streams: RandomStreams) -> Workload:
        """Draw who asks for what, and who publishes what, and when."""
        lasts_s = self.lead_s + duration_s
        for key in ("subscriptions_per_minute", "publications_per_minute"):
            if getattr(self, key) * (lasts_s + self.lifetime_s) / MINUTE_S > MESSAGES_MAX:
                raise ParameterError(key, f"makes more than {MESSAGES_MAX:,} in all, with lead_s and duration_s")
        subscriptions = [
            *self._there_already(count, lasts_s, streams.python("ranges-there")),
            *self._asked(count, lasts_s, streams.python("ranges-subscriptions")),
        ]
        subscriptions.sort(key=lambda each: (each.at_s, each.node))
        return Workload(
            tuple(replace(each, at_s=each.at_s - self.lead_s) for each in subscriptions),
            tuple(replace(each, at_s=each.at_s - self.lead_s) for each in self._published(count, lasts_s, streams)),
        )

    def _there_already(self, count: int, duration_s: float, draws: Random) -> Iterator[Subscription]:
        """Yield the subscriptions that began before, at even distances of time."""
        there = round(self.subscriptions_per_minute * self.lifetime_s / MINUTE_S)
        for number in range(there):
            yield from self._steps(-inf, self.lifetime_s * (number + 0.5) / there, count, duration_s, draws)

    def _asked(self, count: int, duration_s: float, draws: Random) -> Iterator[Subscription]:
        for at_s in _arrivals(self.subscriptions_per_minute, duration_s, draws):
            yield from self._steps(at_s, at_s + self.lifetime_s, count, duration_s, draws)

    def _steps(
        self, from_s: float, until_s: float, count: int, duration_s: float, draws: Random
    ) -> Iterator[Subscription]:
        """Yield a new subscription's beginning and, if it comes before the run's end, its end."""
        node = int(draws.random() * count)
        wish = range_predicate({name: self._range(self.subscription_width, draws) for name in self._names(draws)})
        yield Subscription(from_s, node, wish)
        if until_s < duration_s:
            yield Subscription(until_s, node, wish, active=False)

    def _published(self, count: int, duration_s: float, streams: RandomStreams) -> Iterator[Publication]:
        draws = streams.python("ranges-publications")
        for at_s in _arrivals(self.publications_per_minute, duration_s, draws):
            node = int(draws.random() * count)
            says = {}
            for name in self._names(draws):
                is_point = draws.random() < self.point_fraction
                says[name] = self._range((0.0, 0.0) if is_point else self.publication_width, draws)
            yield Publication(at_s, node, self.topic, self.validity_s, self.event_size_bytes, range_attributes(says))

    def _names(self, draws: Random) -> list[str]:
        """Draw some of the attributes, each at most once."""
        fewest, most = self.attributes_each
        left = [f"a{number}" for number in range(self.attributes)]
        chosen = fewest + int(draws.random() * (most - fewest + 1))
        return [left.pop(int(draws.random() * len(left))) for _ in range(chosen)]

    def _range(self, widths: tuple[float, float], draws: Random) -> tuple[float, float]:
        """Draw the width of a range, and then its place in the limits."""
        lowest, highest = self.limits
        width = (widths[0] + draws.random() * (widths[1] - widths[0])) * (highest - lowest)
        low = min(max(lowest + draws.random() * (highest - lowest - width), lowest), highest)  # however it is rounded
        return low, min(low + width, highest)


def _arrivals(per_minute: float, duration_s: float, draws: Random) -> Iterator[float]:
    """Yield random moments at a rate, each independent of all others."""
    if per_minute == 0:
        return
    at_s = 0.0
    while True:
        at_s -= log(1.0 - draws.random()) * MINUTE_S / per_minute
        if at_s >= duration_s:
            return
        yield at_s
