"""Numbers for names: who appears first has the lowest; of those who appear together, 2 comes before 10."""

import re
from collections.abc import Sequence

_DIGITS = re.compile(r"(\d+)")


def numbered(names: Sequence[str], firsts_s: Sequence[float]) -> list[str]:
    """Return names in the order of their numbers."""
    return [name for _, name in sorted(zip(firsts_s, names, strict=True), key=lambda each: (each[0], natural(each[1])))]


def natural(name: str) -> tuple[tuple[int, int | str], ...]:
    """Return what a name is sorted by: its digits count as numbers."""
    parts = [part for part in _DIGITS.split(name) if part]
    # At most 18 digits are compared as a number; a longer row of them is a text like any other.
    return (*((0, int(part)) if part.isdecimal() and len(part) < 19 else (1, part) for part in parts), (2, name))
