"""The homes of topics: where subscriptions to a topic meet its events (broker and rendezvous paper, 3.3 and 3.6).

A topic is hashed to the node with the closest identifier, to a place, or to the waypoint of the map nearest to that
place. All nodes compute the same hash, on all machines.

The paper's topics are flat; ours form a tree. The first segment decides, so that a subscription to ``news`` and an
event on ``news.local`` meet. An interest that names no first segment is kept at the home of the root, to which events
go too (``root_home``). These are our choices.
"""

from collections.abc import Callable
from hashlib import blake2b

from roamcast.core.event_interests import Interest, TopicInterest
from roamcast.core.host import Position, World
from roamcast.core.predicates import Predicate
from roamcast.core.predicates.comparisons import TOPIC
from roamcast.core.predicates.topic_sets import TopicSet
from roamcast.core.topics import Topic
from roamcast.routing import Destination

ROOT = Topic.root()

FindHome = Callable[[Topic, World], Destination]
"""A function that returns the home of a topic with one segment, or of the root."""


def home_node(topic: Topic, world: World) -> int:
    """Return the identifier closest to the topic's hash, which is uniform over the space of identifiers.

    Each node has an equal share of the space, with its identifier in the middle.
    """
    along, _ = _hashed(topic)
    return min(int(along * world.nodes), world.nodes - 1)


def home_place(topic: Topic, world: World) -> Position:
    """Return the place (Hx, Hy) in the area to which the topic is hashed, uniformly."""
    across, up = _hashed(topic)
    return Position(across * world.width_m, up * world.height_m)


def home_waypoint(topic: Topic, world: World) -> Position:
    """Return the waypoint nearest to the place to which the topic is hashed; without a map, that place itself."""
    place = home_place(topic, world)
    return min(world.waypoints, key=lambda each: (_squared_m2(each, place), each), default=place)


def home_topic(topic: Topic) -> Topic:
    """Return the topic that decides a topic's home: its first segment."""
    return topic if topic == ROOT else Topic(topic.path.partition(".")[0])


def home_topics(interest: Interest) -> tuple[Topic, ...]:
    """Return the topics at whose homes an interest must be kept so that no event is missed, in order."""
    if isinstance(interest, TopicInterest):
        return (home_topic(interest.topic),)
    if not isinstance(interest, Predicate):
        return (ROOT,)
    found: set[Topic] = set()
    for alternative in interest.alternatives:
        topics = alternative.by_name.get(TOPIC)
        found.update(map(home_topic, topics.within) if isinstance(topics, TopicSet) else (ROOT,))
    return (ROOT,) if ROOT in found else tuple(sorted(found))


def event_homes(topic: Topic, find_home: FindHome, world: World, root_home: bool) -> tuple[Destination, ...]:
    """Return the homes that an event must reach, each once."""
    topics = (home_topic(topic), ROOT) if root_home else (home_topic(topic),)
    return tuple(dict.fromkeys(find_home(each, world) for each in topics))


def _hashed(topic: Topic) -> tuple[float, float]:
    """Return two independent numbers in [0, 1) for a topic, the same on every machine."""
    digest = blake2b(topic.path.encode(), digest_size=16).digest()
    first, second = (int.from_bytes(digest[at : at + 8], "big") >> 11 for at in (0, 8))
    return first * 2.0**-53, second * 2.0**-53


def _squared_m2(one: Position, other: Position) -> float:
    x_m, y_m = one.x_m - other.x_m, one.y_m - other.y_m
    return x_m * x_m + y_m * y_m
