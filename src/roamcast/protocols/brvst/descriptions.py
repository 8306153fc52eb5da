"""Descriptions of interests and events: range vectors (BRVST, section IV-A), or the leaves of TAMA's trees.

A description covers only attributes with known limits (``host.world.attribute_limits``), and the topic as one more
attribute, by a hash of its first segment, so that BRVST serves subscribers to topics too: that is our choice. What a
description cannot express is left out of it, so that it matches more and never less; the subscriber has the last word.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise

from roamcast.core.attribute_ranges import event_ranges, interest_ranges
from roamcast.core.event_interests import Interest
from roamcast.core.events import Event
from roamcast.core.host import World
from roamcast.core.topics import Topic
from roamcast.core.widths import ATTRIBUTE_BYTES, NODE_BYTES
from roamcast.matching.attribute_space import AttributeSpace
from roamcast.matching.dyadic import DyadicTable
from roamcast.matching.range_vectors import Encoder, Filling, RangeVector
from roamcast.protocols.brvst.messages import Description, Leaves
from roamcast.protocols.brvst.parameters import DYADIC, BrvstParameters
from roamcast.protocols.shared.topic_homes.homes import ROOT, home_topic, home_topics

LENGTH_BYTES, COUNT_BYTES = 1, 1
TOPIC_BITS = 16
"""How many topics can be told apart."""


class Describer(ABC):
    """Makes, compares and measures descriptions."""

    def __init__(self, world: World) -> None:
        self._limits = world.attribute_limits
        self._numbers = {name: number for number, name in enumerate(self._limits)}
        self.topic_number = len(self._numbers)
        """The topic's number, after those of the attributes."""

    def subscription(self, interest: Interest) -> Description:
        """Describe the events that an interest matches."""
        ranges = interest_ranges(interest, self._limits)
        parts = [(self._numbers[name], self._subscription_part(name, *ends)) for name, ends in ranges.items()]
        topics = home_topics(interest)
        if ROOT not in topics:
            parts += self._topics(topics)
        return tuple(sorted(parts, key=_number))

    def publication(self, event: Event) -> Description:
        """Describe an event."""
        ranges = event_ranges(event.attributes, self._limits)
        parts = [(self._numbers[name], self._publication_part(name, *ends)) for name, ends in ranges.items()]
        if event.topic != ROOT:
            parts += self._topics((home_topic(event.topic),))
        return tuple(sorted(parts, key=_number))

    def matches(self, published: Description, subscribed: Description) -> bool:
        """Tell whether a publication has every subscribed attribute, within the subscribed range (section IV-A3)."""
        parts = dict(published)
        return all(number in parts and self._covers(part, parts[number]) for number, part in subscribed)

    def matches_any(self, published: Description, summary: Iterable[Description]) -> bool:
        """Tell whether a publication matches one of several descriptions."""
        return any(self.matches(published, each) for each in summary)

    def asks_for_more(self, summary: Iterable[Description], before: Iterable[Description]) -> bool:
        """Tell whether a summary matches something that none of those before did."""
        # Whatever matches a description that is inside another one also matches the other.
        earlier = tuple(before)
        return any(not self.matches_any(each, earlier) for each in summary)

    def is_sound(self, description: Description) -> bool:
        """Tell whether a description's numbers are plausible."""
        numbers = [number for number, _ in description]
        in_order = all(one < other for one, other in pairwise(numbers))
        return (
            len(numbers) <= self.topic_number + 1
            and in_order
            and all(0 <= number <= self.topic_number and self._is_sound(part) for number, part in description)
        )

    def are_sound(self, several: tuple[Description, ...], count_max: int) -> bool:
        """Tell whether several descriptions are plausible and not too many."""
        return len(several) <= count_max and all(map(self.is_sound, several))

    def size_bytes(self, several: Iterable[Description]) -> int:
        """Return the size of descriptions in a message."""
        return sum(COUNT_BYTES + sum(self._part_bytes(part) for _, part in each) for each in several)

    def stored_bytes(self, several: Iterable[Description]) -> int:
        """Return the size of descriptions in a table, each with an identifier."""
        return sum(self._stored_bytes(each) for each in several)

    @abstractmethod
    def _subscription_part(self, name: str, low: float, high: float) -> RangeVector | Leaves: ...

    @abstractmethod
    def _publication_part(self, name: str, low: float, high: float) -> RangeVector | Leaves: ...

    @abstractmethod
    def _topics(self, topics: tuple[Topic, ...]) -> list[tuple[int, RangeVector | Leaves]]: ...

    @abstractmethod
    def _covers(self, subscribed: RangeVector | Leaves, published: RangeVector | Leaves) -> bool: ...

    @abstractmethod
    def _is_sound(self, part: RangeVector | Leaves) -> bool: ...

    @abstractmethod
    def _part_bytes(self, part: RangeVector | Leaves) -> int: ...

    @abstractmethod
    def _stored_bytes(self, description: Description) -> int: ...


class VectorDescriber(Describer):
    """Describes by range vectors."""

    def __init__(self, world: World, parameters: BrvstParameters) -> None:
        super().__init__(world)
        space = AttributeSpace(dict(self._limits))
        self._encoder = Encoder(space, parameters.alpha, parameters.vector_bits, Filling(parameters.filling))
        self._bits_max = max(parameters.vector_bits, TOPIC_BITS)

    def _subscription_part(self, name: str, low: float, high: float) -> RangeVector:
        return self._encoder.subscription_vector(name, (low, high))

    def _publication_part(self, name: str, low: float, high: float) -> RangeVector:
        return self._encoder.publication_vector(name, (low, high))

    def _topics(self, topics: tuple[Topic, ...]) -> list[tuple[int, RangeVector | Leaves]]:
        bits = 0
        for topic in topics:
            bits |= 1 << hashed(topic, TOPIC_BITS)
        return [(self.topic_number, RangeVector(TOPIC_BITS, bits))] if bits else []

    def _covers(self, subscribed: RangeVector | Leaves, published: RangeVector | Leaves) -> bool:
        if not isinstance(subscribed, RangeVector) or not isinstance(published, RangeVector):
            return False
        return subscribed.covers(published)

    def _is_sound(self, part: RangeVector | Leaves) -> bool:
        if not isinstance(part, RangeVector) or not 0 < part.length <= self._bits_max:
            return False
        return part.length.bit_count() == 1 and 0 < part.bits < 1 << part.length

    def _part_bytes(self, part: RangeVector | Leaves) -> int:
        bits = part.length if isinstance(part, RangeVector) else 0
        return ATTRIBUTE_BYTES + LENGTH_BYTES + (bits + 7) // 8

    def _stored_bytes(self, description: Description) -> int:
        return NODE_BYTES + self.size_bytes((description,))


class LeafDescriber(Describer):
    """Describes by leaves of TAMA's trees, rounding both ends outwards to a leaf."""

    def __init__(self, world: World, parameters: BrvstParameters) -> None:
        super().__init__(world)
        self._leaves = 1 << (parameters.dyadic_levels - 1)
        self.space = AttributeSpace({str(number): (0.0, self._leaves) for number in range(self.topic_number + 1)})
        self.levels = parameters.dyadic_levels
        self._leaf_bytes = max(1, -(-(self.levels - 1) // 8))

    def _subscription_part(self, name: str, low: float, high: float) -> Leaves:
        return Leaves(self._leaf(name, low), self._leaf(name, high))

    _publication_part = _subscription_part

    def _topics(self, topics: tuple[Topic, ...]) -> list[tuple[int, RangeVector | Leaves]]:
        leaves = sorted(hashed(topic, self._leaves) for topic in topics)
        return [(self.topic_number, Leaves(leaves[0], leaves[-1]))] if leaves else []

    def _leaf(self, name: str, value: float) -> int:
        low, high = self._limits[name]
        return min(int((value - low) / (high - low) * self._leaves), self._leaves - 1) if high > low else 0

    def _covers(self, subscribed: RangeVector | Leaves, published: RangeVector | Leaves) -> bool:
        if not isinstance(subscribed, Leaves) or not isinstance(published, Leaves):
            return False
        return subscribed.first <= published.first and published.last <= subscribed.last

    def _is_sound(self, part: RangeVector | Leaves) -> bool:
        return isinstance(part, Leaves) and 0 <= part.first <= part.last < self._leaves

    def _part_bytes(self, part: RangeVector | Leaves) -> int:  # noqa: ARG002 - all parts have the same size
        return ATTRIBUTE_BYTES + 2 * self._leaf_bytes

    def _stored_bytes(self, description: Description) -> int:
        """Return the size of the identifier in each cell that holds it, and of its counter."""
        cells = sum(cell_count(self.levels, part) for _, part in description if isinstance(part, Leaves))
        return COUNT_BYTES + NODE_BYTES * max(cells, 1)


def leaf_range(leaves: Leaves) -> tuple[float, float]:
    """Return a range, measured in leaves, that ends inside its first and last leaf."""
    return leaves.first + 0.25, leaves.last + 0.75


@lru_cache(maxsize=1 << 14)
def cell_count(levels: int, leaves: Leaves) -> int:
    """Return how many cells of TAMA's tree hold a range."""
    table: DyadicTable[int] = DyadicTable(AttributeSpace({"x": (0.0, 1 << (levels - 1))}), levels)
    return sum(1 for _ in table.cells("x", *leaf_range(leaves)))


@lru_cache(maxsize=1024)
def hashed(topic: Topic, size: int) -> int:
    """Return a number below ``size`` for a topic, the same on every machine."""
    return int.from_bytes(blake2b(topic.path.encode(), digest_size=8).digest(), "big") % size


def describer_for(world: World, parameters: BrvstParameters) -> Describer:
    """Return the describer that a network's parameters choose."""
    return (LeafDescriber if parameters.summaries == DYADIC else VectorDescriber)(world, parameters)


def _number(part: tuple[int, RangeVector | Leaves]) -> int:
    return part[0]
