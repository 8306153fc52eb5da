"""Events of a tree group whose frames were not acknowledged: another try, the next parent, or another gateway."""

import pytest
from tree_group_peers import LABEL, ME, gateway_by, heartbeat, member, node, request

from roamcast.core.events import Event
from roamcast.core.host import Position
from roamcast.protocols.shared.tree_links import FAILURES_MAX
from roamcast.protocols.tree_group.messages import (
    ACCEPTED,
    LEADER,
    MEMBER,
    SEARCHING,
    FilterUpdate,
    Heartbeat,
    JoinReply,
    JoinRequest,
    Notification,
    below,
)
from roamcast.protocols.tree_group.protocol import TreeGroup
from roamcast.testing import RecordingHost, event_of

PARENT, CHILD, OTHER_GROUP = 2, 9, 77
EVERYTHING = (1 << 512) - 1


def news(number: int = 1, validity_s: float = 100.0) -> Event:
    return event_of(8, number, published_at_s=1.0, validity_s=validity_s)


def notice(event: Event, towards: tuple[int, ...] = ()) -> Notification:
    return Notification(420, event, towards, (), 0)


def sent_events(host: RecordingHost) -> list[tuple[Notification, int]]:
    return [(sent.message, sent.to) for sent in host.unicasts if isinstance(sent.message, Notification)]


def fail(protocol: TreeGroup, sent: tuple[Notification, int]) -> None:
    protocol.on_unicast_failed(*sent)


def passed_up(validity_s: float = 100.0) -> tuple[RecordingHost, TreeGroup, tuple[Notification, int]]:
    """Return a member that has sent its parent an event."""
    host, protocol = member()
    protocol.on_message(notice(news(validity_s=validity_s)), CHILD)
    (sent,) = sent_events(host)
    assert sent[1] == PARENT
    return host, protocol, sent


def test_all_events_on_their_way_to_a_parent_that_is_lost_wait_for_the_next_one() -> None:
    host, protocol = member()
    for number in (1, 2, 3):
        protocol.on_message(notice(news(number)), CHILD)
    sent = sent_events(host)
    assert [to for _, to in sent] == [PARENT] * 3
    host.unicasts.clear()
    host.advance_to(3.0)  # the parent was silent for long
    for each in sent:
        fail(protocol, each)
    assert protocol.tree_position.parent is None
    assert host.drops == []
    protocol.tree_position.adopt(30, (9, 1, -1))
    protocol._events.send_waiting()
    assert [(message.event.id.number, to) for message, to in sent_events(host)] == [(1, 30), (2, 30), (3, 30)]


def test_what_waits_for_another_try_when_the_parent_is_lost_goes_to_the_next_one() -> None:
    host, protocol, sent = passed_up()
    fail(protocol, sent)
    protocol.tree_position.lose(PARENT)
    protocol.on_message(heartbeat(label=(9, 1, -1)), 30)
    protocol.tree_position.adopt(30, (9, 1, -1))
    host.unicasts.clear()
    host.advance_to(1.12)
    assert [to for _, to in sent_events(host)] == [30]


# --- another try -----------------------------------------------------------------------------------------------


def test_an_event_that_was_not_acknowledged_is_sent_once_more_a_moment_later() -> None:
    host, protocol, sent = passed_up()
    fail(protocol, sent)
    assert sent_events(host) == [sent]
    host.advance_to(1.12)
    assert sent_events(host) == [sent, sent]
    assert protocol.tree_position.parent == PARENT
    host.advance_to(1.5)
    assert sent_events(host) == [sent, sent]


def test_after_the_last_failure_the_event_waits_and_goes_to_the_next_parent() -> None:
    host, protocol, sent = passed_up()
    for _ in range(FAILURES_MAX - 1):
        fail(protocol, sent)
        host.advance_to(host.now + 0.12)
    assert sent_events(host) == [sent] * FAILURES_MAX
    fail(protocol, sent)
    host.advance_to(host.now + 0.12)
    assert protocol.tree_position.state == SEARCHING
    assert sent_events(host) == [sent] * FAILURES_MAX
    assert protocol.storage_bytes() == 400
    protocol.on_message(heartbeat(label=(8, 1, -1)), 3)
    protocol.on_message(JoinReply(18, ACCEPTED, MEMBER, (8, 1, -1), 0), 3)
    assert sent_events(host)[-1] == (sent[0], 3)
    assert host.drops == []


def test_an_event_for_a_lost_child_is_dropped() -> None:
    host, protocol = member()
    protocol.on_message(request(bits=EVERYTHING), CHILD)
    protocol.on_message(notice(news()), PARENT)
    (sent,) = sent_events(host)
    assert sent[1] == CHILD
    fail(protocol, sent)  # who was never heard is lost at once
    assert CHILD not in protocol.tree_position.children
    assert host.drop_reasons() == ["no-link"]


def test_an_event_is_not_tried_again_when_it_is_worth_nothing_any_more() -> None:
    host, protocol, sent = passed_up(validity_s=0.05)
    fail(protocol, sent)
    host.advance_to(1.2)
    assert sent_events(host) == [sent]
    fail(protocol, sent)
    assert host.drop_reasons() == ["expired"]


def test_no_more_events_wait_for_another_try_than_the_limit() -> None:
    host, protocol = member(pending_max=1)
    protocol.on_message(request(bits=EVERYTHING), CHILD)
    protocol.on_message(heartbeat(label=below(below(LABEL)), parent=ME), CHILD)
    for number in (1, 2):
        protocol.on_message(notice(news(number)), PARENT)
    first, second = sent_events(host)
    fail(protocol, first)
    fail(protocol, second)
    assert host.drop_reasons() == ["no-link"]
    host.advance_to(1.12)
    assert sent_events(host) == [first, second, first]


# --- when a neighbour is lost ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("silent_s", "is_lost"), [(1.15, False), (1.25, True)])
def test_without_positions_who_was_silent_for_longer_than_a_heartbeat_is_lost_at_the_first_failure(
    silent_s: float, is_lost: bool
) -> None:
    host, protocol, sent = passed_up()
    host.advance_to(1.0 + silent_s)
    fail(protocol, sent)
    assert (protocol.tree_position.state == SEARCHING) == is_lost


@pytest.mark.parametrize(("parent_m", "is_lost"), [(50.0, False), (140.0, True)])
def test_with_positions_who_was_far_away_is_lost_at_the_first_failure(parent_m: float, is_lost: bool) -> None:
    host, protocol, sent = passed_up()
    host.current_position = Position(0.0, 0.0)
    protocol.on_message(heartbeat(label=(6, 9, 0), position=(150.0, 0.0)), 12)
    protocol.on_message(heartbeat(2, label=(8, 1, -1), position=(parent_m, 0.0)), PARENT)
    fail(protocol, sent)
    assert (protocol.tree_position.state == SEARCHING) == is_lost


# --- another gateway -------------------------------------------------------------------------------------------


def theirs(beat: int = 1, level: int = 3) -> Heartbeat:
    """Return the heartbeat of a node of the other group."""
    return heartbeat(beat, label=(7, OTHER_GROUP, -level), parent=40)


def beside(**more: object) -> Heartbeat:
    """Return the heartbeat of a node of the own group that is a gateway to the other."""
    said: dict[str, object] = {"label": (7, 1, -3), "parent": 30, "adjacent": ((OTHER_GROUP, 0, 3, 3, 9),), **more}
    return heartbeat(1, **said)  # type: ignore[arg-type]


def crossing_failed() -> tuple[RecordingHost, TreeGroup, tuple[Notification, int]]:
    """Return a gateway whose frame to its parent in the other group has not been acknowledged: it is lost."""
    host, protocol = member()
    protocol.on_message(theirs(level=2), 41)
    gateway_by(protocol, 41)
    host.advance_to(1.6)
    protocol.on_message(notice(news(), (OTHER_GROUP,)), PARENT)
    (sent,) = sent_events(host)
    assert (sent[1], sent[0].borders) == (41, 1)
    host.advance_to(2.3)
    return host, protocol, sent


def test_an_event_waits_for_the_next_parent_in_the_other_group_when_that_one_is_lost() -> None:
    host, protocol, sent = crossing_failed()
    protocol.on_message(theirs(level=3), 42)
    host.unicasts.clear()
    fail(protocol, sent)
    assert protocol.tree_position.second_parent is None
    assert sent_events(host) == []
    (asked,) = [(each.message, each.to) for each in host.unicasts if isinstance(each.message, JoinRequest)]
    assert (asked[1], asked[0].as_gateway) == (42, True)  # at once
    protocol.on_message(JoinReply(18, ACCEPTED, MEMBER, (7, OTHER_GROUP, -3), 0), 42)
    assert sent_events(host) == [(sent[0], 42)]  # it has crossed one border by then, as it would have by the first
    assert host.drops == []


def test_an_event_that_waits_for_one_group_is_not_passed_to_another() -> None:
    host, protocol, sent = crossing_failed()
    host.unicasts.clear()
    fail(protocol, sent)
    protocol.on_message(heartbeat(label=(7, 88, -3), parent=40), 42)
    gateway_by(protocol, 42)
    protocol.on_message(heartbeat(3, label=(7, 88, -3), parent=40), 42)
    protocol.on_message(JoinReply(18, ACCEPTED, MEMBER, (7, 88, -3), 0), 42)
    assert sent_events(host) == []
    assert "no-gateway" in host.drop_reasons()


def test_an_event_takes_another_branch_to_a_gateway_when_the_first_one_is_lost() -> None:
    host, protocol = node()
    host.advance_to(5.0)
    assert protocol.tree_position.state == LEADER
    label = below(protocol.tree_position.label)
    for child, hops in ((20, 1), (21, 0)):
        protocol.on_message(request(), child)
        adjacent = ((OTHER_GROUP, hops, 2, 3, 9),)
        protocol.on_message(heartbeat(2, label=label, parent=ME, adjacent=adjacent), child)
    host.advance_to(6.3)
    host.unicasts.clear()
    protocol.publish(event_of(ME, 1, published_at_s=host.now))
    (sent,) = sent_events(host)
    assert (sent[1], sent[0].towards) == (21, (OTHER_GROUP,))
    host.unicasts.clear()
    fail(protocol, sent)  # after more than a heartbeat of silence
    assert sent_events(host) == [(sent[0], 20)]


def test_a_member_that_has_no_way_to_a_group_any_more_asks_a_gateway_beside_it() -> None:
    host, protocol = member()
    protocol.on_message(beside(), 43)
    protocol.on_message(notice(news(), (OTHER_GROUP,)), PARENT)
    ((passed, to),) = sent_events(host)
    assert (to, passed.towards, passed.borders) == (43, (OTHER_GROUP,), 0)


def test_an_event_goes_to_a_gateway_beside_when_the_only_link_to_a_group_is_lost() -> None:
    host, protocol, sent = crossing_failed()
    protocol.on_message(beside(), 43)
    host.unicasts.clear()
    fail(protocol, sent)
    ((passed, to),) = sent_events(host)
    assert (to, passed.towards, passed.borders) == (43, (OTHER_GROUP,), 0)


@pytest.mark.parametrize(
    "said",
    [
        beside(label=(7, 88, -3)),
        beside(state=SEARCHING, parent=None),
        beside(adjacent=((OTHER_GROUP, 1, 3, 3, 9),)),
        beside(adjacent=((66, 0, 3, 3, 9),)),
        beside(interval_s=0.25),
    ],
    ids=["of a third group", "without a parent", "has the gateway below it", "to another group", "silent"],
)
def test_who_is_no_gateway_of_the_own_group_now_is_not_asked(said: Heartbeat) -> None:
    host, protocol = member()
    protocol.on_message(said, 43)
    host.advance_to(1.45)
    protocol.on_message(notice(news(), (OTHER_GROUP,)), PARENT)
    assert sent_events(host) == []
    assert host.drop_reasons() == ["no-gateway"]


def test_neither_the_parent_nor_who_did_not_acknowledge_is_a_gateway_beside() -> None:
    host, protocol = member()
    protocol.on_message(beside(label=(8, 1, -1), parent=1), PARENT)
    protocol.on_message(beside(), 43)
    protocol.on_unicast_failed(FilterUpdate(76, 0), 43)
    protocol.on_message(notice(news(), (OTHER_GROUP,)), PARENT)
    assert sent_events(host) == []
    assert host.drop_reasons() == ["no-gateway"]


def test_a_link_to_a_group_that_has_failed_or_is_silent_is_no_way_there() -> None:
    host, protocol = member()
    protocol.on_message(theirs(), 41)
    gateway_by(protocol, 41)
    assert protocol.tree_position.routes[OTHER_GROUP][:2] == (0, 41)
    protocol.on_unicast_failed(FilterUpdate(76, 0), 41)
    protocol.tree_position.find_routes()
    assert protocol.tree_position.routes == {}
    protocol.on_message(theirs(2), 41)
    gateway_by(protocol, 41)
    assert protocol.tree_position.routes[OTHER_GROUP][:2] == (0, 41)
    host.advance_to(2.7)
    protocol.tree_position.find_routes()
    assert protocol.tree_position.routes == {}


def test_a_weak_link_to_a_group_is_taken_only_where_there_is_no_better_one() -> None:
    host, protocol = member()
    host.current_position = Position(0.0, 0.0)
    protocol.on_message(heartbeat(label=(7, OTHER_GROUP, -1), position=(150.0, 0.0)), 41)
    gateway_by(protocol, 41)
    assert protocol.tree_position.routes[OTHER_GROUP][:2] == (0, 41)
    protocol.on_message(request(), CHILD)
    label, adjacent = below(protocol.tree_position.label), ((OTHER_GROUP, 0, 3, 3, 9),)
    protocol.on_message(heartbeat(label=label, parent=ME, adjacent=adjacent), CHILD)
    protocol.tree_position.find_routes()
    assert protocol.tree_position.routes[OTHER_GROUP][:2] == (1, CHILD)
