"""A flood without any wit: who hears a publication for the first time sends it on once, after a short random wait.

It is here, apart from the project's own floodings, because the figures of a benchmark must not move when a protocol
is improved, and because ns-3 is given the very same rule.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event, EventId
from roamcast.core.host import Host, PubSub
from roamcast.core.messages import Message
from roamcast.core.topics import Topic
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.workload import Publication, Workload, WorkloadModel

TOPIC = Topic("flood")


@dataclass(frozen=True, slots=True)
class FloodParameters:
    """How far and how fast a publication goes."""

    ttl: int = 10
    """How many hops a publication can take: the publisher's own frame is the first."""

    jitter_s_max: float = 0.010
    """The longest wait before a node sends on, drawn each time."""


@dataclass(frozen=True, slots=True)
class FloodMessage(Message):
    """An event on one of its hops."""

    kind: ClassVar[str] = "flood"

    event: Event
    onward: "FloodMessage | None"
    """The message that a node sends on when it hears this first; None after the last hop. Made once for all nodes."""

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the event, which the recorder counts as it does in every run."""
        return (self.event,)


class Flood(PubSub):
    """Send on once what is heard for the first time."""

    Parameters = FloodParameters
    summary = "every node sends every publication on once"

    def __init__(self, host: Host, parameters: FloodParameters) -> None:
        self._host = host
        self._ttl = parameters.ttl
        self._jitter_s_max = parameters.jitter_s_max
        self._onward: dict[EventId, FloodMessage | None] = {}

    def publish(self, event: Event) -> None:
        """Send an event of this node on its first hop."""
        message: FloodMessage | None = None
        for _ in range(self._ttl):
            message = FloodMessage(event.size_bytes, event, message)
        self._onward[event.id] = None
        if message is not None:
            self._host.broadcast(message)

    def on_message(self, message: Message, sender: int) -> None:  # noqa: ARG002
        """Keep what is new and, if it may go further, send it on in a moment."""
        event: EventId = message.event.id  # type: ignore[attr-defined]  # nobody here sends anything else
        if event in self._onward:
            return
        onward: FloodMessage | None = message.onward  # type: ignore[attr-defined]
        self._onward[event] = onward
        if onward is not None:
            host = self._host
            host.wake(host.now + host.random.random() * self._jitter_s_max, event)

    def on_wake(self, token: Any) -> None:
        """Send on."""
        onward = self._onward[token]
        if onward is not None:
            self._host.broadcast(onward)

    def subscribe(self, interest: Interest) -> None:
        """Do nothing: everybody gets everything."""

    def unsubscribe(self, interest: Interest) -> None:
        """Do nothing."""

    def storage_bytes(self) -> int:
        """Return 0: what is kept is not looked at here."""
        return 0


@dataclass(frozen=True, slots=True)
class Publications(WorkloadModel):
    """Random nodes publish, one after the other at even distances."""

    summary: ClassVar[str] = "even publications by random nodes"

    rate_per_s: float = 25.0
    """Publications of all nodes together."""

    size_bytes: int = 512

    def workload(self, count: int, duration_s: float, streams: RandomStreams) -> Workload:
        """Draw the publishers."""
        random = streams.python("workload")
        return Workload(
            (),
            tuple(
                Publication(
                    (index + 0.5) / self.rate_per_s, random.randrange(count), TOPIC, duration_s, self.size_bytes
                )
                for index in range(int(duration_s * self.rate_per_s))
            ),
        )
