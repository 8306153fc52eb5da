"""Shared by the tests of hint-driven routing: a node under test, and what its neighbours say."""

from collections.abc import Mapping
from typing import Any

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event
from roamcast.core.predicates import parse, summarize
from roamcast.protocols.hint_driven.messages import Beacon, HintedEvent
from roamcast.protocols.hint_driven.parameters import HintDrivenParameters
from roamcast.protocols.hint_driven.protocol import HintDriven
from roamcast.testing import RecordingHost

ME = 1
INTERVAL_S = 5.0
HEADER_BYTES, ENTRY_BYTES = 8, 6
RANDOM_S = 0.015
"""The random delay of a node whose draws are all 0.5."""
NEWS = parse('topic = "news"')


def hint_node(
    *interests: Interest, node: int = ME, random: float = 0.5, **parameters: Any
) -> tuple[RecordingHost, HintDriven]:
    """Return a node with its beacons at 2.5, 7.5, 12.5 s."""
    host = RecordingHost(node, random)
    hint_driven = host.install(HintDriven, HintDrivenParameters(**parameters))
    for interest in interests:
        hint_driven.subscribe(interest)
    return host, hint_driven


def beacon(*interests: Interest) -> Beacon:
    """Return the beacon of a node with these subscriptions."""
    summary = summarize(interests)
    return Beacon(HEADER_BYTES + summary.size_bytes(), summary)


def hinted(event: Event, destinations: Mapping[int, float] | None = None, credit: int = 0) -> HintedEvent:
    """Return the message that carries an event."""
    listed = tuple((destinations or {}).items())
    return HintedEvent(HEADER_BYTES + event.size_bytes + ENTRY_BYTES * len(listed), event, listed, credit)


def heard_beacons(hint_driven: HintDriven, host: RecordingHost, missed: Mapping[int, int]) -> None:
    """Let a node have missed so many beacons of some nodes, all of which ask for news; its clock moves on."""
    now_s = host.now + (max(missed.values(), default=0) + 0.5) * INTERVAL_S
    for node, count in sorted(missed.items(), key=lambda each: -each[1]):
        host.advance_to(now_s - (count + 0.5) * INTERVAL_S)
        hint_driven.on_message(beacon(NEWS), node)
    host.advance_to(now_s)
    host.take_messages()


def sent_events(host: RecordingHost) -> list[tuple[float, HintedEvent]]:
    """Return when which events were sent."""
    return [(each.at_s, each.message) for each in host.broadcasts if isinstance(each.message, HintedEvent)]


def beacons_sent(host: RecordingHost) -> list[tuple[float, Beacon]]:
    """Return when which beacons were sent."""
    return [(each.at_s, each.message) for each in host.broadcasts if isinstance(each.message, Beacon)]
