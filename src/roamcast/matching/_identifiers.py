"""The identifiers of subscriptions by number: a list, and an array of them that is made when it is needed.

Numpy looks up many of them in a third of the time that a list takes, and integers in a tenth: a Python object has to
be found in memory to count the reference to it, an integer in an array has not.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from roamcast.matching._lines import Indices, Numbers
from roamcast.matching._number_loops import put_in_order

NUMBERS_PER_WORD_MIN = 16
"""With fewer numbers than one in so many words of bits they are sorted by numpy, which is faster then."""


class Identifiers:
    """Identifiers by number. A number keeps its identifier, so matches can share this with the index."""

    def __init__(self) -> None:
        self._listed: list[Any] = []
        self._array: npt.NDArray[Any] = np.empty(0, np.int64)
        """Those that have been looked up in it so far, and room for more."""
        self._known = 0
        self._bits = np.zeros(0, np.uint64)
        """A bit for each number, all clear, to put numbers in order."""

    def __len__(self) -> int:
        return len(self._listed)

    def __getitem__(self, number: int) -> Any:
        return self._listed[number]

    @property
    def are_integers(self) -> bool:
        """Tell whether all of them are integers of 64 bits."""
        return self._up_to_date().dtype != object

    def append(self, identifier: Any) -> None:
        """Give the next number to an identifier."""
        self._listed.append(identifier)

    def extend(self, identifiers: Sequence[Any]) -> None:
        """Give the next numbers to some identifiers."""
        self._listed.extend(identifiers)

    def take_in_order(self, numbers: Numbers) -> npt.NDArray[Any]:
        """Return the identifiers with these numbers, which are put in order: 64-bit integers if all are, or objects.

        Neighbours in memory are looked up faster, by more than the order costs.
        """
        array = self._up_to_date()
        if len(numbers) < self._bits.shape[0] // NUMBERS_PER_WORD_MIN:
            numbers.sort()
        else:
            put_in_order(numbers, self._bits)
        return array.take(numbers)

    def take(self, numbers: Numbers) -> npt.NDArray[Any]:
        """Return the identifiers with these numbers, in the order given."""
        return self._up_to_date().take(numbers)

    def integers(self, numbers: Indices) -> Indices | Numbers | None:
        """Return the identifiers with these numbers if all identifiers are integers, of 32 bits if these suffice.

        What stands for a negative number means nothing.
        """
        array = self._up_to_date()
        if array.dtype == object:
            return None
        found: Numbers = array.take(numbers, mode="clip")
        low, high = found.min(initial=0), found.max(initial=0)
        limits = np.iinfo(np.int32)
        return found.astype(np.int32) if limits.min <= low and high <= limits.max else found

    def _up_to_date(self) -> npt.NDArray[Any]:
        if self._known < len(self._listed):
            self._bring_up_to_date()
        return self._array

    def _bring_up_to_date(self) -> None:
        if self._array.dtype != object and not _are_integers(self._listed, self._known):
            self._array, self._known = np.empty(0, object), 0
        count = len(self._listed)
        if count > len(self._array):
            grown = np.empty(max(count, 2 * len(self._array)), self._array.dtype)
            grown[: self._known] = self._array[: self._known]
            self._array = grown
            self._bits = np.zeros(-(-len(grown) // 64), np.uint64)
        new = islice(self._listed, self._known, None)
        self._array[self._known : count] = np.fromiter(new, self._array.dtype, count - self._known)
        self._known = count


def _are_integers(listed: list[Any], first: int) -> bool:
    """Tell whether all identifiers from one on are integers, and not truth values, that fit 64 bits."""
    if set(map(type, islice(listed, first, None))) != {int}:
        return False
    limits = np.iinfo(np.int64)
    low, high = min(islice(listed, first, None)), max(islice(listed, first, None))
    return bool(limits.min <= low and high <= limits.max)


class SlotNumbers:
    """The numbers of the subscriptions in some slots, and their identifiers where these are integers."""

    __slots__ = ("_integers", "numbers")

    def __init__(self, numbers: Indices) -> None:
        self.numbers = numbers
        """The number of the subscription in each slot, or -1."""
        self._integers: Indices | Numbers | None = None

    def integers(self, identifiers: Identifiers) -> Indices | Numbers | None:
        """Return the identifier in each slot if all identifiers are integers; they are looked up once."""
        if self._integers is None or not identifiers.are_integers:
            self._integers = identifiers.integers(self.numbers)
        return self._integers
