"""Things that BRVST's managers forget, repeat, or receive too late or too often to act on."""

from itertools import pairwise
from typing import Any

import pytest
from brvst_networks import Air

from roamcast.core.attribute_ranges import range_predicate
from roamcast.core.host import Position
from roamcast.protocols.brvst.cells import GRID, ZONE, Cell
from roamcast.protocols.brvst.messages import (
    Announcement,
    Description,
    GridSummary,
    Publication,
    Subscriptions,
    ZoneSummary,
)

GRID_CELL, ZONE_CELL, OTHER_ZONE = Cell(GRID, 0, 0), Cell(ZONE, 0, 0), Cell(ZONE, 1, 0)
HERE = Position(250.0, 250.0)
NEVER_S = 1e9
KEEP_FACTOR = 2.5
"""Of the refresh time."""


def alone(**parameters: Any) -> Air:
    """Return one node that manages its grid and its zone, to which others that nobody sees say things."""
    air = Air({0: HERE, 1: (300.0, 300.0)}, 400.0, grids_per_side=2, **parameters)
    air.run(10.0)
    assert (air.manager(GRID_CELL), air.manager(ZONE_CELL)) == (0, 0)
    return air


def described(air: Air, high: float) -> Description:
    return air.nodes[0]._node.describer.subscription(range_predicate({"a": (0.0, high)}))


def subscribes(air: Air, number: int, *items: tuple[int, float], is_whole: bool = False) -> None:
    """Let a subscriber, 77, say something to the grid manager."""
    added = tuple((each, described(air, high)) for each, high in items)
    air.nodes[0].on_packet(Subscriptions(50, (GRID_CELL,), 0, 77, number, HERE, is_whole, added, (), NEVER_S), 77)


def reports(air: Air, manager: int, high: float, replaces: int | None = None) -> None:
    """Let a grid manager say to the zone manager what its grid asks for."""
    summary = (described(air, high),)
    cells = (ZONE_CELL,)
    said = GridSummary(50, cells, 0, Cell(GRID, 0, 0), manager, HERE, 1, replaces, summary, (), NEVER_S)
    air.nodes[0].on_packet(said, manager)


def asks_for(air: Air) -> tuple[Description, ...]:
    """Return what the zone manager thinks that its grids ask for."""
    return air.nodes[0]._managers._zones[ZONE_CELL]._origins.summary()


# --- too late -----------------------------------------------------------------------------------------------------


def test_what_a_subscriber_said_before_it_said_everything_comes_too_late() -> None:
    air = alone()
    subscribes(air, 5, (1, 20.0), is_whole=True)
    subscribes(air, 3, (2, 90.0))
    assert air.hosts[0].drop_reasons()[-1:] == ["overtaken"]
    air.run(2.0)
    assert asks_for(air) == (described(air, 20.0),)
    subscribes(air, 6, (2, 90.0))
    air.run(2.0)
    assert asks_for(air) == (described(air, 90.0),)


def test_an_older_summary_of_a_zone_comes_too_late() -> None:
    air = alone()
    rows = air.nodes[0]._managers._zones[ZONE_CELL]._zone_summaries.rows
    for number, high in ((3.0, 20.0), (2.0, 90.0)):
        said = ZoneSummary(50, (ZONE_CELL,), 0, OTHER_ZONE, number, (described(air, high),), 0.0)
        air.nodes[0].on_packet(said, 77)
    assert air.hosts[0].drop_reasons()[-1:] == ["overtaken"]
    assert rows[OTHER_ZONE].summary == (described(air, 20.0),)


# --- forgotten ----------------------------------------------------------------------------------------------------


def test_a_subscriber_that_is_silent_for_long_is_forgotten() -> None:
    air = alone(refresh_s=4.0, lazy_s=0.0)
    subscribes(air, 1, (1, 20.0))
    air.run(KEEP_FACTOR * 4.0 - 1.0)
    assert asks_for(air) == (described(air, 20.0),)
    air.run(4.0)
    assert asks_for(air) == ()


def test_a_grid_manager_that_is_silent_for_long_is_forgotten() -> None:
    air = alone(refresh_s=4.0, lazy_s=0.0)
    reports(air, 77, 20.0)
    air.run(KEEP_FACTOR * 4.0 - 1.0)
    assert asks_for(air) == (described(air, 20.0),)
    air.run(4.0)
    assert asks_for(air) == ()


def test_a_grid_managers_summary_takes_the_place_of_its_predecessors() -> None:
    air = alone()
    reports(air, 77, 90.0)
    reports(air, 78, 20.0)
    assert asks_for(air) == (described(air, 90.0),)
    reports(air, 79, 30.0, replaces=77)
    assert asks_for(air) == (described(air, 30.0),)


# --- said again ---------------------------------------------------------------------------------------------------


def test_a_zones_summary_is_said_again_after_the_refresh_time_though_unchanged() -> None:
    air = Air({0: (250, 250), 1: (750, 250)}, 600.0, refresh_s=7.0)
    air.run(60.0)
    said = [each.number for each in air.payloads(ZoneSummary) if each.zone == ZONE_CELL]
    again = sorted({number for number in said if number > 20.0})
    assert all(7.0 <= later - sooner < 9.0 for sooner, later in pairwise(again))
    assert len(again) >= 4


def test_a_grid_manager_that_has_moved_tells_the_zone_manager_where_it_is() -> None:
    grids = {0: (250, 250), 1: (200, 200), 7: (700, 250), 8: (700, 700), 9: (250, 700), 10: (510, 510)}
    air = Air(grids, 460.0, zones_per_side=1, grids_per_side=2, position_share=0.3)
    air.run(15.0)
    assert (air.manager(GRID_CELL), air.manager(ZONE_CELL)) == (0, 10)
    air.subscribe(1, a=(0.0, 50.0))
    air.run(3.0)
    before = len([each for each in air.payloads(GridSummary) if each.manager == 0])
    air.move(0, 400.0, 250.0)
    air.run(3.0)
    said = [each for each in air.payloads(GridSummary) if each.manager == 0][before:]
    assert [(each.at, each.summary) for each in said] == [(Position(400.0, 250.0), None)]
    event_id = air.publish(8, a=(10.0, 12.0))
    air.run(1.0)
    assert {each.cells for each in air.payloads(Publication) if each.is_downward} == {(GRID_CELL,)}
    assert air.delivered(event_id) == {1}


@pytest.mark.parametrize(("moves_m", "is_said"), [(90.0, False), (110.0, True)])
def test_a_manager_that_has_moved_by_half_a_range_announces_itself_at_once(moves_m: float, is_said: bool) -> None:
    air = Air({0: (250, 250), 1: (300, 250)}, 200.0, announce_s=100.0, grids_per_side=2)
    air.run(5.0)
    assert air.manager(GRID_CELL) == 0
    air.move(0, 250.0, 250.0 + moves_m)
    air.run(2.0)
    said = [each.message for each in air.hosts[0].broadcasts if each.at_s > 5.0]
    places = {each.at for each in said if isinstance(each, Announcement) and each.manager == 0}
    assert places == ({Position(250.0, 250.0 + moves_m)} if is_said else set())


@pytest.mark.parametrize(("copies", "is_relayed"), [(2, True), (3, False)])
def test_who_hears_an_announcement_often_enough_does_not_relay_it(copies: int, is_relayed: bool) -> None:
    air = alone()
    said = Announcement(50, Cell(GRID, 1, 0), 9, Position(510.0, 250.0), 1, None)
    for _ in range(1 + copies):
        air.nodes[1].on_message(said, 9)
    air.run(0.1)
    assert (said in [each.message for each in air.hosts[1].broadcasts]) == is_relayed
