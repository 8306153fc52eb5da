"""Homes at nodes, over AODV: the keys of B-AODV and R-AODV, and how they find a home (section 3.3 of the paper)."""

from dataclasses import dataclass

from roamcast.protocols.shared.topic_homes.homes import home_node
from roamcast.protocols.shared.topic_homes.parameters import HomesParameters, RendezvousKeys
from roamcast.protocols.shared.topic_homes.system import SystemKind
from roamcast.routing import load_router
from roamcast.routing.aodv.parameters import AodvParameters

AODV = AodvParameters()
"""The router with its default parameters."""
NODE_HOMES = SystemKind(home_node, lambda: load_router("aodv"))


@dataclass(frozen=True, slots=True)
class NodeHomesParameters(HomesParameters):
    """The keys of the systems whose homes are nodes."""

    router: AodvParameters = AODV
    """The parameters of AODV."""


@dataclass(frozen=True, slots=True)
class NodeRendezvousParameters(RendezvousKeys, NodeHomesParameters):
    """The keys of rendezvous at nodes."""
