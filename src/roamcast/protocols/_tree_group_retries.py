"""Events that were not acknowledged by a neighbour which should be in reach: another try, when the air may be free."""

from roamcast.protocols._tree_group_messages import Notification
from roamcast.protocols._tree_group_place import Place

RETRY = "retry"
RETRY_S = 0.1
"""About how long a frame that was not acknowledged waits before it is tried again. Our choice."""


class Retries:
    """Frames that were not acknowledged by who was heard lately: another try a little later, when the air is free."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._waiting: list[tuple[Notification, int]] = []

    def schedule(self, message: Notification, to: int) -> bool:
        """Keep a frame for another try, if there is room."""
        host = self._place.host
        if len(self._waiting) >= self._place.parameters.pending_max:
            return False
        if not self._waiting:
            host.wake(host.now + RETRY_S * (0.2 + host.random.random()), RETRY)
        self._waiting.append((message, to))
        return True

    def due(self) -> list[tuple[Notification, int]]:
        """Return what is to be tried again."""
        due, self._waiting = self._waiting, []
        now_s = self._place.host.now
        return [(message, to) for message, to in due if message.event.is_valid(now_s)]
