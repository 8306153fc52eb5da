"""Flooding with a time to live: how far an event goes, and that a local one goes no further than it is meant for."""

from dataclasses import replace

import pytest

from roamcast.core.events import Event
from roamcast.protocols.ttl_flooding import HoppingEvent, TtlFlooding, TtlFloodingParameters
from roamcast.testing import FakeLink, RecordingHost, Sent, event_of, interest_in

ME = 1


def flooding_node(**parameters: float) -> tuple[RecordingHost, TtlFlooding]:
    """Return a node that waits half of the longest delay: 2.5 ms."""
    host = RecordingHost(ME, 0.5)
    return host, host.install(TtlFlooding, TtlFloodingParameters(**parameters))  # type: ignore[arg-type]


def hop(event: Event, hops_left: int) -> HoppingEvent:
    return HoppingEvent(event.size_bytes, event, hops_left)


def local(event: Event, hops_max: int) -> Event:
    return replace(event, hops_max=hops_max)


def test_the_publishers_frame_is_the_first_of_ten_hops() -> None:
    host, flooding = flooding_node()
    flooding.publish(event_of(ME))
    assert host.broadcasts == [Sent(0.0, hop(event_of(ME), 9))]


def test_what_is_heard_is_sent_on_once_with_one_hop_less() -> None:
    host, flooding = flooding_node()
    flooding.on_message(hop(event_of(9), 4), 2)
    host.advance_to(1.0)
    flooding.on_message(hop(event_of(9), 8), 3)  # has been sent
    host.advance_to(50.0)
    assert host.broadcasts == [Sent(0.0025, hop(event_of(9), 3))]


@pytest.mark.parametrize("first", [-1, 0, 1, 4])
def test_of_the_copies_heard_before_it_sends_a_node_forwards_the_one_with_the_most_hops_left(first: int) -> None:
    host, flooding = flooding_node()
    flooding.subscribe(interest_in("news"))
    for sender, hops_left in enumerate((first, 6, 5, -7), start=2):
        flooding.on_message(hop(event_of(9), hops_left), sender)
    host.advance_to(50.0)
    assert host.broadcasts == [Sent(0.0025, hop(event_of(9), 5))]
    assert len(host.deliveries) == 1


def test_a_copy_can_neither_claim_more_hops_than_a_node_allows_nor_change_the_event() -> None:
    host, flooding = flooding_node(hops_max=5)
    flooding.on_message(hop(event_of(9), 1), 2)
    flooding.on_message(hop(replace(event_of(9), size_bytes=9), 10**9), 3)
    host.advance_to(1.0)
    assert host.take_messages() == [hop(event_of(9), 3)]


@pytest.mark.parametrize("hops_left", [0, -1])
def test_after_the_last_hop_an_event_is_delivered_and_not_sent_on(hops_left: int) -> None:
    host, flooding = flooding_node()
    flooding.subscribe(interest_in("news"))
    flooding.on_message(hop(event_of(9), hops_left), 2)
    host.advance_to(50.0)
    assert host.delivered() == [event_of(9)]
    assert host.broadcasts == []


def test_a_peer_that_says_more_hops_than_this_node_would_is_not_believed() -> None:
    host, flooding = flooding_node(hops_max=3)
    flooding.on_message(hop(event_of(9), 10**9), 2)
    host.advance_to(1.0)
    assert host.take_messages() == [hop(event_of(9), 1)]


def test_a_local_event_starts_with_its_own_hops_and_an_absurd_one_goes_no_further() -> None:
    host, flooding = flooding_node()
    for number, hops_max in enumerate((3, 1, 0, -5, 30)):
        flooding.publish(local(event_of(ME, number), hops_max))
    sent = [message.hops_left for message in host.take_messages() if isinstance(message, HoppingEvent)]
    assert sent == [2, 0, 0, 0, 9]


def reached(meant_hops: int | None, **parameters: float) -> list[int]:
    """Return who of a line of fifteen delivers an event of the first."""
    hosts = [RecordingHost(node, 0.5) for node in range(15)]
    link = FakeLink(hosts)
    for host in hosts:
        host.install(TtlFlooding, TtlFloodingParameters(**parameters)).subscribe(interest_in("news"))  # type: ignore[arg-type]
    for node in range(14):
        link.join(node, node + 1)
    hosts[0].protocol.publish(replace(event_of(0), hops_max=meant_hops))
    link.advance_to(10.0)
    return [host.node for host in hosts[1:] if host.deliveries]


def test_along_a_line_an_event_goes_just_as_far_as_its_time_to_live_and_its_meaning_allow() -> None:
    assert reached(None) == list(range(1, 11))
    assert reached(None, hops_max=30) == list(range(1, 15))
    assert reached(4) == [1, 2, 3, 4]
    assert reached(4, confines_local=False) == list(range(1, 11))
    assert reached(12) == list(range(1, 11))
