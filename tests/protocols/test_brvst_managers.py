"""The managers of BRVST: one for each cell, known to all in it, succeeded when they leave, replaced when they die."""

from typing import Any

import pytest
from brvst_networks import Air, lattice

from roamcast.core.attribute_ranges import range_attributes
from roamcast.core.events import Event, EventId
from roamcast.core.host import Position, World
from roamcast.core.topics import Topic
from roamcast.protocols.brvst.cells import GRID, ZONE, Cell, CellPlan
from roamcast.protocols.brvst.messages import Announcement, GridSummary, HandOver, Publication, Subscriptions

SETTLE_S = 10.0
SILENT_S = 2.5 * 4.0
PLAN = CellPlan(World(10, 1000.0, 1000.0), 2, 4)


def settled(**parameters: Any) -> Air:
    air = Air(lattice(), 320.0, **parameters)
    air.run(SETTLE_S)
    return air


# --- cells ------------------------------------------------------------------------------------------------------


def test_cells_are_computed_from_the_place_alone_and_grids_lie_in_their_zones() -> None:
    assert PLAN.cell(GRID, Position(260.0, 10.0)) == Cell(GRID, 1, 0)
    assert PLAN.cell(ZONE, Position(260.0, 990.0)) == Cell(ZONE, 0, 1)
    assert PLAN.cell(GRID, Position(-5.0, 2000.0)) == Cell(GRID, 0, 3)
    assert PLAN.zone_of(Cell(GRID, 2, 1)) == Cell(ZONE, 1, 0)
    assert PLAN.centre(Cell(GRID, 2, 1)) == Position(625.0, 375.0)
    assert PLAN.outside_m(Cell(GRID, 0, 0), Position(280.0, 290.0)) == 50.0
    assert PLAN.off_centre(Cell(ZONE, 0, 0), Position(500.0, 500.0)) == 1.0
    assert not PLAN.is_cell(Cell(GRID, 4, 0))
    assert not PLAN.is_cell(Cell(7, 0, 0))


def test_neighbours_touch_at_sides_and_corners() -> None:
    plan = CellPlan(World(10, 900.0, 900.0), 3, 3)
    assert len(set(plan.neighbours(Cell(ZONE, 1, 1)))) == 8
    assert set(plan.neighbours(Cell(ZONE, 0, 0))) == {Cell(ZONE, 0, 1), Cell(ZONE, 1, 0), Cell(ZONE, 1, 1)}


# --- elections --------------------------------------------------------------------------------------------------


def test_every_cell_with_nodes_has_one_manager_whom_all_in_it_know() -> None:
    air = settled()
    for level in (GRID, ZONE):
        managers = air.managers(level)
        for node, protocol in air.nodes.items():
            place = air.hosts[node].current_position
            assert place is not None
            cell = PLAN.cell(level, place)
            (manager,) = managers[cell]
            known = protocol.offices.manager(cell)
            assert known is not None
            assert known.manager == manager
    assert {node for node, protocol in air.nodes.items() if protocol.is_broker()} == {
        node for level in (GRID, ZONE) for nodes in air.managers(level).values() for node in nodes
    }


def test_the_node_nearest_to_the_centre_takes_the_office() -> None:
    air = Air({0: (10, 10), 1: (120, 130), 2: (240, 240), 3: (125, 20)})
    air.run(SETTLE_S)
    assert air.manager(Cell(GRID, 0, 0)) == 1
    assert air.manager(Cell(ZONE, 0, 0)) == 2


def test_a_manager_stays_as_long_as_it_is_there() -> None:
    air = settled()
    before = air.managers(GRID), air.managers(ZONE)
    air.run(60.0)
    assert (air.managers(GRID), air.managers(ZONE)) == before


def test_who_comes_to_an_office_where_a_senior_serves_hands_over_what_it_knows() -> None:
    # Two halves of a grid that do not hear each other have a manager each, until a node comes between them.
    air = Air({0: (20, 125), 1: (60, 125), 2: (230, 125), 3: (230, 60), 4: (900, 900)}, 80.0)
    air.run(30.0)
    grid = Cell(GRID, 0, 0)
    assert len(air.managers(GRID)[grid]) == 2
    air.subscribe(0, a=(0.0, 50.0))
    air.subscribe(3, a=(0.0, 50.0))
    air.run(3.0)
    air.move(4, 145.0, 100.0)
    air.range_m = 100.0
    air.relink()
    air.run(10.0)
    manager = air.manager(grid)
    assert manager in (1, 2)
    assert {each.cell for each in air.payloads(HandOver)} >= {grid}
    event_id = air.publish(4, a=(10.0, 12.0))
    air.run(2.0)
    assert air.delivered(event_id) == {0, 3}


@pytest.mark.parametrize(("beat", "stays"), [(1, True), (1000, False)])
def test_of_two_managers_the_senior_stays(beat: int, stays: bool) -> None:
    air = Air({0: (125, 125)})
    air.run(SETTLE_S)
    grid = Cell(GRID, 0, 0)
    air.nodes[0].on_message(Announcement(50, grid, 9, Position(130.0, 130.0), beat, None), 9)
    assert (grid in air.nodes[0].offices.held) == stays
    known = air.nodes[0].offices.manager(grid)
    assert known is not None
    assert known.manager == (0 if stays else 9)


# --- leaving and dying ------------------------------------------------------------------------------------------


def test_a_manager_that_leaves_its_grid_is_succeeded_and_nobody_has_to_subscribe_again() -> None:
    air = Air({0: (125, 125), 1: (100, 100), 2: (60, 190), 3: (200, 60), 4: (700, 125), 5: (450, 125)}, 300.0)
    grid = Cell(GRID, 0, 0)
    air.run(SETTLE_S)
    assert air.manager(grid) == 0
    for node in (2, 3):
        air.subscribe(node, a=(0.0, 50.0))
    air.run(3.0)
    said = len(air.payloads(Subscriptions))
    air.move(0, 700.0, 100.0)
    air.run(5.0)
    assert air.manager(grid) == 1
    assert [len(each.contents) for each in air.payloads(HandOver) if each.cell == grid] == [2]
    event_id = air.publish(4, a=(10.0, 12.0))
    air.run(3.0)
    assert air.delivered(event_id) == {2, 3}
    assert len(air.payloads(Subscriptions)) == said


def test_a_zone_manager_hands_over_the_grids_summaries_other_zones_and_the_cache() -> None:
    air = settled(grids_per_side=2)
    zone = Cell(ZONE, 0, 0)
    first = air.manager(zone)
    air.subscribe(24, b=(0.0, 50.0))
    event_id = air.publish(1, a=(10.0, 12.0))
    air.run(5.0)
    summaries = len([each for each in air.payloads(GridSummary) if each.cells == (zone,)])
    air.move(first, 800.0, 800.0)
    air.run(6.0)
    second = air.manager(zone)
    assert second != first
    assert len([each for each in air.payloads(GridSummary) if each.cells == (zone,)]) <= summaries + 1
    air.subscribe(2, a=(0.0, 50.0))
    other_id = air.publish(1, b=(10.0, 12.0))
    air.run(5.0)
    assert air.delivered(event_id) == {2}
    assert air.delivered(other_id) == {24}


@pytest.mark.parametrize("level", [GRID, ZONE])
def test_a_manager_that_dies_is_replaced_and_told_again(level: int) -> None:
    air = settled()
    cell = Cell(level, 1, 1)
    first = air.manager(cell)
    place = air.hosts[first].current_position
    assert place is not None
    subscribers = [node for node in air.nodes if node != first]
    for node in subscribers:
        air.subscribe(node, a=(0.0, 50.0))
    air.run(5.0)
    air.relink(gone=[first])
    air.run(2 * SILENT_S)
    living = [node for node in air.managers(level)[cell] if node != first]
    others = [node for node in subscribers if PLAN.cell(level, air.hosts[node].current_position or place) == cell]
    assert len(living) == (1 if others else 0)
    event_id = air.publish(subscribers[0], a=(10.0, 12.0))
    air.run(5.0)
    assert air.delivered(event_id) == set(subscribers)


def test_what_comes_to_a_cell_without_a_manager_waits_for_one_unless_it_expires() -> None:
    air = Air({0: (250, 250), 1: (200, 200)}, 300.0)
    air.subscribe(1, a=(0.0, 50.0))
    content, zone = air.nodes[0]._node.describer, Cell(ZONE, 0, 0)
    for number, validity_s in ((0, 100.0), (1, 0.01)):
        attributes = range_attributes({"a": (10.0, 12.0)})
        event = Event(EventId(9, number), Topic("ranges"), 0.0, validity_s, 400, attributes)
        come = Publication(500, (zone,), 0, event, content.publication(event), Cell(ZONE, 1, 1), None, False)
        air.nodes[0].on_packet(come, 9)
    assert air.reasons() == []
    air.run(SETTLE_S)
    assert air.delivered(EventId(9, 0)) == {1}
    assert air.delivered(EventId(9, 1)) == set()
    assert "expired" in air.reasons()
    assert "no-manager" not in air.reasons()


def test_a_manager_of_a_cell_that_nobody_else_is_in_gives_up_after_some_offers() -> None:
    air = Air({0: (125, 125), 1: (300, 125), 2: (450, 125)}, 200.0)
    air.run(SETTLE_S)
    air.move(0, 380.0, 60.0)
    air.run(20.0)
    assert Cell(GRID, 0, 0) not in air.managers(GRID)
    assert "no-successor" in air.reasons()


# --- subscribers that move --------------------------------------------------------------------------------------


def test_a_node_that_comes_to_another_grid_subscribes_there_and_leaves_the_former() -> None:
    air = settled()
    mover = next(node for node, protocol in air.nodes.items() if not protocol.is_broker())
    air.subscribe(mover, a=(0.0, 50.0))
    air.run(3.0)
    air.move(mover, 880.0, 880.0)
    air.run(5.0)
    said = {each.number: each for each in air.payloads(Subscriptions) if each.subscriber == mover}
    left, came = (said[number] for number in sorted(said)[-2:])
    assert left.is_whole
    assert left.added == ()
    assert came.cells == (Cell(GRID, 3, 3),)
    assert came.is_whole
    assert len(came.added) == 1
    event_id = air.publish(0, a=(10.0, 12.0))
    air.run(3.0)
    assert air.delivered(event_id) == {mover}
    summaries = {each.grid: each.summary for each in air.payloads(GridSummary) if each.summary is not None}
    assert summaries[left.cells[0]] == ()


def test_a_node_that_moves_far_within_its_grid_says_where_it_is() -> None:
    air = Air({0: (600, 600), 1: (900, 900), 2: (700, 750)}, 300.0, grids_per_side=2)
    air.run(SETTLE_S)
    air.subscribe(1, a=(0.0, 50.0))
    air.run(3.0)
    said = len(air.payloads(Subscriptions))
    air.move(1, 590.0, 890.0)
    air.run(3.0)
    (update,) = air.payloads(Subscriptions)[said:]
    assert (update.at, update.is_whole, update.added) == (Position(590.0, 890.0), False, ())


def test_more_subscriptions_than_a_node_may_have_are_counted() -> None:
    air = Air({0: (125, 125), 1: (100, 100)}, subscriptions_max=2)
    air.run(SETTLE_S)
    for number in range(3):
        air.subscribe(1, a=(10.0 * number, 10.0 * number + 5.0))
    air.run(2.0)
    assert air.reasons().count("too-many-subscriptions") == 1
    event_id = air.publish(0, a=(11.0, 12.0))
    air.run(2.0)
    assert air.delivered(event_id) == {1}
