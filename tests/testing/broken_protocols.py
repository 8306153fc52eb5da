"""Protocols that each break one promise, and a sound one from which they are made.

``Sound`` is a flooding: every node sends each valid event once a period and delivers it once, to those who asked.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Annotated, Any, ClassVar

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event, EventId
from roamcast.core.host import FrameHandler, Host, NoParameters, PubSub
from roamcast.core.messages import Message
from roamcast.core.parameters import GREATER_THAN_ZERO
from roamcast.protocols.shared.event_tables import EventTable, SeenEvents, is_sound


@dataclass(frozen=True, slots=True)
class SoundParameters:
    """The keys of ``[protocol]``."""

    period_s: float = 1.0
    """How often a node sends, in seconds."""
    events_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """How many events a node keeps."""


@dataclass(frozen=True, slots=True)
class Carried(Message):
    """Here is an event, with a number that means nothing."""

    kind: ClassVar[str] = "events"
    event: Event
    number: int

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the one event."""
        return (self.event,)


class Sound(PubSub):
    """A protocol that keeps every promise."""

    Parameters: ClassVar[type[Any]] = SoundParameters
    summary = "a flooding for tests"

    def __init__(self, host: Host, parameters: SoundParameters) -> None:
        self.host = host
        self.parameters = parameters
        self.interests: list[Interest] = []
        self.events = EventTable(parameters.events_max, lambda stored: stored.event.expires_at_s)
        self.seen = SeenEvents(16 * parameters.events_max)

    def start(self) -> None:
        """Begin at a random moment."""
        self.host.wake(self.host.now + self.first_draw() * self.parameters.period_s, "tick")

    def first_draw(self) -> float:
        """Draw when to begin."""
        return self.host.random.random()

    def subscribe(self, interest: Interest) -> None:
        """Deliver what matches."""
        self.interests.append(interest)

    def unsubscribe(self, interest: Interest) -> None:
        """Stop delivering it."""
        self.interests = [kept for kept in self.interests if kept != interest]

    def publish(self, event: Event) -> None:
        """Keep an event of this node's own."""
        self.keep(event)

    def on_message(self, message: Message, sender: int) -> None:
        """Keep an event of another node."""
        if not isinstance(message, Carried) or not self.understands(message, sender):
            self.host.drop(message, "unknown-kind")
        elif not is_sound(message.event) or message.event.id.publisher == self.host.node:
            self.host.drop(message, "malformed")
        elif not self.is_in_time(message.event):
            self.host.drop(message, "expired")
        elif message.event.id not in self.events:
            self.keep(message.event)

    def understands(self, message: Carried, sender: int) -> bool:  # noqa: ARG002 - broken ones look
        """Tell whether a message can be used."""
        return True

    def is_in_time(self, event: Event) -> bool:
        """Tell whether an event is still worth delivering."""
        return event.is_valid(self.host.now)

    def keep(self, event: Event) -> None:
        """Store an event and deliver it to those who asked."""
        self.events.add(event, self.host.now)
        if event.id not in self.seen and self.wants(event):
            self.seen.add(event, self.host.now)
            self.hand_over(event)

    def wants(self, event: Event) -> bool:
        """Tell whether the node asked for an event."""
        return any(interest.matches(event) for interest in self.interests)

    def hand_over(self, event: Event) -> None:
        """Deliver an event."""
        self.host.deliver(event)

    def on_wake(self, token: Any) -> None:
        """Send each valid event."""
        self.events.forget_expired(self.host.now)
        for event in self.to_send():
            self.host.broadcast(Carried(event.size_bytes, event, 0))
        self.host.wake(self.host.now + self.parameters.period_s, token)

    def to_send(self) -> Iterator[Event]:
        """Yield the events of a round."""
        return (stored.event for stored in self.events)

    def storage_bytes(self) -> int:
        """Return the size of what is kept."""
        return self.events.size_bytes() + 16 * len(self.seen)


class RaisesOnHostileMessage(Sound):
    """Looks up what a peer sent in a table of its own."""

    def understands(self, message: Carried, sender: int) -> bool:  # noqa: ARG002
        """Trust the peer."""
        return (True, False)[message.number]


class RaisesOnOwnMessage(Sound):
    """Does not stand its own messages."""

    def understands(self, message: Carried, sender: int) -> bool:
        """Fail."""
        raise KeyError(message.number + sender)


class TakesNoInterest(Sound):
    """Has a method that does not take what it is called with."""

    def subscribe(self) -> None:  # type: ignore[override]
        """Forget the interest."""


class LeavesTheProgram(Sound):
    """Ends the whole program when it is asked to publish."""

    def publish(self, event: Event) -> None:  # noqa: ARG002
        """End it."""
        raise SystemExit(3)


class WakesItselfForEver(Sound):
    """Wakes itself at the same moment again and again."""

    def on_wake(self, token: Any) -> None:
        """Ask for the same wake, now."""
        self.host.wake(self.host.now, token)


class DeliversTwice(Sound):
    """Hands every event over twice."""

    def hand_over(self, event: Event) -> None:
        """Deliver, and deliver again."""
        self.host.deliver(event)
        self.host.deliver(event)


class DeliversTwiceToStrangers(Sound):
    """Forgets what it delivered when it hears the same event with another number: only a hostile peer shows it."""

    def understands(self, message: Carried, sender: int) -> bool:  # noqa: ARG002
        """Forget an event that comes with an odd number."""
        if message.number != 0:
            self.events.keep_only(lambda event: event.id != message.event.id)
            self.seen = SeenEvents(16 * self.parameters.events_max)
        return True


class DeliversLate(Sound):
    """Does not look at the clock before it delivers."""

    def is_in_time(self, event: Event) -> bool:  # noqa: ARG002
        """Take everything."""
        return True


class SendsExpired(Sound):
    """Sends what it has kept without looking at the clock."""

    def on_wake(self, token: Any) -> None:
        """Send each event, valid or not."""
        for event in self.to_send():
            self.host.broadcast(Carried(event.size_bytes, event, 0))
        self.host.wake(self.host.now + self.parameters.period_s, token)


class AnswersWithTheExpired(Sound):
    """Sends an expired event back to the one that sent it: only a hostile peer shows it, and only in a unicast."""

    def understands(self, message: Carried, sender: int) -> bool:
        """Send back what came too late."""
        if is_sound(message.event) and not message.event.is_valid(self.host.now):
            self.host.unicast(Carried(message.event.size_bytes, message.event, 0), sender)
        return True


class AnswersWithoutBytes(Sound):
    """Sends an event with an odd number back in a message that is too small for it."""

    def understands(self, message: Carried, sender: int) -> bool:
        """Send back what no sound peer sends."""
        if message.number != 0 and is_sound(message.event) and message.event.is_valid(self.host.now):
            self.host.unicast(Carried(0, message.event, 0), sender)
        return True


class DeliversToEverybody(Sound):
    """Does not look at interests."""

    def wants(self, event: Event) -> bool:  # noqa: ARG002
        """Want everything."""
        return True


class DeliversInventions(Sound):
    """Hands over an event of its own making with each one that it was asked for."""

    def hand_over(self, event: Event) -> None:
        """Deliver the event and one that nobody published."""
        self.host.deliver(event)
        invented = EventId(event.id.publisher, event.id.number + 1_000_000)
        if event.id.number < 1_000_000:
            self.host.deliver(replace(event, id=invented))


class NeverDelivers(Sound):
    """Keeps everything to itself."""

    def hand_over(self, event: Event) -> None:
        """Do nothing."""


class SendsOnlyOnce(Sound):
    """Says that it keeps events, and forgets them as soon as they are sent."""

    def to_send(self) -> Iterator[Event]:
        """Yield each event once."""
        events = [stored.event for stored in self.events if not stored.forwards]
        for event in events:
            self.events.count_forward(event.id)
        return iter(events)


class SaysThatItKeepsNothing(Sound):
    """Keeps events, and says that it does not."""

    keeps_events: ClassVar[bool] = False


class DrawsFromTheGlobalSource(Sound):
    """Takes its chance from the random source of the whole program."""

    def first_draw(self) -> float:
        """Draw from it, so little that the order of the nodes and who hears whom stay as they are."""
        return super().first_draw() + random.random() * 1e-6


class DependsOnHashes(Sound):
    """Begins when the hash of a text says."""

    def first_draw(self) -> float:
        """Return a number that differs a little in every process."""
        return super().first_draw() + hash(f"node {self.host.node}") % 1000 * 1e-9


class Hoards(Sound):
    """Remembers everyone who ever sent something."""

    def __init__(self, host: Host, parameters: SoundParameters) -> None:
        super().__init__(host, parameters)
        self.senders: dict[int, list[EventId]] = {}

    def understands(self, message: Carried, sender: int) -> bool:
        """Remember the sender."""
        self.senders.setdefault(sender, []).append(message.event.id)
        return True


class AsksForManyWakes(Sound):
    """Asks to be woken, much later, for each message it gets."""

    def understands(self, message: Carried, sender: int) -> bool:  # noqa: ARG002
        """Ask for one more wake."""
        self.host.wake(self.host.now + 1e6, message.event.id)
        return True

    def on_wake(self, token: Any) -> None:
        """Send if it is time to."""
        if token == "tick":
            super().on_wake(token)


class HasNoSummary(Sound):
    """Says nothing about itself."""

    summary = ""


@dataclass(frozen=True, slots=True)
class Demanding:
    """Parameters without a default."""

    period_s: float


class NeedsParameters(Sound):
    """Cannot be run without being told more."""

    Parameters: ClassVar[type[Any]] = Demanding


class IsIncomplete(PubSub):
    """Does not say what it does with a message."""

    Parameters: ClassVar[type[Any]] = NoParameters
    summary = "nothing"


class IgnoresTheFirstFrame(Sound):
    """Ignores the first frame that it could handle for all its receivers; what is lost is sent again."""

    @classmethod
    def frame_handler(cls, kind: type[Message], nodes: Sequence[Any]) -> FrameHandler | None:  # noqa: ARG003
        """Return a function that does too little."""

        frames = count()

        def handle(message: Message, sender: int, receivers: list[int]) -> None:
            for node in receivers if next(frames) > 0 else ():
                nodes[node].on_message(message, sender)

        return handle


class HandlesFramesByNoClassMethod(Sound):
    """Offers a function for frames in a way in which nobody can tell whose it is."""

    @staticmethod
    def frame_handler(kind: type[Message], nodes: Sequence[Any]) -> FrameHandler | None:  # noqa: ARG004
        """Return nothing."""
        return None
