"""Messages between BRVST's managers, and their times: summaries upon changes, advertisements, time-outs, the cache."""

from typing import Any

import pytest
from brvst_networks import LIMITS, Air, Ranges, matches
from hypothesis import given, settings
from hypothesis import strategies as st
from test_brvst_delivery import ranges

from roamcast.core.attribute_ranges import range_attributes, range_predicate
from roamcast.core.errors import UserError
from roamcast.core.event_interests import TopicInterest
from roamcast.core.events import Event, EventId
from roamcast.core.host import Position, World
from roamcast.core.parameters import build
from roamcast.core.predicates import parse
from roamcast.core.topics import Topic
from roamcast.matching.range_vectors import RangeVector
from roamcast.protocols.brvst.cells import GRID, ZONE, Cell
from roamcast.protocols.brvst.description_tables import table_for
from roamcast.protocols.brvst.descriptions import Describer, describer_for
from roamcast.protocols.brvst.messages import (
    CachedPublication,
    Description,
    GridSummary,
    HandOver,
    Leaves,
    Publication,
    Subscriptions,
    ZoneSummary,
)
from roamcast.protocols.brvst.parameters import BrvstParameters
from roamcast.protocols.brvst.publication_cache import PublicationCache
from roamcast.testing import event_of

WORLD = World(10, 1000.0, 1000.0, (), 250.0, LIMITS)
KINDS = ["range-vectors", "dyadic"]
DESCRIBERS = {kind: describer_for(WORLD, BrvstParameters(summaries=kind)) for kind in KINDS}
BOTH = pytest.mark.parametrize(
    "describer", [pytest.param(describer, id=kind) for kind, describer in DESCRIBERS.items()]
)
SETTLE_S = 10.0


def said(values: Ranges, topic: str = "ranges") -> Event:
    return Event(EventId(1, 1), Topic(topic), 0.0, 100.0, 400, range_attributes(values))


# --- descriptions and tables --------------------------------------------------------------------------------------


@BOTH
@settings(max_examples=200)
@given(asked=ranges(1.0), values=ranges(0.2))
def test_a_description_never_misses_a_match_and_can_be_true(
    describer: Describer, asked: Ranges, values: Ranges
) -> None:
    subscribed, published = describer.subscription(range_predicate(asked)), describer.publication(said(values))
    assert describer.is_sound(subscribed)
    assert describer.is_sound(published)
    if matches(values, asked):
        assert describer.matches(published, subscribed)
    if not values.keys() >= asked.keys():
        assert not describer.matches(published, subscribed)


@BOTH
@pytest.mark.parametrize(
    ("interest", "topic", "expected"),
    [
        (TopicInterest(Topic("news")), "news.local", True),
        (TopicInterest(Topic("news.local")), "news", True),  # the first segment decides
        (TopicInterest(Topic("news")), "traffic", False),
        (TopicInterest(Topic(".")), "traffic", True),
        (parse('topic = "news" or topic = "traffic"'), "traffic", True),
        (parse("x < 3 or y present"), "traffic", True),
    ],
)
def test_topics_are_told_apart_by_their_first_segment(
    describer: Describer, interest: Any, topic: str, expected: bool
) -> None:
    assert describer.matches(describer.publication(said({}, topic)), describer.subscription(interest)) == expected


@BOTH
@pytest.mark.parametrize("ends", ["missing", "present", "!= 3", 'starts with "x"'])
@pytest.mark.parametrize("values", [{"b": (1.0, 2.0)}, {"a": (5.0, 6.0), "b": (1.0, 2.0)}])
def test_what_a_description_cannot_say_is_left_out_of_it(describer: Describer, ends: str, values: Ranges) -> None:
    interest = parse(f"a_low {ends} and a_high {ends} and b_low >= 0 and b_high <= 50")
    is_match = describer.matches(describer.publication(said(values)), describer.subscription(interest))
    assert is_match or not interest.matches(said(values))


def test_who_asks_that_an_attribute_is_missing_gets_what_has_it_not() -> None:
    air = one_grid()
    air.nodes[1].subscribe(parse("a_low missing and a_high missing and b_low >= 0 and b_high <= 50"))
    air.run(1.0)
    event_id, other_id = air.publish(2, b=(1.0, 2.0)), air.publish(2, a=(5.0, 6.0), b=(1.0, 2.0))
    air.run(1.0)
    assert air.delivered(event_id) == {1}
    assert air.delivered(other_id) == set()


@BOTH
@settings(max_examples=100)
@given(asked=st.lists(ranges(1.0), max_size=6), more=st.lists(ranges(1.0), max_size=3), values=ranges(0.3))
def test_who_does_not_ask_for_more_matches_nothing_new(
    describer: Describer, asked: list[Ranges], more: list[Ranges], values: Ranges
) -> None:
    before = [describer.subscription(range_predicate(each)) for each in asked]
    after = [describer.subscription(range_predicate(each)) for each in [*asked[1:], *more]]
    published = describer.publication(said(values))
    assert not describer.asks_for_more(before, before)
    if not describer.asks_for_more(after, before) and describer.matches_any(published, after):
        assert describer.matches_any(published, before)


@BOTH
@settings(max_examples=100)
@given(
    steps=st.lists(st.tuples(st.integers(0, 5), st.none() | ranges(1.0)), max_size=12),
    values=st.lists(ranges(0.3), max_size=4),
)
def test_a_table_matches_what_its_members_do_and_its_representatives_stand_for_all(
    describer: Describer, steps: list[tuple[int, Ranges | None]], values: list[Ranges]
) -> None:
    table, kept = table_for(describer), dict[int, Description]()
    for identifier, asked in steps:
        if asked is None:
            table.remove(identifier)
            kept.pop(identifier, None)
        else:
            kept[identifier] = describer.subscription(range_predicate(asked))
            table.add(identifier, kept[identifier])
    assert len(table) == len(kept)
    for each in values:
        published = describer.publication(said(each))
        expected = {identifier for identifier, described in kept.items() if describer.matches(published, described)}
        assert set(table.match(published)) == expected
        assert not expected or describer.matches_any(published, table.representatives())


def test_tama_stores_an_identifier_in_each_of_its_cells_and_vectors_take_their_bits() -> None:
    vectors, leaves = DESCRIBERS["range-vectors"], DESCRIBERS["dyadic"]
    vector, span = ((0, RangeVector(16, 1)),), ((0, Leaves(1024, 3071)),)
    assert vectors.size_bytes([vector]) == 1 + 1 + 1 + 2  # how many, which, how long, the bits
    assert vectors.stored_bytes([vector]) == 4 + 5
    assert leaves.size_bytes([span]) == 1 + 1 + 4
    # Both end leaves, and between them 1 + 2 + ... + 512 leaves to each side in ten cells each.
    assert leaves.stored_bytes([span]) == 1 + 4 * 22


@pytest.mark.parametrize(
    "described",
    [
        ((0, RangeVector(3, 1)),),
        ((0, RangeVector(4, 16)),),
        ((0, RangeVector(1 << 20, 1)),),
        ((9, RangeVector(4, 1)),),
        ((1, RangeVector(4, 1)), (0, RangeVector(4, 1))),
        ((0, Leaves(1, 2)),),
    ],
)
def test_a_description_that_cannot_be_true_is_known_as_such(described: Description) -> None:
    assert not DESCRIBERS["range-vectors"].is_sound(described)


# --- summaries ----------------------------------------------------------------------------------------------------


def one_grid(**parameters: Any) -> Air:
    """Return a settled network of a single zone with four grids, and seven nodes in the first of them."""
    places = {0: (250, 250), 1: (200, 200), 2: (300, 200), 3: (200, 300), 4: (300, 300), 5: (260, 150), 6: (150, 260)}
    others = {7: (600, 250), 8: (600, 600), 9: (250, 600)}
    air = Air({**places, **others}, 400.0, zones_per_side=1, grids_per_side=2, **parameters)
    air.run(SETTLE_S)
    assert air.manager(Cell(GRID, 0, 0)) == 0
    return air


def reports(air: Air) -> list[GridSummary]:
    return [each for each in air.payloads(GridSummary) if each.manager == 0]


def test_a_grid_summary_is_sent_upon_changes_only() -> None:
    air = one_grid(covered_asks=False)
    air.run(1.0)
    before = len(reports(air))
    air.subscribe(1, a=(0.0, 50.0))
    air.run(1.0)
    (first,) = reports(air)[before:]
    assert first.summary is not None
    assert len(first.summary) == len(first.cache_requests) == 1
    air.subscribe(2, a=(10.0, 20.0))
    air.subscribe(3, a=(0.0, 50.0), b=(1.0, 2.0))
    air.run(8.0)
    air.unsubscribe(2, a=(10.0, 20.0))
    air.run(8.0)
    assert len(reports(air)) == before + 1
    air.subscribe(4, a=(40.0, 90.0))
    air.run(1.0)
    assert len(reports(air)) == before + 2


def test_with_the_default_a_grid_summary_goes_upon_changes_only_as_well() -> None:
    air = one_grid()
    air.run(1.0)
    before = len(reports(air))
    air.subscribe(1, a=(0.0, 50.0))
    air.run(1.0)
    air.subscribe(2, a=(10.0, 20.0))  # covered: it is asked of the cache
    air.run(8.0)
    air.unsubscribe(2, a=(10.0, 20.0))  # nothing has changed, and nothing is asked
    air.run(8.0)
    air.subscribe(4, a=(40.0, 90.0))
    air.run(1.0)
    said = reports(air)[before:]
    assert [each.summary is not None for each in said] == [True, False, True]
    assert [len(each.cache_requests) for each in said] == [1, 1, 1]
    assert said[0].summary != said[2].summary


def test_a_subscription_that_is_covered_is_asked_of_the_cache_without_a_summary() -> None:
    air = one_grid()
    air.subscribe(1, a=(0.0, 50.0))
    air.run(1.0)
    before = len(reports(air))
    air.subscribe(2, a=(10.0, 20.0))
    air.run(1.0)
    (asking,) = reports(air)[before:]
    assert asking.summary is None
    assert len(asking.cache_requests) == 1
    assert asking.since_s == 0.0


def test_less_is_told_later_and_more_at_once() -> None:
    air = one_grid()
    air.subscribe(1, a=(0.0, 25.0))
    air.subscribe(1, b=(0.0, 25.0))
    air.run(1.0)
    before = len(reports(air))
    air.unsubscribe(1, a=(0.0, 25.0))
    air.run(4.0)
    assert len(reports(air)) == before
    air.run(2.0)
    assert [len(each.summary or ()) for each in reports(air)[before:]] == [1]


def test_what_is_unchanged_is_said_again_after_the_refresh_time() -> None:
    air = one_grid(refresh_s=7.0)
    air.subscribe(1, a=(0.0, 25.0))
    air.run(1.0)
    before = reports(air)[-1]
    air.run(8.0)
    again = reports(air)[-1]
    assert again.number > before.number
    assert again.summary == before.summary
    whole = [each for each in air.payloads(Subscriptions) if each.subscriber == 1 and each.is_whole]
    assert len({each.number for each in whole}) >= 1


def test_a_zone_summary_that_matches_nothing_times_out() -> None:
    air = Air({0: (250, 250), 1: (400, 250)}, 300.0, zone_summary_s=20.0, refresh_s=500.0)
    air.run(SETTLE_S)
    node, zone = air.nodes[0], Cell(ZONE, 1, 1)
    asked = (DESCRIBERS["range-vectors"].subscription(range_predicate({"a": (0.0, 50.0)})),)
    node.on_packet(ZoneSummary(100, (Cell(ZONE, 0, 0),), 0, zone, 1.0, asked, 0.0), 9)
    for wait_s in (14.0, 14.0):  # each match prolongs it
        air.run(wait_s)
        air.publish(1, a=(1.0, 2.0))
        air.run(3.0)
    assert sent_in_vain(air) == 2  # nobody is in that zone
    air.run(25.0)
    air.publish(1, a=(1.0, 2.0))
    air.run(3.0)
    assert sent_in_vain(air) == 2


def sent_in_vain(air: Air) -> int:
    """Return how many publications were given up because their zone is empty."""
    drops = [each for host in air.hosts.values() for each in host.drops]
    return sum(isinstance(each.message, Publication) and each.reason == "empty-cell" for each in drops)


def test_an_empty_zone_is_counted_and_harms_nobody() -> None:
    air = Air({0: (400, 250), 1: (250, 250)}, 300.0)
    air.run(SETTLE_S)
    assert air.reasons().count("empty-cell") >= 3  # the first summaries for three zones without nodes
    air.subscribe(1, a=(0.0, 50.0))
    event_id = air.publish(0, a=(1.0, 2.0))
    air.run(5.0)
    assert air.delivered(event_id) == {1}


# --- the cache ----------------------------------------------------------------------------------------------------


def publication(number: int, validity_s: float = 1e4) -> Publication:
    event = event_of(1, number, validity_s=validity_s)
    return Publication(500, (Cell(ZONE, 0, 0),), 0, event, (), Cell(ZONE, 0, 0), None, False)


def test_the_least_hit_publication_makes_room_and_of_several_the_oldest() -> None:
    cache = PublicationCache(3, 60.0)
    hits = {1: 2, 2: 0, 3: 0}
    for number, count in hits.items():
        cache.add(publication(number), 0.0).hits = count
    cache.add(publication(4), 1.0).hits = 5
    assert [EventId(1, number) in cache for number in (1, 2, 3, 4)] == [True, False, True, True]
    cache.add(publication(5), 2.0)
    assert [EventId(1, number) in cache for number in (1, 3, 4, 5)] == [True, False, True, True]


def test_publications_leave_the_cache_after_its_time_or_their_own() -> None:
    cache = PublicationCache(3, 60.0)
    cache.add(publication(1), 0.0)
    cache.add(publication(2, validity_s=20.0), 10.0)
    cache.add(publication(3), 10.0)
    assert [each.message.event.id.number for each in cache.valid(15.0)] == [1, 2, 3]
    assert [each.message.event.id.number for each in cache.valid(59.0)] == [1, 3]
    assert [each.message.event.id.number for each in cache.valid(60.0)] == [3]


# --- storage ------------------------------------------------------------------------------------------------------


def test_managers_store_what_others_ask_for_and_ordinary_nodes_a_few_numbers() -> None:
    air = one_grid()
    for node in (1, 2, 3):
        air.subscribe(node, a=(0.0, 10.0 * node), b=(5.0, 9.0))
    air.run(10.0)
    sizes = {node: protocol.storage_bytes() for node, protocol in air.nodes.items()}
    assert air.nodes[0].is_broker()
    assert not air.nodes[1].is_broker()
    assert sizes[0] > sizes[1] + 3 * 8


def test_nonsense_for_managers_is_dropped_and_counted() -> None:
    air = one_grid()
    grid, zone, here = Cell(GRID, 0, 0), Cell(ZONE, 0, 0), Position(1.0, 1.0)
    absurd = ((0, RangeVector(3, -1)),)
    nan = float("nan")
    for payload in (
        Subscriptions(9, (grid,), 0, 1, 1, Position(nan, 0.0), True, (), (), 0.0),
        Subscriptions(9, (grid,), 0, 1, 1, here, True, ((1, absurd),), (), 0.0),
        Subscriptions(9, (Cell(GRID, 77, 0),), 0, 1, 1, here, True, (), (), 0.0),
        GridSummary(9, (zone,), 0, Cell(5, 5, 5), 1, here, 1, None, None, (), 0.0),
        Publication(9, (grid,), 0, event_of(1, size_bytes=-4), (), zone, None, False),
        Publication(9, (grid,), 0, event_of(1), absurd, zone, None, False),
    ):
        manager = air.manager(zone if payload.cells == (zone,) else grid)
        dropped = len(air.hosts[manager].drops)
        air.nodes[manager].on_packet(payload, 5)
        assert air.hosts[manager].drop_reasons()[dropped:] == ["malformed"]


def test_a_publication_that_comes_too_late_has_expired_and_is_not_malformed() -> None:
    air, zone = one_grid(), Cell(ZONE, 0, 0)
    late = Publication(500, (zone,), 0, event_of(1, validity_s=1.0), (), zone, None, False)
    cached = CachedPublication(500, (zone,), 0, event_of(1, validity_s=1.0), (), zone, None, False, 0.5, 0, ())
    manager = air.manager(zone)
    for payload in (late, HandOver(520, zone, 1, (cached,))):
        dropped = len(air.hosts[manager].drops)
        air.nodes[manager].on_packet(payload, 5)
        assert air.hosts[manager].drop_reasons()[dropped:] == ["expired"]


def test_more_zones_than_can_be_told_of_what_is_new_are_refused() -> None:
    assert build(BrvstParameters, {"zones_per_side": 16, "grids_per_side": 64}, "here").zones_per_side == 16
    with pytest.raises(UserError, match=r"zones_per_side.*16"):
        build(BrvstParameters, {"zones_per_side": 32, "grids_per_side": 64}, "here")
