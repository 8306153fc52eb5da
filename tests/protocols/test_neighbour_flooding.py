"""Neighbours'-interests flooding, the Frugal paper's alternative (3): silent where no neighbour asks for the event."""

from typing import Any

import pytest

from roamcast.protocols.flooding import FloodedEvent
from roamcast.protocols.neighbour_flooding import InterestHeartbeat, NeighbourFlooding, NeighbourFloodingParameters
from roamcast.protocols.shared.event_tables import INTERESTS_MAX
from roamcast.testing import RecordingHost, Sent, event_of, interest_in

NEWS = FloodedEvent(400, event_of(9))


def heartbeat(*topics: str) -> InterestHeartbeat:
    return InterestHeartbeat(50, tuple(interest_in(topic) for topic in topics))


def node(*topics: str, **parameters: Any) -> tuple[RecordingHost, NeighbourFlooding]:
    host = RecordingHost(1)
    flooding = host.install(NeighbourFlooding, NeighbourFloodingParameters(**parameters))
    for topic in topics:
        flooding.subscribe(interest_in(topic))
    return host, flooding


def test_a_tick_is_a_heartbeat_and_then_the_events_that_a_neighbour_asks_for_too() -> None:
    host, flooding = node("news", "traffic")
    for topic in ("news", "traffic"):
        flooding.on_message(FloodedEvent(400, event_of(9, topic=topic)), 2)
    flooding.on_message(heartbeat("news"), 2)
    host.advance_to(1.0)
    assert host.broadcasts == [Sent(0.5, heartbeat("news", "traffic")), Sent(0.5, NEWS)]


def test_without_an_interested_neighbour_nothing_is_sent_but_heartbeats() -> None:
    host, flooding = node("news")
    flooding.on_message(NEWS, 2)
    flooding.on_message(heartbeat("traffic"), 2)
    host.advance_to(2.0)
    assert host.take_messages() == [heartbeat("news")] * 2


def test_a_node_passes_on_only_what_it_asked_for_itself() -> None:
    host, flooding = node("traffic")
    flooding.on_message(heartbeat("news"), 2)
    flooding.on_message(NEWS, 3)
    host.advance_to(1.0)
    assert host.take_messages() == [heartbeat("traffic")]
    assert host.drop_reasons() == ["parasite"]


def test_a_publisher_that_does_not_subscribe_sends_no_heartbeats_but_its_event_where_it_is_wanted() -> None:
    host, flooding = node()
    flooding.publish(event_of(1))
    host.advance_to(1.0)
    assert host.broadcasts == []
    flooding.on_message(heartbeat("news"), 2)
    host.advance_to(2.0)
    assert host.broadcasts == [Sent(1.5, FloodedEvent(400, event_of(1)))]


def test_a_neighbour_not_heard_for_two_and_a_half_periods_is_forgotten() -> None:
    host, flooding = node("news")
    flooding.on_message(NEWS, 2)
    flooding.on_message(heartbeat("news"), 2)  # at 0: remembered at the ticks of 0.5, 1.5 and 2.5 s
    host.advance_to(5.0)
    assert [sent.at_s for sent in host.broadcasts if sent.message == NEWS] == [0.5, 1.5, 2.5]


@pytest.mark.parametrize(("per_neighbour", "copies"), [(False, 1), (True, 3)])
def test_one_broadcast_serves_all_neighbours_unless_each_is_to_get_a_copy(per_neighbour: bool, copies: int) -> None:
    host, flooding = node("news", per_neighbour=per_neighbour)
    flooding.on_message(NEWS, 2)
    for neighbour, topics in ((2, ["news"]), (3, ["news", "news.local"]), (4, ["."]), (5, ["traffic"])):
        flooding.on_message(heartbeat(*topics), neighbour)
    host.advance_to(1.0)
    assert host.take_messages() == [heartbeat("news"), *[NEWS] * copies]


def test_the_period_is_that_of_heartbeats_too() -> None:
    host, _ = node("news", period_s=4.0)
    host.advance_to(10.0)
    assert [sent.at_s for sent in host.broadcasts] == [2.0, 6.0, 10.0]


def test_a_neighbours_new_interests_replace_its_old_ones() -> None:
    host, flooding = node("news")
    flooding.on_message(NEWS, 2)
    flooding.on_message(heartbeat("news"), 2)
    flooding.on_message(heartbeat("traffic"), 2)
    host.advance_to(1.0)
    assert host.take_messages() == [heartbeat("news")]


def test_the_table_of_neighbours_is_bounded_and_takes_no_more_than_fits() -> None:
    host, flooding = node("news", neighbours_max=2)
    for neighbour in (2, 3, 4, 2):
        flooding.on_message(heartbeat("news"), neighbour)
    assert flooding.storage_bytes() == 2 * 4
    assert host.drop_reasons() == ["too-many-neighbours"]


def test_a_heartbeat_with_too_many_interests_is_dropped() -> None:
    host, flooding = node("news")
    flooding.on_message(heartbeat(*(f"t{number}" for number in range(INTERESTS_MAX + 1))), 2)
    assert (flooding.storage_bytes(), host.drop_reasons()) == (0, ["too-many-interests"])
