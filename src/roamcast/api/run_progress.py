"""Progress of a single run: nothing while it is quick, then a line that is rewritten in place."""

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self, TextIO

PATIENCE_S = 2.0
"""Most runs are over before a person wonders."""
TERMINAL_PERIOD_S = 0.3
LOG_PERIOD_S = 15.0


def is_shown(progress: bool | None) -> bool:
    """Tell whether to show progress: as the caller says, and on a terminal only if the caller says nothing."""
    return sys.stderr is not None and sys.stderr.isatty() if progress is None else progress


class RunProgress:
    """Show a person on standard error how far a run is."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream or sys.stderr
        self._clock = clock
        self._started_at_s = clock()
        self._next_at_s = self._started_at_s + PATIENCE_S
        self._line_open = False
        self._first: tuple[float, float] | None = None
        """When the first part was done, and which; before it much may have been compiled."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wipe the line: what follows is the result."""
        if self._line_open:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def update(self, share: float) -> None:
        """Show which part is done and how long the rest will take, unless that was shown a moment ago."""
        now_s = self._clock()
        if share > 0 and self._first is None:
            self._first = now_s, share
        if now_s < self._next_at_s or self._first is None:
            return
        text = f"simulate: {share:.0%}, {now_s - self._started_at_s:.0f} s elapsed"
        first_s, first_share = self._first
        if share > first_share:
            text += f", about {(now_s - first_s) / (share - first_share) * (1 - share):.0f} s left"
        self._line_open = self._stream.isatty()
        self._stream.write(f"\r{text}\x1b[K" if self._line_open else text + "\n")
        self._stream.flush()
        self._next_at_s = now_s + (TERMINAL_PERIOD_S if self._line_open else LOG_PERIOD_S)
