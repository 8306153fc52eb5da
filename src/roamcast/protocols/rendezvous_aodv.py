"""The paper's R-AODV: rendezvous at the node whose identifier a topic is hashed to, over AODV (section 5)."""

from typing import Any, ClassVar

from roamcast.protocols.shared.topic_homes.node_homes import NODE_HOMES, NodeRendezvousParameters
from roamcast.protocols.shared.topic_homes.rendezvous import Rendezvous
from roamcast.protocols.shared.topic_homes.system import SystemKind


class RendezvousAodv(Rendezvous):
    """One node's side of the system."""

    Parameters: ClassVar[type[Any]] = NodeRendezvousParameters
    summary = "rendezvous at the node whose identifier a topic is hashed to, over AODV"
    system: ClassVar[SystemKind] = NODE_HOMES
