"""Tables and numbers for a terminal: plain aligned text, no wider than the window."""

import math
import re
import textwrap
from collections.abc import Sequence

from roamcast.report.printable_text import one_line

_GAP = "  "
_LAST_COLUMN_MIN = 24
_OTHER_COLUMN_MIN = 8
_NO_BREAK = "\u00a0"
_WITHIN = r"(?<=[\d],) (?=[^\s\[]+\])|(?<=\d) (?=x\b)"
_KEPT = (re.compile(rf"(?<=\S) (?=\[[^\s\]]+, )|{_WITHIN}"), re.compile(_WITHIN), re.compile(r"(?<=\d) (?=x\b)"))
"""The spaces in a value with its interval and in a ratio, at which no line breaks. If necessary one may before the
interval, then within it, and only then within a number."""
_SIGNIFICANT_DIGITS = 3
_SIGNIFICANT_DIGITS_MAX = 5
_FIXED_ABOVE, _FIXED_BELOW = 1e-5, 1e15
"""Outside these bounds a number is written with a power of ten."""


def table(rows: Sequence[Sequence[str]], header: Sequence[str], align: str = "", width: int = 110) -> str:
    """Return rows as aligned text: ``align`` has one letter per column, l or r; the others are left-aligned.

    If the rows are wider than ``width``, the last column is wrapped, and then the widest ones, between values rather
    than within them.
    """
    cells = [[one_line(cell) for cell in row] for row in (header, *rows)]
    if any(len(row) != len(header) for row in cells):
        raise ValueError(f"a row must have {len(header)} cells, like the header")
    if not set(align) <= {"l", "r"}:
        raise ValueError(f"align must consist of l and r, not '{align}'")
    sides = align.ljust(len(header), "l")
    widths = _column_widths(cells, width)
    lines = [line for row in cells[:1] for line in _row_lines(row, widths, sides)]
    lines.append(_GAP.join("-" * column for column in widths))
    lines.extend(line for row in cells[1:] for line in _row_lines(row, widths, sides))
    return "\n".join(lines)


def number(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """Write a value with its interval, to the digits that the interval supports: 0.953 [0.941, 0.965]; '-' for none."""
    if value is None or math.isnan(value):
        return "-"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return _alone(value)
    if low == high:
        return f"{_alone(value)} [{_alone(low)}, {_alone(high)}]"
    larger = max(abs(value), abs(low), abs(high))
    if not _FIXED_ABOVE < larger < _FIXED_BELOW:
        return f"{value:.2e} [{low:.2e}, {high:.2e}]"
    decimals = min(_decimals((high - low) / 2, 2), _decimals(larger, _SIGNIFICANT_DIGITS_MAX))
    return f"{_fixed(value, decimals)} [{_fixed(low, decimals)}, {_fixed(high, decimals)}]"


def ratio(value: float | None) -> str:
    """Write a ratio: 152 x."""
    text = number(value)
    return text if text == "-" else f"{text} x"


def _alone(value: float) -> str:
    """Write a value without an interval: integers in full, others with three digits."""
    if value != 0 and not _FIXED_ABOVE < abs(value) < _FIXED_BELOW:
        return f"{value:.2e}"
    return _fixed(value, 0 if value == round(value) else _decimals(value, _SIGNIFICANT_DIGITS))


def _decimals(value: float, significant: int) -> int:
    """Return how many decimals show a number of significant digits of a value."""
    return max(0, significant - 1 - math.floor(math.log10(abs(value))))


def _fixed(value: float, decimals: int) -> str:
    text = f"{value:,.{decimals}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def _column_widths(cells: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the columns' widths: those of their cells, or less, without breaking values if possible."""
    columns = list(zip(*cells, strict=True))
    widths = [max(1, *map(len, column)) for column in columns]
    if not widths:
        return widths
    whole = [[max(_longest(cell, kept) for cell in column) for column in columns] for kept in _KEPT]
    for smallest in (*whole, [1] * len(widths)):
        _narrow(widths, [max(_OTHER_COLUMN_MIN, least) for least in smallest], width)
    return widths


def _narrow(widths: list[int], smallest: Sequence[int], width: int) -> None:
    """Reduce the last column, then the widest ones, to fit the width, but none below its smallest width."""
    excess = sum(widths) + len(_GAP) * (len(widths) - 1) - width
    if excess > 0:
        cut = min(excess, max(0, widths[-1] - max(_LAST_COLUMN_MIN, smallest[-1])))
        widths[-1] -= cut
        excess -= cut
    while excess > 0 and (wide := [column for column, size in enumerate(widths) if size > smallest[column]]):
        widths[max(wide, key=lambda column: widths[column])] -= 1
        excess -= 1


def _longest(cell: str, kept: re.Pattern[str]) -> int:
    """Return the length of the longest piece of a cell that must not be broken."""
    return max(map(len, kept.sub(_NO_BREAK, cell).split(" ")))


def _lines_of(cell: str, width: int) -> list[str]:
    """Break a cell into lines, without breaking a value if possible."""
    kept = next((pattern for pattern in _KEPT if _longest(cell, pattern) <= width), _KEPT[-1])
    return [line.replace(_NO_BREAK, " ") for line in textwrap.wrap(kept.sub(_NO_BREAK, cell), width)] or [""]


def _row_lines(row: Sequence[str], widths: Sequence[int], sides: str) -> list[str]:
    wrapped = [_lines_of(cell, width) for cell, width in zip(row, widths, strict=True)]
    lines = []
    for number in range(max(map(len, wrapped), default=0)):
        parts = [lines_of_cell[number] if number < len(lines_of_cell) else "" for lines_of_cell in wrapped]
        aligned = (
            part.rjust(width) if side == "r" else part.ljust(width)
            for part, width, side in zip(parts, widths, sides, strict=False)
        )
        lines.append(_GAP.join(aligned).rstrip())
    return lines
