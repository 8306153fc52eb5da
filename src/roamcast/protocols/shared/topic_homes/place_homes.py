"""Homes at places, over GPSR: the keys of B-GPSR and R-GPSR, and how they find a home (sections 3.3, 3.5 and 3.6)."""

from dataclasses import dataclass
from typing import Annotated

from roamcast.core.parameters import AT_LEAST_ZERO, one_of
from roamcast.protocols.shared.topic_homes.homes import home_place, home_waypoint
from roamcast.protocols.shared.topic_homes.parameters import HomesParameters, RendezvousKeys
from roamcast.protocols.shared.topic_homes.system import SystemKind
from roamcast.routing import load_router
from roamcast.routing.gpsr.parameters import GpsrParameters

GPSR = GpsrParameters()
"""The router with its default parameters."""
PLACE_HOMES = SystemKind(home_place, lambda: load_router("gpsr"))
WAYPOINT_HOMES = PLACE_HOMES._replace(find_home=home_waypoint)


@dataclass(frozen=True, slots=True)
class PlaceHomesParameters(HomesParameters):
    """The keys of the systems whose homes are places."""

    capture_m: Annotated[float, AT_LEAST_ZERO] | None = None
    """How close a node must be to a home to capture packets that pass by, in metres; none means half of the radio's
    range.

    Section 3.5: nodes that close hear each other, and so learn of all subscriptions. With 0, only the node at which a
    packet's route ends is the home, as in section 3.3.
    """
    far_home: Annotated[str, one_of("serves", "drops")] = "serves"
    """The behaviour of the node closest to a home if it is farther away than ``capture_m``.

    "serves": it acts as the home (section 3.3). "drops": nobody is at the place, so the packet is lost (section 5,
    about topics hashed to void regions; section 3.1, about packets for nodes).
    """
    router: GpsrParameters = GPSR
    """The parameters of GPSR."""


@dataclass(frozen=True, slots=True)
class PlaceRendezvousParameters(RendezvousKeys, PlaceHomesParameters):
    """The keys of rendezvous at places."""
