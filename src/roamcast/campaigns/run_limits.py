"""Limits on a run's time and memory: a run that exceeds them has failed, and the other runs continue.

A run that can be interrupted ends with an exception, and its worker continues with the next run. A run stuck in
compiled code cannot be interrupted; for it, a thread of ``faulthandler`` waits as long again, writes down where the run
is and ends the worker. The task's next worker finds that note.
"""

import faulthandler
import re
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn

STATUS_FILE = Path("/proc/self/status")
GRACE_S = 1.0
"""How long a run gets beyond twice its limit before its worker is ended."""
MEGABYTE = 1024 * 1024


class RunLimitReached(BaseException):
    """Ends a run. It derives from ``BaseException`` so that no ``except Exception`` in between catches it."""


@dataclass(frozen=True, slots=True)
class RunLimits:
    """The limits of one run; None means unlimited."""

    duration_s_max: float | None = None
    """Wall-clock time."""
    memory_mb_max: int | None = None
    """Memory that a run may add to what its worker holds. Only Linux reports it; elsewhere there is no limit."""

    @property
    def any(self) -> bool:
        """Tell whether anything is limited."""
        return self.duration_s_max is not None or self.memory_mb_max is not None

    @contextmanager
    def applied(self, note: Path) -> Iterator[None]:
        """Apply the limits inside a ``with`` block; ``note`` is a file for the location of a run that is ended hard."""
        with self._hard_end(note), self._memory(), self._alarm():
            yield

    @contextmanager
    def _alarm(self) -> Iterator[None]:
        if self.duration_s_max is None:
            yield
            return
        duration_s_max = self.duration_s_max

        def ring(_number: int, _frame: FrameType | None) -> NoReturn:
            raise RunLimitReached(f"took longer than {duration_s_max:g} s")

        before = signal.signal(signal.SIGALRM, ring)
        try:
            signal.setitimer(signal.ITIMER_REAL, duration_s_max)
            try:
                yield
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        finally:
            signal.signal(signal.SIGALRM, before)

    @contextmanager
    def _memory(self) -> Iterator[None]:
        held = _held_bytes()
        if self.memory_mb_max is None or held is None:
            yield
            return
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        ceiling = held + self.memory_mb_max * MEGABYTE
        resource.setrlimit(resource.RLIMIT_DATA, (ceiling if hard < 0 else min(ceiling, hard), hard))
        try:
            yield
        except MemoryError as error:
            reached = RunLimitReached(f"took more than {self.memory_mb_max} MB of memory")
            raise reached.with_traceback(error.__traceback__) from None
        finally:
            resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))

    @contextmanager
    def _hard_end(self, note: Path) -> Iterator[None]:
        if self.duration_s_max is None:
            yield
            return
        with note.open("wb") as file:
            faulthandler.dump_traceback_later(2 * self.duration_s_max + GRACE_S, exit=True, file=file)
            try:
                yield
            finally:
                faulthandler.cancel_dump_traceback_later()
        note.unlink(missing_ok=True)


NO_LIMITS = RunLimits()


def location_in(note: Path) -> str | None:
    """Return the source line at which a run's worker was ended, or None if it was not."""
    try:
        text = note.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None
    if not text:
        return None
    found = re.search(r'File "([^"]*)", line (\d+)', text)
    return f"{Path(found[1]).name}:{found[2]}" if found else "an unknown line"


def _held_bytes() -> int | None:
    """Return the private writable memory of this process, which the system can limit; None if it is not reported."""
    if not STATUS_FILE.exists():
        return None
    found = re.search(r"^VmData:\s+(\d+) kB", STATUS_FILE.read_text(encoding="ascii", errors="replace"), re.MULTILINE)
    return int(found[1]) * 1024 if found else None
