"""Numbering named nodes: in order of their first appearance; of those that appear together, 2 comes before 10."""

import re
from collections.abc import Sequence

_DIGITS = re.compile(r"(\d+)")


def numbered(names: Sequence[str], firsts_s: Sequence[float]) -> list[str]:
    """Return names in the order of their numbers."""
    return [name for _, name in sorted(zip(firsts_s, names, strict=True), key=lambda pair: (pair[0], natural(pair[1])))]


def natural(name: str) -> tuple[tuple[int, int | str], ...]:
    """Return a sort key in which the digits of a name count as numbers."""
    parts = [part for part in _DIGITS.split(name) if part]
    # Up to 18 digits are compared as a number; longer sequences are compared as text.
    return (*((0, int(part)) if part.isdecimal() and len(part) < 19 else (1, part) for part in parts), (2, name))
