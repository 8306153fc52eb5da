"""The interests on each side of a subscription tree, and those already shared with it.

For each neighbour in the tree a node keeps the interests that the neighbour has sent, which are the filter for events
on the way to it, and those it has sent to the neighbour. It sends a neighbour the interests of itself and of all its
other neighbours, without those that another of them covers.

In the middle of a tree the same interests, the same sets of them and the same events come up at every node, and most
messages change nothing. So what follows from interests and events alone is computed once for all nodes of a process,
and a neighbour is only compared with what it was sent if something has changed on the other sides.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event
from roamcast.core.predicates import Predicate

Interests = dict[Interest, None]
"""A set that keeps its order, for what is sent: a run must be the same whatever the hashes."""


COVERING_MAX = 2_048
"""The most interests that are compared, all with all; if there are more, none is left out as covered."""


def interest_bytes(interest: Interest) -> int:
    """Return the size of an interest on the air and in memory; a topic has two bytes in addition to its name."""
    return interest.size_bytes() if isinstance(interest, Predicate) else 2 + len(str(interest))


@lru_cache(maxsize=4_096)
def first_equal(interest: Interest) -> Interest:
    """Return the first of equal interests: sets find an object much faster than an equal one, also in a later run."""
    return interest


@lru_cache(maxsize=4_096)
def _text(interest: Interest) -> str:
    return str(interest)


class Covering:
    """Which of the interests seen so far make which superfluous; each pair is compared once."""

    def __init__(self) -> None:
        self._seen: set[Interest] = set()
        self._coverable: set[Interest] = set()
        """The interests that another one covers."""
        self._coverers: dict[Interest, set[Interest]] = {}
        """Those that cover each of them; of two that cover each other, only the one whose text is first counts."""

    def covered(self, interests: frozenset[Interest]) -> set[Interest]:
        """Return those of the interests that another one of them covers."""
        if not interests <= self._seen:
            self._learn(interests)
        return {each for each in interests & self._coverable if not self._coverers[each].isdisjoint(interests)}

    def _learn(self, interests: frozenset[Interest]) -> None:
        """Compare new interests with all known ones; if they become too many, start over."""
        if len(self._seen) > COVERING_MAX - len(interests):
            self._seen.clear()
            self._coverable.clear()
            self._coverers.clear()
        for new in interests - self._seen:
            for known in self._seen:
                self._compare(new, known)
            self._seen.add(new)

    def _compare(self, one: Interest, other: Interest) -> None:
        is_above, is_below = one.covers(other), other.covers(one)
        if is_above and is_below:
            is_above, is_below = _text(one) < _text(other), _text(other) < _text(one)
        if is_above or is_below:
            coverer, covered = (one, other) if is_above else (other, one)
            self._coverable.add(covered)
            self._coverers.setdefault(covered, set()).add(coverer)


_COVERING = Covering()
"""Shared by all nodes of a process: it holds only what follows from the interests themselves."""


@lru_cache(maxsize=1_024)
def uncovered(interests: frozenset[Interest]) -> tuple[Interest, ...]:
    """Return the interests that no other one covers, in the order of their texts.

    In the middle of a tree the same few sets come up again and again, so the results are cached.
    """
    covered = _COVERING.covered(interests) if len(interests) <= COVERING_MAX else ()
    return tuple(sorted(interests.difference(covered), key=_text))


class EventMatches:
    """Which of the interests seen so far match an event; each is compared once."""

    def __init__(self, event: Event) -> None:
        self._event = event
        self._seen: set[Interest] = set()
        self._matching: set[Interest] = set()

    def any_of(self, interests: set[Interest]) -> bool:
        """Tell whether one of the interests matches the event."""
        if not interests <= self._seen:
            self._compare(interests)
        return not self._matching.isdisjoint(interests)

    def _compare(self, interests: set[Interest]) -> None:
        """Compare new interests with the event; if they become too many, start over."""
        if len(self._seen) > COVERING_MAX:
            self._seen.clear()
            self._matching.clear()
        new = interests - self._seen
        self._seen |= new
        self._matching.update(interest for interest in new if interest.matches(self._event))


@lru_cache(maxsize=64)
def matches_of(event: Event) -> EventMatches:
    """Return what is known of the interests that match an event."""
    return EventMatches(event)


@dataclass(slots=True)
class Side:
    """A neighbour in the tree and what lies behind it."""

    interests: set[Interest] = field(default_factory=set)
    """The interests on that side: the filter."""
    shared: Interests | None = None
    """The interests that the neighbour has been sent; None if none have been sent yet."""
    wanted: tuple[Interest, ...] = ()
    """The interests of the other sides when that was sent."""
    is_up_to_date: bool = False
    """Whether the other sides are as they were then."""
    is_trimmed: bool = False
    """Whether it was also told which interests are gone."""

    def wants(self, event: Event) -> bool:
        """Tell whether an event should go there."""
        return matches_of(event).any_of(self.interests)

    def update(self, added: Sequence[Interest], removed: Sequence[Interest], interests_max: int) -> bool:
        """Change the filter, and tell whether there was room for all."""
        self.interests.difference_update(removed)
        for interest in added:
            if len(self.interests) >= interests_max and interest not in self.interests:
                return False
            self.interests.add(interest)
        return True

    def knows(self, wanted: tuple[Interest, ...], trims: bool) -> bool:
        """Tell whether the neighbour has been sent these interests and, if ``trims``, what is gone as well."""
        return self.shared is not None and self.wanted == wanted and (self.is_trimmed or not trims)

    def share(self, wanted: tuple[Interest, ...], shared: Interests, is_trimmed: bool) -> None:
        """Record what the neighbour is being sent, and whether nothing else remains from before."""
        self.wanted, self.shared, self.is_up_to_date, self.is_trimmed = wanted, shared, True, is_trimmed


class Filters:
    """All sides of a node, and its own interests."""

    def __init__(self) -> None:
        self.own: set[Interest] = set()
        self.sides: dict[int, Side] = {}

    def note_change(self, neighbour: int | None = None) -> None:
        """Note that the node's own interests have changed, or those on a neighbour's side: the others need to know."""
        for node, side in self.sides.items():
            if node != neighbour:
                side.is_up_to_date = False

    def interests_for(self, neighbour: int) -> tuple[Interest, ...]:
        """Return the interests that a neighbour should know of on this side."""
        others = (side.interests for node, side in self.sides.items() if node != neighbour)
        return uncovered(frozenset(self.own.union(*others)))

    def is_own(self, event: Event) -> bool:
        """Tell whether the node itself wants an event."""
        return matches_of(event).any_of(self.own)

    def sides_for(self, event: Event, sender: int | None) -> Iterator[int]:
        """Yield the neighbours to which an event should go."""
        matches = matches_of(event)
        for node, side in self.sides.items():
            if node != sender and matches.any_of(side.interests):
                yield node

    def size_bytes(self) -> int:
        """Return the size of the stored interests of each side."""
        return sum(interest_bytes(interest) for side in self.sides.values() for interest in side.interests)
