"""Flooding with a time to live: every node sends on each event once, up to some hops from its publisher.

The first baseline of the tree group paper (table 1: TTL 10), of which it says no more. It is ``gossip`` of probability
1 and a count of hops. A local event, which is for those within some hops, goes no further than those.

In the paper's area of 2 km by 2 km a range of 150 m makes ten hops no more than 1.5 km, so that this flooding does not
reach everybody; the number is the paper's. docs/tree-group-paper.md has what another one does.
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
    """How many hops an event goes, the publisher's own frame being the first; table 1."""


@dataclass(frozen=True, slots=True)
class HoppingEvent(GossipedEvent):
    """Here is an event, which may go on for some hops more."""

    kind: ClassVar[str] = "events"
    hops_left: int
    """How many nodes in a row may still send it on."""


class TtlFlooding(Gossip):
    """One node's side of the protocol."""

    Parameters = TtlFloodingParameters
    summary = "every node sends on each event once, up to a number of hops from its publisher"

    def __init__(self, host: Host, parameters: TtlFloodingParameters) -> None:
        super().__init__(host, parameters)
        self._hops_max = parameters.hops_max

    def _first(self, event: Event) -> HoppingEvent:
        """Return the first of as many hops as the event, or this protocol, may take."""
        return HoppingEvent(event.size_bytes, event, self._within(event, self._hops_max - 1))

    def _onward(self, message: GossipedEvent) -> HoppingEvent | None:
        """Return the next hop; a peer that says more than this node would is not believed."""
        if not isinstance(message, HoppingEvent) or message.hops_left < 1:
            return None
        event, hops_left = message.event, min(message.hops_left, self._hops_max - 1)
        left = self._within(event, hops_left)
        return HoppingEvent(event.size_bytes, event, left - 1) if left > 0 else None

    @staticmethod
    def _within(event: Event, hops_left: int) -> int:
        """Return how far an event may go on, no further than it is meant for."""
        return hops_left if event.hops_max is None else max(0, min(hops_left, event.hops_max - 1))
