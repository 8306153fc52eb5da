"""Frugal, sections 3 (phase 1) and 4.2: heartbeats, the neighbourhood table, and the exchange of identifiers."""

import pytest
from frugal_peers import (
    IDENTIFIER_BYTES,
    NODE_BYTES,
    announcements,
    frugal_node,
    give,
    heartbeat,
    heartbeat_times,
    identifiers,
    meet,
)

from roamcast.core.errors import UserError
from roamcast.core.events import EventId
from roamcast.core.messages import Message
from roamcast.core.parameters import build
from roamcast.protocols.frugal.messages import Heartbeat
from roamcast.protocols.frugal.parameters import FrugalParameters
from roamcast.protocols.frugal.protocol import Frugal
from roamcast.protocols.shared.event_tables import INTERESTS_MAX
from roamcast.testing import FakeLink, RecordingHost, Sent, event_of, interest_in

# --- heartbeats ------------------------------------------------------------------------------------------------


def test_a_node_that_asks_for_nothing_is_silent_and_waits_for_nothing() -> None:
    host, _ = frugal_node()
    host.advance_to(10.0)
    assert (host.broadcasts, host.wakes) == ([], {})


def test_the_first_subscription_starts_heartbeats_at_a_random_moment_of_their_period() -> None:
    host, _ = frugal_node("news", random=0.25)
    host.advance_to(3.0)
    assert host.broadcasts == [Sent(at_s, heartbeat("news")) for at_s in (0.25, 1.25, 2.25)]


def test_a_heartbeat_carries_all_subscriptions_and_the_current_speed() -> None:
    host, frugal = frugal_node("news")
    host.speed_mps = 7.0
    frugal.subscribe(interest_in("traffic"))
    frugal.subscribe(interest_in("traffic"))
    host.advance_to(1.0)
    assert host.take_messages() == [Heartbeat(50, (interest_in("news"), interest_in("traffic")), 7.0)]


@pytest.mark.parametrize(
    ("speeds_mps", "delay_s"),
    [
        ([40.0], 1.0),
        ([10.0], 4.0),  # what section 5.2 says of 10 m/s with x = 40
        ([20.0, 60.0], 1.0),
        ([None, 80.0], 0.5),  # a neighbour that does not know its speed does not count
        ([1.0], 5.0),  # 40 s, were there not the upper bound
        ([1000.0], 0.1),  # 0.04 s, were there not the lower bound
        ([None], 5.0),  # no speed known: the delay stays what it was, the bounded default
        ([], 5.0),
        ([0.0], 5.0),
        ([-3.0], 5.0),
        ([float("nan")], 5.0),
        ([float("inf")], 0.1),
    ],
)
def test_the_heartbeat_delay_is_x_over_the_neighbours_mean_speed_within_its_bounds(
    speeds_mps: list[float | None], delay_s: float
) -> None:
    host, frugal = frugal_node("news", random=0.0, heartbeat_s_max=5.0)
    host.speed_mps = 33.0  # the node's own speed is not its neighbours'
    for neighbour, speed_mps in enumerate(speeds_mps, start=2):
        frugal.on_message(heartbeat("news", speed_mps=speed_mps), neighbour)
    frugal.on_message(heartbeat("other", speed_mps=500.0), 77)  # not in the table, so not in the mean
    host.advance_to(6.0)
    assert heartbeat_times(host)[:2] == [0.0, delay_s]


def test_the_heartbeat_delay_follows_a_change_of_speed() -> None:
    host, frugal = frugal_node("news", random=0.0)
    frugal.on_message(heartbeat("news", speed_mps=80.0), 2)
    host.advance_to(0.75)
    frugal.on_message(heartbeat("news", speed_mps=160.0), 2)
    host.advance_to(1.5)
    assert heartbeat_times(host) == [0.0, 0.5, 1.0, 1.25, 1.5]


def test_heartbeat_bounds_the_wrong_way_round_are_a_persons_mistake() -> None:
    with pytest.raises(UserError, match=r"heartbeat_s_max = 0\.5: must be at least heartbeat_s_min \(2\)"):
        build(FrugalParameters, {"heartbeat_s_min": 2, "heartbeat_s_max": 0.5}, "city.toml [protocol]")


# --- the neighbourhood table -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mine", "theirs", "kept"),
    [
        ("news", "news", True),
        ("news", "news.local", True),
        ("news.local", "news", True),
        ("news.local", ".", True),
        ("news", "newspapers", False),
        ("news.local", "news.world", False),
    ],
)
def test_only_neighbours_with_a_shared_interest_are_kept(mine: str, theirs: str, kept: bool) -> None:
    host, frugal = frugal_node(mine)
    frugal.on_message(heartbeat(theirs), 2)
    assert frugal.storage_bytes() == (NODE_BYTES if kept else 0)
    assert host.take_messages() == ([identifiers()] if kept else [])


def test_a_neighbour_that_no_longer_shares_an_interest_leaves_the_table() -> None:
    _, frugal = frugal_node("news")
    frugal.on_message(heartbeat("news"), 2)
    frugal.on_message(heartbeat("traffic"), 2)
    assert frugal.storage_bytes() == 0


def test_a_neighbour_not_heard_for_two_and_a_half_heartbeat_delays_is_collected() -> None:
    host, frugal = frugal_node("news")
    host.advance_to(2.4)
    frugal.on_message(heartbeat("news"), 2)
    host.advance_to(2.5)
    frugal.on_message(heartbeat("news"), 3)
    host.advance_to(4.9)
    assert frugal.storage_bytes() == 2 * NODE_BYTES
    host.advance_to(5.0)  # 2.6 s after the first was heard, and 2.5 s, not more, after the second
    assert frugal.storage_bytes() == NODE_BYTES
    host.advance_to(7.5)
    assert frugal.storage_bytes() == 0


def test_a_heartbeat_or_an_announcement_keeps_a_neighbour_in_the_table() -> None:
    host, frugal = frugal_node("news")
    meet(frugal, 2, "news")
    meet(frugal, 3, "news")
    host.advance_to(3.0)
    frugal.on_message(heartbeat("news"), 2)
    frugal.on_message(identifiers(), 3)
    host.advance_to(5.0)
    assert frugal.storage_bytes() == 2 * NODE_BYTES


def test_the_collection_follows_the_heartbeat_delay() -> None:
    host, frugal = frugal_node("news", random=0.0)
    frugal.on_message(heartbeat("news", speed_mps=400.0), 2)  # a delay of 0.1 s, so collected after 0.25 s
    host.advance_to(2.5)
    assert frugal.storage_bytes() == 0


def test_a_full_table_forgets_the_neighbour_heard_longest_ago() -> None:
    host, frugal = frugal_node("news", neighbours_max=2)
    for at_s, neighbour in ((0.1, 2), (0.2, 3), (0.3, 2), (0.4, 4)):
        host.advance_to(at_s)
        frugal.on_message(heartbeat("news"), neighbour)
    assert frugal.storage_bytes() == 2 * NODE_BYTES
    host.take_messages()
    frugal.on_message(heartbeat("news"), 2)
    assert host.take_messages() == []  # 2 is still known
    frugal.on_message(heartbeat("news"), 3)
    assert host.take_messages() == [identifiers()]  # 3 was forgotten, and is detected anew


def test_a_heartbeat_with_too_many_interests_is_dropped() -> None:
    host, frugal = frugal_node("news")
    frugal.on_message(heartbeat("news", *(f"t{number}" for number in range(INTERESTS_MAX))), 2)
    assert (frugal.storage_bytes(), host.drop_reasons()) == (0, ["too-many-interests"])


def test_a_message_of_another_protocol_is_dropped() -> None:
    host, frugal = frugal_node("news")
    frugal.on_message(Message(10), 2)
    assert host.drop_reasons() == ["unknown-kind"]


# --- identifiers -----------------------------------------------------------------------------------------------


def test_on_detection_the_identifiers_that_the_neighbour_could_ask_for_are_announced() -> None:
    host, frugal = frugal_node("news")
    local, world = event_of(5, 1, "news.local"), event_of(5, 2, "news.world")
    brief = event_of(5, 3, "news.local", validity_s=0.25)
    give(frugal, local, world, brief)
    host.advance_to(0.25)  # the last has expired
    frugal.on_message(heartbeat("news.local"), 2)
    assert announcements(host) == [(0.25, identifiers(local))]
    frugal.on_message(heartbeat("news"), 3)
    assert announcements(host)[1:] == [(0.25, identifiers(local, world))]


def test_who_holds_nothing_says_so_because_that_shows_what_it_lacks() -> None:
    host, frugal = frugal_node("news")
    frugal.on_message(heartbeat("news"), 2)
    assert host.take_messages() == [identifiers()]


def test_a_known_neighbours_heartbeat_is_not_answered_again_until_its_interests_change() -> None:
    host, frugal = frugal_node("news")
    for topics in (["news"], ["news"], ["news", "traffic"], ["news", "traffic"]):
        frugal.on_message(heartbeat(*topics), 2)
    assert announcements(host) == [(0.0, identifiers())] * 2


def test_a_forgotten_neighbour_that_comes_back_is_detected_anew() -> None:
    host, frugal = frugal_node("news")
    frugal.on_message(heartbeat("news"), 2)
    host.advance_to(5.25)
    frugal.on_message(heartbeat("news"), 2)
    assert announcements(host) == [(0.0, identifiers()), (5.25, identifiers())]


def test_with_exchange_at_heartbeats_every_heartbeat_is_answered() -> None:
    host, frugal = frugal_node("news", exchange="heartbeat")
    for _ in range(3):
        frugal.on_message(heartbeat("news"), 2)
    assert announcements(host) == [(0.0, identifiers())] * 3


def test_identifiers_that_exceed_a_frame_go_into_several_messages() -> None:
    host, frugal = frugal_node("news", message_bytes_max=2 * IDENTIFIER_BYTES + 1)
    held = [event_of(5, number) for number in range(5)]
    give(frugal, *held)
    frugal.on_message(heartbeat("news"), 2)
    assert host.take_messages() == [identifiers(*held[:2]), identifiers(*held[2:4]), identifiers(*held[4:])]


def test_more_identifiers_than_a_node_remembers_are_dropped() -> None:
    host, frugal = frugal_node("news", identifiers_max=3)
    frugal.on_message(heartbeat("news"), 2)
    frugal.on_message(identifiers(*(EventId(7, number) for number in range(4))), 2)
    assert frugal.storage_bytes() == NODE_BYTES
    assert host.drop_reasons() == ["too-many-identifiers"]


@pytest.mark.parametrize(("one_begins", "other_begins"), [(0.25, 0.75), (0.75, 0.25)])
def test_whoever_beats_second_the_two_exchange_what_they_hold(one_begins: float, other_begins: float) -> None:
    hosts = [RecordingHost(1, one_begins), RecordingHost(2, other_begins)]
    peers = [host.install(Frugal) for host in hosts]
    held = [event_of(8), event_of(9)]
    for peer, event in zip(peers, held, strict=True):
        peer.subscribe(interest_in("news"))
        give(peer, event)
    link = FakeLink(hosts)
    link.join(1, 2)
    link.advance_to(3.0)
    assert hosts[0].delivered() == [held[0], held[1]]
    assert hosts[1].delivered() == [held[1], held[0]]
    for host, event in zip(hosts, held, strict=True):
        assert announcements(host) == [(announcements(host)[0][0], identifiers(event))]


def test_early_identifiers_count_in_several_messages_and_are_collected_like_neighbours() -> None:
    host, frugal = frugal_node("news", neighbours_max=1)
    held = [event_of(8, number) for number in range(3)]
    give(frugal, *held)
    before = frugal.storage_bytes()
    frugal.on_message(identifiers(held[0]), 2)
    frugal.on_message(identifiers(held[1]), 2)
    frugal.on_message(identifiers(held[2]), 3)
    assert host.drop_reasons() == ["too-many-neighbours"]
    assert frugal.storage_bytes() - before == NODE_BYTES + 2 * IDENTIFIER_BYTES
    frugal.on_message(heartbeat("news"), 2)
    host.advance_to(0.5)
    assert [message.events for message in host.take_messages() if message.events] == [(held[2],)]
    frugal.on_message(identifiers(held[2]), 3)
    frugal.on_message(heartbeat("traffic"), 3)  # now it is known to be of no interest
    assert frugal.storage_bytes() == before + NODE_BYTES + 3 * IDENTIFIER_BYTES
    host.advance_to(4.0)
    frugal.on_message(identifiers(held[2]), 4)
    host.advance_to(5.0)  # neighbour 2 is forgotten, the new one is not
    assert frugal.storage_bytes() == before + NODE_BYTES + IDENTIFIER_BYTES
    host.advance_to(7.5)
    assert frugal.storage_bytes() == before
