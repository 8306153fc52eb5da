"""The parameters of Frugal, with the source of each default."""

from dataclasses import dataclass
from typing import Annotated

from roamcast.core.parameters import AT_LEAST_ONE, GREATER_THAN_ZERO, PERIOD_S, SIZE_BYTES, ParameterError, one_of


@dataclass(frozen=True, slots=True)
class FrugalParameters:
    """The keys of ``[protocol]`` for Frugal. Defaults come from section 5.1 unless a field says otherwise."""

    speed_scale_m: Annotated[float, GREATER_THAN_ZERO] = 40.0
    """The paper's x, in metres: the heartbeat delay is this divided by the neighbours' mean speed."""
    heartbeat_s_min: Annotated[float, PERIOD_S] = 0.1
    """The shortest heartbeat delay, in seconds. Our choice; never reached at the paper's speeds."""
    heartbeat_s_max: Annotated[float, PERIOD_S] = 1.0
    """The longest heartbeat delay, in seconds."""
    backoff_divisor: Annotated[float, GREATER_THAN_ZERO] = 2.0
    """The paper's HB2BO: the back-off is the heartbeat delay divided by this and by the number of events to send."""
    collection_factor: Annotated[float, AT_LEAST_ONE] = 2.5
    """The paper's HB2NGC: a neighbour not heard for this many heartbeat delays is forgotten."""
    exchange: Annotated[str, one_of("detection", "heartbeat")] = "detection"
    """When a node announces its identifiers: once a new neighbour is detected, or at each of that neighbour's
    heartbeats."""
    events_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """The most events a node keeps. Our choice; the paper gives no limit."""
    neighbours_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """The most neighbours a node keeps; the one heard longest ago is replaced. Our choice."""
    identifiers_max: Annotated[int, GREATER_THAN_ZERO] = 4096
    """The most identifiers a node remembers as delivered, and as held by each neighbour. Our choice."""
    heartbeat_bytes: Annotated[int, SIZE_BYTES] = 50
    """The size of a heartbeat, in bytes; section 5.2."""
    identifier_bytes: Annotated[int, SIZE_BYTES] = 16
    """The size of an event's identifier, in bytes: 128 bits in section 5.2."""
    node_bytes: Annotated[int, SIZE_BYTES] = 4
    """The size of a node's identifier in the list of informed neighbours, in bytes. Our choice."""
    message_bytes_max: Annotated[int, SIZE_BYTES] = 2304
    """The largest message, in bytes; events or identifiers that do not fit go into further messages. The largest body
    of an 802.11 frame."""

    def __post_init__(self) -> None:
        if self.heartbeat_s_max < self.heartbeat_s_min:
            raise ParameterError("heartbeat_s_max", f"must be at least heartbeat_s_min ({self.heartbeat_s_min:g})")
