"""Hint-driven routing (Baldoni, Beraldi, Cugola, Migliavacca, Querzoni: Structure-less Content-Based Routing in Mobile
Ad Hoc Networks, 2005).

Each node broadcasts, at a fixed interval, a beacon with one predicate that covers all its subscriptions. Who hears it
remembers when: the number of beacons missed since is a *hint* at the distance (``_hints``). An event travels with a
list of the nodes known to ask for it, each with the lowest hint of those that forwarded it. Who receives an event for
the first time sends it on if it knows of another node that asks for it, or has a lower hint for one that is listed, and
sooner the lower its lowest such hint; who hears the event again meanwhile keeps silent. An event's *credits* let a
node send it on without such a reason.

Where the paper (section 4 and figure 3) leaves a choice or contradicts itself:
- Figure 3 tests ``matches and not listed or lower``. Read as written, a lower hint would count for a node that does not
  ask for the event; section 4 wants a match in both cases, and so do we.
- The hint of a node that was never heard is infinite though hints lie in [0, 1]: here it has no row and no entry.
- A publisher that knows of nobody would not send by figure 3; in figure 2 it does, with an empty list. A publisher
  always sends, at once, since nobody competes with it, and spends no credit.
- A summary of no subscriptions is not broadcast: it tells nothing, and if all 100 nodes of section 5 sent a beacon
  every 5 s, these alone would be 2.9 frames for each delivered event, more than the 2.5 that it reports for everything.
  ``empty_beacons`` sends them. After the last subscription is gone, one empty beacon tells so.
- The random delay's size is not given: ours is a little less than the delay of one missed beacon, 1/30 s, so that a
  node with a lower hint always comes first and equals are spread. Sizes of messages are not given either.
- Nothing is said of limits or of what a peer may send. All tables are bounded here, and what cannot be true is dropped.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from roamcast.core.events import Event, EventId
from roamcast.core.host import Host, PubSub
from roamcast.core.interests import Interest
from roamcast.core.messages import Message
from roamcast.core.parameters import AT_LEAST_ZERO, GREATER_THAN_ZERO, PART_BYTES, PERIOD_S, SOME_BYTES, at_most
from roamcast.core.predicates import ALTERNATIVES_MAX, NOTHING, SUMMARY_TERMS_MAX, Predicate, summarize
from roamcast.protocols.hint_driven.hints import Destinations, HintTable
from roamcast.protocols.shared.delayed_messages import PendingMessages
from roamcast.protocols.shared.event_tables import SeenEvents, is_sound

BEACON = "beacon"
CREDITS_MAX = 255
"""The most credits that a message may have: what a byte holds. More can only be a peer's nonsense."""
HINT_MAX = 1.0
"""The hint whose delay a credit is spent with."""


@dataclass(frozen=True, slots=True)
class HintDrivenParameters:
    """The keys of ``[protocol]`` for hint-driven routing."""

    beacon_interval_s: Annotated[float, PERIOD_S] = 5.0
    """The paper's delta t, in seconds, known to all; figure 5."""
    credits: Annotated[int, AT_LEAST_ZERO, at_most(CREDITS_MAX)] = 0
    """How often an event may be sent on without a hint, along each way that it takes; figure 5."""
    missed_beacons_max: Annotated[int, GREATER_THAN_ZERO] = 10
    """A hint is the number of missed beacons over this; after more, the row is deleted. Section 4."""
    delay_divisor: Annotated[float, GREATER_THAN_ZERO] = 3.0
    """An event waits for the lowest hint over this, in seconds; figure 3."""
    random_delay_s_max: Annotated[float, AT_LEAST_ZERO, at_most(1e6)] = 0.03
    """It waits up to this much longer, drawn uniformly, in seconds. Our choice."""
    empty_beacons: bool = False
    """Whether a node without subscriptions sends beacons, too."""
    summary_terms_max: Annotated[int, GREATER_THAN_ZERO, at_most(ALTERNATIVES_MAX)] = SUMMARY_TERMS_MAX
    """How many terms a summary may have; a larger one is made wider. Our choice."""
    hints_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """How many rows the hint table has; the one heard longest ago makes room. Our choice."""
    destinations_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """How many entries a destination list has; further ones are left out. Our choice."""
    pending_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """How many events may wait for their moment; further ones are not sent on. Our choice."""
    identifiers_max: Annotated[int, GREATER_THAN_ZERO] = 4096
    """How many identifiers are remembered as heard. Our choice."""
    header_bytes: Annotated[int, PART_BYTES] = 8
    """What a beacon has beside its predicate, and an event's message beside the event and the list. Our choice."""
    destination_bytes: Annotated[int, PART_BYTES] = 6
    """The size of an entry of the destination list: 4 bytes for the node, 2 for the hint. Our choice."""
    identifier_bytes: Annotated[int, SOME_BYTES] = 16
    """The size of an identifier in memory; the Frugal paper's."""


@dataclass(frozen=True, slots=True)
class Beacon(Message):
    """I am here, and this covers what I ask for."""

    kind: ClassVar[str] = "beacon"
    predicate: Predicate


@dataclass(frozen=True, slots=True)
class HintedEvent(Message):
    """Here is an event, and who is known to ask for it."""

    kind: ClassVar[str] = "events"
    event: Event
    destinations: tuple[tuple[int, float], ...]
    """Nodes, each once, with the lowest hint of those that forwarded the event."""
    credit: int

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the one event."""
        return (self.event,)


class HintDriven(PubSub):
    """One node's side of the protocol: the paper's broker."""

    Parameters: ClassVar[type[Any]] = HintDrivenParameters
    summary = "events follow the time since their subscribers were last heard (Baldoni et al. 2005)"
    keeps_events: ClassVar[bool] = False
    """Who was out of reach when an event passed by never gets it."""

    def __init__(self, host: Host, parameters: HintDrivenParameters) -> None:
        self._host = host
        self._parameters = parameters
        self._interests: tuple[Interest, ...] = ()
        self._summary: Predicate | None = NOTHING
        """None: subscriptions have changed since the last beacon. Many may change between two, so it waits for one."""
        self._has_announced = False
        self._hints = HintTable(parameters.beacon_interval_s, parameters.missed_beacons_max, parameters.hints_max)
        self._seen = SeenEvents(parameters.identifiers_max)
        self._pending = PendingMessages(host, parameters.pending_max)

    def start(self) -> None:
        """Begin at a random moment of the interval."""
        self._host.wake(self._host.now + self._host.random.random() * self._parameters.beacon_interval_s, BEACON)

    def subscribe(self, interest: Interest) -> None:
        """Ask for events from now on; others learn of it by the next beacon."""
        if interest not in self._interests:
            self._set_interests((*self._interests, interest))

    def unsubscribe(self, interest: Interest) -> None:
        """Stop asking."""
        if interest in self._interests:
            self._set_interests(tuple(each for each in self._interests if each != interest))

    def publish(self, event: Event) -> None:
        """Send a new event at once, to whomever it will find."""
        destinations: Destinations = {}
        self._hear(event, destinations)
        self._improve(event, destinations)
        self._host.broadcast(self._message(event, destinations, self._parameters.credits))

    def on_message(self, message: Message, sender: int) -> None:
        """Act on what a neighbour sent."""
        if isinstance(message, HintedEvent):
            self._on_event(message)
        elif isinstance(message, Beacon):
            self._on_beacon(message, sender)
        else:
            self._host.drop(message, "unknown-kind")

    def on_wake(self, token: Any) -> None:
        """Send a beacon, or the event whose moment has come."""
        if token == BEACON:
            self._beacon()
        elif isinstance(token, EventId):
            self._pending.send(token)

    def storage_bytes(self) -> int:
        """Return the size of the hint table, of the identifiers and of the events that wait."""
        identifiers = len(self._seen) * self._parameters.identifier_bytes
        return self._hints.size_bytes() + identifiers + self._pending.size_bytes()

    # --- beacons (section 4, the first two procedures of figure 3) -----------------------------------------

    def _set_interests(self, interests: tuple[Interest, ...]) -> None:
        self._interests = interests
        self._summary = None

    def _beacon(self) -> None:
        now_s = self._host.now
        if self._summary is None:
            self._summary = summarize(self._interests, self._parameters.summary_terms_max)
        asks = self._summary != NOTHING
        if asks or self._has_announced or self._parameters.empty_beacons:
            self._host.broadcast(Beacon(self._parameters.header_bytes + self._summary.size_bytes(), self._summary))
        self._has_announced = asks
        self._hints.clean_up(now_s)
        self._host.wake(now_s + self._parameters.beacon_interval_s, BEACON)

    def _on_beacon(self, message: Beacon, sender: int) -> None:
        if sender == self._host.node:
            self._host.drop(message, "own-name")
        elif message.predicate == NOTHING:
            self._hints.forget(sender)
        else:
            self._hints.note(sender, message.predicate, self._host.now)

    # --- events (section 4, the procedure forward of figure 3) ---------------------------------------------

    def _on_event(self, message: HintedEvent) -> None:
        event = message.event
        if event.id in self._seen or event.id.publisher == self._host.node:
            if self._pending.call_off(event.id):
                self._host.drop(message, "suppressed")
        elif not is_sound(event):
            self._host.drop(message, "malformed")
        elif not event.is_valid(self._host.now):
            self._host.drop(message, "expired")
        else:
            destinations = self._sound_destinations(message)
            self._hear(event, destinations)
            self._forward(message, destinations)

    def _forward(self, message: HintedEvent, destinations: Destinations) -> None:
        """Send the event on after a delay if this node is nearer to someone, or for a credit."""
        credit = self._sound_credit(message)
        hint = self._improve(message.event, destinations)
        if hint is None and credit > 0:
            credit, hint = credit - 1, HINT_MAX
        if hint is None:
            self._host.drop(message, "not-nearer")
            return
        random_s = self._host.random.random() * self._parameters.random_delay_s_max
        onward = self._message(message.event, destinations, credit)
        self._pending.schedule(onward, message.event.id, hint / self._parameters.delay_divisor + random_s)

    def _hear(self, event: Event, destinations: Destinations) -> None:
        """Remember an event; if it was asked for, deliver it and say in the list that this node has it."""
        self._seen.add(event, self._host.now)
        for interest in self._interests:
            if interest.matches(event):
                if self._host.node in destinations or len(destinations) < self._parameters.destinations_max:
                    destinations[self._host.node] = 0.0
                self._host.deliver(event)
                return

    def _improve(self, event: Event, destinations: Destinations) -> float | None:
        return self._hints.improve(event, destinations, self._host.now, self._parameters.destinations_max)

    def _message(self, event: Event, destinations: Mapping[int, float], credit: int) -> HintedEvent:
        list_bytes = self._parameters.destination_bytes * len(destinations)
        size_bytes = self._parameters.header_bytes + event.size_bytes + list_bytes
        return HintedEvent(size_bytes, event, tuple(destinations.items()), credit)

    def _sound_destinations(self, message: HintedEvent) -> Destinations:
        """Return the list without what cannot be true or is too much; of a node that is there twice, the lower hint."""
        destinations: Destinations = {}
        for node, hint in message.destinations[: self._parameters.destinations_max]:
            if 0.0 <= hint <= HINT_MAX:
                if node not in destinations or hint < destinations[node]:
                    destinations[node] = hint
            else:
                self._host.drop(message, "malformed-hint")
        if len(message.destinations) > self._parameters.destinations_max:
            self._host.drop(message, "too-many-destinations")
        return destinations

    def _sound_credit(self, message: HintedEvent) -> int:
        """Return the message's credit, none where it cannot be true."""
        if 0 <= message.credit <= CREDITS_MAX:
            return message.credit
        self._host.drop(message, "malformed-credit")
        return 0
