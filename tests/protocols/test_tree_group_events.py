"""Events on one node of a tree group, step by step: figure 1, gateways, several attributes (paper, 3.2, 3.3, 3.5)."""

from dataclasses import replace

import pytest
from tree_group_peers import ME, NEWS, gateway_by, heartbeat, last, member, node, request

from roamcast.core.attributes import Attributes
from roamcast.core.errors import UserError
from roamcast.core.events import Event
from roamcast.core.parameters import build
from roamcast.core.predicates import parse
from roamcast.matching import bloom
from roamcast.protocols.tree_group.messages import (
    LEADER,
    FilterUpdate,
    Heartbeat,
    Notification,
    below,
)
from roamcast.protocols.tree_group.parameters import TreeGroupParameters
from roamcast.protocols.tree_group.protocol import TreeGroup
from roamcast.testing import RecordingHost, event_of, interest_in

# --- figure 1: D publishes, F has subscribed -----------------------------------------------------------------


def test_figure_1_a_publication_goes_up_from_d_and_b_and_down_by_c_to_f(monkeypatch: pytest.MonkeyPatch) -> None:
    places = {"topic\x1fsb": (2, 3), "topic\x1fsf": (5, 10), "topic\x1fsd": (1, 6), "topic\x1fse": (3, 11)}
    monkeypatch.setattr(bloom.BloomShape, "positions", lambda _, text: places.get(text, (0, 0)))
    bloom._mask.cache_clear()
    try:
        bits = {name: bloom.bits_at(places[f"topic\x1f{name}"]) for name in ("sb", "sd", "se", "sf")}
        host, b = member(filter_bits=12, filter_hashes=2)
        b.subscribe(interest_in("sb"))
        b.on_message(request(bits=bits["sd"]), 30)
        b.on_message(request(bits=bits["se"]), 31)
        host.advance_to(1.5)
        assert FilterUpdate(14, bits["sb"] | bits["sd"] | bits["se"]) in [sent.message for sent in host.unicasts]
        host.unicasts.clear()
        published = event_of(30, topic="sf")
        b.on_message(Notification(420, published, (), (), 0), 30)
        assert [sent.to for sent in host.unicasts] == [2]  # neither E nor the local filter: only up
        host_c, c = member(filter_bits=12, filter_hashes=2)
        c.on_message(request(bits=bits["sf"]), 33)
        c.on_message(request(bits=bits["sd"]), 34)
        host_c.unicasts.clear()
        c.on_message(Notification(420, published, (), (), 0), 2)
        assert [sent.to for sent in host_c.unicasts] == [33]  # down, and not up again: it came from the parent
        assert host_c.delivered() == []
        host_f, f = member(filter_bits=12, filter_hashes=2)
        f.subscribe(interest_in("sf"))
        f.on_message(Notification(420, published, (), (), 0), 2)
        assert host_f.delivered() == [published]
    finally:
        bloom._mask.cache_clear()


def test_a_false_positive_is_stopped_by_the_exact_subscriptions() -> None:
    host, protocol = member(filter_bits=1, filter_hashes=1)
    protocol.subscribe(interest_in("traffic"))
    protocol.on_message(Notification(420, event_of(8), (), (), 0), 2)
    assert host.deliveries == []


def test_an_event_that_was_seen_is_not_sent_or_delivered_again() -> None:
    host, protocol = member()
    protocol.subscribe(NEWS)
    protocol.on_message(Notification(420, event_of(8), (), (), 0), 9)
    host.unicasts.clear()
    protocol.on_message(Notification(420, event_of(8), (), (), 0), 4)
    assert (host.unicasts, len(host.deliveries)) == ([], 1)


# --- gateways ------------------------------------------------------------------------------------------------


def test_a_leader_takes_the_nearest_gateway_to_each_group_and_does_not_send_where_an_event_was() -> None:
    host, protocol = node()
    host.advance_to(5.0)
    assert protocol.tree_position.state == LEADER
    mine = protocol.tree_position.label
    for child in (20, 21):
        protocol.on_message(request(), child)
    far, near = ((77, 2, 1, 3, 9), (88, 0, 4, 3, 9)), ((77, 0, 2, 3, 9),)
    protocol.on_message(heartbeat(2, label=below(mine), parent=ME, adjacent=far), 20)
    protocol.on_message(heartbeat(2, label=below(mine), parent=ME, adjacent=near), 21)
    host.advance_to(6.2)
    host.unicasts.clear()
    protocol.publish(event_of(ME, 1, published_at_s=host.now))
    sent = {each.to: each.message for each in host.unicasts}
    assert {to: message.towards for to, message in sent.items() if isinstance(message, Notification)} == {
        20: (88,),
        21: (77,),
    }
    host.unicasts.clear()
    protocol.on_message(Notification(420, event_of(60), (), (88, 77), 1), 33)
    assert host.unicasts == []


def test_a_gateway_passes_an_event_over_and_counts_the_border() -> None:
    host, protocol = member()
    protocol.on_message(heartbeat(1, label=(7, 77, -3), parent=40), 41)
    gateway_by(protocol, 41)
    host.advance_to(2.3)
    protocol.on_message(heartbeat(2), 2)
    protocol.on_message(heartbeat(2, label=(7, 77, -3), parent=40), 41)
    told = [sent.message for sent in host.broadcasts if isinstance(sent.message, Heartbeat)][-1]
    assert told.adjacent == ((77, 0, 3, 3, 9),)
    protocol.on_message(Notification(424, event_of(8), (77,), (1,), 0), 2)
    passed, to = last(host)
    assert isinstance(passed, Notification)
    assert (to, passed.towards, passed.groups, passed.borders) == (41, (), (1,), 1)


# --- multi-attribute publications ----------------------------------------------------------------------------


def many_attributes(count: int) -> Attributes:
    return Attributes({f"a{number}": number for number in range(count)})


def test_too_many_attributes_are_an_error_of_the_publisher_and_a_drop_from_a_peer() -> None:
    host, protocol = member(attributes_max=3)
    event = event_of(ME)
    protocol.publish(replace(event, attributes=many_attributes(3)))
    with pytest.raises(UserError, match="attributes = 4: must be at most 3"):
        protocol.publish(replace(event, attributes=many_attributes(4)))
    theirs: Event = replace(event_of(8), attributes=many_attributes(64))
    protocol.on_message(Notification(500, theirs, (), (), 0), 2)
    assert host.drop_reasons() == ["too-many-attributes"]


def test_more_attributes_than_can_be_combined_are_an_error_in_a_scenario() -> None:
    with pytest.raises(UserError, match=r"attributes_max = 13: must be at most 12"):
        build(TreeGroupParameters, {"attributes_max": 13}, "[protocol]")
    with pytest.raises(UserError, match=r"levels_preferred = 5: must be at most levels_limit \(4\)"):
        build(TreeGroupParameters, {"levels_preferred": 5, "levels_limit": 4}, "[protocol]")


def test_a_conjunction_is_sent_down_only_to_who_asks_for_a_part_of_it() -> None:
    host, protocol = member()
    shape = protocol.tree_position.shape
    asks = {20: 'a = 1 and b = "x"', 21: "a = 2", 22: "c < 5", 23: "a = 1 and c = 9"}
    for child, text in asks.items():
        other, subscriber = RecordingHost(child), None
        subscriber = other.install(TreeGroup)
        subscriber.subscribe(parse(text))
        protocol.on_message(request(bits=subscriber.tree_position.own_bits), child)
    assert all(shape.is_filter(row.bits) for row in protocol.tree_position.children.values())
    host.unicasts.clear()
    event = replace(event_of(8), attributes=Attributes({"a": 1, "b": "x"}))
    protocol.on_message(Notification(420, event, (), (), 0), 2)
    assert [sent.to for sent in host.unicasts] == [20, 22]  # a range counts as everything: never missed
