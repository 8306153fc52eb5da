"""Publications, subscriptions and reports while a manager of BRVST is dead and nobody has taken its place yet."""

from typing import Any

import pytest
from brvst_networks import Air

from roamcast.core.host import Position
from roamcast.protocols.brvst.cells import GRID, ZONE, Cell
from roamcast.protocols.brvst.messages import GridSummary, Publication
from roamcast.testing import event_of

SETTLE_S = 15.0
SILENT_S = 2.5 * 4.0
GRID_CELL, ZONE_CELL = Cell(GRID, 0, 0), Cell(ZONE, 0, 0)
LOW, IN_LOW = (0.0, 50.0), (10.0, 12.0)


def row(**parameters: Any) -> Air:
    """Return nodes in a row, each of whom hears the next only, and 11 beside 5, the one manager."""
    places = {node: (50.0 + 90.0 * node, 500.0) for node in range(11)}
    air = Air({**places, 11: (500.0, 560.0)}, 112.0, zones_per_side=1, grids_per_side=1, **parameters)
    air.run(SETTLE_S)
    assert air.manager(GRID_CELL) == air.manager(ZONE_CELL) == 5
    return air


def four_grids() -> Air:
    """Return a zone of four grids whose manager, 10, manages none of them; 0 manages that of 1 and 2."""
    grids = {0: (250, 250), 1: (200, 200), 2: (150, 250), 7: (700, 250), 8: (700, 700), 9: (250, 700)}
    air = Air({**grids, 10: (510, 510), 11: (560, 560)}, 460.0, zones_per_side=1, grids_per_side=2)
    air.run(SETTLE_S)
    assert (air.manager(GRID_CELL), air.manager(ZONE_CELL)) == (0, 10)
    return air


def test_what_strands_on_the_way_to_a_dead_manager_waits_there_for_the_next_one() -> None:
    air = row()
    air.subscribe(10, a=LOW)
    air.run(3.0)
    air.relink(gone=[5])
    published = [air.publish(node, a=IN_LOW) for node in (0, 4)]  # several hops away, and beside it
    air.run(60.0)
    assert [air.delivered(each) for each in published] == [{10}, {10}]


def test_what_strands_is_forgotten_after_a_while_and_is_storage_until_then() -> None:
    air = Air({0: (100, 500), 1: (290, 500), 2: (480, 500), 3: (670, 500)}, 200.0, zones_per_side=2, grids_per_side=2)
    air.run(SETTLE_S)
    event = event_of(9, validity_s=1e4)
    come = Publication(500, (GRID_CELL,), 0, event, (), ZONE_CELL, None, False)  # for a grid that nobody is in
    air.nodes[2].on_stranded(come, 3, "no-next-hop")
    for reason in ("hop-limit", "refused", "buffer-full"):  # of a full air: it is not filled once more
        air.nodes[2].on_stranded(come, 3, reason)
    assert air.nodes[2]._node.pending_bytes() == 500
    air.run(2 * SILENT_S - 1.0)
    assert air.nodes[2]._node.pending_bytes() == 500
    air.run(3.0)
    assert air.nodes[2]._node.pending_bytes() == 0
    assert air.hosts[2].drop_reasons().count("no-manager") == 1


def test_what_came_for_grids_while_a_manager_is_dead_is_asked_from_the_cache_by_the_next_one() -> None:
    air = four_grids()
    for node in (1, 9):
        air.subscribe(node, a=LOW)
    air.run(13.0)
    air.relink(gone=[0])
    air.run(1.0)
    event_id = air.publish(8, a=IN_LOW)
    air.run(2 * SILENT_S)
    assert air.delivered(event_id) == {1, 9}


def test_who_subscribed_when_the_manager_was_dead_gets_what_is_cached() -> None:
    air = four_grids()
    event_id = air.publish(8, a=IN_LOW)
    air.run(13.0)
    air.relink(gone=[0])
    air.run(air.nodes[1].offices.heard_at_s(GRID_CELL) + SILENT_S - 0.3 - air.hosts[1].now)
    air.subscribe(1, a=LOW)  # it is known soon that the manager is dead, and later that this did not reach it
    air.run(2 * SILENT_S)
    assert air.delivered(event_id) == {1}


@pytest.mark.parametrize(
    ("predecessor", "wait_s", "is_sent"), [(None, 1.0, True), (None, 12.0, False), (0, 1.0, False)]
)
def test_what_waited_for_a_zone_manager_is_matched_with_grids_that_report_after_it_has_come(
    predecessor: int | None, wait_s: float, is_sent: bool
) -> None:
    air = Air({1: (250, 250), 2: (300, 300)}, 400.0, zones_per_side=1, grids_per_side=2)
    node = air.nodes[1]
    node.offices.take(ZONE_CELL, 100, predecessor)
    described = node._node.describer.publication(event := event_of(9, validity_s=1e4))
    node.on_packet(Publication(500, (ZONE_CELL,), 0, event, described, ZONE_CELL, 9, False), 9)
    air.run(wait_s)
    grid, here = Cell(GRID, 1, 1), Position(300.0, 300.0)
    node.on_packet(GridSummary(50, (ZONE_CELL,), 0, grid, 2, here, 1, None, (described,), (), 1e9), 2)
    air.run(1.0)
    assert [each.is_downward for each in air.payloads(Publication)] == [True] * is_sent


def test_a_report_that_falls_due_while_the_zone_manager_is_silent_is_sent_when_it_is_heard_again() -> None:
    air = four_grids()
    known = air.nodes[0].offices._known[ZONE_CELL]
    known.heard_at_s -= 20.0  # as if some announcements had been lost
    air.subscribe(1, a=LOW)
    air.run(0.15)
    before = len([each for each in air.payloads(GridSummary) if each.manager == 0])
    air.run(5.0)
    said = [each for each in air.payloads(GridSummary) if each.manager == 0][before:]
    assert [(len(each.summary or ()), len(each.cache_requests)) for each in said] == [(1, 1)]
