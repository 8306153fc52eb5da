"""The paper's R-GPSR (with map): rendezvous around the waypoint that a topic is hashed to, over GPSR (section 5)."""

from typing import Any, ClassVar

from roamcast.protocols.topic_homes.homes import home_waypoint
from roamcast.protocols.topic_homes.rendezvous import PlaceRendezvousParameters, Rendezvous
from roamcast.protocols.topic_homes.system import SystemKind


class RendezvousGpsrMap(Rendezvous):
    """One node's side of the system."""

    Parameters: ClassVar[type[Any]] = PlaceRendezvousParameters
    summary = "rendezvous around the waypoint that a topic is hashed to, over GPSR"
    system: ClassVar[SystemKind] = SystemKind(home_waypoint, "gpsr")
    needs_positions: ClassVar[bool] = True
