"""The interests on each side of a subscription tree, and those already shared with it.

For each neighbour in the tree a node keeps the interests that the neighbour has sent, which are the filter for events
on the way to it, and those it has sent to the neighbour. It sends a neighbour the interests of itself and of all its
other neighbours, without those that another of them covers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event
from roamcast.core.predicates import Predicate

Interests = dict[Interest, None]
"""A set that keeps its order, so that a run is the same whatever the hashes."""


COVERING_MAX = 2_048
"""The most interests that are compared, all with all; if there are more, none is left out as covered."""


@lru_cache(maxsize=4_096)
def interest_bytes(interest: Interest) -> int:
    """Return the size of an interest on the air and in memory; a topic has two bytes in addition to its name."""
    return interest.size_bytes() if isinstance(interest, Predicate) else 2 + len(str(interest))


@lru_cache(maxsize=4_096)
def _text(interest: Interest) -> str:
    return str(interest)


class Covering:
    """Which of the interests seen so far cover which; each pair is compared once."""

    def __init__(self) -> None:
        self._coverers: dict[Interest, set[Interest]] = {}

    def learn(self, interests: frozenset[Interest]) -> None:
        """Compare new interests with all known ones; if they become too many, start over."""
        if len(self._coverers) > COVERING_MAX - len(interests):
            self._coverers.clear()
        for new in interests:
            if new in self._coverers:
                continue
            self._coverers[new] = {each for each in self._coverers if each.covers(new)}
            for known, coverers in self._coverers.items():
                if known is not new and new.covers(known):
                    coverers.add(new)

    def is_covered(self, interest: Interest, among: frozenset[Interest]) -> bool:
        """Tell whether another interest covers one; of two that cover each other, the one whose text is first stays."""
        coverers = self._coverers[interest]
        if coverers.isdisjoint(among):
            return False
        text = _text(interest)
        return any(interest not in self._coverers[each] or _text(each) < text for each in coverers & among)


_COVERING = Covering()
"""Shared by all nodes of a process: it holds only what follows from the interests themselves."""


@lru_cache(maxsize=1_024)
def uncovered(interests: frozenset[Interest]) -> tuple[Interest, ...]:
    """Return the interests that no other one covers, in the order of their texts.

    In the middle of a tree the same few sets come up again and again, so the results are cached.
    """
    if len(interests) <= COVERING_MAX:
        _COVERING.learn(interests)
        interests = frozenset(each for each in interests if not _COVERING.is_covered(each, interests))
    return tuple(sorted(interests, key=_text))


@dataclass(slots=True)
class Side:
    """A neighbour in the tree and what lies behind it."""

    interests: Interests = field(default_factory=dict)
    """The interests on that side: the filter."""
    shared: Interests | None = None
    """The interests that the neighbour has been sent; None if none have been sent yet."""

    def wants(self, event: Event) -> bool:
        """Tell whether an event should go there."""
        return any(interest.matches(event) for interest in self.interests)

    def update(self, added: Sequence[Interest], removed: Sequence[Interest], interests_max: int) -> bool:
        """Change the filter, and tell whether there was room for all."""
        for interest in removed:
            self.interests.pop(interest, None)
        for interest in added:
            if len(self.interests) >= interests_max and interest not in self.interests:
                return False
            self.interests[interest] = None
        return True


class Filters:
    """All sides of a node, and its own interests."""

    def __init__(self) -> None:
        self.own: Interests = {}
        self.sides: dict[int, Side] = {}

    def interests_for(self, neighbour: int) -> tuple[Interest, ...]:
        """Return the interests that a neighbour should know of on this side."""
        others = (side.interests for node, side in self.sides.items() if node != neighbour)
        return uncovered(frozenset(self.own).union(*others))

    def sides_for(self, event: Event, sender: int | None) -> Iterator[int]:
        """Yield the neighbours to which an event should go."""
        for node, side in self.sides.items():
            if node != sender and side.wants(event):
                yield node

    def size_bytes(self) -> int:
        """Return the size of the stored interests: the node's own and those of each side."""
        kept = (self.own, *(side.interests for side in self.sides.values()))
        return sum(interest_bytes(interest) for interests in kept for interest in interests)
