"""Flooding with a time to live: every node forwards each event once, up to some hops from its publisher.

The first baseline of the tree group paper (table 1: TTL 10), which says nothing more about it. It is ``gossip`` with
probability 1 and a hop count. A first copy may have come by a longer path than one that is heard a moment later, so a
node forwards with the most hops that it has heard of before it sends. Otherwise flooding would outrun itself: its own
random delays would end it before its time to live does.

In the paper's area of 2 km by 2 km, ten hops of 150 m cover at most 1.5 km, so this flooding does not reach every node;
the number is the paper's. docs/tree-group-paper.md shows the effect of others.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from roamcast.core.events import Event, EventId
from roamcast.core.host import Host
from roamcast.core.messages import Message
from roamcast.core.parameters import AT_LEAST_ONE, AT_LEAST_ZERO, at_most
from roamcast.protocols.gossip import Gossip, GossipedEvent, GossipParameters

NOTHING_LEFT = -1
"""Stands for the hops of an event that ends here, unless a copy with more of them is heard in time."""


@dataclass(frozen=True, slots=True)
class TtlFloodingParameters(GossipParameters):
    """The keys of ``[protocol]`` for flooding with a time to live."""

    random_delay_s_max: Annotated[float, AT_LEAST_ZERO, at_most(1e6)] = 0.005
    """The longest random delay before a node forwards an event, in seconds; drawn uniformly. Our choice: long enough
    that neighbours seldom collide, at 100 bytes and 11 Mbit/s."""
    hops_max: Annotated[int, AT_LEAST_ONE] = 10
    """How many hops an event travels, counting the publisher's own frame as the first; table 1."""
    confines_local: bool = True
    """Whether a local event, meant for nodes within some hops, goes no further than those."""


@dataclass(frozen=True, slots=True)
class HoppingEvent(GossipedEvent):
    """Here is an event, which may travel some hops further."""

    kind: ClassVar[str] = "events"
    hops_left: int
    """How many more times the event may be forwarded along one path."""


class TtlFlooding(Gossip):
    """One node's side of the protocol."""

    Parameters = TtlFloodingParameters
    summary = "every node forwards each event once, up to a number of hops from its publisher"

    def __init__(self, host: Host, parameters: TtlFloodingParameters) -> None:
        super().__init__(host, parameters)
        self._hops_max = parameters.hops_max
        self._confines_local = parameters.confines_local

    def on_message(self, message: Message, sender: int) -> None:
        """Deliver and forward a new event; of one that waits to be forwarded, note how far the copy may go."""
        if isinstance(message, HoppingEvent) and message.event.id in self._seen:
            self._hear_copy(message)
        else:
            super().on_message(message, sender)

    def on_wake(self, token: Any) -> None:
        """Forward the event whose delay is over, if it has hops left."""
        waiting = self._pending.waiting(token) if isinstance(token, EventId) else None
        if isinstance(waiting, HoppingEvent) and waiting.hops_left == NOTHING_LEFT:
            self._pending.cancel(waiting.event.id)
        else:
            super().on_wake(token)

    def _hear_copy(self, message: HoppingEvent) -> None:
        event_id = message.event.id
        waiting = self._pending.waiting(event_id)
        if isinstance(waiting, HoppingEvent):
            hops_left = self._onward_hops(waiting.event, message.hops_left)
            if hops_left > waiting.hops_left:
                self._pending.replace(HoppingEvent(waiting.size_bytes, waiting.event, hops_left), event_id)

    def _first(self, event: Event) -> HoppingEvent:
        """Return the publisher's message, with as many hops as the event and this protocol allow."""
        return HoppingEvent(event.size_bytes, event, self._within(event, self._hops_max - 1))

    def _onward(self, message: GossipedEvent) -> HoppingEvent | None:
        """Return the message for the next hop, which is sent if it has hops left when the delay is over."""
        if not isinstance(message, HoppingEvent):
            return None
        event = message.event
        return HoppingEvent(event.size_bytes, event, self._onward_hops(event, message.hops_left))

    def _onward_hops(self, event: Event, hops_left: int) -> int:
        """Return the hops after the next one; a peer cannot claim more than this node would allow."""
        return max(self._within(event, min(hops_left, self._hops_max - 1)) - 1, NOTHING_LEFT)

    def _within(self, event: Event, hops_left: int) -> int:
        """Return how many more hops an event may travel, given the event's own limit."""
        if event.hops_max is None or not self._confines_local:
            return hops_left
        return max(0, min(hops_left, event.hops_max - 1))
