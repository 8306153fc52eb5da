"""The parameters of GPSR (Karp and Kung, MobiCom 2000), with the source of each default."""

from dataclasses import dataclass
from typing import Annotated

from roamcast.core.parameters import (
    GREATER_THAN_ZERO,
    OPTIONAL_SIZE_BYTES,
    PERIOD_S,
    at_least,
    at_most,
    one_of,
)


@dataclass(frozen=True, slots=True)
class GpsrParameters:
    """The parameters of GPSR."""

    beacon_s: Annotated[float, PERIOD_S] = 1.0
    """The mean time between beacons, in seconds; the paper's B, the shortest of those it compares."""
    forget_factor: Annotated[float, at_least(1.5, "the longest time between two beacons")] = 4.5
    """A neighbour not heard for this many beacon times is forgotten; the paper's T is 4.5 B. At least 1.5: with less, a
    neighbour might be forgotten although no beacon was lost."""
    planar_graph: Annotated[str, one_of("relative-neighbourhood", "gabriel")] = "relative-neighbourhood"
    """The graph whose edges perimeter mode walks along; the paper gives both."""
    hops_max: Annotated[int, GREATER_THAN_ZERO, at_most(255)] = 128
    """The hop limit of a packet, in case a walk does not end by itself. Our choice: around a tree of 60 nodes and
    back."""
    neighbours_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """The most neighbours a node keeps; the one heard longest ago is replaced. Our choice."""
    header_bytes: Annotated[int, OPTIONAL_SIZE_BYTES] = 28
    """The size of every packet's headers, in bytes: IP 20, UDP 8."""
