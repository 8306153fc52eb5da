"""Attribute range vectors: a range of an attribute's values as a few bits (Li, Wang: BRVST, MASS 2014, section IV-A).

The limits of the attribute are divided into 1, 2, 4, ... equal segments, and a bit is set for each segment that the
range overlaps, the lowest first. Halving goes on until the segments are filled beyond a threshold alpha, or until the
vector has reached its longest length. Vectors of different lengths are compared by repeating the bits of the shorter.

What we chose where the paper leaves it open:

- *The worked example.* 26 to 47 fills the segment 25-50 by 22/25 = 88 %, and 38 to 60 the segment 50-62.5 by
  11/12.5 = 88 %, which is not "more than 90 %" (1 to 48 is counted as 48/50 there, so both ends count). So the paper's
  rule alone goes on halving. With at most 8, 16 or 32 bits it ends without having reached 90 %, and simplified all
  three are the paper's; with 64 bits the end segments are narrower than what is missing. Hence our longest length.
- *Filled.* The text wants each overlapped segment filled beyond alpha: ``Filling.EACH``, which an encoder takes unless
  told otherwise. As both end segments must be filled at once, random ranges nearly always run into the longest length.
  ``Filling.TOGETHER`` asks it of all overlapped segments taken together, which bounds the share of false positives by
  1 - alpha, as figure 9 shows, with short vectors. The protocol ``brvst`` takes that unless told otherwise.
- *Publications.* Rounded outwards like a subscription's, the range of a publication would no longer be inside that of a
  subscription that contains it: a false negative. So publications are always divided to the longest length, then
  simplified, which loses nothing. A subscription's vector is never longer, so there are no false negatives.
- *A segment* contains its low end and not its high end; the last one contains both.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from numbers import Real
from typing import Any

import numpy as np

from roamcast.matching.attribute_space import Asked, AttributeSpace, Limits, check_space
from roamcast.matching.value_text import check_mapping, invalid, shown

ALPHA = 0.9
"""The paper's threshold (section V)."""
LENGTH_MAX = 32
"""Our choice: the longest with which the paper's three examples come out; a segment is 3 % of the limits."""
LENGTH_LIMIT = 1 << 16
"""More than that no vector may have, whoever asks."""


class Filling(StrEnum):
    """Which segments must be filled beyond the threshold."""

    EACH = "each"
    TOGETHER = "together"


@dataclass(frozen=True, slots=True)
class RangeVector:
    """A vector of bits; the leftmost stands for the lowest values.

    Protocols make very many, so a vector does not check itself, which would take as long again as making it: what a
    person writes goes through ``from_text`` or an ``Encoder``.
    """

    length: int
    """1, 2, 4, ..."""
    bits: int
    """Less than 2 to the power of the length."""

    @classmethod
    def from_text(cls, text: str) -> "RangeVector":
        """Return the vector that is written as ``0100``."""
        if not isinstance(text, str) or set(text) - {"0", "1"} or len(text).bit_count() != 1:
            raise invalid("range vector", shown(text), "must be 1, 2, 4, ... digits 0 and 1")
        return cls(len(text), int(text, 2))

    def __str__(self) -> str:
        return format(self.bits, f"0{self.length}b")

    @property
    def ones(self) -> int:
        """Return how many segments are covered."""
        return self.bits.bit_count()

    def simplified(self) -> "RangeVector":
        """Return the shortest vector that says the same."""
        length, bits = self.length, self.bits
        while length > 1:
            evens = bits & _every_other(length)
            if bits >> 1 & _every_other(length) != evens:
                break
            length, bits = length // 2, _halved(evens, length)
        return RangeVector(length, bits)

    def extended(self, length: int) -> "RangeVector":
        """Return a vector of a greater length that says the same."""
        if length == self.length:
            return self
        if length < self.length or length % self.length or (length // self.length).bit_count() != 1:
            raise invalid("range vector length", length, f"must be {self.length} doubled some times")
        times = length // self.length
        return RangeVector(length, int("".join(bit * times for bit in str(self)), 2))

    def merged(self, other: "RangeVector") -> "RangeVector":
        """Return the vector of what either covers, as short as it can be."""
        one, two = _alike(self, other)
        return RangeVector(one.length, one.bits | two.bits).simplified()

    def overlaps(self, other: "RangeVector") -> bool:
        """Tell whether some segment is covered by both."""
        one, two = _alike(self, other)
        return one.bits & two.bits != 0

    def covers(self, published: "RangeVector") -> bool:
        """Tell whether a publication's vector is inside this one: (P and S) xor P is 0."""
        mine, theirs = _alike(self, published)
        return (theirs.bits & mine.bits) ^ theirs.bits == 0


Vectors = Mapping[str, RangeVector]
"""A subscription or a publication: a vector for each of its attributes."""


@dataclass(frozen=True, slots=True)
class Encoder:
    """Turns ranges into vectors."""

    space: AttributeSpace
    alpha: float = ALPHA
    """How much of a segment must be filled, from 0 to 1."""
    length_max: int = LENGTH_MAX
    """The most bits of a vector, a power of 2."""
    filling: Filling = Filling.EACH

    def __post_init__(self) -> None:
        check_space(self.space)
        alpha: Any = self.alpha
        is_number = isinstance(alpha, Real) and not isinstance(alpha, bool)
        if not is_number or not 0 <= alpha <= 1:
            raise invalid("alpha", shown(alpha), "must be from 0 to 1")
        object.__setattr__(self, "alpha", float(alpha))
        length: Any = self.length_max
        length = int(length) if isinstance(length, np.integer) else length
        object.__setattr__(self, "length_max", length)
        if type(length) is not int or not 1 <= length <= LENGTH_LIMIT or length.bit_count() != 1:
            raise invalid("length_max", shown(length), f"must be a power of 2 from 1 to {LENGTH_LIMIT}")
        if not isinstance(self.filling, Filling):
            raise invalid("filling", shown(self.filling), "must be Filling.EACH or Filling.TOGETHER")

    def subscription(self, ranges: Mapping[str, Asked]) -> dict[str, RangeVector]:
        """Return the vectors of what a subscriber asks for."""
        check_mapping("ranges", ranges, "must be a mapping from attributes to ranges")
        return {name: self.subscription_vector(name, ranges[name]) for name in ranges}

    def publication(self, values: Mapping[str, Asked]) -> dict[str, RangeVector]:
        """Return the vectors of what a publication says, each a value or a range."""
        check_mapping("values", values, "must be a mapping from attributes to values or ranges")
        return {name: self.publication_vector(name, values[name]) for name in values}

    def subscription_vector(self, name: str, asked: Asked) -> RangeVector:
        """Halve until the segments are filled beyond alpha."""
        limits = self.space[name]
        low, high = self.space.closed_range(name, asked)
        length = 1
        while length < self.length_max and not self._is_filled(limits, low, high, length):
            length *= 2
        return _vector(limits, low, high, length).simplified()

    def publication_vector(self, name: str, said: Asked) -> RangeVector:
        """Halve to the greatest length, so that nothing is rounded more than in any subscription."""
        low, high = self.space.closed_range(name, said)
        return _vector(self.space[name], low, high, self.length_max).simplified()

    def _is_filled(self, limits: Limits, low: float, high: float, length: int) -> bool:
        width = limits.width / length
        if width == 0:
            return True
        first, last = _segment(limits, low, length), _segment(limits, high, length)
        # A whole number takes up the room until the next one: 1 to 48 fills 48 of the segment 0-50.
        begin, end = low - limits.low, min(high + limits.whole - limits.low, (last + 1) * width)
        if self.filling is Filling.TOGETHER:
            return (end - begin) / ((last - first + 1) * width) > self.alpha
        filled_first = (min(end, (first + 1) * width) - begin) / width
        filled_last = (end - max(begin, last * width)) / width
        return min(filled_first, filled_last) > self.alpha


def matches(published: Vectors, subscribed: Vectors) -> bool:
    """Tell whether a publication has every attribute that is asked for, with a vector inside the one asked for."""
    try:
        return all(name in published and vector.covers(published[name]) for name, vector in subscribed.items())
    except (AttributeError, TypeError):  # looked at only now: protocols match very often
        check_vectors("published", published)
        check_vectors("subscribed", subscribed)
        raise


def check_vectors(place: str, vectors: object) -> None:
    """Complain of what is no mapping from attributes to vectors."""
    if not isinstance(vectors, Mapping):
        raise invalid(place, shown(vectors), "must be a mapping from attributes to range vectors")
    for name, vector in vectors.items():
        if not isinstance(vector, RangeVector):
            raise invalid(f"{place}: {name}", shown(vector), "must be a RangeVector")


def size_bits(vectors: Vectors) -> int:
    """Return how many bits all vectors have."""
    return sum(vector.length for vector in vectors.values())


def _segment(limits: Limits, value: float, length: int) -> int:
    """Return the segment of a value, which never falls as the value rises.

    A power of 2 scales a float without rounding, so the segments of all lengths agree with each other.
    """
    if limits.width == 0:
        return 0
    return min(int((value - limits.low) / limits.width * length), length - 1)


def _vector(limits: Limits, low: float, high: float, length: int) -> RangeVector:
    first, last = _segment(limits, low, length), _segment(limits, high, length)
    return RangeVector(length, ((1 << (last - first + 1)) - 1) << (length - 1 - last))


def _alike(one: RangeVector, two: RangeVector) -> tuple[RangeVector, RangeVector]:
    length = max(one.length, two.length)
    return one.extended(length), two.extended(length)


def _every_other(length: int) -> int:
    """Return 0101...01."""
    return ((1 << length) - 1) // 3 if length > 1 else 1


def _halved(evens: int, length: int) -> int:
    """Return the bits at even places, closed up."""
    return int(format(evens, f"0{length}b")[1::2], 2)


def merged_all(vectors: list[RangeVector]) -> RangeVector:
    """Return the vector of what any of them covers."""
    if not vectors:
        raise invalid("vectors", shown(vectors), "must be at least one")
    return reduce(RangeVector.merged, vectors)
