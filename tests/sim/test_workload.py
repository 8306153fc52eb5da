"""Who subscribes and who publishes, drawn or written down."""

from collections.abc import Callable
from dataclasses import replace
from math import inf
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roamcast.core.errors import UserError
from roamcast.core.event_interests import TopicInterest
from roamcast.core.events import Event, EventId
from roamcast.core.parameters import ParameterError, as_table, build
from roamcast.core.topics import Topic
from roamcast.sim.mobility.random_waypoint import RandomWaypoint
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area
from roamcast.sim.workload import Publication, Subscription, Workload, load_workload, workload_names
from roamcast.sim.workload.script import Script
from roamcast.sim.workload.single_topic import SingleTopic

NEWS = Topic("news.local")
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def draw(model: SingleTopic, count: int = 20, duration_s: float = 100.0, seed: int = 1) -> Workload:
    """Return a workload for some surroundings."""
    return model.workload(count, duration_s, RandomStreams(seed))


def subscribers(workload: Workload, topic: Topic = NEWS) -> set[int]:
    """Return the nodes that ask for a topic."""
    return {each.node for each in workload.subscriptions if each.interest == TopicInterest(topic)}


def publishers(workload: Workload) -> list[int]:
    """Return who publishes, in order."""
    return [each.node for each in workload.publications]


def single(**values: Any) -> SingleTopic:
    """Return a workload of half of the nodes."""
    return replace(SingleTopic(subscriber_fraction=0.5, validity_s=30.0), **values)


def script(**tables: Any) -> Script:
    """Return a script from what stands in a scenario file."""
    return build(Script, tables, "s.toml [workload]")


def told(attempt: Callable[[], object]) -> tuple[str, str]:
    """Return the key and the expectation of a model's complaint."""
    with pytest.raises(ParameterError) as caught:
        attempt()
    return caught.value.key, caught.value.expected


def test_both_workloads_are_found_by_their_names() -> None:
    assert {"single-topic", "script"} <= set(workload_names())
    assert load_workload("single-topic") is SingleTopic
    assert load_workload("script") is Script


@pytest.mark.parametrize(("fraction", "expected"), [(0.0, 1), (0.01, 1), (0.2, 4), (0.8, 16), (1.0, 20)])
def test_the_share_of_subscribers_is_rounded_and_at_least_one(fraction: float, expected: int) -> None:
    assert len(subscribers(draw(single(subscriber_fraction=fraction)))) == expected


@unhurried
@given(
    st.integers(0, 99),
    st.integers(1, 60),
    st.floats(0, 1),
    st.floats(0, 1),
    st.sampled_from(["subscriber", "any", 0]),
)
def test_a_larger_share_only_adds_subscribers(seed: int, count: int, one: float, other: float, who: str | int) -> None:
    small, large = (
        subscribers(draw(single(subscriber_fraction=share, publisher=who), count, seed=seed))
        for share in sorted((one, other))
    )
    assert small <= large


def test_subscribers_depend_on_the_seed_and_on_nothing_else() -> None:
    assert draw(single()) == draw(single())
    assert subscribers(draw(single())) == subscribers(draw(single(events=9, publisher="any", validity_s=3.0)))
    assert len({frozenset(subscribers(draw(single(), seed=seed))) for seed in range(10)}) == 10


def test_every_node_is_as_likely_to_subscribe_as_any_other() -> None:
    times = [0] * 10
    for seed in range(1000):
        for node in subscribers(draw(single(subscriber_fraction=0.3), 10, seed=seed)):
            times[node] += 1
    # 300 expected with a standard deviation of 14.5: four of them either way.
    assert all(242 <= each <= 358 for each in times)


def test_subscriptions_are_there_from_the_protocols_start() -> None:
    assert {(each.at_s, each.active) for each in draw(single(other_topic=Topic("sports"))).subscriptions} == {
        (-inf, True)
    }


def test_the_others_ask_for_nothing_or_for_the_other_topic() -> None:
    alone, both = draw(single()), draw(single(other_topic=Topic("sports")))
    assert len(alone.subscriptions) == 10
    assert subscribers(both) == subscribers(alone)
    assert subscribers(both, Topic("sports")) == set(range(20)) - subscribers(alone)


def test_events_are_published_at_an_even_pace_with_what_the_scenario_says() -> None:
    model = single(events=3, first_at_s=5.0, interval_s=2.5, event_size_bytes=99, topic=Topic("a.b"))
    published = draw(model).publications
    assert [each.at_s for each in published] == [5.0, 7.5, 10.0]
    assert {(each.topic, each.validity_s, each.size_bytes) for each in published} == {(Topic("a.b"), 30.0, 99)}


def test_no_events_are_a_workload_too() -> None:
    assert draw(single(events=0, first_at_s=500.0)).publications == ()


def test_a_drawn_publisher_is_one_of_those_asked_for() -> None:
    inside = subscribers(draw(single()))
    assert set(publishers(draw(single(events=200)))) == inside
    assert set(publishers(draw(single(events=200, publisher="outsider")))) == set(range(20)) - inside
    assert set(publishers(draw(single(events=400, publisher="any")))) == set(range(20))


def test_an_events_publisher_does_not_depend_on_how_many_events_follow() -> None:
    assert publishers(draw(single(events=50)))[:7] == publishers(draw(single(events=7)))


@unhurried
@given(st.integers(0, 50), st.integers(1, 20), st.floats(0, 1), st.data())
def test_a_publisher_with_a_number_publishes_and_subscribes(
    seed: int, count: int, share: float, data: st.DataObject
) -> None:
    node = data.draw(st.integers(0, count - 1))
    workload = draw(single(publisher=node, subscriber_fraction=share, events=3), count, seed=seed)
    assert publishers(workload) == [node] * 3
    assert node in subscribers(workload)
    assert len(subscribers(workload)) == max(1, round(share * count))


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_publisher_with_a_number_can_stay_outside(share: float) -> None:
    for node in range(5):
        workload = draw(single(publisher=node, publisher_subscribes=False, subscriber_fraction=share), 5)
        assert publishers(workload) == [node]
        assert node not in subscribers(workload)
        assert len(subscribers(workload)) == min(4, max(1, round(share * 5)))


def test_publishers_in_turn_see_the_same_order_of_subscribers() -> None:
    drawn = draw(single(), 20)
    for node in range(20):
        shared = subscribers(draw(single(publisher=node))) - {node}
        assert len(shared - subscribers(drawn)) == 0


def test_the_draw_with_number_0_is_the_one_that_there_was_before_draws_had_numbers() -> None:
    workload = draw(single(events=6, draw=0))
    assert workload == draw(single(events=6))
    assert sorted(subscribers(workload)) == [2, 3, 5, 6, 7, 13, 15, 16, 17, 18]
    assert publishers(workload) == [7, 18, 18, 15, 13, 7]


def test_every_draw_has_other_subscribers_and_publishers_but_as_many_of_them() -> None:
    drawn = [draw(single(events=30, draw=number)) for number in range(20)]
    assert len({frozenset(subscribers(each)) for each in drawn}) == 20
    assert len({tuple(publishers(each)) for each in drawn}) == 20
    assert {len(subscribers(each)) for each in drawn} == {10}
    assert all(set(publishers(each)) <= subscribers(each) for each in drawn)
    assert draw(single(draw=3)) == draw(single(draw=3)) != draw(single(draw=3), seed=2)


def test_every_node_is_as_likely_to_subscribe_over_the_draws_of_one_seed() -> None:
    times = [0] * 10
    for number in range(1000):
        for node in subscribers(draw(single(subscriber_fraction=0.3, draw=number), 10)):
            times[node] += 1
    # 300 expected with a standard deviation of 14.5: four of them either way.
    assert all(242 <= each <= 358 for each in times)


@pytest.mark.parametrize("number", [0, 1, 29])
def test_publishers_in_turn_see_the_same_draw(number: int) -> None:
    drawn = subscribers(draw(single(draw=number)))
    for node in range(20):
        workload = draw(single(draw=number, publisher=node))
        assert publishers(workload) == [node]
        assert node in subscribers(workload)
        assert subscribers(workload) - {node} <= drawn


def test_every_draw_has_random_streams_of_its_own_for_subscribers_and_for_publishers() -> None:
    asked: list[str] = []

    class Watched(RandomStreams):
        def python(self, component: str, node: int = -1) -> Random:
            asked.append(component)
            return super().python(component, node)

    for number in (0, 7):
        single(draw=number).workload(20, 100.0, Watched(1))
    assert len(asked) == len(set(asked)) == 4


def test_another_draw_is_on_the_same_movement() -> None:
    model, area = RandomWaypoint(speed_mps=(1.0, 10.0)), Area(500.0, 500.0)
    walks = []
    for number in (0, 7):
        streams = RandomStreams(5)
        single(draw=number, events=3).workload(20, 100.0, streams)
        walks.append(model.trajectories(20, area, 100.0, streams))
    for part in ("offsets", "time_s", "x_m", "y_m"):
        assert np.array_equal(getattr(walks[0], part), getattr(walks[1], part))


@pytest.mark.parametrize(
    ("value", "expected"), [(-1, "must be at least 0"), (1.5, "must be a whole number"), ("a", "must be a whole")]
)
def test_a_draw_is_a_number_from_0(value: object, expected: str) -> None:
    with pytest.raises(UserError) as caught:
        build(SingleTopic, {"subscriber_fraction": 0.5, "validity_s": 30, "draw": value}, "s.toml [workload]")
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("values", "count", "key", "expected"),
    [
        ({"publisher": 20}, 20, "publisher", "must be below 20, the number of nodes, which count from 0"),
        (
            {"publisher": "outsider", "subscriber_fraction": 1.0},
            5,
            "publisher",
            "must not be an outsider if every node subscribes",
        ),
        (
            {"publisher": 0, "publisher_subscribes": False},
            1,
            "publisher_subscribes",
            "must be true if the publisher is the only node",
        ),
        ({"first_at_s": 100.0}, 5, "first_at_s", "publishes at 100 s; must be before the end at 100 s"),
        ({"events": 5, "interval_s": 25.0}, 5, "interval_s", "publishes at 100 s; must be before the end at 100 s"),
    ],
)
def test_a_workload_that_does_not_fit_its_surroundings_says_so(
    values: dict[str, Any], count: int, key: str, expected: str
) -> None:
    assert told(lambda: draw(single(**values), count)) == (key, expected)


def test_values_that_contradict_each_other_are_refused() -> None:
    assert told(lambda: single(other_topic=Topic("news"))) == ("other_topic", 'must not cover the topic "news.local"')
    assert told(lambda: single(other_topic=NEWS)) == ("other_topic", 'must not cover the topic "news.local"')
    assert single(other_topic=Topic("news.local.sports")).other_topic is not None
    assert told(lambda: single(publisher_subscribes=False))[0] == "publisher_subscribes"


def test_a_script_says_who_asks_when_and_nothing_is_drawn() -> None:
    model = script(
        subscriptions=[
            {"nodes": [2, 0], "topic": "a", "until_s": 60},
            {"node": 1, "topic": "b", "from_s": 5},
            {"nodes": "all", "topic": "c", "from_s": 7, "until_s": 100},
        ],
        publications=[
            {"node": 2, "topic": "c", "at_s": 9, "validity_s": 1},
            {"node": 1, "topic": "a.x", "at_s": 3, "validity_s": 20, "size_bytes": 50},
        ],
    )
    a, b, c = (TopicInterest(Topic(name)) for name in "abc")
    workload = model.workload(3, 100.0, RandomStreams(1))
    assert workload.subscriptions == (
        Subscription(-inf, 0, a),
        Subscription(-inf, 2, a),
        Subscription(5.0, 1, b),
        Subscription(7.0, 0, c),
        Subscription(7.0, 1, c),
        Subscription(7.0, 2, c),
        Subscription(60.0, 0, a, active=False),
        Subscription(60.0, 2, a, active=False),
    )
    assert workload.publications == (
        Publication(3.0, 1, Topic("a.x"), 20.0, 50),
        Publication(9.0, 2, Topic("c"), 1.0, 400),
    )
    assert model.workload(3, 100.0, RandomStreams(2)) == workload


def test_a_node_that_asks_again_at_once_ends_before_it_begins() -> None:
    periods = [{"node": 0, "topic": "a", "from_s": 5, "until_s": 9}, {"node": 0, "topic": "a", "until_s": 5}]
    steps = script(subscriptions=periods).workload(1, 50.0, RandomStreams(1)).subscriptions
    assert [(each.at_s, each.active) for each in steps] == [(-inf, True), (5.0, False), (5.0, True), (9.0, False)]


def test_an_empty_script_is_a_workload() -> None:
    assert script().workload(1, 1.0, RandomStreams(1)) == Workload((), ())


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        ({"topic": "a"}, "node: give either node or nodes, not both"),
        ({"topic": "a", "node": 1, "nodes": [2]}, "node = 1: give either node or nodes, not both"),
        ({"topic": "a", "nodes": []}, "nodes = []: must name at least one node, and each only once"),
        ({"topic": "a", "nodes": [1, 1]}, "nodes = [1, 1]: must name at least one node, and each only once"),
        ({"topic": "a", "nodes": [1, -2]}, "nodes[1] = -2: must be at least 0"),
        ({"topic": "a", "nodes": "some"}, 'nodes = "some": must be one of "all"'),
        ({"topic": "a", "nodes": 5}, "nodes = 5: must be a text or a list, each a whole number"),
        ({"topic": "a", "node": 1, "from_s": 5, "until_s": 5}, "until_s = 5: must be greater than from_s = 5"),
        ({"topic": "a", "node": 1, "from_s": -5}, "from_s = -5: must be at least 0"),
        ({"node": 1}, "topic: missing; a topic is needed"),
    ],
)
def test_a_bad_subscription_in_a_script_gets_one_line(entry: dict[str, Any], line: str) -> None:
    with pytest.raises(UserError) as caught:
        script(subscriptions=[{"topic": "z", "node": 0}, entry])
    assert str(caught.value) == f"s.toml [workload] subscriptions[1] {line}"


@pytest.mark.parametrize(
    ("tables", "key"),
    [
        ({"subscriptions": [{"topic": "a", "node": 3}]}, "subscriptions[0] node"),
        ({"subscriptions": [{"topic": "a", "nodes": [0, 3]}]}, "subscriptions[0] nodes"),
        ({"subscriptions": [{"topic": "a", "node": 0, "from_s": 50}]}, "subscriptions[0] from_s"),
        ({"publications": [{"node": 3, "topic": "a", "at_s": 0, "validity_s": 1}]}, "publications[0] node"),
        ({"publications": [{"node": 0, "topic": "a", "at_s": 50, "validity_s": 1}]}, "publications[0] at_s"),
        ({"subscriptions": [{"topic": "a", "nodes": "all"}, {"topic": "a", "node": 2}]}, "subscriptions[1] topic"),
        (
            {
                "subscriptions": [
                    {"topic": "a", "node": 2, "from_s": 8},
                    {"topic": "a", "node": 2, "from_s": 2, "until_s": 9},
                ]
            },
            "subscriptions[0] topic",
        ),
    ],
)
def test_a_script_that_does_not_fit_its_surroundings_says_where(tables: dict[str, Any], key: str) -> None:
    assert told(lambda: script(**tables).workload(3, 50.0, RandomStreams(1)))[0] == key


def test_a_node_may_ask_for_a_topic_and_for_one_below_it() -> None:
    asked = [{"topic": "a", "node": 0}, {"topic": "a.b", "node": 0}]
    assert len(script(subscriptions=asked).workload(1, 5.0, RandomStreams(1)).subscriptions) == 2


def test_a_script_can_ask_for_and_publish_content() -> None:
    at_bridge: dict[str, object] = {"place": "bridge"}
    model = script(
        subscriptions=[
            {"topic": "rescue", "nodes": [0], "where": 'severity >= 3 and place = "bridge"'},
            {"topic": ".", "nodes": [1], "where": "severity missing"},
            {"topic": "rescue", "nodes": [0]},
        ],
        publications=[
            {"node": 2, "topic": "rescue.fire", "at_s": 1, "validity_s": 9, "attributes": at_bridge | {"severity": 4}},
            {"node": 2, "topic": "rescue.fire", "at_s": 2, "validity_s": 9, "attributes": at_bridge | {"severity": 2}},
            {"node": 2, "topic": "news", "at_s": 3, "validity_s": 9},
        ],
    )  # fmt: skip
    workload = model.workload(3, 10.0, RandomStreams(1))
    events = [
        Event(EventId(each.node, at), each.topic, each.at_s, each.validity_s, each.size_bytes, each.attributes)
        for at, each in enumerate(workload.publications)
    ]
    matched = [(each.node, [each.interest.matches(event) for event in events]) for each in workload.subscriptions]
    assert sorted(matched) == [
        (0, [True, False, False]),
        (0, [True, True, False]),
        (1, [False, False, True]),
    ]
    assert build(Script, as_table(model), "again") == model


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        (
            {"where": "severity >="},
            "s.toml [workload] subscriptions[0] where, column 12: expected a number, a text in double "
            "quotes, true or false, found the end",
        ),
        ({"where": 3}, "s.toml [workload] subscriptions[0] where = 3: must be a predicate"),
    ],
)
def test_a_slip_in_a_predicate_is_one_line_with_its_column(entry: dict[str, Any], line: str) -> None:
    with pytest.raises(UserError) as caught:
        script(subscriptions=[{"topic": ".", "node": 0, **entry}])
    assert str(caught.value) == line


def telling(*said: dict[str, object]) -> list[dict[str, object]]:
    """Return a publication for each of some attributes."""
    return [{"node": 0, "topic": "news", "at_s": 1, "validity_s": 9, "attributes": each} for each in said]


@pytest.mark.parametrize(
    ("where", "complaint"),
    [
        ("severty >= 3", "column 1: unknown attribute 'severty'; did you mean 'severity'? known: place, severity"),
        (
            'place = "bridge" and severity >= "high"',
            'column 34: severity is a number and cannot be compared with "high"',
        ),
    ],
)
def test_a_script_may_ask_only_for_what_its_publications_say(where: str, complaint: str) -> None:
    wishes = [{"topic": ".", "node": 0}, {"topic": ".", "node": 1, "where": where}]
    said = telling({"severity": 4}, {"place": "bridge", "severity": 2})
    with pytest.raises(UserError) as caught:
        script(subscriptions=wishes, publications=said)
    assert str(caught.value) == f"s.toml [workload] subscriptions[1] where, {complaint}"
    assert script(subscriptions=wishes, publications=said, strict=False).strict is False


def test_a_script_whose_publications_say_nothing_is_not_strict() -> None:
    assert script(subscriptions=[{"topic": ".", "node": 0, "where": "severity >= 3"}], publications=telling({})).strict


def test_an_attribute_of_two_types_is_one_line() -> None:
    said = telling({"severity": 4}, {}, {"severity": "high"})
    with pytest.raises(UserError) as caught:
        script(publications=said)
    assert str(caught.value) == (
        's.toml [workload] publications[2] attributes severity = "high": must be a number as in publications[0], '
        "unless strict = false"
    )
    assert len(script(publications=said, strict=False).publications) == 3


def test_an_attribute_that_is_no_value_is_one_line() -> None:
    event = {"node": 0, "topic": ".", "at_s": 1, "validity_s": 9, "attributes": {"severity": [1]}}
    with pytest.raises(UserError, match=r"^s\.toml \[workload\] publications\[0\] attributes severity = \[1\]: "):
        script(publications=[event])
