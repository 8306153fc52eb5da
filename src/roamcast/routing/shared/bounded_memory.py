"""Small bounded memories that routers keep: things seen recently, and how often something was done in a second."""

from collections import deque
from collections.abc import Hashable

CLOCK_S = 1e-6
"""Times closer than this count as equal, in seconds, so that a wake whose time the host rounded is not requested
again."""


class Memory:
    """Keys remembered for a while, at most ``count_max``; the one noted longest ago is replaced."""

    def __init__(self, keep_s: float, count_max: int) -> None:
        self._keep_s = keep_s
        self._count_max = count_max
        self.until_s: dict[Hashable, float] = {}
        """Until when each key is remembered; public for callers so frequent that a method call is too slow."""

    def __len__(self) -> int:
        return len(self.until_s)

    def note(self, key: Hashable, now_s: float) -> None:
        """Remember a key from now on."""
        self.until_s.pop(key, None)
        while self.until_s:
            oldest = next(iter(self.until_s))
            if len(self.until_s) < self._count_max and self.until_s[oldest] > now_s:
                break
            del self.until_s[oldest]
        self.until_s[key] = now_s + self._keep_s

    def holds(self, key: Hashable, now_s: float) -> bool:
        """Tell whether a key was noted and is not forgotten yet."""
        return self.until_s.get(key, now_s) > now_s

    def forget(self, key: Hashable) -> None:
        """Forget a key."""
        self.until_s.pop(key, None)


class RateLimit:
    """At most ``per_s`` actions in any second."""

    def __init__(self, per_s: int) -> None:
        self._done_at_s: deque[float] = deque(maxlen=per_s)

    def next_at_s(self, now_s: float) -> float:
        """Return when the next action is allowed; now, if it is."""
        if len(self._done_at_s) < (self._done_at_s.maxlen or 0):
            return now_s
        free_at_s = self._done_at_s[0] + 1.0
        return free_at_s if free_at_s > now_s + CLOCK_S else now_s

    def note(self, now_s: float) -> None:
        """Count an action."""
        self._done_at_s.append(now_s)
