"""Broken lines of an import: how many there are, where the first ones are, and whether they are too many."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from roamcast.core.errors import UserError

EXAMPLES_REPORTED_MAX = 5


class BrokenLines:
    """The lines that could not be understood, by file; pieces must be added in order."""

    def __init__(self, paths: Sequence[Path], head_lines: Sequence[int] = ()) -> None:
        self._paths = paths
        self._before = [list[int]() for _ in paths]
        """For each file and piece, the number of lines before it."""
        self._next = list(head_lines) or [0] * len(paths)
        self._examples: list[tuple[int, int, str]] = []
        self.count = 0
        self._whole = 0

    def add_piece(
        self, file: int, piece: int, lines: int, rows: int, broken: int, examples: Sequence[dict[str, Any]]
    ) -> None:
        """Add the report of a piece's reader."""
        assert piece == len(self._before[file])
        self._before[file].append(self._next[file])
        self._next[file] += lines
        self.count += broken
        self._whole += rows
        for example in examples:
            self._examples.append((file, self._before[file][piece] + example["line"], example["reason"]))

    def add_rows(self, count: int, first: tuple[int, int, int] | None, reason: str) -> None:
        """Add rows that are valid alone but conflict with others; ``first``: file, piece and line of the first."""
        self.count += count
        self._whole -= count
        if first is not None:
            more = f" (the first of {count:,})" if count > 1 else ""
            self._examples.append((first[0], self._line(*first), reason + more))

    def location(self, file: int, piece: int, line: int) -> str:
        """Return the file and line number of a line of a piece, for a person."""
        return f"{self._paths[file]}:{self._line(file, piece, line)}"

    def _line(self, file: int, piece: int, line: int) -> int:
        return self._before[file][piece] + line

    def examples(self) -> list[str]:
        """Return a description of the first few."""
        ordered = sorted(self._examples)[:EXAMPLES_REPORTED_MAX]
        return [f"{self._paths[file]}:{line}: {reason}" for file, line, reason in ordered]

    def check(self, share_max: float) -> None:
        """Raise an error if too many lines are broken."""
        total = self.count + self._whole
        if self.count and self.count > share_max * total:
            first = self.examples()[0] if self._examples else str(self._paths[0])
            raise UserError(
                f"{first}; {self.count:,} of {total:,} lines are broken, more than --broken-max {share_max:g} allows"
            )
