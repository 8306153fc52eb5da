"""The parameters of SOGR."""

from dataclasses import dataclass
from typing import Annotated

from roamcast.core.parameters import (
    AT_LEAST_ONE,
    AT_LEAST_ZERO,
    FRACTION,
    GREATER_THAN_ZERO,
    LASTING_S,
    PART_BYTES,
    PERIOD_S,
    at_most,
)
from roamcast.routing.sogr.messages import SEARCH_HOPS_LIMIT


@dataclass(frozen=True, slots=True)
class SogrParameters:
    """The parameters of SOGR. No numbers are known from its authors, so all defaults are our choice."""

    answer_s: Annotated[float, GREATER_THAN_ZERO, at_most(1.0)] = 0.02
    """The longest wait before an answer, in seconds: who wins nothing waits as long, who wins a range not at all."""
    jitter_s: Annotated[float, AT_LEAST_ZERO, at_most(1.0)] = 0.005
    """Up to so much longer, drawn each time, so that equals do not collide; also before a request is relayed."""
    neighbour_s: Annotated[float, LASTING_S] = 2.0
    """How long a neighbour that was heard can be a next hop without a new request, in seconds."""
    progress_share: Annotated[float, FRACTION] = 0.5
    """It must be nearer to the destination by at least this share of the radio's range; else better ones are sought."""
    reach_share: Annotated[float, FRACTION] = 0.9
    """A neighbour farther away than this share of the range is not used without a request, and answers last."""
    search_hops: Annotated[int, AT_LEAST_ONE, at_most(SEARCH_HOPS_LIMIT)] = 16
    """On a void the search widens to 2, 4, ... hops, up to this."""
    retries: Annotated[int, AT_LEAST_ZERO, at_most(1000)] = 2
    """How often a packet whose node was not found waits for the network to change, and is tried again."""
    retry_s: Annotated[float, PERIOD_S] = 2.0
    """How long it waits, in seconds."""
    hops_max: Annotated[int, GREATER_THAN_ZERO, at_most(255)] = 64
    """The hop limit of a packet."""
    neighbours_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """How many neighbours a node keeps; the one heard longest ago makes room."""
    ways_max: Annotated[int, GREATER_THAN_ZERO] = 128
    """How many ways that searches have found a node keeps, and how many searches that failed."""
    packets_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """How many packets wait for a next hop; the oldest makes room."""
    requests_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """How many requests of others a node remembers."""
    relays_per_s: Annotated[int, GREATER_THAN_ZERO] = 5
    """How many requests that have more than 4 hops to go a node relays in any second: else they fill a full air."""
    header_bytes: Annotated[int, PART_BYTES] = 28
    """What every message has beside its contents: IP 20, UDP 8 bytes."""
