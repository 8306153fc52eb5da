"""The publications that BRVST's managers keep, and how much of that their successors know."""

from typing import Any

import pytest
from brvst_far_zones import CACHE_S, HERE, FarAir
from brvst_networks import Air

from roamcast.protocols.brvst.cells import GRID, Cell
from roamcast.protocols.brvst.messages import HandOver, Notification, Publication
from roamcast.routing.sogr.messages import EventPacket

LOW, HIGH, ALL = (0.0, 40.0), (60.0, 100.0), (0.0, 100.0)
IN_LOW, IN_HIGH = (10.0, 12.0), (70.0, 72.0)


@pytest.mark.parametrize("has_hand_over", [False, True])
@pytest.mark.parametrize(
    ("grids", "subscriber"),
    [
        pytest.param(3, 2, id="in the publisher's own grid"),
        pytest.param(6, 2, id="in another grid"),
        pytest.param(3, 110, id="in another zone"),
    ],
)
def test_of_a_full_cache_what_was_matched_least_goes(grids: int, subscriber: int, has_hand_over: bool) -> None:
    air = FarAir(settle_s=15.0, cache_max=2, grids_per_side=grids)
    air.subscribe(subscriber, a=LOW)
    air.run(3.0)
    matched = air.publish(1, a=IN_LOW)
    air.run(1.0)
    unmatched = air.publish(1, a=IN_HIGH)
    air.run(1.0)
    assert air.delivered(matched) == {subscriber}
    if has_hand_over:
        air.leave(HERE)
    last = air.publish(1, a=(50.0, 51.0))
    air.run(1.0)
    air.subscribe(3, a=ALL)
    air.run(3.0)
    assert [3 in air.delivered(each) for each in (matched, unmatched, last)] == [True, False, True]


def test_a_match_with_a_later_subscription_counts_as_well() -> None:
    air = FarAir(settle_s=15.0, cache_max=2)
    matched, unmatched = air.publish(1, a=IN_LOW), air.publish(1, a=IN_HIGH)
    air.run(1.0)
    air.subscribe(2, a=LOW)
    air.run(1.0)
    last = air.publish(1, a=(50.0, 51.0))
    air.run(1.0)
    air.subscribe(3, a=ALL)
    air.run(3.0)
    assert [3 in air.delivered(each) for each in (matched, unmatched, last)] == [True, False, True]


def test_a_publication_grows_no_younger_by_a_hand_over() -> None:
    air = FarAir(settle_s=15.0)
    old = air.publish(1, a=IN_LOW)
    air.run(CACHE_S - 12.0)
    young = air.publish(1, a=IN_HIGH)
    air.run(1.0)
    air.leave(HERE)
    air.run(5.0)
    air.subscribe(3, a=ALL)
    air.run(3.0)
    assert [air.delivered(each) for each in (old, young)] == [set(), {3}]


def test_a_zone_is_not_sent_again_what_the_former_manager_has_sent_it() -> None:
    air = FarAir(settle_s=15.0)
    air.subscribe(110, a=LOW)
    air.run(3.0)
    event_id = air.publish(1, a=IN_LOW)
    air.run(1.0)
    air.leave(HERE)
    at_s = air.now
    air.subscribe(110, b=LOW)  # the other zone's summary comes anew
    air.run(3.0)
    assert air.delivered(event_id) == {110}
    assert [each for each in air.sent_by(HERE, Publication, at_s) if not each.is_downward] == []


def grid_with_a_successor(**parameters: Any) -> Air:
    """Return a settled network of one zone, whose first grid has a manager, 0, and somebody to take its place."""
    places = {0: (125, 125), 1: (100, 100), 2: (60, 190), 3: (200, 60), 4: (700, 125), 5: (450, 125)}
    air = Air(places, 300.0, zones_per_side=1, grids_per_side=4, **parameters)
    air.run(10.0)
    assert air.manager(Cell(GRID, 0, 0)) == 0
    return air


def notified(air: Air, node: int) -> int:
    """Return how often a node was sent an event by a grid manager."""
    packets = [sent.message for host in air.hosts.values() for sent in host.unicasts if sent.to == node]
    events = [each for each in packets if isinstance(each, EventPacket) and isinstance(each.payload, Notification)]
    return sum(stop.node == node for packet in events for stop in packet.stops)


def test_a_grid_managers_successor_knows_who_has_had_what() -> None:
    air = grid_with_a_successor(relays_deliver=False)
    air.subscribe(2, a=LOW)
    air.run(1.0)
    event_id = air.publish(4, a=IN_LOW)
    air.run(1.0)
    air.move(0, 700.0, 100.0)
    air.run(5.0)
    assert air.manager(Cell(GRID, 0, 0)) == 1
    air.subscribe(3, a=LOW)
    air.run(3.0)
    assert air.delivered(event_id) == {2, 3}
    assert notified(air, 2) == 1
    assert "duplicate" not in air.reasons()


def test_a_subscription_that_was_not_reported_yet_is_reported_by_the_successor() -> None:
    air = grid_with_a_successor(gather_s=6.0, position_share=10.0)
    event_id = air.publish(4, a=IN_LOW)
    air.subscribe(2, a=HIGH)
    air.run(1.0)
    air.subscribe(3, a=LOW)  # the manager has just reported, so it waits for some seconds
    air.run(0.5)
    air.move(0, 700.0, 100.0)
    air.run(4.0)
    assert air.manager(Cell(GRID, 0, 0)) == 1
    assert [each for each in air.payloads(HandOver) if each.cell == Cell(GRID, 0, 0)]
    air.run(5.0)
    assert air.delivered(event_id) == {3}
