"""Frugal event dissemination (Baehni, Chhabra, Guerraoui: Middleware 2005).

Neighbours with a shared interest discover each other by heartbeats and exchange the identifiers of the events they
hold. A node that sees that a neighbour lacks an event sends it after a back-off, which is shorter the more events the
node has to send.

Where the paper's pseudo-code and its text differ, we do what the text means:
- figures 7 and 10 compare an event's validity with the current time the wrong way round: here a valid event is sent and
  an expired one is collected;
- figure 9 sends what was found before the back-off; section 4.3 says it is recomputed when the back-off expires;
- figure 9 checks at publication whether a neighbour shares *any* interest; section 4.3 checks for the event's topic;
- figure 6 announces identifiers at every heartbeat; section 3 says "when processes detect each other". We announce on
  detection and when a neighbour's interests change (``exchange = "heartbeat"`` is the other reading). Identifiers that
  arrive before their sender's first heartbeat are kept until it arrives; otherwise, of two nodes that meet, the one
  whose heartbeat comes second would never exchange. A neighbour whose interests have changed has already announced what
  it holds, so it is sent what it lacks straight away;
- figure 7 computes the back-off inside the loop over neighbours, from part of the events: here from all of them;
- the default heartbeat delay of 15 s is bounded like the computed ones. Figure 6 recomputes the delays at every
  heartbeat heard; we do it when the node's own next heartbeat or collection is due, over the same neighbours;
- the mean speed behind the heartbeat delay is that of the neighbours, as in figure 8; section 4.2 tunes it to the
  node's own speed as well, which is not in the figure;
- a publication counts as a forward (Equation 1), like every other transmission of the event; figure 9 counts only those
  after a back-off;
- the sender of events holds them too, so its entry is updated like those of the neighbours it names. A named neighbour
  is assumed to hold only the events it wants: it drops the others, and may want them later;
- an event that is collected from a full table and received again would be delivered twice, so the identifiers of
  delivered events are remembered until the events expire.

A publisher that does not subscribe sends no heartbeats (figure 5), so nobody tells it what they lack. The same goes for
neighbours that share no interest with a publisher that subscribes to something else. Such a publisher keeps the
neighbours that want what it has published, as long as that is valid, and assumes that they lack it (figure 9, line 50
starts their collection).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event, EventId
from roamcast.core.host import Host, PubSub
from roamcast.core.messages import Message
from roamcast.protocols.frugal.messages import Events, Heartbeat, Identifiers
from roamcast.protocols.frugal.parameters import FrugalParameters
from roamcast.protocols.shared.event_tables import INTERESTS_MAX, EventTable, SeenEvents, StoredEvent, is_sound

HEARTBEAT, COLLECTION, BACKOFF = "heartbeat", "collection", "back-off"
DEFAULT_HEARTBEAT_S = 15.0
"""The heartbeat delay before any neighbour's speed is known (figure 4), in seconds."""


@dataclass(slots=True)
class Neighbour:
    """A row of the neighbourhood table (figure 2)."""

    interests: tuple[Interest, ...] = ()
    speed_mps: float | None = None
    heard_at_s: float = 0.0
    held: set[EventId] = field(default_factory=set)

    def wants(self, event: Event) -> bool:
        """Tell whether the neighbour is interested in an event."""
        return any(interest.matches(event) for interest in self.interests)


def worth(stored: StoredEvent) -> float:
    """Return an event's worth by Equation 1: one sent often for its validity is collected first."""
    return stored.event.validity_s / (stored.forwards + stored.event.validity_s)


class Frugal(PubSub):
    """One node's side of the protocol."""

    Parameters = FrugalParameters
    summary = "identifiers first, then events to neighbours that lack them (Baehni, Chhabra, Guerraoui 2005)"

    def __init__(self, host: Host, parameters: FrugalParameters) -> None:
        self._host = host
        self._parameters = parameters
        self._interests: tuple[Interest, ...] = ()
        self._neighbours: dict[int, Neighbour] = {}
        self._early: dict[int, Neighbour] = {}
        self._events = EventTable(parameters.events_max, worth)
        self._seen = SeenEvents(parameters.identifiers_max)
        self._heartbeat_s = self._bounded(DEFAULT_HEARTBEAT_S)
        self._backoff_s: float | None = None
        self._backing_off = False
        self._collecting = False

    # --- calls from the application ------------------------------------------------------------------------

    def subscribe(self, interest: Interest) -> None:
        """Add an interest; the first one starts the heartbeats, at a random moment of their period."""
        if interest in self._interests:
            return
        if not self._interests:
            self._host.wake(self._host.now + self._host.random.random() * self._heartbeat_s, HEARTBEAT)
        for node, neighbour in list(self._neighbours.items()):
            theirs = neighbour.interests
            if not self._overlaps(theirs) and any(interest.overlaps(other) for other in theirs):
                # So far it was known only as a reader of this node's own events. Its next heartbeat counts as
                # a detection, so that it is told which events this node holds.
                self._early[node] = self._neighbours.pop(node)
        self._interests = (*self._interests, interest)
        self._start_collection()

    def unsubscribe(self, interest: Interest) -> None:
        """Remove an interest; forget the neighbours and events that no remaining interest is shared with."""
        self._interests = tuple(each for each in self._interests if each != interest)
        self._events.keep_only(lambda event: self._wants(event) or event.id.publisher == self._host.node)
        self._neighbours = {node: each for node, each in self._neighbours.items() if self._matters(each.interests)}
        if not self._interests:
            self._host.cancel_wake(HEARTBEAT)
            self._early.clear()

    def publish(self, event: Event) -> None:
        """Store a new event, and send it at once if a known neighbour wants it."""
        now_s = self._host.now
        self._events.add(event, now_s)
        self._seen.add(event, now_s)
        if self._wants(event):
            self._host.deliver(event)
        if any(neighbour.wants(event) for neighbour in self._neighbours.values()):
            self._send([event])
        self._start_collection()

    # --- calls from the host -------------------------------------------------------------------------------

    def on_message(self, message: Message, sender: int) -> None:
        """Act on a neighbour's message."""
        if isinstance(message, Heartbeat):
            self._on_heartbeat(message, sender)
        elif isinstance(message, Identifiers):
            self._on_identifiers(message, sender)
        elif isinstance(message, Events):
            self._on_events(message, sender)
        else:
            self._host.drop(message, "unknown-kind")

    def on_wake(self, token: Any) -> None:
        """Act on one of the three timers."""
        if token == HEARTBEAT:
            self._beat()
        elif token == COLLECTION:
            self._collect_neighbours()
        elif token == BACKOFF:
            self._backing_off = False
            self._backoff_s = None
            needed = self._needed()
            if needed:
                self._send(needed)

    def storage_bytes(self) -> int:
        """Return the size of the stored events and of the identifiers and nodes in the tables."""
        rows = (*self._neighbours.values(), *self._early.values())
        identifiers = len(self._seen) + sum(len(each.held) for each in rows)
        tables = identifiers * self._parameters.identifier_bytes + len(rows) * self._parameters.node_bytes
        return self._events.size_bytes() + tables

    # --- phase 1: neighbourhood detection (section 4.2) ----------------------------------------------------

    def _beat(self) -> None:
        size_bytes = self._parameters.heartbeat_bytes
        self._host.broadcast(Heartbeat(size_bytes, self._interests, self._host.speed()))
        self._update_heartbeat_delay()
        self._host.wake(self._host.now + self._heartbeat_s, HEARTBEAT)

    def _update_heartbeat_delay(self) -> None:
        """Adapt the delay to the neighbours' mean speed (figure 8); if no speed is known, leave it."""
        speeds = [each.speed_mps for each in self._neighbours.values() if each.speed_mps is not None]
        if speeds:
            mean_mps = sum(speeds) / len(speeds)
            scale_m = self._parameters.speed_scale_m
            self._heartbeat_s = self._bounded(scale_m / mean_mps if mean_mps > 0 else DEFAULT_HEARTBEAT_S)

    def _bounded(self, delay_s: float) -> float:
        return max(min(delay_s, self._parameters.heartbeat_s_max), self._parameters.heartbeat_s_min)

    def _on_heartbeat(self, message: Heartbeat, sender: int) -> None:
        neighbour = self._neighbours.get(sender)
        if neighbour is not None and neighbour.interests == message.interests:
            neighbour.speed_mps = message.speed_mps
            neighbour.heard_at_s = self._host.now
            if self._parameters.exchange == "heartbeat" and self._overlaps(message.interests):
                self._announce(message.interests)
        elif len(message.interests) > INTERESTS_MAX:
            self._host.drop(message, "too-many-interests")
        elif self._matters(message.interests):
            self._detect(message, sender)
        else:
            self._neighbours.pop(sender, None)
            self._early.pop(sender, None)

    def _detect(self, message: Heartbeat, sender: int) -> None:
        """Enter a new neighbour, or one whose interests have changed, into the table and begin the exchange."""
        known, early = sender in self._neighbours, self._early.pop(sender, None)
        neighbour = self._neighbours.setdefault(sender, early or Neighbour())
        neighbour.interests, neighbour.speed_mps = message.interests, message.speed_mps
        neighbour.heard_at_s = self._host.now
        if len(self._neighbours) > self._parameters.neighbours_max:
            del self._neighbours[min(self._neighbours, key=lambda node: self._neighbours[node].heard_at_s)]
        will_announce = self._overlaps(message.interests)
        if will_announce:
            self._announce(message.interests)
        if known or early or not will_announce:
            self._retrieve()

    def _announce(self, interests: tuple[Interest, ...]) -> None:
        """Broadcast the identifiers of the valid events that match some interests, even if there are none."""
        now_s = self._host.now
        identifiers = tuple(
            stored.event.id
            for stored in self._events
            if stored.event.is_valid(now_s) and any(each.matches(stored.event) for each in interests)
        )
        identifier_bytes = self._parameters.identifier_bytes
        count_max = max(1, self._parameters.message_bytes_max // identifier_bytes)
        for first in range(0, max(1, len(identifiers)), count_max):
            part = identifiers[first : first + count_max]
            self._host.broadcast(Identifiers(identifier_bytes * len(part), part))

    def _on_identifiers(self, message: Identifiers, sender: int) -> None:
        if len(message.identifiers) > self._parameters.identifiers_max:
            self._host.drop(message, "too-many-identifiers")
            return
        neighbour = self._neighbours.get(sender)
        if neighbour is not None:
            neighbour.heard_at_s = self._host.now
            self._note_held(neighbour, message.identifiers)
            self._retrieve()
        elif sender in self._early or len(self._early) < self._parameters.neighbours_max:
            if self._interests:
                early = self._early.setdefault(sender, Neighbour())
                early.heard_at_s = self._host.now
                self._note_held(early, message.identifiers)
        else:
            self._host.drop(message, "too-many-neighbours")

    def _note_held(self, neighbour: Neighbour, identifiers: Iterable[EventId]) -> None:
        neighbour.held.update(identifiers)
        if len(neighbour.held) > self._parameters.identifiers_max:
            neighbour.held = {stored.event.id for stored in self._events if stored.event.id in neighbour.held}

    def _overlaps(self, interests: tuple[Interest, ...]) -> bool:
        """Tell whether this node shares one of these interests."""
        for mine in self._interests:  # loops, not generators: most heartbeats of strangers end here
            for theirs in interests:
                if mine.overlaps(theirs):
                    return True
        return False

    def _matters(self, interests: tuple[Interest, ...]) -> bool:
        """Tell whether a node with these interests shares one, or wants something this node has published."""
        if self._overlaps(interests):
            return True
        now_s, node = self._host.now, self._host.node
        own = (each.event for each in self._events if each.event.id.publisher == node and each.event.is_valid(now_s))
        return any(interest.matches(event) for event in own for interest in interests)

    def _wants(self, event: Event) -> bool:
        return any(interest.matches(event) for interest in self._interests)

    # --- phase 2: dissemination (section 4.3) --------------------------------------------------------------

    def _needed(self) -> list[Event]:
        """Return the valid events that some neighbour wants and lacks (figure 7)."""
        now_s = self._host.now
        neighbours = self._neighbours.values()
        return [
            stored.event
            for stored in self._events
            if stored.event.is_valid(now_s)
            and any(stored.event.id not in each.held and each.wants(stored.event) for each in neighbours)
        ]

    def _retrieve(self) -> None:
        """Start the back-off if a neighbour lacks something; one that is running goes on unchanged."""
        if self._backing_off:
            return
        needed = self._needed()
        if not needed:
            self._backoff_s = None
            return
        delay_s = self._heartbeat_s / (self._parameters.backoff_divisor * len(needed))
        self._backoff_s = delay_s if self._backoff_s is None else min(self._backoff_s, delay_s)
        self._backing_off = True
        self._host.wake(self._host.now + self._backoff_s, BACKOFF)

    def _send(self, events: list[Event]) -> None:
        """Broadcast events, naming the neighbours that want them, and assume that these hold them from now on."""
        informed = {node: each for node, each in self._neighbours.items() if any(each.wants(event) for event in events)}
        for neighbour in informed.values():
            self._note_held(neighbour, [event.id for event in events if neighbour.wants(event)])
        for event in events:
            self._events.count_forward(event.id)
        list_bytes = self._parameters.node_bytes * len(informed)
        for part in _parts(events, self._parameters.message_bytes_max - list_bytes):
            size_bytes = list_bytes + sum(event.size_bytes for event in part)
            self._host.broadcast(Events(size_bytes, part, tuple(informed)))

    def _on_events(self, message: Events, sender: int) -> None:
        for node in (*message.informed, sender):
            neighbour = self._neighbours.get(node)
            if neighbour is not None:
                has = [event.id for event in message.carried if node == sender or neighbour.wants(event)]
                self._note_held(neighbour, has)
        news = False
        for event in message.carried:
            news = self._accept(event, message) or news
        if news:
            self._retrieve()

    def _accept(self, event: Event, message: Message) -> bool:
        """Deliver and store an event that is wanted, valid and new; a new event ends the back-off."""
        now_s = self._host.now
        if not self._wants(event):
            self._host.drop(message, "parasite")
        elif not is_sound(event):
            self._host.drop(message, "malformed")
        elif not event.is_valid(now_s):
            self._host.drop(message, "expired")
        elif event.id in self._seen or event.id.publisher == self._host.node:
            self._host.drop(message, "duplicate")
        else:
            self._backing_off = False
            self._host.cancel_wake(BACKOFF)
            self._events.add(event, now_s)
            self._seen.add(event, now_s)
            self._host.deliver(event)
            return True
        return False

    # --- phase 3: collection of neighbours (section 4.4; events are collected by their table) --------------

    def _start_collection(self) -> None:
        if not self._collecting:
            self._collecting = True
            self._host.wake(self._host.now + self._heartbeat_s * self._parameters.collection_factor, COLLECTION)

    def _collect_neighbours(self) -> None:
        """Forget neighbours not heard for too long; keep collecting while there is anything left to collect."""
        self._update_heartbeat_delay()
        oldest_s = self._host.now - self._heartbeat_s * self._parameters.collection_factor
        lost = [
            node
            for node, neighbour in self._neighbours.items()
            if neighbour.heard_at_s < oldest_s or not self._matters(neighbour.interests)
        ]
        for node in lost:
            del self._neighbours[node]
        if self._early:
            self._early = {node: each for node, each in self._early.items() if each.heard_at_s >= oldest_s}
        self._collecting = False
        if self._interests or self._neighbours or any(each.event.is_valid(self._host.now) for each in self._events):
            self._start_collection()


def _parts(events: list[Event], size_bytes_max: int) -> list[tuple[Event, ...]]:
    """Split events into groups that each fit into a message; an event that is too large on its own goes alone."""
    parts: list[list[Event]] = []
    room_bytes = 0
    for event in events:
        if not parts or event.size_bytes > room_bytes:
            parts.append([])
            room_bytes = size_bytes_max
        parts[-1].append(event)
        room_bytes -= event.size_bytes
    return [tuple(part) for part in parts]
