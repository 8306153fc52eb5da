"""The clock of the discrete-event simulation: scheduled calls and the medium's receptions, in order of time.

Calls that are due at the same time happen in the order in which they were scheduled, after whatever the medium does at
that time. Times are whole nanoseconds inside and seconds outside. The heap of scheduled calls is compiled together with
the medium (``dcf.wakes``), so that one call finds out what happens next.
"""

from collections.abc import Callable
from typing import Any

from roamcast.sim.dcf.exchanges import REFUSED, WAKE_DUE
from roamcast.sim.dcf.medium import Medium

NANOSECONDS = 1_000_000_000
FAR_S = 4e9
"""A hundred years: no run takes that long, so anything due later is never due."""


class Clock:
    """The clock of a run. Nothing else in a run knows the time."""

    def __init__(self, medium: Medium, on_frame: Callable[[int, int], None], on_refused: Callable[[int], None]) -> None:
        self.now_ns = 0
        self.now_s = 0.0
        self._medium = medium
        self._on_frame = on_frame
        self._on_refused = on_refused
        self._acts: list[Callable[[Any], None]] = []
        """Indexed by the number of the wake. Free numbers are reused; some belong to frames to be queued later."""
        self._tokens: list[Any] = []
        """The same for tokens: pairs would be one more object of each node to fetch from memory at each wake."""

    def schedule(self, at_s: float, act: Callable[[Any], None], token: Any) -> int:
        """Call ``act(token)`` at a time, or now if that is past; return a number that identifies the pending call."""
        number = self._medium.wake(self.due_ns(at_s))
        if number >= len(self._acts):
            self._acts.extend([act] * (number + 1 - len(self._acts)))
            self._tokens.extend([token] * (number + 1 - len(self._tokens)))
        self._acts[number] = act
        self._tokens[number] = token
        return number

    def move(self, number: int, at_s: float) -> None:
        """Move a scheduled call to another time, as if it had only been scheduled now."""
        self._medium.wake(self.due_ns(at_s), number)

    def cancel(self, number: int) -> None:
        """Cancel a scheduled call."""
        self._medium.cancel_wake(number)

    def due_ns(self, at_s: float) -> int:
        """Return a time in nanoseconds, or the current time if it is past."""
        if at_s > FAR_S:
            return round(FAR_S * NANOSECONDS)
        at_ns = round(at_s * NANOSECONDS)
        return at_ns if at_ns > self.now_ns else self.now_ns

    def run(self, until_s: float) -> None:
        """Run everything that is due before a time."""
        until_ns = round(until_s * NANOSECONDS)
        step, on_frame, acts, tokens = self._medium.step, self._on_frame, self._acts, self._tokens
        while True:
            code, self.now_ns, detail = step(until_ns)
            self.now_s = self.now_ns / NANOSECONDS
            if code >= 0:
                on_frame(code, detail)
            elif code == WAKE_DUE:
                acts[detail](tokens[detail])
            elif code == REFUSED:
                self._on_refused(detail)
            else:
                return
