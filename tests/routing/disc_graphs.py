"""Unit-disc graphs that hypothesis draws: places in the plane, joined up to a range at which all are connected."""

from itertools import combinations
from typing import Any, NamedTuple

from hypothesis import strategies as st
from router_network import RouterNetwork

from roamcast.core.host import Position
from roamcast.routing.gpsr.messages import (
    Beacon,
)
from roamcast.routing.gpsr.parameters import GpsrParameters
from roamcast.routing.gpsr.protocol import Gpsr
from roamcast.routing.shared.geometry import squared_m2

Edge = tuple[int, int]


class DiscGraph(NamedTuple):
    """Nodes at places, and the links between those that are near enough."""

    places: dict[int, Position]
    links: set[Edge]


def edges_up_to(places: dict[int, Position], range_m2: float) -> set[Edge]:
    return {pair for pair in combinations(places, 2) if squared_m2(places[pair[0]], places[pair[1]]) <= range_m2}


def component(nodes: Any, edges: set[Edge], start: int) -> set[int]:
    """Return who can be reached."""
    reached, to_do = {start}, [start]
    while to_do:
        here = to_do.pop()
        for one, other in edges:
            for far in [other] if one == here else [one] if other == here else []:
                if far not in reached and far in nodes:
                    reached.add(far)
                    to_do.append(far)
    return reached


def smallest_range_m2(places: dict[int, Position]) -> float:
    """Return the square of the smallest range that connects all: the longest edge of the shortest tree."""
    inside, longest_m2 = {next(iter(places))}, 0.0
    while len(inside) < len(places):
        away_m2, node = min(
            (squared_m2(places[one], places[other]), other) for one in inside for other in places if other not in inside
        )
        longest_m2 = max(longest_m2, away_m2)
        inside.add(node)
    return longest_m2


@st.composite
def disc_graphs(draw: st.DrawFn, nodes_max: int = 18) -> DiscGraph:
    """Draw a connected graph; the sparsest ones, which have the largest voids, come first."""
    coordinates = st.integers(0, 1000)
    drawn = draw(st.lists(st.tuples(coordinates, coordinates), min_size=2, max_size=nodes_max, unique=True))
    places = {node: Position(float(x_m), float(y_m)) for node, (x_m, y_m) in enumerate(drawn)}
    stretch = draw(st.sampled_from((1.0, 1.1, 1.5, 3.0)))
    return DiscGraph(places, edges_up_to(places, smallest_range_m2(places) * stretch))


def gpsr_network(graph: DiscGraph, planar_graph: str) -> RouterNetwork[Gpsr]:
    """Return GPSR on a graph, each node knowing its neighbours."""
    parameters = GpsrParameters(planar_graph=planar_graph, hops_max=255)
    network = RouterNetwork(Gpsr, graph.places, parameters, graph.places)
    for one, other in graph.links:
        network.join(one, other)
        network.routers[one].on_message(Beacon(12, graph.places[other]), other)
        network.routers[other].on_message(Beacon(12, graph.places[one]), one)
    return network
