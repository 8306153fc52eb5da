"""Progress for a person: one line on the terminal that says how far it is and how long it will take.

On a terminal the line is rewritten in place; elsewhere (a log, a pipe) a new line comes now and then.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TextIO

TERMINAL_PERIOD_S = 0.2
LOG_PERIOD_S = 15.0
SHARE_MIN = 0.02
"""Below this part of the work an estimate of the rest is a guess, and none is shown."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a campaign is."""

    ended: int
    """Runs that have ended, those of earlier calls included."""
    planned: int
    failed: int
    share: float
    """The part of this call's work that is done, by the runs' estimated cost: 0 to 1."""


class Progress:
    """Tell a person what is being done."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream or sys.stderr
        self._clock = clock
        self._rewrites = self._stream.isatty()
        self._started_at_s = clock()
        self._shown_at_s = -float("inf")
        self._line_open = False

    def begin(self, doing: str) -> None:
        """Say that something begins that has no measure, and start the time for what follows."""
        self._started_at_s = self._clock()
        self._shown_at_s = -float("inf")
        self._show(doing)

    def update(self, standing: Standing) -> None:
        """Say how far the runs are, unless that was said a moment ago."""
        period_s = TERMINAL_PERIOD_S if self._rewrites else LOG_PERIOD_S
        if self._clock() - self._shown_at_s >= period_s:
            self._shown_at_s = self._clock()
            self._show(self._line(standing))

    def end(self, standing: Standing | None = None) -> None:
        """Say the last word and leave the line."""
        if standing is not None:
            self._show(self._line(standing))
        if self._line_open:
            self._stream.write("\n")
            self._line_open = False
        self._stream.flush()

    def _line(self, standing: Standing) -> str:
        elapsed_s = self._clock() - self._started_at_s
        parts = [f"{standing.ended} of {standing.planned} runs, {_duration(elapsed_s)} elapsed"]
        if SHARE_MIN <= standing.share < 1:
            parts.append(f"about {_duration(elapsed_s * (1 / standing.share - 1))} left")
        if standing.failed:
            parts.append(f"{standing.failed} failed")
        return "simulate: " + ", ".join(parts)

    def _show(self, text: str) -> None:
        if self._rewrites:
            self._stream.write(f"\r{text}\x1b[K")
            self._line_open = True
        else:
            self._stream.write(text + "\n")
        self._stream.flush()


class NoProgress(Progress):
    """Say nothing."""

    def _show(self, text: str) -> None:
        pass


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
