"""Flooding by neighbours' interests, alternative (3) of the Frugal paper.

A node forwards an event it wants itself, as long as some neighbour wants it too. It learns its neighbours' interests
from heartbeats, which the paper does not describe: ours are Frugal's, 50 bytes once a period.

The paper reports that (3) costs more than 1 MB a process and more duplicates than (2), although it sends in fewer cases
than (2). That is possible only if an event is sent once for *each* interested neighbour, which a broadcast makes
needless. The default sends once, which is fair to the baseline; ``per_neighbour`` sends a copy for each.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event
from roamcast.core.host import Host
from roamcast.core.messages import Message
from roamcast.core.parameters import AT_LEAST_ONE, GREATER_THAN_ZERO, SIZE_BYTES
from roamcast.protocols.flooding import TICK, FloodingParameters
from roamcast.protocols.interest_flooding import InterestFlooding
from roamcast.protocols.shared.event_tables import INTERESTS_MAX


@dataclass(frozen=True, slots=True)
class NeighbourFloodingParameters(FloodingParameters):
    """The keys of ``[protocol]`` for flooding by neighbours' interests. Sections are those of the Frugal paper."""

    heartbeat_bytes: Annotated[int, SIZE_BYTES] = 50
    """The size of a heartbeat, in bytes; section 5.2."""
    memory_periods: Annotated[float, AT_LEAST_ONE] = 2.5
    """A neighbour is forgotten after this many periods without a heartbeat; Frugal's factor."""
    neighbours_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """The most neighbours a node keeps; further ones are ignored. Our choice."""
    node_bytes: Annotated[int, SIZE_BYTES] = 4
    """The size of a node's identifier in the table of neighbours, in bytes; Frugal's."""
    per_neighbour: bool = False
    """Whether to send a copy of an event for each interested neighbour, instead of one for all."""


@dataclass(frozen=True, slots=True)
class InterestHeartbeat(Message):
    """I am here, and these are my interests."""

    kind: ClassVar[str] = "heartbeat"
    interests: tuple[Interest, ...]


class NeighbourFlooding(InterestFlooding):
    """Flooding among subscribers that is silent where no neighbour wants the event."""

    Parameters = NeighbourFloodingParameters
    summary = "as interest-flooding, but only while a neighbour wants the event too"

    def __init__(self, host: Host, parameters: NeighbourFloodingParameters) -> None:
        super().__init__(host, parameters)
        self._settings = parameters
        self._neighbours: dict[int, tuple[float, tuple[Interest, ...]]] = {}

    def _on_other(self, message: Message, sender: int) -> None:
        """Record a neighbour's interests."""
        if not isinstance(message, InterestHeartbeat):
            super()._on_other(message, sender)
        elif len(message.interests) > INTERESTS_MAX:
            self._host.drop(message, "too-many-interests")
        elif sender in self._neighbours or len(self._neighbours) < self._settings.neighbours_max:
            self._neighbours[sender] = (self._host.now, message.interests)
        else:
            self._host.drop(message, "too-many-neighbours")

    def on_wake(self, token: object) -> None:
        """Forget neighbours that have been silent, then send what is due: at a tick, a heartbeat first."""
        oldest_s = self._host.now - self._settings.memory_periods * self._settings.period_s
        self._neighbours = {node: each for node, each in self._neighbours.items() if each[0] >= oldest_s}
        if token == TICK and self._interests:
            self._host.broadcast(InterestHeartbeat(self._settings.heartbeat_bytes, self._interests))
        super().on_wake(token)

    def storage_bytes(self) -> int:
        """Return the size of the stored events, identifiers and neighbours."""
        return super().storage_bytes() + len(self._neighbours) * self._settings.node_bytes

    def _send(self, event: Event) -> None:
        interested = (
            node
            for node, (_, interests) in self._neighbours.items()
            if any(interest.matches(event) for interest in interests)
        )
        for _ in interested:
            super()._send(event)
            if not self._settings.per_neighbour:
                return
