"""Messages that are sent after a delay, unless they are cancelled first."""

from roamcast.core.events import EventId
from roamcast.core.host import Host
from roamcast.core.messages import Message


class PendingMessages:
    """At most ``count_max`` delayed messages, one per event; the host wakes the protocol with the event's id."""

    def __init__(self, host: Host, count_max: int) -> None:
        self._host = host
        self._count_max = count_max
        self._waiting: dict[EventId, Message] = {}

    def schedule(self, message: Message, event_id: EventId, delay_s: float) -> None:
        """Send a message after a delay; drop it if too many are waiting already."""
        if len(self._waiting) >= self._count_max:
            self._host.drop(message, "too-many-pending")
            return
        self._waiting[event_id] = message
        self._host.wake(self._host.now + delay_s, event_id)

    def waiting(self, event_id: EventId) -> Message | None:
        """Return the message of an event that is waiting."""
        return self._waiting.get(event_id)

    def replace(self, message: Message, event_id: EventId) -> None:
        """Send another message in the place of the one that is waiting, at the same time."""
        if event_id in self._waiting:
            self._waiting[event_id] = message

    def cancel(self, event_id: EventId) -> bool:
        """Cancel the message of an event, and tell whether one was waiting."""
        if self._waiting.pop(event_id, None) is None:
            return False
        self._host.cancel_wake(event_id)
        return True

    def send(self, event_id: EventId) -> None:
        """Send the message whose delay is over, unless its event has expired meanwhile."""
        message = self._waiting.pop(event_id, None)
        if message is None:
            return
        if all(event.is_valid(self._host.now) for event in message.events):
            self._host.broadcast(message)
        else:
            self._host.drop(message, "expired")

    def size_bytes(self) -> int:
        """Return the size of all waiting events."""
        return sum(event.size_bytes for message in self._waiting.values() for event in message.events)
