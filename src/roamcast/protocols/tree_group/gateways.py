"""Routes from a node to adjacent groups: the nearest gateway to each (tree group paper, 3.3).

A gateway is a member of two groups (``second_group``). Both sides of its second link know a route to the other's group:
the gateway by its parent there, and that parent by the gateway, its child. Children report in their heartbeats which
gateways are below them, so that the leader eventually knows the nearest ones of its group, without an extra frame.
"""

from collections import Counter
from collections.abc import Mapping

from roamcast.protocols.tree_group.messages import Adjacent, level_of
from roamcast.protocols.tree_group.neighbour_tables import Children, Neighbours
from roamcast.protocols.tree_group.parameters import LEVELS_LIMIT

FRESH_HEARTBEATS = 1.6
"""A neighbour in another group that was silent for more of its heartbeats than this is no route there."""

Route = tuple[int, int, Adjacent]
"""Hops to the gateway, the next node on the route, and what is known of the group."""


def nearest_gateways(
    neighbours: Neighbours, children: Children, second_parent: int | None, group: int, now_s: float
) -> dict[int, Route]:
    """Return a node's route to each adjacent group; lasting links come first, then few hops."""
    best: dict[int, tuple[tuple[bool, int, int], Route]] = {}
    for node, row in neighbours:
        heard = row.heartbeat
        theirs = heard.label[1]
        child = children.get(node)
        if child is not None and not child.is_gateway:
            for about in heard.adjacent:
                if about[0] != group and 0 <= about[1] < LEVELS_LIMIT and 0 <= about[2] <= LEVELS_LIMIT:
                    _note_route(best, (False, about[1] + 1, about[2]), (about[1] + 1, node, about))
        elif child is None and node != second_parent:
            continue
        elif theirs != group and not row.failures and row.has_group and row.silent(now_s) < FRESH_HEARTBEATS:
            about = (theirs, 0, level_of(heard.label), heard.levels, heard.members)
            _note_route(best, (neighbours.is_weak(row), 0, about[2]), (0, node, about))
    return {other: route for other, (_, route) in best.items()}


def _note_route(
    best: dict[int, tuple[tuple[bool, int, int], Route]], rank: tuple[bool, int, int], route: Route
) -> None:
    """Record a route and its rank if none of its group ranks lower."""
    known = best.get(route[2][0])
    if known is None or rank < known[0]:
        best[route[2][0]] = rank, route


def nearest_groups(routes: Mapping[int, Route], groups_max: int) -> dict[int, Route]:
    """Return the routes to the nearest ``groups_max`` groups."""
    if len(routes) <= groups_max:
        return dict(routes)
    nearest = sorted(routes, key=lambda group: (routes[group][0], group))[:groups_max]
    return {group: routes[group] for group in nearest}


def gateways_near(neighbours: Neighbours, group: int) -> Counter[int]:
    """Return how many neighbours of a group are gateways to each other group."""
    found: Counter[int] = Counter()
    for _, row in neighbours:
        if row.heartbeat.label[1] == group and row.has_group:
            found.update({about[0] for about in row.heartbeat.adjacent if about[1] == 0})
    return found


def gateway_beside(neighbours: Neighbours, group: int, other: int, now_s: float, without: int | None) -> int | None:
    """Return a neighbour in the same group that is itself a gateway to another, for when this node's route is lost."""
    for node, row in neighbours:
        heard = row.heartbeat
        if heard.label[1] == group and row.has_group and not row.failures and node != without:
            is_gateway = any(about[0] == other and about[1] == 0 for about in heard.adjacent)
            if is_gateway and row.silent(now_s) < FRESH_HEARTBEATS:
                return node
    return None
