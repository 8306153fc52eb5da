"""The discrete-event kernel: whoever asked to be woken, and the medium's receptions, in order of time.

What is due at one time happens in the order in which it was asked for, after what the medium does at that time. Times
are whole nanoseconds inside and seconds outside. The heap itself is compiled and stands with the medium's
(``medium.wakes``), so that one call finds what happens next.
"""

from collections.abc import Callable
from typing import Any

from roamcast.sim.dcf.exchanges import REFUSED, WAKE_DUE
from roamcast.sim.dcf.medium import Medium

NANOSECONDS = 1_000_000_000
FAR_S = 4e9
"""A hundred years: no run comes so far, and what is due later is never due."""


class Clock:
    """The clock of a run. Nothing else in a run knows the time."""

    def __init__(
        self, medium: Medium, on_frame: Callable[[int, list[int] | None], None], on_refused: Callable[[int], None]
    ) -> None:
        self.now_ns = 0
        self.now_s = 0.0
        self._medium = medium
        self._on_frame = on_frame
        self._on_refused = on_refused
        self._requests: list[tuple[Callable[[Any], None], Any]] = []
        """By the number of their wake, which is given again when it is free; some belong to frames that were posted."""

    def schedule(self, at_s: float, act: Callable[[Any], None], token: Any) -> int:
        """Call ``act(token)`` at a time, or at once if that is past; return the request's number until then."""
        number = self._medium.wake(self.due_ns(at_s))
        if number >= len(self._requests):
            self._requests.extend([(act, token)] * (number + 1 - len(self._requests)))
        self._requests[number] = (act, token)
        return number

    def move(self, number: int, at_s: float) -> None:
        """Make a request that waits due at another time, as if it were asked for only now."""
        self._medium.wake(self.due_ns(at_s), number)

    def cancel(self, number: int) -> None:
        """Forget a request that waits."""
        self._medium.cancel_wake(number)

    def due_ns(self, at_s: float) -> int:
        """Return a time in nanoseconds, or this one if that is past."""
        if at_s > FAR_S:
            return round(FAR_S * NANOSECONDS)
        at_ns = round(at_s * NANOSECONDS)
        return at_ns if at_ns > self.now_ns else self.now_ns

    def run(self, until_s: float) -> None:
        """Let everything happen that is due before a time."""
        until_ns = round(until_s * NANOSECONDS)
        step, on_frame, requests = self._medium.step, self._on_frame, self._requests
        while True:
            what, self.now_ns, more = step(until_ns)
            self.now_s = self.now_ns / NANOSECONDS
            if what >= 0:
                on_frame(what, more)
            elif what == WAKE_DUE:
                act, token = requests[more]
                act(token)
            elif what == REFUSED:
                self._on_refused(more)
            else:
                return
