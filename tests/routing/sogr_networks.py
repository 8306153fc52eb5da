"""SOGR and RSGM on unit-disc graphs: who hears whom is known, and what they know of each other they have to ask for."""

from collections.abc import Iterable

from disc_graphs import DiscGraph
from router_network import RouterNetwork

from roamcast.core.host import Position, World
from roamcast.core.messages import Message
from roamcast.routing.rsgm import Rsgm
from roamcast.routing.shared.geometry import squared_m2
from roamcast.routing.sogr.parameters import SogrParameters

WIDE = SogrParameters(search_hops=64, hops_max=255)
"""Searches that go as far as any of the small graphs here."""


def rsgm_network(graph: DiscGraph, parameters: SogrParameters = WIDE, seed: int = 0) -> RouterNetwork[Rsgm]:
    """Return the router on a graph, its range being the longest link."""
    network = RouterNetwork(Rsgm, graph.places, parameters, graph.places, seed)
    lengths_m = [squared_m2(graph.places[one], graph.places[other]) ** 0.5 for one, other in graph.links]
    for host in network.hosts.values():
        host.world = World(len(graph.places), 1000.0, 1000.0, (), max(lengths_m, default=1.0))
    for one, other in graph.links:
        network.join(one, other)
    return network


def line(*x_m: float, range_m: float = 100.0) -> DiscGraph:
    """Return nodes at places along a line."""
    places = {node: Position(at_m, 0.0) for node, at_m in enumerate(x_m)}
    near = {(one, other) for one in places for other in places if one < other and x_m[other] - x_m[one] <= range_m}
    return DiscGraph(places, near)


def has_void(graph: DiscGraph, to: int) -> bool:
    """Tell whether somebody other than a node itself has no neighbour that is nearer to it."""
    away_m2 = {node: squared_m2(at, graph.places[to]) for node, at in graph.places.items()}
    nearer = {node for pair in graph.links for node, other in (pair, pair[::-1]) if away_m2[other] < away_m2[node]}
    return set(graph.places) - nearer != {to}


def sent_by_kind(network: RouterNetwork[Rsgm], kinds: Iterable[type[Message]]) -> list[int]:
    """Return how many messages of each kind were sent."""
    sent = [message for host in network.hosts.values() for message, _ in host.sent]
    return [sum(isinstance(message, kind) for message in sent) for kind in kinds]
