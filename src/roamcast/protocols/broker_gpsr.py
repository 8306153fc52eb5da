"""The paper's B-GPSR (no map): brokers around the place that a topic is hashed to, over GPSR (section 5)."""

from typing import Any, ClassVar

from roamcast.protocols._broker import Broker
from roamcast.protocols._homes import home_place
from roamcast.protocols._topic_homes import PlaceHomesParameters, SystemKind


class BrokerGpsr(Broker):
    """One node's side of the system."""

    Parameters: ClassVar[type[Any]] = PlaceHomesParameters
    summary = "brokers around the place that a topic is hashed to, over GPSR"
    system: ClassVar[SystemKind] = SystemKind(home_place, "gpsr")
    needs_positions: ClassVar[bool] = True
