"""Bloom filters: a set of texts in a few bits, with false positives and no false negatives (tree group paper, 3.2).

No well-maintained library sizes a filter exactly in bits, supports unions and guarantees the same bits everywhere
without further dependencies, and a filter takes only a few lines. The bits are a Python integer, bit ``i`` being
position ``i``, so that a union is ``|`` and a look-up is ``&``. The hash is BLAKE2b, the same on every machine and in
every process: its first two 64-bit words yield the k positions by double hashing (Kirsch and Mitzenmacher, ESA 2006).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from math import exp
from typing import Annotated

from roamcast.core.parameters import GREATER_THAN_ZERO, at_most

BITS_MAX = 65_536
HASHES_MAX = 64
Positions = Callable[[str], Iterable[int]]
"""A function that returns the bit positions of a text; alternatives to ours serve tests and worked examples."""


def false_positive_rate(bits: int, hashes: int, items: float) -> float:
    """Return the probability that a text seems to be among ``items`` distinct ones but is not: (1 - e^(-kn/m))^k."""
    return float((1.0 - exp(-hashes * items / bits)) ** hashes)


@dataclass(frozen=True, slots=True)
class BloomShape:
    """The size of filters that can be joined, and the positions of a text in them."""

    bits: Annotated[int, GREATER_THAN_ZERO, at_most(BITS_MAX)]
    """The paper's m."""
    hashes: Annotated[int, GREATER_THAN_ZERO, at_most(HASHES_MAX)]
    """The paper's k."""

    @property
    def size_bytes(self) -> int:
        """Return the size of a filter in memory and on the air, in whole bytes."""
        return (self.bits + 7) // 8

    def positions(self, text: str) -> tuple[int, ...]:
        """Return the k positions of a text, some of which may be equal."""
        digest = blake2b(text.encode(), digest_size=16).digest()
        first, step = int.from_bytes(digest[:8], "big"), int.from_bytes(digest[8:], "big") | 1
        return tuple((first + turn * step) % self.bits for turn in range(self.hashes))

    def mask(self, text: str) -> int:
        """Return the bits of one text."""
        return _mask(self, text)

    def is_filter(self, bits: int) -> bool:
        """Tell whether a number can be a filter of this size."""
        return 0 <= bits < 1 << self.bits


@lru_cache(maxsize=65_536)
def _mask(shape: BloomShape, text: str) -> int:
    # Cached, because in a simulation all nodes look up the same few texts again and again.
    return bits_at(shape.positions(text))


def bits_at(positions: Iterable[int]) -> int:
    """Return the bits at some positions."""
    bits = 0
    for position in positions:
        bits |= 1 << position
    return bits


class BloomFilter:
    """A set of texts that can only grow; use ``bits`` where only the bits matter, as on the air."""

    __slots__ = ("_positions", "bits", "shape")

    def __init__(self, shape: BloomShape, bits: int = 0, positions: Positions | None = None) -> None:
        self.shape = shape
        self.bits = bits
        self._positions = positions

    def add(self, text: str) -> None:
        """Put a text into the set."""
        self.bits |= self._mask(text)

    def __contains__(self, text: str) -> bool:
        mask = self._mask(text)
        return self.bits & mask == mask

    def __or__(self, other: "BloomFilter") -> "BloomFilter":
        """Return the filter of all texts of both, the same as if all had been added to one filter."""
        if self.shape != other.shape:
            raise ValueError(f"filters of different shapes: {self.shape} and {other.shape}")
        return BloomFilter(self.shape, self.bits | other.bits, self._positions)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BloomFilter) and (self.shape, self.bits) == (other.shape, other.bits)

    __hash__ = None  # type: ignore[assignment]  # it changes

    @property
    def size_bytes(self) -> int:
        """Return its size in memory and on the air."""
        return self.shape.size_bytes

    def fill(self) -> float:
        """Return the share of bits that are set."""
        return self.bits.bit_count() / self.shape.bits

    def false_positive_rate(self) -> float:
        """Return the probability that a text seems to be there but was never added: others set all its k bits."""
        return float(self.fill() ** self.shape.hashes)

    def _mask(self, text: str) -> int:
        return self.shape.mask(text) if self._positions is None else bits_at(self._positions(text))
