"""The route table of AODV: RFC 3561's rules on when a route changes, breaks and is forgotten (6.2, 6.7, 6.11)."""

import pytest

from roamcast.routing.aodv.route_table import RouteTable


@pytest.mark.parametrize(
    ("known", "told", "changes"),
    [
        # (number, hops, is active, is confirmed), (number, hops)
        ((5, 3, True, True), (6, 9), True),  # 6.7 (ii): newer
        ((5, 3, True, True), (4, 1), False),  # older, though shorter
        ((5, 3, True, True), (5, 2), True),  # 6.7 (iv): as new, and shorter
        ((5, 3, True, True), (5, 3), False),
        ((5, 3, True, True), (5, 4), False),
        ((5, 3, False, False), (5, 9), True),  # 6.7 (iii): as new, and the known one is broken
        ((5, 3, False, False), (4, 1), False),
        ((5, 3, False, False), (6, 1), True),
        ((None, 1, True, False), (0, 9), True),  # 6.7 (i): a neighbour without a number
        ((5, 1, True, False), (5, 9), True),  # 6.7 (i): a neighbour with a remembered number
        ((5, 1, True, False), (4, 9), False),  # the RFC would go back here; see _aodv_routes
        ((2**32 - 1, 3, True, True), (0, 9), True),  # newer, round the circle
    ],
)
def test_a_route_changes_for_a_newer_number_or_the_same_number_and_a_better_way(
    known: tuple[int | None, int, bool, bool], told: tuple[int, int], changes: bool
) -> None:
    sequence, hops, is_active, is_confirmed = known
    table = RouteTable(routes_max=5, delete_s=15.0)
    table.learn(9, next_hop=2, hops=hops, sequence=sequence or 0, until_s=10.0, now_s=0.0)
    route = table.known(9, 0.0)
    assert route is not None
    route.sequence, route.is_active, route.is_confirmed = sequence, is_active, is_confirmed
    assert table.learn(9, next_hop=3, hops=told[1], sequence=told[0], until_s=10.0, now_s=1.0) is changes
    expected = (3, told[1], told[0], True) if changes else (2, hops, sequence, is_active)
    assert (route.next_hop, route.hops, route.sequence, route.is_active) == expected


@pytest.mark.parametrize(
    ("own", "is_confirmed", "told", "afterwards"),
    [
        (5, True, None, 6),  # a link breaks, or the teller knows no number: counted up
        (5, True, 6, 6),  # the teller's number, which is one more than it had told before
        (5, True, 9, 9),
        (5, True, 5, 6),  # never back, nor the same: the own number is counted up
        (5, True, 2, 6),
        (5, False, None, 5),  # a neighbour's remembered number was told to nobody
        (None, False, None, None),
        (None, False, 3, 3),
    ],
)
def test_a_broken_route_has_a_number_that_no_route_through_it_can_have(
    own: int | None, is_confirmed: bool, told: int | None, afterwards: int | None
) -> None:
    table = RouteTable(routes_max=5, delete_s=15.0)
    table.learn(9, next_hop=2, hops=2, sequence=0, until_s=10.0, now_s=0.0)
    route = table.known(9, 0.0)
    assert route is not None
    route.sequence, route.is_confirmed = own, is_confirmed
    table.break_route(route, 1.0, told)
    assert (route.sequence, route.is_active, route.until_s) == (afterwards, False, 16.0)


def test_a_route_whose_time_is_over_is_broken_as_of_then_and_later_forgotten() -> None:
    table = RouteTable(routes_max=5, delete_s=15.0)
    table.learn(9, next_hop=2, hops=2, sequence=4, until_s=10.0, now_s=0.0)
    assert table.active(9, 9.99) is not None
    route = table.known(9, 24.9)
    assert route is not None
    assert (route.is_active, route.sequence, route.until_s) == (False, 5, 25.0)
    assert table.known(9, 25.0) is None
    assert len(table) == 0


def test_a_broken_route_is_remembered_as_long_as_packets_come_for_it() -> None:
    table = RouteTable(routes_max=5, delete_s=15.0)
    table.learn(9, next_hop=2, hops=2, sequence=4, until_s=1.0, now_s=0.0)
    table.touch(9, via=7, until_s=0.0, now_s=14.0)
    assert table.known(9, 28.9) is not None
    assert table.active(9, 28.9) is None


def test_use_prolongs_a_route_only_over_its_own_next_hop() -> None:
    table = RouteTable(routes_max=5, delete_s=15.0)
    table.learn(9, next_hop=2, hops=2, sequence=4, until_s=3.0, now_s=0.0)
    table.touch(9, via=7, until_s=5.0, now_s=2.0)
    assert table.active(9, 3.5) is None
    table.learn(8, next_hop=2, hops=2, sequence=4, until_s=3.0, now_s=0.0)
    table.touch(8, via=2, until_s=5.0, now_s=2.0)
    assert table.active(8, 4.9) is not None


def test_a_full_table_takes_nothing_new_until_something_is_forgotten() -> None:
    table = RouteTable(routes_max=2, delete_s=15.0)
    assert table.learn(8, 2, 2, 4, until_s=1.0, now_s=0.0)
    assert table.learn(9, 2, 2, 4, until_s=9.0, now_s=0.0)
    assert not table.learn(7, 2, 2, 4, until_s=9.0, now_s=5.0)
    table.hear(6, until_s=9.0, now_s=5.0)
    assert len(table) == 2
    assert table.learn(7, 2, 2, 4, until_s=30.0, now_s=16.0)


def test_to_hear_a_neighbour_shortens_a_route_to_it_and_keeps_the_number() -> None:
    table = RouteTable(routes_max=5, delete_s=15.0)
    table.learn(9, next_hop=2, hops=3, sequence=4, until_s=3.0, now_s=0.0)
    table.hear(9, until_s=4.0, now_s=1.0)
    route = table.active(9, 3.5)
    assert route is not None
    assert (route.next_hop, route.hops, route.sequence, route.is_confirmed) == (9, 1, 4, True)
