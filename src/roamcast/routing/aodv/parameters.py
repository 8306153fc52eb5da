"""The parameters of AODV, under whole words; the RFC's names stand beside them."""

from dataclasses import dataclass
from typing import Annotated

from roamcast.core.parameters import (
    AT_LEAST_ONE,
    AT_LEAST_ZERO,
    GREATER_THAN_ZERO,
    LASTING_S,
    PART_BYTES,
    ParameterError,
    at_most,
)
from roamcast.routing.aodv.messages import HOPS_MAX

RETRIES_MAX = 16
"""The wait doubles at each repetition: with more than these it is days."""


@dataclass(frozen=True, slots=True)
class AodvParameters:
    """The parameters of AODV. Defaults are those of RFC 3561, section 10, where nothing else is said."""

    active_route_s: Annotated[float, LASTING_S] = 3.0
    """ACTIVE_ROUTE_TIMEOUT: how long a route lives without being used, in seconds."""
    own_route_s: Annotated[float, LASTING_S] = 6.0
    """MY_ROUTE_TIMEOUT: the lifetime that a destination gives to a route to itself; the longest that is believed."""
    delete_s: Annotated[float, LASTING_S] = 15.0
    """DELETE_PERIOD: how long an invalid route is remembered; 5 times the longer of ACTIVE_ROUTE_TIMEOUT and 1 s."""
    node_traversal_s: Annotated[float, LASTING_S] = 0.04
    """NODE_TRAVERSAL_TIME: a cautious estimate of the time for one hop; time-outs are made of it."""
    net_diameter: Annotated[int, AT_LEAST_ONE, at_most(HOPS_MAX)] = 35
    """NET_DIAMETER: the largest number of hops between two nodes; the last ring, and the hop limit of packets."""
    ttl_start: Annotated[int, AT_LEAST_ONE] = 1
    """TTL_START: how far the first ring reaches, in hops."""
    ttl_increment: Annotated[int, AT_LEAST_ONE] = 2
    """TTL_INCREMENT: by how much a ring is wider than the one before."""
    ttl_threshold: Annotated[int, AT_LEAST_ZERO] = 7
    """TTL_THRESHOLD: beyond this a ring has the network's diameter. 0: no expanding rings."""
    timeout_buffer: Annotated[int, AT_LEAST_ZERO] = 2
    """TIMEOUT_BUFFER: hops added to a ring's reach in its time-out, for congestion."""
    request_retries: Annotated[int, AT_LEAST_ZERO, at_most(RETRIES_MAX)] = 2
    """RREQ_RETRIES: how often the widest ring is repeated, each time waiting twice as long."""
    requests_per_s: Annotated[int, AT_LEAST_ONE, at_most(1000)] = 10
    """RREQ_RATELIMIT: requests that a node originates in a second; more wait."""
    errors_per_s: Annotated[int, AT_LEAST_ONE, at_most(1000)] = 10
    """RERR_RATELIMIT: errors that a node sends in a second; more are dropped and counted."""
    destination_only: bool = True
    """The D flag: only the destination itself may answer. Off: whoever has a fresh route does, many at once where many
    use it, and their replies collide (docs/routing.md has what we measured)."""
    local_repair: bool = True
    """Whether a node on the way seeks a new route itself when a link breaks (section 6.12), as ns-2's AODV does."""
    repair_hops_max: Annotated[int, AT_LEAST_ZERO] = 10
    """MAX_REPAIR_TTL: destinations further away than this are not repaired; 0.3 of NET_DIAMETER."""
    repair_hops_added: Annotated[int, AT_LEAST_ZERO] = 2
    """LOCAL_ADD_TTL: by how much a repair's only ring is wider than the route was."""
    relay_jitter_s: Annotated[float, AT_LEAST_ZERO, at_most(1.0)] = 0.01
    """A request is relayed after up to this, drawn each time, so that neighbours do not collide; ns-2's and ns-3's."""
    waiting_s: Annotated[float, LASTING_S] = 30.0
    """How long a packet waits for a route, in seconds; ns-2's and ns-3's."""
    packets_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """How many packets wait for routes; ns-2's and ns-3's."""
    routes_max: Annotated[int, GREATER_THAN_ZERO] = 1024
    """How many routes a node keeps, invalid ones included; our choice."""
    precursors_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """How many neighbours are remembered as users of a route; with more, an error is broadcast. Our choice."""
    requests_max: Annotated[int, GREATER_THAN_ZERO] = 4096
    """How many requests are remembered as seen, and nodes as one-way; our choice."""
    header_bytes: Annotated[int, PART_BYTES] = 28
    """What every packet has beside its contents: IP 20, UDP 8 bytes."""

    @property
    def net_traversal_s(self) -> float:
        """Return NET_TRAVERSAL_TIME."""
        return 2 * self.node_traversal_s * self.net_diameter

    def __post_init__(self) -> None:
        """Check what keeps routes free of loops, and that a route lives longer than its reply is on the way.

        Of loops: who was used as a next hop remembers longer than a route lives.
        """
        longest_s = max(self.active_route_s, self.own_route_s, 2 * self.net_traversal_s)
        if self.delete_s < longest_s:
            raise ParameterError("delete_s", f"must be at least {longest_s:g}, as long as any route lives unused")
        on_the_way_s = self.net_diameter * self.node_traversal_s
        if self.own_route_s <= on_the_way_s:
            raise ParameterError("own_route_s", f"must be more than {on_the_way_s:g}, the time of a reply on its way")
