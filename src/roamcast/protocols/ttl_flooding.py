"""Flooding with a time to live: every node forwards each event once, up to some hops from its publisher.

The first baseline of the tree group paper (table 1: TTL 10), which says nothing more about it. It is ``gossip`` with
probability 1 and a hop count. A local event, meant for nodes within some hops, goes no further than those.

In the paper's area of 2 km by 2 km, ten hops of 150 m cover at most 1.5 km, so this flooding does not reach every node;
the number is the paper's. docs/tree-group-paper.md shows the effect of others.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from roamcast.core.events import Event
from roamcast.core.host import Host
from roamcast.core.parameters import AT_LEAST_ONE
from roamcast.protocols.gossip import Gossip, GossipedEvent, GossipParameters


@dataclass(frozen=True, slots=True)
class TtlFloodingParameters(GossipParameters):
    """The keys of ``[protocol]`` for flooding with a time to live."""

    hops_max: Annotated[int, AT_LEAST_ONE] = 10
    """How many hops an event travels, counting the publisher's own frame as the first; table 1."""


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

    def _first(self, event: Event) -> HoppingEvent:
        """Return the publisher's message, with as many hops as the event and this protocol allow."""
        return HoppingEvent(event.size_bytes, event, self._within(event, self._hops_max - 1))

    def _onward(self, message: GossipedEvent) -> HoppingEvent | None:
        """Return the message for the next hop; a peer cannot claim more hops than this node would allow."""
        if not isinstance(message, HoppingEvent) or message.hops_left < 1:
            return None
        event, hops_left = message.event, min(message.hops_left, self._hops_max - 1)
        left = self._within(event, hops_left)
        return HoppingEvent(event.size_bytes, event, left - 1) if left > 0 else None

    @staticmethod
    def _within(event: Event, hops_left: int) -> int:
        """Return how many more hops an event may travel, given the event's own limit."""
        return hops_left if event.hops_max is None else max(0, min(hops_left, event.hops_max - 1))
