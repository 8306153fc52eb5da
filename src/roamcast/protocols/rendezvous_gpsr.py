"""The paper's R-GPSR (no map): rendezvous around the place that a topic is hashed to, over GPSR (section 5)."""

from typing import Any, ClassVar

from roamcast.protocols.shared.topic_homes.place_homes import PLACE_HOMES, PlaceRendezvousParameters
from roamcast.protocols.shared.topic_homes.rendezvous import Rendezvous
from roamcast.protocols.shared.topic_homes.system import SystemKind


class RendezvousGpsr(Rendezvous):
    """One node's side of the system."""

    Parameters: ClassVar[type[Any]] = PlaceRendezvousParameters
    summary = "rendezvous around the place that a topic is hashed to, over GPSR"
    system: ClassVar[SystemKind] = PLACE_HOMES
    needs_positions: ClassVar[bool] = True
