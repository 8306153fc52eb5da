"""The paper's B-GPSR (no map): brokers around the place that a topic is hashed to, over GPSR (section 5)."""

from typing import Any, ClassVar

from roamcast.protocols.topic_homes.broker import Broker
from roamcast.protocols.topic_homes.homes import home_place
from roamcast.protocols.topic_homes.system import PlaceHomesParameters, SystemKind


class BrokerGpsr(Broker):
    """One node's side of the system."""

    Parameters: ClassVar[type[Any]] = PlaceHomesParameters
    summary = "brokers around the place that a topic is hashed to, over GPSR"
    system: ClassVar[SystemKind] = SystemKind(home_place, "gpsr")
    needs_positions: ClassVar[bool] = True
