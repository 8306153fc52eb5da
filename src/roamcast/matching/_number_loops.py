"""The compiled loops that write the numbers of the subscriptions whose bits are set."""

import numpy as np

from roamcast.matching._index_compiler import compiled, inlined
from roamcast.matching._lines import Indices, Numbers, Words
from roamcast.matching._vectors import lowest_one, ones_of, prefetch

NUMBERS_AT_ONCE = 4
"""So many numbers are written without a branch: loops over single bits mispredict their ends."""

LINES_AHEAD = 8
"""The bits of a swept event are far apart in memory; so many lines early they are asked for."""


@compiled
def numbers_of(
    found: Words, width: int, events: int, first: int, last: int, slots: Indices | Numbers, into: Numbers, at: int
) -> int:
    """Write what ``slots`` has for the slots whose bits are set for some events; return the index after the last.

    The bits of all ``events`` are stored by (line, event, word), with ``width`` words in a line. Up to three numbers
    after the last are overwritten, so there must be room for them.
    """
    lines = found.shape[0] // max(events * width, 1)
    for event in range(first, last):
        for line in range(lines):
            begin = (line * events + event) * width
            prefetch(found, begin + LINES_AHEAD * events * width)
            for word in range(width):
                base = np.uint64((line * width + word) * 64)
                at = _write_word(found[begin + word], base, slots, into, at)
    return at


@inlined
def _write_word(rest: np.uint64, base: np.uint64, slots: Indices | Numbers, into: Numbers, at: int) -> int:
    place, last = np.uint64(at), np.uint64(at) + ones_of(rest)
    while place < last:
        for offset in range(NUMBERS_AT_ONCE):
            bit = lowest_one(rest) & np.uint64(63)  # of no bit at all: 64
            into[place + np.uint64(offset)] = slots[base + bit]
            rest &= rest - np.uint64(1)
        place += np.uint64(NUMBERS_AT_ONCE)
    return int(np.int64(last))  # unsigned, it would make a sum a float


@compiled
def put_in_order(numbers: Numbers, bits: Words) -> None:
    """Sort numbers that are all different by setting their bits and finding them again.

    ``bits`` is clear before and after. Numpy's sorting takes 15 times as long for 1,000 numbers, 40 times for 100,000.
    """
    for number in numbers:
        bits[number >> 6] |= np.uint64(1) << np.uint64(number & 63)
    at = np.uint64(0)
    for word in range(bits.shape[0]):
        rest = bits[word]
        bits[word] = np.uint64(0)
        base, last = np.uint64(word) * np.uint64(64), at + ones_of(rest)
        while at < last:
            numbers[at] = base + lowest_one(rest)
            rest &= rest - np.uint64(1)
            at += np.uint64(1)
