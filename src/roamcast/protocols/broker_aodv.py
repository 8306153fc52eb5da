"""The paper's B-AODV: brokers at the node whose identifier a topic is hashed to, over AODV (section 5)."""

from typing import Any, ClassVar

from roamcast.protocols.shared.topic_homes.broker import Broker
from roamcast.protocols.shared.topic_homes.node_homes import NODE_HOMES, NodeHomesParameters
from roamcast.protocols.shared.topic_homes.system import SystemKind


class BrokerAodv(Broker):
    """One node's side of the system."""

    Parameters: ClassVar[type[Any]] = NodeHomesParameters
    summary = "brokers at the node whose identifier a topic is hashed to, over AODV"
    system: ClassVar[SystemKind] = NODE_HOMES
