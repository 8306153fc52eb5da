"""The parameters of Frugal, with the source of each default."""

from dataclasses import dataclass
from typing import Annotated

from roamcast.core.parameters import AT_LEAST_ONE, GREATER_THAN_ZERO, PERIOD_S, SOME_BYTES, ParameterError, one_of


@dataclass(frozen=True, slots=True)
class FrugalParameters:
    """The keys of ``[protocol]`` for Frugal. Defaults are those of section 5.1 where it gives one."""

    speed_scale_m: Annotated[float, GREATER_THAN_ZERO] = 40.0
    """The heartbeat delay is this over the neighbours' mean speed, in metres; the paper's x."""
    heartbeat_s_min: Annotated[float, PERIOD_S] = 0.1
    """The shortest heartbeat delay, in seconds; our choice, never reached at the paper's speeds."""
    heartbeat_s_max: Annotated[float, PERIOD_S] = 1.0
    """The longest heartbeat delay, in seconds."""
    backoff_divisor: Annotated[float, GREATER_THAN_ZERO] = 2.0
    """The back-off is the heartbeat delay over this and over the number of events to send; the paper's HB2BO."""
    collection_factor: Annotated[float, AT_LEAST_ONE] = 2.5
    """A neighbour is forgotten after this many heartbeat delays; the paper's HB2NGC."""
    exchange: Annotated[str, one_of("detection", "heartbeat")] = "detection"
    """When identifiers are announced: to a new neighbour, or at each of its heartbeats."""
    events_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """How many events a node keeps; our choice, the paper gives none."""
    neighbours_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """How many neighbours a node keeps; the one heard longest ago makes room. Our choice."""
    identifiers_max: Annotated[int, GREATER_THAN_ZERO] = 4096
    """How many identifiers are remembered as delivered, and per neighbour as held. Our choice."""
    heartbeat_bytes: Annotated[int, SOME_BYTES] = 50
    """The size of a heartbeat; section 5.2."""
    identifier_bytes: Annotated[int, SOME_BYTES] = 16
    """The size of an event's identifier: 128 bits, section 5.2."""
    node_bytes: Annotated[int, SOME_BYTES] = 4
    """The size of a node's identifier in the list of informed neighbours; our choice."""
    message_bytes_max: Annotated[int, SOME_BYTES] = 2304
    """More events or identifiers than fit go into several messages; the largest body of an 802.11 frame."""

    def __post_init__(self) -> None:
        if self.heartbeat_s_max < self.heartbeat_s_min:
            raise ParameterError("heartbeat_s_max", f"must be at least heartbeat_s_min ({self.heartbeat_s_min:g})")
