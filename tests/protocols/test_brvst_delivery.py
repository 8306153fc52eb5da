"""BRVST in a network that stands still and loses nothing: every match is delivered, in both directions, no other is."""

from typing import NamedTuple

import pytest
from brvst_networks import LIMITS, Air, Ranges, lattice, matches
from hypothesis import given, settings
from hypothesis import strategies as st

from roamcast.core.attribute_ranges import range_attributes
from roamcast.core.events import Event, EventId
from roamcast.core.host import FALSE_POSITIVE, FALSE_POSITIVE_BROKER, Position
from roamcast.core.topics import Topic
from roamcast.protocols.brvst.messages import Notification
from roamcast.routing.sogr.messages import EventPacket, Stop

SETTLE_S = 10.0
BOTH = pytest.mark.parametrize("summaries", ["range-vectors", "dyadic"])


class Deed(NamedTuple):
    """Somebody subscribes, unsubscribes or publishes."""

    what: str
    node: int
    ranges: Ranges
    then_s: float


@st.composite
def ranges(draw: st.DrawFn, widest: float) -> Ranges:
    """Draw some ranges of some attributes; many share their ends."""
    found = {}
    for name in draw(st.lists(st.sampled_from(sorted(LIMITS)), min_size=1, max_size=3, unique=True)):
        low, high = LIMITS[name]
        first, width = draw(st.integers(0, 16)) / 16, draw(st.integers(0, 16)) / 16 * widest
        at = low + first * (high - low)
        found[name] = (at, min(at + width * (high - low), high))
    return found


NODES = st.integers(0, 24)
deeds = st.one_of(
    st.builds(Deed, st.just("subscribe"), NODES, ranges(1.0), st.sampled_from((0.0, 0.1, 3.0))),
    st.builds(Deed, st.just("publish"), NODES, ranges(0.2), st.sampled_from((0.0, 0.1, 3.0))),
)


@BOTH
@settings(max_examples=12, deadline=None)
@given(
    story=st.lists(deeds, min_size=4, max_size=14),
    sides=st.sampled_from(((1, 1), (1, 2), (2, 4), (3, 3))),
    seed=st.integers(0, 3),
)
def test_every_match_is_delivered_whichever_of_the_two_came_first(
    summaries: str, story: list[Deed], sides: tuple[int, int], seed: int
) -> None:
    air = Air(lattice(seed=seed), 320.0, seed, summaries=summaries, zones_per_side=sides[0], grids_per_side=sides[1])
    air.run(SETTLE_S)
    events = {}
    for when, deed in enumerate(story):
        if deed.what == "subscribe":
            air.subscribe(deed.node, **deed.ranges)
        else:
            events[air.publish(deed.node, 1e4, **deed.ranges)] = (when, deed)
        air.run(deed.then_s)
    air.run(20.0)
    for event_id, (when, published) in events.items():
        wanting = set()
        for at, deed in enumerate(story):
            if deed.what == "subscribe" and matches(published.ranges, deed.ranges):
                # What a node publishes itself it has, if it asked before; no cache gives it back to it.
                wanting |= {deed.node} if deed.node != published.node or at < when else set()
        assert air.delivered(event_id) == wanting


@BOTH
@pytest.mark.parametrize("subscriber", [0, 1, 6, 12, 24])
@pytest.mark.parametrize("zones", [2, 5])
def test_a_subscription_that_comes_later_gets_what_was_published_before(
    summaries: str, subscriber: int, zones: int
) -> None:
    air = Air(lattice(), 320.0, summaries=summaries, zones_per_side=zones, grids_per_side=zones * 2)
    air.run(SETTLE_S)
    event_id = air.publish(3, a=(10.0, 12.0))
    air.run(15.0)
    air.subscribe(subscriber, a=(5.0, 20.0))
    air.subscribe(subscriber, b=(5.0, 20.0))
    air.run(10.0)
    assert air.delivered(event_id) == {subscriber}


def test_a_subscription_that_changes_no_summary_is_matched_against_the_cache_all_the_same() -> None:
    for covered_asks, expected in ((True, {7, 8}), (False, {7})):
        air = Air(lattice(), 320.0, covered_asks=covered_asks, zones_per_side=1, grids_per_side=1)
        air.run(SETTLE_S)
        air.subscribe(7, a=(0.0, 50.0))
        air.run(2.0)
        event_id = air.publish(3, a=(10.0, 12.0))
        air.run(2.0)
        air.subscribe(8, a=(5.0, 20.0))
        air.run(5.0)
        assert air.delivered(event_id) == expected


def test_nobody_gets_what_it_asks_for_no_more() -> None:
    air = Air(lattice(), 320.0)
    air.run(SETTLE_S)
    for node in (5, 20):
        air.subscribe(node, a=(0.0, 50.0))
    air.run(3.0)
    air.unsubscribe(20, a=(0.0, 50.0))
    air.run(10.0)
    event_id = air.publish(0, a=(10.0, 12.0))
    air.run(5.0)
    assert air.delivered(event_id) == {5}
    assert FALSE_POSITIVE not in air.reasons()


def test_an_event_that_has_expired_is_in_no_cache() -> None:
    air = Air(lattice(), 320.0)
    air.run(SETTLE_S)
    event_id = air.publish(3, validity_s=5.0, a=(10.0, 12.0))
    air.run(6.0)
    air.subscribe(8, a=(5.0, 20.0))
    air.run(5.0)
    assert air.delivered(event_id) == set()


def test_a_false_positive_is_counted_at_the_subscriber_and_at_managers_in_vain() -> None:
    air = Air(lattice(), 320.0, alpha=0.1)
    air.run(SETTLE_S)
    air.subscribe(24, a=(0.0, 12.0))  # with this alpha: the lower half
    air.run(3.0)
    event_id = air.publish(0, a=(13.0, 14.0))
    air.run(3.0)
    assert air.delivered(event_id) == set()
    assert air.reasons().count(FALSE_POSITIVE) == 1
    # The summary of two subscriptions that overlap in one attribute matches what neither of them does.
    air.subscribe(24, b=(60.0, 90.0))
    air.subscribe(24, b=(80.0, 90.0), c=(-1.0, -0.9))
    air.unsubscribe(24, a=(0.0, 12.0))
    air.run(10.0)
    before = air.reasons().count(FALSE_POSITIVE_BROKER)
    air.unsubscribe(24, b=(60.0, 90.0))
    air.publish(0, b=(85.0, 86.0), c=(0.5, 0.6))  # the zones have not been told yet: less is asked for lazily
    air.run(3.0)
    assert air.reasons().count(FALSE_POSITIVE_BROKER) > before


# --- relays -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("relays_deliver", [True, False])
def test_a_relay_delivers_a_passing_event_that_its_user_wants_if_relays_do(relays_deliver: bool) -> None:
    air = Air({0: (100.0, 500.0), 1: (300.0, 500.0), 2: (500.0, 500.0)}, relays_deliver=relays_deliver)
    host = air.hosts[1]
    wanted, unwanted, stale = (
        Event(EventId(0, number), Topic("ranges"), 0.0, validity_s, 400, range_attributes({name: (1.0, 1.0)}))
        for number, (name, validity_s) in enumerate((("a", 100.0), ("b", 100.0), ("a", 0.5)))
    )
    air.subscribe(1, a=(0.0, 10.0))
    air.run(1.0)  # there is no manager yet that could have sent it anything
    for event in (wanted, unwanted, stale, wanted):
        stops = (Stop(2, Position(500.0, 500.0), 1e6),)
        packet = EventPacket(500, Notification(401, event), 0, stops, 9, Position(100.0, 500.0))
        host.protocol.on_message(packet, 0)
    assert [each.id for each in host.delivered()] == ([wanted.id] if relays_deliver else [])
