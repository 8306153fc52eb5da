"""The paper's B-GPSR (with map): brokers around the waypoint that a topic is hashed to, over GPSR (section 5)."""

from typing import Any, ClassVar

from roamcast.protocols.topic_homes.broker import Broker
from roamcast.protocols.topic_homes.homes import home_waypoint
from roamcast.protocols.topic_homes.system import PlaceHomesParameters, SystemKind


class BrokerGpsrMap(Broker):
    """One node's side of the system."""

    Parameters: ClassVar[type[Any]] = PlaceHomesParameters
    summary = "brokers around the waypoint that a topic is hashed to, over GPSR"
    system: ClassVar[SystemKind] = SystemKind(home_waypoint, "gpsr")
    needs_positions: ClassVar[bool] = True
