"""Domains of topics: some subtrees of the topic tree minus some of their own subtrees.

``topic = "traffic"`` includes everything below, as a subscription to a topic does (``core/topics.py``).
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import pairwise, takewhile

from roamcast.core.predicates.comparisons import Comparison, Operator
from roamcast.core.predicates.domains import Domain
from roamcast.core.topics import Topic

ROOT = Topic.root()


@dataclass(frozen=True, slots=True)
class TopicSet(Domain):
    """The topics at or below one of ``within``, but not at or below one of ``without``. Made by ``topic_set``."""

    within: frozenset[Topic]
    """None of them is below another, and each is itself in the domain."""
    without: frozenset[Topic] = frozenset()
    """None of them is below another, and each is below one of ``within``."""

    def contains(self, value: object) -> bool:
        """Tell whether a topic is in the domain."""
        return isinstance(value, Topic) and covered(value, self.within) and not covered(value, self.without)

    def meet(self, other: Domain) -> Domain | None:
        """Return the intersection: of each pair of nested subtrees, the lower one."""
        if not isinstance(other, TopicSet):
            return None
        lower = self.within.difference(not_covered(self.within, other.within))
        lower |= other.within.difference(not_covered(other.within, self.within))
        return topic_set(lower, self.without | other.without)

    def covers(self, other: Domain) -> bool:
        """Tell whether each subtree of the other is in one of these, except for parts that the other excludes too."""
        if not isinstance(other, TopicSet) or not all(map(self.contains, other.within)):
            return False
        return not any(other.contains(each) for each in self.without)

    @property
    def terms(self) -> int:
        """Return one for each subtree, excluded or not; the whole tree does not count if anything is excluded."""
        return len(self.without) + (0 if self.without and ROOT in self.within else len(self.within))

    def comparisons(self, name: str) -> tuple[Comparison, ...]:
        """Return an equality or a membership, and the exclusions."""
        within = tuple(sorted(each.path for each in self.within))
        first = Comparison(name, Operator.EQUAL if len(within) == 1 else Operator.IN, within)
        without = (Comparison(name, Operator.NOT_EQUAL, (path,)) for path in sorted(each.path for each in self.without))
        return tuple(without) if self.without and within == (ROOT.path,) else (first, *without)


def covered(topic: Topic, by: Collection[Topic]) -> bool:
    """Tell whether one of some topics covers this one."""
    return any(each.covers(topic) for each in by)


def not_covered(topics: Iterable[Topic], by: Iterable[Topic]) -> list[Topic]:
    """Return the topics that none of the others covers; fast even if both are many."""
    above = sorted(map(_key, topmost(by)))
    found = []
    for topic in topics:
        key = _key(topic)
        at = bisect_right(above, key)  # a topic that covers it is just before it
        if at == 0 or not key.startswith(above[at - 1]):
            found.append(topic)
    return found


def topic_set(within: Iterable[Topic], without: Iterable[Topic] = ()) -> TopicSet | None:
    """Return the domain of some subtrees without others in its canonical form, or None if it is empty."""
    out = topmost(without)
    kept = topmost(not_covered(within, out))
    return TopicSet(kept, out - set(not_covered(out, kept))) if kept else None


def topmost(topics: Iterable[Topic]) -> frozenset[Topic]:
    """Return the topics that are not below another of them."""
    kept: list[Topic] = []
    last = "?"
    for key, topic in sorted((_key(topic), topic) for topic in set(topics)):
        if not key.startswith(last):
            kept.append(topic)
            last = key
    return frozenset(kept)


def _key(topic: Topic) -> str:
    """Return a sort key that puts a topic right after those that cover it, whose keys are prefixes of its own."""
    return "" if topic == ROOT else topic.path.replace(".", "\0") + "\0"


def common(topics: Iterable[Topic]) -> Topic:
    """Return the lowest topic that covers all given ones."""
    paths = ([] if each == ROOT else each.path.split(".") for each in topics)
    shared = [level[0] for level in takewhile(lambda level: len(set(level)) == 1, zip(*paths, strict=False))]
    return Topic(".".join(shared)) if shared else ROOT


def topic_hull(one: TopicSet, other: TopicSet, kept: int) -> TopicSet | None:
    """Return a domain with at most ``kept`` subtrees that covers both, or None if that is every topic."""
    within = sorted(topmost(one.within | other.within))
    while len(within) > kept:
        above = [common(pair) for pair in pairwise(within)]  # neighbours in order have much in common
        within = sorted(topmost([*within, max(above, key=depth)]))
    left_out = (each for each in one.without | other.without if not (_touches(one, each) or _touches(other, each)))
    found = topic_set(within, sorted(left_out)[:kept])
    return None if found == TopicSet(frozenset({ROOT})) else found


def depth(topic: Topic) -> int:
    """Return how many levels a topic is below the root."""
    return 0 if topic == ROOT else topic.path.count(".") + 1


def _touches(domain: TopicSet, subtree: Topic) -> bool:
    return domain.meet(TopicSet(frozenset({subtree}))) is not None
