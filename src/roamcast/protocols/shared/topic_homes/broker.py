"""Brokers: an event goes to the home of its topic, which decides who gets it (paper, section 3.2.1)."""

from typing import Any

from roamcast.core.events import Event
from roamcast.core.host import Host
from roamcast.protocols.shared.event_tables import SeenEvents, is_sound
from roamcast.protocols.shared.topic_homes.homes import event_homes
from roamcast.protocols.shared.topic_homes.messages import BrokeredEvent, HomePayload, Subscribe
from roamcast.protocols.shared.topic_homes.system import TopicHomes


class Broker(TopicHomes):
    """One node's side of a system with brokers."""

    def __init__(self, host: Host, parameters: Any) -> None:
        super().__init__(host, parameters)
        self._brokered = SeenEvents(parameters.identifiers_max)

    def _disseminate(self, event: Event) -> None:
        """Send an event to its brokers."""
        world, root_home = self._host.world, self._parameters.root_home
        for home in event_homes(event.topic, self.system.find_home, world, root_home):
            self._send_home(BrokeredEvent(event.size_bytes, home, event), home)

    def _serve(self, payload: HomePayload) -> None:
        """Store a subscription, or decide once who gets an event and send it to them."""
        if isinstance(payload, Subscribe):
            self._store_subscription(payload)
        elif isinstance(payload, BrokeredEvent):
            event = payload.event
            if not is_sound(event):
                self._host.drop(payload, "malformed")
            elif not event.is_valid(self._host.now):
                self._host.drop(payload, "expired")
            elif event.id not in self._brokered:
                self._brokered.add(event, self._host.now)
                self._notify(event, self._subscriptions)
        else:
            self._host.drop(payload, "unknown-kind")

    def storage_bytes(self) -> int:
        """Add the identifiers of the events that this node has handled as their broker."""
        identifiers: int = len(self._brokered) * self._parameters.identifier_bytes
        return super().storage_bytes() + identifiers
