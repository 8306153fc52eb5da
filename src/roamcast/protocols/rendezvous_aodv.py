"""The paper's R-AODV: rendezvous at the node whose identifier a topic is hashed to, over AODV (section 5)."""

from typing import Any, ClassVar

from roamcast.protocols.topic_homes.homes import home_node
from roamcast.protocols.topic_homes.rendezvous import NodeRendezvousParameters, Rendezvous
from roamcast.protocols.topic_homes.system import SystemKind


class RendezvousAodv(Rendezvous):
    """One node's side of the system."""

    Parameters: ClassVar[type[Any]] = NodeRendezvousParameters
    summary = "rendezvous at the node whose identifier a topic is hashed to, over AODV"
    system: ClassVar[SystemKind] = SystemKind(home_node, "aodv")
