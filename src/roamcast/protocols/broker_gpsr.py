"""The paper's B-GPSR (no map): brokers around the place that a topic is hashed to, over GPSR (section 5)."""

from typing import Any, ClassVar

from roamcast.protocols.shared.topic_homes.broker import Broker
from roamcast.protocols.shared.topic_homes.place_homes import PLACE_HOMES, PlaceHomesParameters
from roamcast.protocols.shared.topic_homes.system import SystemKind


class BrokerGpsr(Broker):
    """One node's side of the system."""

    Parameters: ClassVar[type[Any]] = PlaceHomesParameters
    summary = "brokers around the place that a topic is hashed to, over GPSR"
    system: ClassVar[SystemKind] = PLACE_HOMES
    needs_positions: ClassVar[bool] = True
