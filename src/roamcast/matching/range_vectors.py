"""Attribute range vectors: a range of an attribute's values as a few bits (Li, Wang: BRVST, MASS 2014, section IV-A).

The limits of the attribute are divided into 1, 2, 4, ... equal segments, and a bit is set for each segment that the
range overlaps, the lowest first. Halving continues until the segments are filled beyond a threshold alpha, or until the
vector has its maximal length. Vectors of different lengths are compared by repeating the bits of the shorter one.

The paper leaves some things open; our choices:

- *The worked example.* 26 to 47 fills the segment 25-50 by 22/25 = 88 %, and 38 to 60 the segment 50-62.5 by
  11/12.5 = 88 %, which is not "more than 90 %" (1 to 48 counts as 48/50 there, so both ends count). So the paper's rule
  alone would continue halving. With at most 8, 16 or 32 bits it ends without reaching 90 %, and after simplification
  all three vectors are the paper's; with 64 bits the end segments are narrower than the unfilled part. Hence our
  maximal length.
- *Filled.* The text requires each overlapped segment to be filled beyond alpha: ``Filling.EACH``, the encoder's
  default. As both end segments must be filled at the same length, random ranges nearly always reach the maximal length.
  ``Filling.TOGETHER`` requires it of all overlapped segments together, which bounds the share of false positives by
  1 - alpha, as figure 9 shows, with short vectors. It is the default of the protocol ``brvst``.
- *Publications.* If the range of a publication were rounded outwards like a subscription's, it would no longer be
  inside that of a subscription that contains it: a false negative. So publications are always divided to the maximal
  length and then simplified, which loses nothing. A subscription's vector is never longer, so there are no false
  negatives.
- *A segment* contains its low end but not its high end; the last one contains both.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache, reduce
from numbers import Real
from typing import Any

import numpy as np

from roamcast.matching.attribute_space import AttributeSpace, Limits, RangeLike, check_space
from roamcast.matching.value_text import check_mapping, invalid, reportable

ALPHA = 0.9
"""The paper's threshold (section V)."""
LENGTH_MAX = 32
"""Our choice: the largest that reproduces the paper's three examples; a segment is 3 % of the limits."""
LENGTH_LIMIT = 1 << 16
"""The largest ``length_max`` that can be configured."""


class Filling(StrEnum):
    """Which segments must be filled beyond the threshold."""

    EACH = "each"
    TOGETHER = "together"


@dataclass(frozen=True, slots=True)
class RangeVector:
    """A vector of bits; the leftmost represents the lowest values.

    Protocols make very many, so a vector does not validate itself, which would double the time to make it; input from
    a person goes through ``from_text`` or an ``Encoder``.
    """

    length: int
    """1, 2, 4, ..."""
    bits: int
    """Less than 2 to the power of the length."""

    @classmethod
    def from_text(cls, text: str) -> "RangeVector":
        """Parse a vector such as ``0100``."""
        if not isinstance(text, str) or set(text) - {"0", "1"} or len(text).bit_count() != 1:
            raise invalid("range vector", reportable(text), "must be 1, 2, 4, ... digits 0 and 1")
        return cls(len(text), int(text, 2))

    def __str__(self) -> str:
        return format(self.bits, f"0{self.length}b")

    @property
    def ones(self) -> int:
        """Return the number of covered segments."""
        return self.bits.bit_count()

    def simplified(self) -> "RangeVector":
        """Return the shortest vector with the same meaning."""
        length, bits = self.length, self.bits
        while length > 1:
            evens = bits & _every_other(length)
            if bits >> 1 & _every_other(length) != evens:
                break
            length, bits = length // 2, _halved(evens, length)
        return RangeVector(length, bits)

    def extended(self, length: int) -> "RangeVector":
        """Return a longer vector with the same meaning."""
        return self if length == self.length else RangeVector(length, _extended(self.bits, self.length, length))

    def merged(self, other: "RangeVector") -> "RangeVector":
        """Return the shortest vector that covers what either covers."""
        length, mine, theirs = _alike(self, other)
        return RangeVector(length, mine | theirs).simplified()

    def overlaps(self, other: "RangeVector") -> bool:
        """Tell whether both cover a common segment."""
        _, mine, theirs = _alike(self, other)
        return mine & theirs != 0

    def covers(self, published: "RangeVector") -> bool:
        """Tell whether a publication's vector is inside this one: (P and S) xor P is 0."""
        _, mine, theirs = _alike(self, published)
        return (theirs & mine) ^ theirs == 0


Vectors = Mapping[str, RangeVector]
"""A subscription or a publication: a vector for each of its attributes."""


@dataclass(frozen=True, slots=True)
class Encoder:
    """Turns ranges into vectors."""

    space: AttributeSpace
    alpha: float = ALPHA
    """The share of a segment that must be filled, from 0 to 1."""
    length_max: int = LENGTH_MAX
    """The maximal length of a vector in bits, a power of 2."""
    filling: Filling = Filling.EACH

    def __post_init__(self) -> None:
        check_space(self.space)
        alpha: Any = self.alpha
        is_number = isinstance(alpha, Real) and not isinstance(alpha, bool)
        if not is_number or not 0 <= alpha <= 1:
            raise invalid("alpha", reportable(alpha), "must be from 0 to 1")
        object.__setattr__(self, "alpha", float(alpha))
        length: Any = self.length_max
        length = int(length) if isinstance(length, np.integer) else length
        object.__setattr__(self, "length_max", length)
        if type(length) is not int or not 1 <= length <= LENGTH_LIMIT or length.bit_count() != 1:
            raise invalid("length_max", reportable(length), f"must be a power of 2 from 1 to {LENGTH_LIMIT}")
        if not isinstance(self.filling, Filling):
            raise invalid("filling", reportable(self.filling), "must be Filling.EACH or Filling.TOGETHER")

    def subscription(self, ranges: Mapping[str, RangeLike]) -> dict[str, RangeVector]:
        """Return the vectors of a subscription's ranges."""
        check_mapping("ranges", ranges, "must be a mapping from attributes to ranges")
        return {name: self.subscription_vector(name, ranges[name]) for name in ranges}

    def publication(self, values: Mapping[str, RangeLike]) -> dict[str, RangeVector]:
        """Return the vectors of a publication's values or ranges."""
        check_mapping("values", values, "must be a mapping from attributes to values or ranges")
        return {name: self.publication_vector(name, values[name]) for name in values}

    def subscription_vector(self, name: str, given: RangeLike) -> RangeVector:
        """Halve until the segments are filled beyond alpha."""
        limits = self.space[name]
        low, high = self.space.closed_range(name, given)
        length = 1
        while length < self.length_max and not self._is_filled(limits, low, high, length):
            length *= 2
        return _vector(limits, low, high, length).simplified()

    def publication_vector(self, name: str, given: RangeLike) -> RangeVector:
        """Halve to the maximal length, so that nothing is rounded more than in any subscription."""
        low, high = self.space.closed_range(name, given)
        return _vector(self.space[name], low, high, self.length_max).simplified()

    def _is_filled(self, limits: Limits, low: float, high: float, length: int) -> bool:
        width = limits.width / length
        if width == 0:
            return True
        first, last = _segment(limits, low, length), _segment(limits, high, length)
        # An integer fills the space up to the next one: 1 to 48 fills 48 of the segment 0-50.
        begin, end = low - limits.low, min(high + limits.whole - limits.low, (last + 1) * width)
        if self.filling is Filling.TOGETHER:
            return (end - begin) / ((last - first + 1) * width) > self.alpha
        filled_first = (min(end, (first + 1) * width) - begin) / width
        filled_last = (end - max(begin, last * width)) / width
        return min(filled_first, filled_last) > self.alpha


def matches(published: Vectors, subscribed: Vectors) -> bool:
    """Tell whether a publication has every attribute of a subscription, with a vector inside the subscription's."""
    try:
        return all(name in published and vector.covers(published[name]) for name, vector in subscribed.items())
    except (AttributeError, TypeError):  # arguments are checked only now: protocols match very often
        check_vectors("published", published)
        check_vectors("subscribed", subscribed)
        raise


def check_vectors(where: str, vectors: object) -> None:
    """Raise an error if a value is not a mapping from attributes to vectors."""
    if not isinstance(vectors, Mapping):
        raise invalid(where, reportable(vectors), "must be a mapping from attributes to range vectors")
    for name, vector in vectors.items():
        if not isinstance(vector, RangeVector):
            raise invalid(f"{where}: {name}", reportable(vector), "must be a RangeVector")


def size_bits(vectors: Vectors) -> int:
    """Return the total length of all vectors."""
    return sum(vector.length for vector in vectors.values())


def _segment(limits: Limits, value: float, length: int) -> int:
    """Return the segment of a value; it never decreases as the value increases.

    A power of 2 scales a float without rounding, so the segments of all lengths agree with each other.
    """
    if limits.width == 0:
        return 0
    return min(int((value - limits.low) / limits.width * length), length - 1)


def _vector(limits: Limits, low: float, high: float, length: int) -> RangeVector:
    first, last = _segment(limits, low, length), _segment(limits, high, length)
    return RangeVector(length, ((1 << (last - first + 1)) - 1) << (length - 1 - last))


def _alike(one: RangeVector, two: RangeVector) -> tuple[int, int, int]:
    """Return the length of the longer of two vectors, and the bits of both at that length."""
    if one.length == two.length:
        return one.length, one.bits, two.bits
    if one.length < two.length:
        return two.length, _extended(one.bits, one.length, two.length), two.bits
    return one.length, one.bits, _extended(two.bits, two.length, one.length)


@lru_cache(maxsize=1 << 12)
def _extended(bits: int, length: int, longer: int) -> int:
    """Return the bits of a longer vector with the same meaning. Protocols compare the same few again and again."""
    if longer < length or longer % length or (longer // length).bit_count() != 1:
        raise invalid("range vector length", longer, f"must be {length} times a power of 2")
    times = longer // length
    return int("".join(bit * times for bit in format(bits, f"0{length}b")), 2)


def _every_other(length: int) -> int:
    """Return 0101...01."""
    return ((1 << length) - 1) // 3 if length > 1 else 1


def _halved(evens: int, length: int) -> int:
    """Return the bits at even positions, packed together."""
    return int(format(evens, f"0{length}b")[1::2], 2)


def merged_all(vectors: list[RangeVector]) -> RangeVector:
    """Return the vector that covers what any of them covers."""
    if not vectors:
        raise invalid("vectors", reportable(vectors), "must be at least one")
    return reduce(RangeVector.merged, vectors)
