"""A manager of BRVST that takes its time to compare publications with filters."""

import pytest
from brvst_networks import Air

from roamcast.protocols.brvst.cells import GRID, Cell

LOW, HIGH, IN_LOW = (0.0, 40.0), (60.0, 100.0), (10.0, 12.0)
PLACES = {0: (500.0, 500.0), 1: (520.0, 480.0), 2: (470.0, 510.0), 3: (900.0, 500.0)}


def one_cell(filter_s: float) -> Air:
    """Return a settled network of one grid and one zone, both managed by node 0."""
    air = Air(PLACES, 450.0, zones_per_side=1, grids_per_side=1, filter_s=filter_s)
    air.run(15.0)
    assert air.manager(Cell(GRID, 0, 0)) == 0
    return air


def test_a_publication_is_compared_with_all_roots_and_the_members_of_trees_that_match() -> None:
    air = one_cell(filter_s=1.0)
    air.subscribe(1, a=LOW)
    air.subscribe(1, b=LOW)  # another root
    air.subscribe(2, a=(0.0, 30.0))  # below the first
    air.run(5.0)
    event_id = air.publish(2, a=IN_LOW)  # two roots, and two members of the tree of the first
    air.run(3.9)
    assert air.delivered(event_id) == {2}  # the publisher's own
    air.run(0.2)
    assert air.delivered(event_id) == {1, 2}


def test_publications_are_compared_one_after_another() -> None:
    air = one_cell(filter_s=1.0)
    air.subscribe(1, a=LOW)
    air.run(5.0)
    event_ids = [air.publish(2, a=IN_LOW), air.publish(3, a=IN_LOW)]  # a root and a member each
    for wait_s, expected in ((1.9, 0), (0.2, 1), (1.8, 1), (6.0, 2)):
        air.run(wait_s)
        assert sum(air.delivered(each) == {1} for each in event_ids) == expected


@pytest.mark.parametrize(("validity_s", "reasons"), [(1.5, ["expired"]), (50.0, [])])
def test_what_expires_while_it_is_compared_is_dropped(validity_s: float, reasons: list[str]) -> None:
    air = one_cell(filter_s=1.0)
    air.subscribe(1, a=LOW)
    air.run(5.0)
    event_id = air.publish(2, validity_s, a=IN_LOW)
    air.run(10.0)
    assert air.delivered(event_id) == (set() if reasons else {1})
    assert air.reasons() == reasons


def test_a_manager_that_leaves_meanwhile_passes_the_publication_on() -> None:
    places = {0: (250.0, 250.0), 1: (220.0, 240.0), 2: (300.0, 280.0), 3: (180.0, 190.0)}
    air = Air(places, 900.0, zones_per_side=1, grids_per_side=2, filter_s=1.0)
    air.run(15.0)
    assert air.manager(Cell(GRID, 0, 0)) == 0
    for low in (0.0, 1.0, 2.0):
        air.subscribe(2, a=(low, 40.0))
    air.run(5.0)
    event_id = air.publish(3, a=IN_LOW)  # a root and three members: four seconds
    air.move(0, 800.0, 250.0)
    air.run(3.5)
    assert air.manager(Cell(GRID, 0, 0)) == 1
    assert air.delivered(event_id) == set()
    air.run(10.0)
    assert air.delivered(event_id) == {2}
