"""Publishers and subscribers of content: who they are, when they publish, and what events say."""

from collections import Counter
from dataclasses import replace
from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.core.attributes import Attributes
from roamcast.core.errors import UserError
from roamcast.core.events import Event, EventId
from roamcast.core.parameters import ParameterError, as_table, build
from roamcast.core.predicates import ANYTHING, parse
from roamcast.core.topics import Topic
from roamcast.protocols import protocol_names
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.simulation import simulate
from roamcast.sim.workload import Publication, Workload, load_workload
from roamcast.sim.workload.content import Content, DrawnAttribute

TRAFFIC = Content(
    publishers=3,
    subscribers=4,
    rate_hz=2.0,
    validity_s=10.0,
    subscriptions=tuple(map(parse, ("speed_mps < 10", 'road = "ring"', "jam = true or lanes >= 3"))),
    topics=(Topic("traffic.now"), Topic("traffic.soon")),
    attributes=(
        DrawnAttribute("speed_mps", between=(0.0, 30.0)),
        DrawnAttribute("lanes", between=(1.0, 4.0), whole=True),
        DrawnAttribute("road", words=("ring", "bridge")),
        DrawnAttribute("jam", true_fraction=0.25),
    ),
)


def content(**values: Any) -> Content:
    """Return a workload from what stands in a scenario file."""
    table = {"publishers": 2, "subscribers": 3, "rate_hz": 0.5, "validity_s": 10, **values}
    return build(Content, table, "s.toml [workload]")


def drawn(model: Content, count: int = 20, duration_s: float = 100.0, seed: int = 1) -> Workload:
    """Return a workload for some surroundings."""
    return model.workload(count, duration_s, RandomStreams(seed))


def publishers(workload: Workload) -> set[int]:
    return {each.node for each in workload.publications}


def subscribers(workload: Workload) -> set[int]:
    return {each.node for each in workload.subscriptions}


def said(workload: Workload, name: str) -> list[Any]:
    """Return what the events say of one thing."""
    return [each.attributes[name] for each in workload.publications]


def test_it_is_found_by_its_name_and_survives_its_table() -> None:
    assert load_workload("content") is Content
    assert build(Content, as_table(TRAFFIC), "s.toml [workload]") == TRAFFIC


@settings(deadline=None)
@given(st.integers(0, 99), st.integers(1, 12), st.integers(1, 12))
def test_so_many_publish_and_so_many_others_subscribe(seed: int, publishing: int, subscribing: int) -> None:
    found = drawn(replace(TRAFFIC, publishers=publishing, subscribers=subscribing), 24, 1.0, seed)
    assert (len(publishers(found)), len(subscribers(found))) == (publishing, subscribing)
    assert publishers(found).isdisjoint(subscribers(found))


def test_more_of_the_ones_only_adds_to_them_and_leaves_the_others_alone() -> None:
    few = drawn(content(publishers=2, subscribers=3))
    more_subscribers, more_publishers = (
        drawn(content(publishers=2, subscribers=9)),
        drawn(content(publishers=6, subscribers=3)),
    )
    assert subscribers(few) < subscribers(more_subscribers)
    assert few.publications == more_subscribers.publications
    assert publishers(few) < publishers(more_publishers)
    assert few.subscriptions == more_publishers.subscriptions
    assert set(few.publications) < set(more_publishers.publications)


def test_every_node_is_as_likely_to_publish_and_to_subscribe_as_any_other() -> None:
    times: Counter[tuple[str, int]] = Counter()
    for seed in range(600):
        found = drawn(content(publishers=2, subscribers=3), 10, 4.0, seed)
        times.update([("p", node) for node in publishers(found)] + [("s", node) for node in subscribers(found)])
    # 120 and 180 expected with standard deviations of 10 and 11: four of them either way.
    assert all(80 <= times["p", node] <= 160 and 136 <= times["s", node] <= 224 for node in range(10))


def test_subscriptions_are_handed_out_in_turn_and_there_from_the_protocols_start() -> None:
    asked = Counter(each.interest for each in drawn(TRAFFIC).subscriptions)
    first, second, third = TRAFFIC.subscriptions
    assert asked == {first: 2, second: 1, third: 1}
    assert {(each.at_s, each.active) for each in drawn(TRAFFIC).subscriptions} == {(-inf, True)}


def test_by_default_everything_is_asked_for() -> None:
    assert {each.interest for each in drawn(content()).subscriptions} == {ANYTHING}


def test_each_publisher_publishes_at_equal_intervals_from_a_random_moment_of_one_on() -> None:
    found = drawn(content(publishers=5, rate_hz=0.5), duration_s=100.0)
    firsts = set()
    for node in publishers(found):
        times = [each.at_s for each in found.publications if each.node == node]
        assert len(times) == 50
        assert 0 <= times[0] < 2.0
        assert times == [pytest.approx(times[0] + 2.0 * number) for number in range(50)]
        firsts.add(times[0])
    assert len(firsts) == 5
    assert [each.at_s for each in found.publications] == sorted(each.at_s for each in found.publications)


def test_publishing_can_end_early_and_a_longer_run_only_adds_events() -> None:
    whole = drawn(TRAFFIC, duration_s=100.0)
    short = drawn(TRAFFIC, duration_s=40.0)
    assert whole.publications[: len(short.publications)] == short.publications
    assert drawn(replace(TRAFFIC, until_s=40.0), duration_s=100.0).publications == short.publications
    assert drawn(replace(TRAFFIC, until_s=400.0), duration_s=40.0).publications == short.publications


def test_the_seed_and_nothing_else_decides() -> None:
    assert drawn(TRAFFIC) == drawn(TRAFFIC)
    assert drawn(TRAFFIC) != drawn(TRAFFIC, seed=2)


def test_events_carry_what_the_scenario_says() -> None:
    found = drawn(content(event_size_bytes=99, validity_s=7))
    assert {(each.topic, each.validity_s, each.size_bytes) for each in found.publications} == {
        (Topic("news.local"), 7.0, 99)
    }
    assert {each.attributes for each in found.publications} == {Attributes()}


def test_attributes_are_drawn_as_stated() -> None:
    found = drawn(TRAFFIC, duration_s=400.0)
    count = len(found.publications)
    assert count == 2400
    speeds, lanes = said(found, "speed_mps"), said(found, "lanes")
    assert 0 <= min(speeds) < 0.5
    assert 29.5 < max(speeds) <= 30
    assert sum(speeds) / count == pytest.approx(15.0, abs=0.71)  # four standard deviations of the mean
    # A share's standard deviation is at most 0.0102: four of them.
    for values, share in ((lanes, {1: 0.25, 2: 0.25, 3: 0.25, 4: 0.25}), (said(found, "jam"), {True: 0.25})):
        for value, expected in share.items():
            assert values.count(value) / count == pytest.approx(expected, abs=0.041)
    assert {type(value) for value in lanes} == {int}
    assert {type(value) for value in said(found, "jam")} == {bool}
    assert Counter(said(found, "road")).keys() == {"ring", "bridge"}
    assert {each.topic for each in found.publications} == set(TRAFFIC.topics)


def test_what_is_drawn_is_what_subscriptions_ask_about() -> None:
    found = drawn(TRAFFIC, duration_s=200.0)
    jam = parse("jam = true and speed_mps < 15")
    events = [_event(at, each) for at, each in enumerate(found.publications)]
    share = sum(map(jam.matches, events)) / len(events)
    assert share == pytest.approx(0.125, abs=0.04)


def told(**values: Any) -> str:
    with pytest.raises(UserError) as caught:
        content(**values)
    return str(caught.value).removeprefix("s.toml [workload] ")


ROAD = {"name": "road", "words": ["ring"]}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            'topic = "a" and road <',
            "column 23: expected a number, a text in double quotes, true or false, found the end",
        ),
        ('topic = "a" and speed_mps < 5', "column 17: unknown attribute 'speed_mps'; known: road"),
        ("road < 5 or road = 3", "column 8: road is a text and cannot be compared with 5"),
        ("rod = 1 and rod = 2", "column 1: unknown attribute 'rod'; did you mean 'road'? known: road"),
        ('road = "a" and road = 1', "column 16: road is compared with a text and with a number, which can never"),
    ],
)
def test_a_slip_in_a_subscription_is_one_line_with_its_place_and_column(text: str, line: str) -> None:
    assert told(subscriptions=["anything", text], attributes=[ROAD]).startswith(f"subscriptions[1], {line}")


def test_where_no_attributes_are_declared_one_is_told_what_to_do() -> None:
    assert told(subscriptions=["speed_mps < 5"]) == (
        "subscriptions[0], column 1: unknown attribute 'speed_mps'; no attributes are declared; "
        "add [[workload.attributes]] or strict = false"
    )


def test_what_means_the_same_is_the_same_workload_however_it_is_written() -> None:
    one, other = (content(subscriptions=[text], strict=False) for text in ("x>=1 and x<=2", "x between 1 and 2"))
    assert as_table(one) == as_table(other)


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({"attributes": [ROAD, ROAD]}, 'attributes = "road": must have each name only once'),
        ({"attributes": [{"name": "topic", "true_fraction": 1}]}, "must be an attribute name"),
        ({"attributes": [{"name": "a"}]}, "needs exactly one of between, words and true_fraction"),
        ({"attributes": [{**ROAD, "between": [1, 2]}]}, "needs exactly one of between, words and true_fraction"),
        ({"attributes": [{"name": "a", "between": [2, 1]}]}, "between = [2, 1]: must be [lowest, highest]"),
        (
            {"attributes": [{"name": "a", "between": [0, 1.5], "whole": True}]},
            "whole = true: is only for a number between",
        ),
        ({"attributes": [{"name": "a", "between": [0, 1e300]}]}, "between[1] = 1e+300: must be between -1e15 and"),
        ({"attributes": [{"name": "a", "words": []}]}, "words = []: must have at least one word"),
        ({"attributes": [{"name": "a", "words": ["x" * 5000]}]}, "must be at most 4096 characters"),
        ({"attributes": [{"name": "a", "true_fraction": 2}]}, "true_fraction = 2: must be between 0 and 1"),
        ({"subscriptions": []}, "subscriptions = []: must have at least one entry"),
        ({"topics": []}, "topics = []: must have at least one entry"),
        ({"rate_hz": 0}, "rate_hz = 0: must be greater than 0"),
    ],
)
def test_a_workload_that_makes_no_sense_is_told_in_one_line(values: dict[str, Any], line: str) -> None:
    assert line in told(**values)


def test_who_is_not_strict_may_ask_for_what_no_event_says() -> None:
    assert content(subscriptions=["speed_mps < 5"], strict=False).subscriptions == (parse("speed_mps < 5"),)


@pytest.mark.parametrize(
    ("values", "key", "expected"),
    [
        ({"publishers": 21}, "publishers", "must be at most 20, the number of nodes"),
        ({"publishers": 5, "subscribers": 16}, "subscribers", "must be at most 15, the number of nodes that do not"),
        ({"rate_hz": 1e4}, "rate_hz", "publishes more than 1,000,000 events"),
    ],
)
def test_what_does_not_fit_the_surroundings_is_told(values: dict[str, Any], key: str, expected: str) -> None:
    with pytest.raises(ParameterError) as caught:
        drawn(content(**values))
    assert caught.value.key == key
    assert caught.value.expected.startswith(expected)


def test_nobody_need_publish_or_subscribe() -> None:
    assert drawn(content(publishers=0, subscribers=0)) == Workload((), ())


@pytest.mark.parametrize("protocol", protocol_names())
def test_every_protocol_serves_it_by_content_and_all_see_the_same_publications(protocol: str) -> None:
    model = content(**SMALL)
    facts = simulate(_small_network(protocol).setup(), 3)
    assert any(each.counted for each in facts.deliveries)
    published = model.workload(12, 12.0, RandomStreams(3))
    expected = [
        sum(each.interest.matches(_event(at, publication)) for each in published.subscriptions)
        for at, publication in enumerate(published.publications)
    ]
    assert [each.interested for each in facts.publications] == expected
    assert {3, 6} <= set(expected)  # some events are wanted by half of the subscribers, some by all
    assert [each.publisher for each in facts.publications] == [each.node for each in published.publications]
    assert "delivered-twice" not in {each.reason for each in facts.drops}


SMALL: dict[str, Any] = {
    "publishers": 2,
    "subscribers": 6,
    "rate_hz": 1,
    "validity_s": 5,
    "subscriptions": ["speed_mps < 15", "anything"],
    "attributes": [{"name": "speed_mps", "between": [0, 30]}],
}
"""Every other subscriber asks for half of the events."""


def _small_network(protocol: str) -> Scenario:
    """Return twelve nodes in reach of each other."""
    return Scenario.from_document(
        {
            "duration_s": 12,
            "area": {"width_m": 200, "height_m": 200},
            "nodes": {"count": 12},
            "mobility": {"model": "static"},
            "radio": {"model": "range", "range_m": 300},
            "workload": {"model": "content", **SMALL},
            "protocol": {"name": protocol},
        }
    )


def _event(number: int, publication: Publication) -> Event:
    identifier = EventId(publication.node, number)
    return Event(identifier, publication.topic, 0.0, publication.validity_s, 400, publication.attributes)
