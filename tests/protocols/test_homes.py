"""The homes of topics: the same for all, spread over the area, and every event comes to those of who asks for it."""

import subprocess
import sys
from hashlib import blake2b

import pytest
from hostile_strategies import interests
from hypothesis import given
from hypothesis import strategies as st

from roamcast.core.attributes import Attributes
from roamcast.core.event_interests import Interest, TopicInterest
from roamcast.core.events import Event, EventId
from roamcast.core.host import Position, World
from roamcast.core.predicates import parse
from roamcast.core.topics import Topic
from roamcast.protocols.shared.topic_homes.homes import (
    event_homes,
    home_node,
    home_place,
    home_topic,
    home_topics,
    home_waypoint,
)
from roamcast.sim.mobility.freeway import Freeway
from roamcast.testing.hostile_messages import TOPICS

WORLD = World(60, 1000.0, 900.0, tuple(Position(*place) for place in Freeway().waypoints()))


def test_a_topic_is_hashed_to_the_same_numbers_on_every_machine() -> None:
    digest = blake2b(b"news", digest_size=16).digest()
    across, up = (int.from_bytes(digest[at : at + 8], "big") / 2**64 for at in (0, 8))
    assert home_place(Topic("news"), WORLD).x_m == pytest.approx(across * 1000.0)
    assert home_place(Topic("news"), WORLD).y_m == pytest.approx(up * 900.0)
    assert home_node(Topic("news"), WORLD) == int(across * 60)
    assert home_node(Topic("news"), World(1, 1.0, 1.0)) == 0


def test_another_process_with_another_hash_seed_finds_the_same_homes() -> None:
    program = (
        "from roamcast.core.host import World; from roamcast.core.topics import Topic; "
        "from roamcast.protocols.shared.topic_homes.homes import home_place; "
        "print(*home_place(Topic('news'), World(60, 1000.0, 900.0)))"
    )
    command = [sys.executable, "-c", program]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "7"}).stdout
    assert Position(*map(float, printed.split())) == home_place(Topic("news"), WORLD)


def test_homes_are_spread_evenly_over_nodes_and_area() -> None:
    topics = [Topic(f"topic-{number}") for number in range(6000)]
    nodes = [home_node(topic, WORLD) for topic in topics]
    assert {nodes.count(node) for node in range(60)} <= set(range(60, 150))
    places = [home_place(topic, WORLD) for topic in topics]
    quarters = [(place.x_m < 500, place.y_m < 450) for place in places]
    assert all(1350 < quarters.count(each) < 1650 for each in set(quarters))
    assert len(set(quarters)) == 4


def test_a_waypoint_home_is_the_nearest_of_the_map() -> None:
    for number in range(50):
        topic = Topic(f"topic-{number}")
        place, home = home_place(topic, WORLD), home_waypoint(topic, WORLD)
        assert home in WORLD.waypoints
        away = {each: (each.x_m - place.x_m) ** 2 + (each.y_m - place.y_m) ** 2 for each in WORLD.waypoints}
        assert away[home] == min(away.values())


def test_without_a_map_a_waypoint_home_is_the_place_itself() -> None:
    world = World(60, 1000.0, 900.0)
    assert home_waypoint(Topic("news"), world) == home_place(Topic("news"), world)


@pytest.mark.parametrize(
    ("interest", "expected"),
    [
        (TopicInterest(Topic("news")), ["news"]),
        (TopicInterest(Topic("news.local.sports")), ["news"]),
        (TopicInterest(Topic.root()), ["."]),
        (parse('topic = "news.local" and x < 1'), ["news"]),
        (parse('topic = "news" or topic = "traffic.jam"'), ["news", "traffic"]),
        (parse('topic = "news" or x < 1'), ["."]),
        (parse("x < 1"), ["."]),
    ],
)
def test_an_interest_stands_at_the_homes_of_its_first_segments(interest: Interest, expected: list[str]) -> None:
    assert [topic.path for topic in home_topics(interest)] == expected


@given(interest=interests, topic=st.sampled_from(TOPICS), x=st.sampled_from((0.0, 0.5, "abc")))
def test_every_event_that_an_interest_matches_comes_to_one_of_its_homes(
    interest: Interest, topic: str, x: float | str
) -> None:
    event = Event(EventId(1, 1), Topic(topic), 0.0, 10.0, 400, Attributes({"x": x}))
    for find_home in (home_node, home_place, home_waypoint):
        stands = {find_home(each, WORLD) for each in home_topics(interest)}
        comes = event_homes(event.topic, find_home, WORLD, root_home=True)
        assert len(set(comes)) == len(comes)
        if interest.matches(event):
            assert stands & set(comes)


def test_without_a_home_of_the_root_an_event_goes_to_one_place_only() -> None:
    assert event_homes(Topic("news.local"), home_node, WORLD, root_home=False) == (home_node(Topic("news"), WORLD),)
    assert home_topic(Topic.root()) == Topic.root()
