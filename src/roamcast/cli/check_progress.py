"""Progress of a check: nothing while it is quick, then which check runs and for how long.

A thread of its own writes it, so that it also names a check in which a protocol hangs.
"""

import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self, TextIO

PATIENCE_S = 3.0
TERMINAL_PERIOD_S = 1.0
LOG_PERIOD_S = 15.0


class CheckProgress:
    """Tells a person, on standard error, that a check is still running."""

    def __init__(self, what: str, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._what = what
        self._stream = stream or sys.stderr
        self._clock = clock
        self._started_at_s = clock()
        self._over = threading.Event()
        self._line_open = False
        self._thread = threading.Thread(target=self._watch, name="check-progress", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wipe the line: the result follows."""
        self._over.set()
        self._thread.join()
        if self._line_open:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def show(self) -> None:
        """Say which check runs, and for how long."""
        text = f"checking {self._what}: {self._clock() - self._started_at_s:.0f} s elapsed"
        self._line_open = self._stream.isatty()
        self._stream.write(f"\r{text}\x1b[K" if self._line_open else f"{text}\n")
        self._stream.flush()

    def _watch(self) -> None:
        period_s = PATIENCE_S
        while not self._over.wait(period_s):
            self.show()
            period_s = TERMINAL_PERIOD_S if self._line_open else LOG_PERIOD_S
