"""The paper's B-GPSR (with map): brokers around the waypoint that a topic is hashed to, over GPSR (section 5)."""

from typing import Any, ClassVar

from roamcast.protocols.shared.topic_homes.broker import Broker
from roamcast.protocols.shared.topic_homes.place_homes import WAYPOINT_HOMES, PlaceHomesParameters
from roamcast.protocols.shared.topic_homes.system import SystemKind


class BrokerGpsrMap(Broker):
    """One node's side of the system."""

    Parameters: ClassVar[type[Any]] = PlaceHomesParameters
    summary = "brokers around the waypoint that a topic is hashed to, over GPSR"
    system: ClassVar[SystemKind] = WAYPOINT_HOMES
    needs_positions: ClassVar[bool] = True
