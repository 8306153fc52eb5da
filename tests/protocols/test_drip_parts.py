"""The parts of DRIP by themselves: the list of brokers, ways, members, kept events and sizes."""

from dataclasses import replace
from typing import Any

import pytest

from roamcast.core.attribute_ranges import range_attributes, range_predicate
from roamcast.core.events import EventId
from roamcast.protocols.drip.broker_tables import KeptEvents, Member, Members
from roamcast.protocols.drip.messages import (
    RESIGNED,
    Addressed,
    Announcement,
    Ask,
    Membership,
    Notification,
    Publication,
    Shared,
    Undelivered,
    interest_bytes,
)
from roamcast.protocols.drip.parameters import DripParameters
from roamcast.protocols.drip.paths import Paths
from roamcast.protocols.drip.regions import BrokerList
from roamcast.testing import RecordingHost, event_of, interest_in

NEWS, TRAFFIC = interest_in("news"), interest_in("traffic")
LIMITS = {"a0": (0.0, 100.0)}


def announced(broker: int, number: int = 1, hops: int = 0, version: int = 0) -> Announcement:
    return Announcement(20, broker, number, hops, 0.0, version, None)


def listed(**changes: Any) -> BrokerList:
    return BrokerList(9, DripParameters(**changes))


# --- the list of brokers ---------------------------------------------------------------------------------------


def test_an_announcement_is_relayed_when_it_is_new_or_shorter() -> None:
    brokers = listed()
    assert brokers.hear(announced(1, 1, hops=3), sender=5, link_hops=1, now_s=0.0)
    assert not brokers.hear(announced(1, 1, hops=3), 6, 1, 0.0)
    assert brokers.hear(announced(1, 1, hops=2), 7, 1, 0.0)
    assert not brokers.hear(announced(1, 1, hops=2), 8, 2, 0.0)
    assert brokers.hear(announced(1, 2, hops=6), 5, 1, 1.0)
    known = brokers.get(1)
    assert known is not None
    assert (known.hops, known.number, known.heard_at_s) == (7, 2, 1.0)


def test_the_next_hop_is_nearer_and_the_best_and_another_if_that_does_not_answer() -> None:
    brokers = listed()
    brokers.hear(announced(1, 1, hops=3), 5, 1, 0.0)
    brokers.hear(announced(1, 1, hops=2), 6, 1, 0.0)
    brokers.hear(announced(1, 1, hops=2), 7, 2, 0.0)
    brokers.hear(announced(1, 1, hops=3), 8, 1, 0.0)
    assert brokers.next_hop(1) == 6
    assert not brokers.lose(6)
    assert brokers.next_hop(1) == 7  # 5 and 8 are not nearer than this node
    brokers.note_heard(6)
    assert brokers.next_hop(1) == 6  # heard again, so it is there
    assert [brokers.lose(6) for _ in range(3)] == [False, False, True]
    assert brokers.next_hop(1) == 7
    assert brokers.next_hop(2) is None


def test_an_announcement_ends_the_ways_of_the_one_before() -> None:
    brokers = listed()
    for number, sender in ((1, 5), (2, 6), (1, 7)):
        brokers.hear(announced(1, number, hops=1), sender, 1, 0.0)
    known = brokers.get(1)
    assert known is not None
    assert set(known.routes) == {6}


def test_of_too_many_ways_the_longest_goes() -> None:
    brokers = listed(ways_max=2)
    brokers.hear(announced(1, 1, hops=4), 6, 1, 1.0)
    brokers.hear(announced(1, 1, hops=3), 7, 2, 1.0)
    known = brokers.get(1)
    assert known is not None
    brokers.hear(announced(1, 1, hops=4), 8, 2, 1.0)  # longer than both
    assert list(known.routes) == [6, 7]
    brokers.hear(announced(1, 1, hops=2), 9, 1, 1.0)  # the first of two equals goes
    assert [(node, way.own_hops, way.hops) for node, way in known.routes.items()] == [(7, 3, 5), (9, 2, 3)]


def test_brokers_and_ways_back_are_forgotten_when_they_are_due_and_those_heard_again_later() -> None:
    host, parameters = RecordingHost(9), DripParameters()
    brokers, paths = listed(), Paths(host, parameters, listed())
    for now_s, node in ((0.0, 20), (0.0, 21), (5.0, 21)):
        host.now = now_s
        paths.remember_pointer(membership(node), 5)
        brokers.hear(announced(node, 1 + int(now_s)), 5, 1, now_s)
    paths.forget_silent()
    for seconds, timeout_s in ((1.0, parameters.member_timeout_s), (6.0, parameters.member_timeout_s)):
        host.now = timeout_s + seconds
        paths.forget_silent()
        brokers.forget_silent(parameters.timeout_s + seconds)
        left = [node for node in (20, 21) if not paths.send_down(Notification(425, (node,), 9, event_of(3, 0), 1))]
        assert left == list(brokers) == ([21] if seconds == 1.0 else [])


def test_a_node_stays_in_its_region_unless_another_broker_is_two_hops_nearer() -> None:
    brokers = listed()
    assert brokers.nearest(None) is None
    brokers.hear(announced(1, 1, hops=3), 5, 1, 0.0)
    brokers.hear(announced(2, 1, hops=2), 5, 1, 0.0)
    assert brokers.nearest(None) == 2
    assert brokers.nearest(1) == 1
    brokers.hear(announced(2, 2, hops=1), 5, 1, 0.0)
    assert brokers.nearest(1) == 2
    assert brokers.nearest(77) == 2


def test_who_has_resigned_is_forgotten_and_old_announcements_do_not_bring_it_back() -> None:
    brokers = listed()
    brokers.hear(announced(1, 4, hops=1), 5, 1, 0.0)
    assert brokers.hear(announced(1, 5, hops=1, version=RESIGNED), 5, 1, 0.0)
    assert not brokers.hear(announced(1, 5, hops=1, version=RESIGNED), 6, 1, 0.0)
    assert not brokers.hear(announced(1, 4, hops=0), 6, 1, 0.0)
    assert list(brokers) == []
    assert brokers.hear(announced(1, 6, hops=1), 5, 1, 0.0)


def test_a_silent_broker_is_forgotten_and_a_full_list_keeps_the_nearest() -> None:
    brokers = listed(brokers_max=2)
    brokers.hear(announced(1, 1, hops=5), 5, 1, 0.0)
    brokers.hear(announced(2, 1, hops=1), 5, 1, 1.0)
    assert not brokers.hear(announced(3, 1, hops=7), 5, 1, 1.0)
    assert brokers.hear(announced(4, 1, hops=2), 5, 1, 1.0)
    assert set(brokers) == {2, 4}
    brokers.forget_silent(1.0 + DripParameters().timeout_s)
    assert set(brokers) == set()


# --- ways ------------------------------------------------------------------------------------------------------


def membership(node: int, number: int = 1) -> Membership:
    return Membership(30, (1,), 9, node, number, (NEWS,), (), 1)


def test_one_frame_goes_to_all_that_are_behind_the_same_neighbour() -> None:
    host = RecordingHost(9)
    paths = Paths(host, DripParameters(), listed())
    for node, neighbour in ((20, 5), (21, 5), (22, 6)):
        paths.remember_pointer(membership(node), neighbour)
    event = event_of(3, 0)
    sent = Notification(event.size_bytes + 25, (20, 21, 22, 23), 9, event, 1)
    assert paths.send_down(sent) == (23,)
    frames = [(each.to, each.message) for each in host.unicasts if isinstance(each.message, Notification)]
    assert [(to, message.to, sent.size_bytes - message.size_bytes) for to, message in frames] == [
        (5, (20, 21), 8),
        (6, (22,), 12),
    ]


def test_the_newest_membership_decides_about_the_way_back() -> None:
    host = RecordingHost(9)
    paths = Paths(host, DripParameters(), listed())
    paths.remember_pointer(membership(20, number=2), 5)
    paths.remember_pointer(membership(20, number=1), 6)
    assert paths.send_down(Notification(425, (20,), 9, event_of(3, 0), 1)) == ()
    assert [each.to for each in host.unicasts] == [5]


def test_what_has_no_way_is_tried_again_until_it_is_given_up() -> None:
    host = RecordingHost(9)
    brokers = listed()
    paths = Paths(host, DripParameters(retries=2, retry_s=1.0), brokers)
    paths.send_up(membership(9))
    paths.send_up(membership(9, number=2))
    paths.retry()
    brokers.hear(announced(1, 1), 5, 1, 0.0)
    paths.retry()
    assert [each.to for each in host.unicasts] == [5, 5]
    brokers.lose(5), brokers.lose(5), brokers.lose(5)
    paths.send_up(membership(9, number=3))
    paths.retry()
    paths.retry()
    assert [each.reason for each in host.drops] == ["no-way"]
    paths.retry()
    assert len(host.drops) == 1


# --- what a broker keeps -----------------------------------------------------------------------------------------


def test_members_tell_what_is_new_to_the_region_and_what_nobody_asks_for_any_more() -> None:
    members = Members(3)
    assert members.put(1, Member(1, (NEWS,), 0.0)) == ((NEWS,), ())
    assert members.put(2, Member(1, (NEWS, TRAFFIC), 5.0)) == ((TRAFFIC,), ())
    assert members.put(1, Member(2, (), 6.0)) == ((), ())
    assert members.remove(2) == (NEWS, TRAFFIC)
    assert members.interests() == ()
    assert members.remove(2) == ()
    assert members.silent(6.5) == [1]
    members.put(2, Member(1, (), 0.0)), members.put(3, Member(1, (), 0.0))
    assert members.put(4, Member(1, (), 0.0)) is None


def test_kept_events_make_room_by_age_and_remember_where_they_are_from() -> None:
    kept = KeptEvents(2)
    first, second, third = (event_of(1, number, validity_s=10.0) for number in range(3))
    kept.put(first, is_home=False, now_s=0.0)
    kept.put(second, is_home=False, now_s=0.0)
    assert kept.put(first, is_home=True, now_s=0.0).is_home
    kept.put(third, is_home=False, now_s=0.0)
    assert [each.event.id for each in kept] == [second.id, third.id]
    kept.forget_expired(10.0)
    assert kept.get(EventId(1, 2)) is None


def test_a_range_is_sent_as_numbers_and_a_topic_as_text() -> None:
    assert interest_bytes(range_predicate({"a0": (1.0, 2.0)}), LIMITS) == 10
    assert interest_bytes(NEWS, LIMITS) == 5
    kept = KeptEvents(5)
    plain = kept.size_bytes(LIMITS)
    event = event_of(1, 0)
    kept.put(event, is_home=True, now_s=0.0)
    said = range_attributes({"a0": (3.0, 3.0)})
    assert (plain, kept.size_bytes(LIMITS)) == (0, 10)
    object.__setattr__(event, "attributes", said)
    assert kept.size_bytes(LIMITS) == 10 + 9


# --- messages --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        Membership(60, (1, 2), 9, 3, 4, (NEWS,), (EventId(5, 6),), 1),
        Shared(60, (1, 2), 9, 3, 4, 5, (NEWS,), (TRAFFIC,), (EventId(5, 6),)),
        Ask(60, (1, 2), 9, 3),
        Publication(460, (1, 2), 9, event_of(3, 0), 1),
        Notification(460, (1, 2), 9, event_of(3, 0), 3),
        Undelivered(60, (1, 2), 9, EventId(5, 6), (3, 4)),
    ],
    ids=lambda message: message.kind,
)
def test_a_message_for_some_of_its_addresses_differs_in_nothing_else(message: Addressed) -> None:
    assert message.onward(58, (2,), 8) == replace(message, size_bytes=58, to=(2,), hops_left=8)
