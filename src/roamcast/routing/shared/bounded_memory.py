"""Small bounded memories that routers keep: what was seen lately, and how often something was done in a second."""

from collections import deque
from collections.abc import Hashable

CLOCK_S = 1e-6
"""Times closer than this are one time, so that a wake that was rounded by its host is not asked for again."""


class Memory:
    """Things remembered for a while, at most ``count_max``; the one noted longest ago makes room."""

    def __init__(self, keep_s: float, count_max: int) -> None:
        self._keep_s = keep_s
        self._count_max = count_max
        self.until_s: dict[Hashable, float] = {}
        """Until when each thing is remembered; for who asks so often that a call is too slow."""

    def __len__(self) -> int:
        return len(self.until_s)

    def note(self, thing: Hashable, now_s: float) -> None:
        """Remember a thing from now on."""
        self.until_s.pop(thing, None)
        while self.until_s:
            oldest = next(iter(self.until_s))
            if len(self.until_s) < self._count_max and self.until_s[oldest] > now_s:
                break
            del self.until_s[oldest]
        self.until_s[thing] = now_s + self._keep_s

    def holds(self, thing: Hashable, now_s: float) -> bool:
        """Tell whether a thing was noted and is not forgotten yet."""
        return self.until_s.get(thing, now_s) > now_s

    def forget(self, thing: Hashable) -> None:
        """Forget a thing."""
        self.until_s.pop(thing, None)


class RateLimit:
    """At most so many deeds in any second."""

    def __init__(self, per_s: int) -> None:
        self._done_at_s: deque[float] = deque(maxlen=per_s)

    def next_at_s(self, now_s: float) -> float:
        """Return when the next deed is allowed; now, if it is."""
        if len(self._done_at_s) < (self._done_at_s.maxlen or 0):
            return now_s
        free_at_s = self._done_at_s[0] + 1.0
        return free_at_s if free_at_s > now_s + CLOCK_S else now_s

    def note(self, now_s: float) -> None:
        """Count a deed."""
        self._done_at_s.append(now_s)
