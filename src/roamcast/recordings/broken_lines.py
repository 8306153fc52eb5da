"""Broken lines of an import: how many, where the first of them are, and whether they are too many."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from roamcast.core.errors import UserError

SHOWN_MAX = 5


class BrokenLines:
    """What could not be understood, by file and line; pieces must come in order."""

    def __init__(self, paths: Sequence[Path], head_lines: Sequence[int] = ()) -> None:
        self._paths = paths
        self._before = [list[int]() for _ in paths]
        """For each file and piece: the lines before it."""
        self._next = list(head_lines) or [0] * len(paths)
        self._examples: list[tuple[int, int, str]] = []
        self.count = 0
        self._whole = 0

    def add_piece(
        self, file: int, piece: int, lines: int, rows: int, broken: int, examples: Sequence[dict[str, Any]]
    ) -> None:
        """Take what the reader of a piece said."""
        assert piece == len(self._before[file])
        self._before[file].append(self._next[file])
        self._next[file] += lines
        self.count += broken
        self._whole += rows
        for each in examples:
            self._examples.append((file, self._before[file][piece] + each["line"], each["reason"]))

    def add_rows(self, count: int, first: str | None, reason: str) -> None:
        """Take rows that were read well and are wrong beside the others; ``first`` is where the first of them is."""
        self.count += count
        self._whole -= count
        if count and first:
            where = json.loads(first)
            line = self._line(where["file"], where["piece"], where["line"])
            more = f" (the first of {count:,})" if count > 1 else ""
            self._examples.append((where["file"], line, reason + more))

    def place(self, file: int, piece: int, line: int) -> str:
        """Return where a line of a piece is, for a person."""
        return f"{self._paths[file]}:{self._line(file, piece, line)}"

    def _line(self, file: int, piece: int, line: int) -> int:
        return self._before[file][piece] + line

    def shown(self) -> list[str]:
        """Return the first few in words."""
        ordered = sorted(self._examples)[:SHOWN_MAX]
        return [f"{self._paths[file]}:{line}: {reason}" for file, line, reason in ordered]

    def check(self, share_max: float) -> None:
        """Raise an error if too many lines are broken."""
        total = self.count + self._whole
        if self.count and self.count > share_max * total:
            first = self.shown()[0] if self._examples else str(self._paths[0])
            raise UserError(
                f"{first}; {self.count:,} of {total:,} lines are broken, more than --broken-max {share_max:g} allows"
            )
