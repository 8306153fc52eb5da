"""The parameters of SOGR."""

from dataclasses import dataclass
from typing import Annotated

from roamcast.core.parameters import (
    AT_LEAST_ONE,
    AT_LEAST_ZERO,
    DURATION_S,
    FRACTION,
    GREATER_THAN_ZERO,
    OPTIONAL_SIZE_BYTES,
    PERIOD_S,
    at_most,
)
from roamcast.routing.sogr.messages import SEARCH_HOPS_LIMIT


@dataclass(frozen=True, slots=True)
class SogrParameters:
    """The parameters of SOGR. Its authors' numbers are not known, so all defaults are our choice."""

    answer_s: Annotated[float, GREATER_THAN_ZERO, at_most(1.0)] = 0.02
    """The longest wait before an answer, in seconds: a node that gains nothing waits that long, one that gains a whole
    range not at all."""
    jitter_s: Annotated[float, AT_LEAST_ZERO, at_most(1.0)] = 0.005
    """The longest random delay added to that, in seconds, so that equals do not collide; also before a request is
    relayed."""
    neighbour_s: Annotated[float, DURATION_S] = 2.0
    """How long a neighbour that was heard can be a next hop without a new request, in seconds."""
    progress_share: Annotated[float, FRACTION] = 0.5
    """It must be nearer to the destination by at least this share of the radio's range; otherwise a better one is
    sought."""
    reach_share: Annotated[float, FRACTION] = 0.9
    """A neighbour farther away than this share of the range is not used without a request, and answers last."""
    search_hops: Annotated[int, AT_LEAST_ONE, at_most(SEARCH_HOPS_LIMIT)] = 16
    """The widest search around a void, in hops; searches widen fourfold each time, up to this."""
    retries: Annotated[int, AT_LEAST_ZERO, at_most(1000)] = 2
    """How often a packet whose node was not found waits for the network to change and is retried."""
    retry_s: Annotated[float, PERIOD_S] = 2.0
    """How long it waits, in seconds."""
    hops_max: Annotated[int, GREATER_THAN_ZERO, at_most(255)] = 64
    """The hop limit of a packet."""
    neighbours_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """The most neighbours a node keeps; the one heard longest ago is replaced."""
    ways_max: Annotated[int, GREATER_THAN_ZERO] = 128
    """The most routes found by searches that a node keeps, and the most failed searches."""
    packets_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """The most packets that wait for a next hop; the oldest is pushed out."""
    requests_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """The most requests of other nodes that a node remembers."""
    relays_per_s: Annotated[int, GREATER_THAN_ZERO] = 5
    """The most requests with more than 4 hops to go that a node relays in any second; otherwise they would fill a busy
    air."""
    header_bytes: Annotated[int, OPTIONAL_SIZE_BYTES] = 28
    """The size of every message's headers, in bytes: IP 20, UDP 8."""
