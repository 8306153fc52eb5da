"""An event never reaches whom its policy excludes: in any system, while roles move and frames are lost.

The network is small, fast and full: cars at up to 60 m/s, so that homes change hands every few seconds and many frames
are lost, and people of several roles. What is tried is that a notification is sent to an excluded subscriber at all, by
anybody; that the host would hold it back does not count.
"""

import re
from collections import Counter
from functools import cache
from typing import Any, NamedTuple

import pytest

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.core.attributes import Attributes
from roamcast.core.errors import UserError
from roamcast.core.events import Event, EventId
from roamcast.core.predicates import AttributePolicy, PredicateError, parse
from roamcast.core.topics import Topic
from roamcast.protocols import load_protocol, protocol_names
from roamcast.protocols.shared.topic_homes.messages import Notification, Subscribe
from roamcast.routing.aodv.messages import RoutedPacket
from roamcast.routing.gpsr.messages import GeographicPacket
from roamcast.sim.facts import Facts
from roamcast.sim.setup import FrameSent
from roamcast.sim.simulated_host import SimulatedHost
from roamcast.sim.simulation import simulate

SYSTEMS = tuple(name for name in protocol_names() if name.startswith(("broker", "rendezvous")))
ROLES = ("police", "medic", "press", None)
POLICIES = ('role = "police"', 'role = "police" or role = "medic"', "role missing", "rank >= 2", "rank < 2")
NODES = 24
LIGHT = {"root_home": False, "subscription_s": 2.0, "timeout_s": 7.0}
FEW_HOPS = {"router": {"hops_max": 32}}
"""So that packets which go round and round do not take all of the air."""


def role(node: int) -> str | None:
    return ROLES[node % 4]


def admitted(policy: str) -> set[int]:
    """Return the nodes that a policy admits, worked out apart from the code under test."""
    ranks = {node: node % 3 for node in range(NODES) if role(node)}
    return {
        POLICIES[0]: {node for node in range(NODES) if role(node) == "police"},
        POLICIES[1]: {node for node in range(NODES) if role(node) in ("police", "medic")},
        POLICIES[2]: {node for node in range(NODES) if role(node) is None},
        POLICIES[3]: {node for node, rank in ranks.items() if rank >= 2},
        POLICIES[4]: {node for node, rank in ranks.items() if rank < 2},
    }[policy]


def document(name: str) -> dict[str, Any]:
    """Return a story in which everybody asks for everything and events exclude most of them."""
    people = [
        {"nodes": [node], "attributes": {"role": role(node), "rank": node % 3}} for node in range(NODES) if role(node)
    ]
    published = [
        {
            "node": number % NODES,
            "topic": f"t{number % 2}",
            "at_s": 0.5 + 0.5 * number,
            "validity_s": 20,
            "policy": POLICIES[number % len(POLICIES)],
        }
        for number in range(60)
    ]
    return {
        "name": "policies",
        "duration_s": 35,
        "settle_s": 5,
        "area": {"width_m": 1000, "height_m": 900},
        "nodes": {"count": NODES},
        "mobility": {"model": "freeway", "speed_mps": [40, 60]},
        "radio": {"model": "range", "range_m": 250},
        "workload": {
            "model": "script",
            "people": people,
            "subscriptions": [{"nodes": "all", "topic": f"t{number}"} for number in range(2)],
            "publications": published,
        },
        "protocol": {"name": name, **(LIGHT if name in SYSTEMS else {}), **(FEW_HOPS if "gpsr" in name else {})},
    }


class Played(NamedTuple):
    """The parts of a story that tests look at; its frames are hundreds of thousands of objects, and not kept."""

    facts: Facts
    notified: Counter[bool]
    """The frames of notifications, by whether their policies admit whom they are for."""
    notifiers: set[int]
    """The nodes at which notifications began."""
    handed: list[tuple[int, Event]]
    """Everything that a protocol handed to its host, allowed or not."""


def play(name: str, seed: int) -> Played:
    """Simulate a story and watch it."""
    notified: Counter[bool] = Counter()
    notifiers: set[int] = set()
    handed: list[tuple[int, Event]] = []
    deliver = SimulatedHost.deliver

    def watch(frame: FrameSent) -> None:
        packet = frame.message
        if isinstance(packet, RoutedPacket | GeographicPacket) and isinstance(packet.payload, Notification):
            to = packet.destination if isinstance(packet, RoutedPacket) else packet.node
            notified[to in admitted(str(packet.payload.event.policy))] += 1
            notifiers.add(packet.origin)

    def watched(host: SimulatedHost, event: Event) -> None:
        handed.append((host.node, event))
        deliver(host, event)

    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(SimulatedHost, "deliver", watched)
        facts = simulate(Scenario.from_document(document(name)).setup(), seed, watch)
    return Played(facts, notified, notifiers, handed)


@cache
def played(name: str, seed: int) -> Played:
    """Return a story that several tests look at, with the code as it is."""
    return play(name, seed)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", SYSTEMS)
def test_nobody_sends_or_delivers_an_event_to_whom_its_policy_excludes(name: str, seed: int) -> None:
    facts, notified, _, handed = played(name, seed)
    assert set(notified) == {True}
    assert all(node in admitted(str(event.policy)) for node, event in handed)
    assert "excluded-by-policy" not in {each.reason for each in facts.drops}
    # The story would show nothing if hardly anything arrived, or if nothing was lost on the way.
    wanted = sum(each.interested for each in facts.publications)
    arrived = sum(each.counted for each in facts.deliveries)
    assert wanted == sum(len(admitted(POLICIES[number % 5]) - {number % NODES}) for number in range(60))
    assert (2 if name.endswith("gpsr") else 0.1 * wanted) < arrived < wanted  # without a map, next to nothing arrives
    assert sum(each.frames_lost for each in facts.node_facts) > 100


@pytest.mark.parametrize("name", protocol_names())
def test_whichever_protocol_runs_the_host_holds_back_what_a_policy_excludes(name: str) -> None:
    facts = played(name, 1).facts
    assert facts.deliveries
    for delivery in facts.deliveries:
        assert delivery.node in admitted(POLICIES[delivery.event % 5])


@pytest.mark.parametrize("name", ["broker-aodv", "rendezvous-gpsr-map"])
def test_the_story_catches_who_decides_by_topic_and_filter_only(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(subscription: Subscribe, event: Event) -> bool:
        return any(interest.matches(event) for interest in subscription.interests)

    monkeypatch.setattr(Subscribe, "wants", forgetful)
    assert play(name, 1).notified[False] > 0


def test_roles_do_move_in_the_story() -> None:
    assert len(played("broker-gpsr-map", 1).notifiers) > 5


# --- policies themselves ---------------------------------------------------------------------------------------


def test_a_policy_asks_about_the_subscriber_and_not_about_the_event() -> None:
    policy = AttributePolicy(parse('role = "police" and rank >= 2'))
    event = Event(EventId(1, 1), Topic("news"), 0.0, 1.0, 400, Attributes({"role": "police", "rank": 5}), policy)
    assert not event.is_open_to(Attributes({"role": "police", "rank": 1}))
    assert not event.is_open_to(Attributes())
    assert event.is_open_to(Attributes({"role": "police", "rank": 2}))
    assert Event(EventId(1, 1), Topic("news"), 0.0, 1.0, 400).is_open_to(Attributes())


def test_a_policy_about_topics_is_refused_with_the_place_where_it_stands() -> None:
    with pytest.raises(PredicateError):
        AttributePolicy(parse('topic = "news"'))
    story = document("frugal")
    story["workload"]["publications"][7]["policy"] = 'topic = "news"'
    with pytest.raises(UserError, match=re.escape("publications[7] policy")) as raised:
        Scenario.from_document(story)
    assert "\n" not in str(raised.value)


def test_people_must_be_nodes_that_there_are() -> None:
    story = document("frugal")
    story["workload"]["people"] = [{"nodes": [NODES], "attributes": {"role": "police", "rank": 1}}]
    with pytest.raises(UserError, match=re.escape("people[0] nodes")):
        simulate(Scenario.from_document(story).setup(), 1)


def test_a_later_entry_on_the_same_people_adds_to_an_earlier_one() -> None:
    story = document("flooding")
    story["workload"]["people"] = [
        {"attributes": {"role": "press", "rank": 1}},
        {"nodes": [3], "attributes": {"role": "police"}},
    ]
    story["workload"]["publications"] = [
        {"node": 0, "topic": "t0", "at_s": 1, "validity_s": 20, "policy": 'role = "police" and rank = 1'}
    ]
    facts = simulate(Scenario.from_document(story).setup(), 1)
    assert [each.interested for each in facts.publications] == [1]
    assert {each.node for each in facts.deliveries} <= {3}


def test_every_protocol_is_loaded_by_name() -> None:
    assert {load_protocol(name).__name__ for name in SYSTEMS} == {
        *("BrokerAodv", "BrokerGpsr", "BrokerGpsrMap"),
        *("RendezvousAodv", "RendezvousGpsr", "RendezvousGpsrMap"),
    }
