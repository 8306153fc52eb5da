"""Hint-driven routing (Baldoni, Beraldi, Cugola, Migliavacca, Querzoni 2005).

The paper is "Structure-less Content-Based Routing in Mobile Ad Hoc Networks". Each node broadcasts, at a fixed
interval, a beacon with one predicate that covers all its subscriptions. Nodes that hear it remember when: the number of
beacons missed since is a *hint* at the distance (``hints``). An event travels with a list of the nodes known to want
it, each with the lowest hint among the nodes that forwarded it. A node that receives an event for the first time
forwards it if it knows another node that wants it, or has a lower hint for a listed one; the lower its lowest such
hint, the sooner it forwards. If it hears the event again in the meantime, it stays silent. An event's *credits* let a
node forward it without such a reason.

Where the paper (section 4 and figure 3) leaves a choice or contradicts itself:
- Figure 3 tests ``matches and not listed or lower``. Read as written, a lower hint would count for a node that does not
  want the event; section 4 requires a match in both cases, and so do we.
- The hint of a node that was never heard is infinite although hints lie in [0, 1]: here it has no row and no entry.
- By figure 3 a publisher that knows no interested node would not send; in figure 2 it does, with an empty list. Here a
  publisher always sends, at once, since nobody competes with it, and spends no credit.
- A summary of no subscriptions is not broadcast: it says nothing, and if all 100 nodes of section 5 sent a beacon every
  5 s, these alone would be 2.9 frames for each delivered event, more than the 2.5 the paper reports in total.
  ``empty_beacons`` sends them. A node that drops its last subscription sends one empty beacon to say so.
- The size of the random delay is not given: ours is a little less than the delay of one missed beacon, 1/30 s, so that
  a node with a lower hint always comes first and equals are spread. Sizes of messages are not given either.
- The paper sets no limits and says nothing about faulty peers. Here all tables are bounded, and implausible values are
  dropped.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event, EventId
from roamcast.core.host import Host, PubSub
from roamcast.core.messages import Message
from roamcast.core.predicates import NOTHING, Predicate, summarize
from roamcast.protocols.hint_driven.hints import Destinations, HintTable
from roamcast.protocols.hint_driven.messages import CREDITS_MAX, Beacon, HintedEvent
from roamcast.protocols.hint_driven.parameters import HintDrivenParameters
from roamcast.protocols.shared.delayed_messages import PendingMessages
from roamcast.protocols.shared.event_tables import SeenEvents, is_sound

BEACON = "beacon"
HINT_MAX = 1.0
"""The hint that sets the delay of an event forwarded for a credit."""


class HintDriven(PubSub):
    """One node's side of the protocol: the paper's broker."""

    Parameters: ClassVar[type[Any]] = HintDrivenParameters
    summary = "events follow the time since their subscribers were last heard (Baldoni et al. 2005)"
    keeps_events: ClassVar[bool] = False
    """A node that was out of range when an event passed by never gets it."""

    def __init__(self, host: Host, parameters: HintDrivenParameters) -> None:
        self._host = host
        self._parameters = parameters
        self._interests: tuple[Interest, ...] = ()
        self._summary: Predicate | None = NOTHING
        """None if subscriptions have changed since the last beacon; the next beacon recomputes it, once for all."""
        self._has_announced = False
        self._hints = HintTable(parameters.beacon_interval_s, parameters.missed_beacons_max, parameters.hints_max)
        self._seen = SeenEvents(parameters.identifiers_max)
        self._pending = PendingMessages(host, parameters.pending_max)

    def start(self) -> None:
        """Start the beacons at a random moment of their interval."""
        self._host.wake(self._host.now + self._host.random.random() * self._parameters.beacon_interval_s, BEACON)

    def subscribe(self, interest: Interest) -> None:
        """Add an interest; other nodes learn of it from the next beacon."""
        if interest not in self._interests:
            self._set_interests((*self._interests, interest))

    def unsubscribe(self, interest: Interest) -> None:
        """Remove an interest."""
        if interest in self._interests:
            self._set_interests(tuple(each for each in self._interests if each != interest))

    def publish(self, event: Event) -> None:
        """Send a new event at once, whoever is there to hear it."""
        destinations: Destinations = {}
        self._hear(event, destinations)
        self._improve(event, destinations)
        self._host.broadcast(self._message(event, destinations, self._parameters.credits))

    def on_message(self, message: Message, sender: int) -> None:
        """Act on a neighbour's message."""
        if isinstance(message, HintedEvent):
            self._on_event(message)
        elif isinstance(message, Beacon):
            self._on_beacon(message, sender)
        else:
            self._host.drop(message, "unknown-kind")

    def on_wake(self, token: Any) -> None:
        """Send a beacon, or forward the event whose delay is over."""
        if token == BEACON:
            self._beacon()
        elif isinstance(token, EventId):
            self._pending.send(token)

    def storage_bytes(self) -> int:
        """Return the size of the hint table, of the identifiers and of the events that wait to be forwarded."""
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
        has_interests = self._summary != NOTHING
        if has_interests or self._has_announced or self._parameters.empty_beacons:
            self._host.broadcast(Beacon(self._parameters.header_bytes + self._summary.size_bytes(), self._summary))
        self._has_announced = has_interests
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
            if self._pending.cancel(event.id):
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
        """Forward the event after a delay if this node is closer to some destination, or for a credit."""
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
        """Remember an event; if it is wanted, deliver it and enter this node into the list with hint 0."""
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
        """Return the list without implausible or surplus entries; a node listed twice keeps its lower hint."""
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
        """Return the message's credit, or none if it is implausible."""
        if 0 <= message.credit <= CREDITS_MAX:
            return message.credit
        self._host.drop(message, "malformed-credit")
        return 0
