"""Shared by the tests of Frugal: a node under test, and the messages of neighbours that exist only as words."""

from typing import Any

from roamcast.core.events import Event, EventId
from roamcast.protocols.frugal.messages import Events, Heartbeat, Identifiers
from roamcast.protocols.frugal.parameters import FrugalParameters
from roamcast.protocols.frugal.protocol import Frugal
from roamcast.testing import RecordingHost, interest_in

ME = 1
EVENT_BYTES, IDENTIFIER_BYTES, NODE_BYTES = 400, 16, 4


def frugal_node(*topics: str, node: int = ME, random: float = 0.5, **parameters: Any) -> tuple[RecordingHost, Frugal]:
    """Return a node that subscribes to some topics at time 0, its heartbeats at 0.5, 1.5, 2.5 s."""
    host = RecordingHost(node, random)
    frugal = host.install(Frugal, FrugalParameters(**parameters))
    for topic in topics:
        frugal.subscribe(interest_in(topic))
    return host, frugal


def heartbeat(*topics: str, speed_mps: float | None = None) -> Heartbeat:
    """Return the heartbeat of a node that subscribes to some topics."""
    return Heartbeat(50, tuple(interest_in(topic) for topic in topics), speed_mps)


def identifiers(*events: Event | EventId) -> Identifiers:
    """Return the announcement of some events."""
    named = tuple(each.id if isinstance(each, Event) else each for each in events)
    return Identifiers(IDENTIFIER_BYTES * len(named), named)


def events(carried: list[Event], informed: tuple[int, ...] = ()) -> Events:
    """Return the message that carries events for some neighbours."""
    size_bytes = sum(event.size_bytes for event in carried) + NODE_BYTES * len(informed)
    return Events(size_bytes, tuple(carried), informed)


def meet(frugal: Frugal, neighbour: int, *topics: str, holds: tuple[Event, ...] = ()) -> None:
    """Let a neighbour come by: its heartbeat, then the announcement of what it holds."""
    frugal.on_message(heartbeat(*topics), neighbour)
    frugal.on_message(identifiers(*holds), neighbour)


def give(frugal: Frugal, *carried: Event, sender: int = 99) -> None:
    """Let the node receive events from someone who is not a neighbour and is gone at once."""
    frugal.on_message(events(list(carried)), sender)


def sent_events(host: RecordingHost) -> list[tuple[float, Events]]:
    """Return when which events were sent."""
    return [(each.at_s, each.message) for each in host.broadcasts if isinstance(each.message, Events)]


def announcements(host: RecordingHost) -> list[tuple[float, Identifiers]]:
    """Return when which identifiers were announced."""
    return [(each.at_s, each.message) for each in host.broadcasts if isinstance(each.message, Identifiers)]


def heartbeat_times(host: RecordingHost) -> list[float]:
    """Return when heartbeats were sent."""
    return [each.at_s for each in host.broadcasts if isinstance(each.message, Heartbeat)]
