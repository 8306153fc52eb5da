"""The paper's R-GPSR (with map): rendezvous around the waypoint that a topic is hashed to, over GPSR (section 5)."""

from typing import Any, ClassVar

from roamcast.protocols.shared.topic_homes.place_homes import WAYPOINT_HOMES, PlaceRendezvousParameters
from roamcast.protocols.shared.topic_homes.rendezvous import Rendezvous
from roamcast.protocols.shared.topic_homes.system import SystemKind


class RendezvousGpsrMap(Rendezvous):
    """One node's side of the system."""

    Parameters: ClassVar[type[Any]] = PlaceRendezvousParameters
    summary = "rendezvous around the waypoint that a topic is hashed to, over GPSR"
    system: ClassVar[SystemKind] = WAYPOINT_HOMES
    needs_positions: ClassVar[bool] = True
