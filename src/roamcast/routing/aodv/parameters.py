"""The parameters of AODV, under whole words; their descriptions begin with the RFC's names."""

from dataclasses import dataclass
from typing import Annotated

from roamcast.core.parameters import (
    AT_LEAST_ONE,
    AT_LEAST_ZERO,
    DURATION_S,
    GREATER_THAN_ZERO,
    OPTIONAL_SIZE_BYTES,
    ParameterError,
    at_most,
)
from roamcast.routing.aodv.messages import HOPS_MAX

RETRIES_MAX = 16
"""The wait doubles at each repetition: with more than this it would last days."""


@dataclass(frozen=True, slots=True)
class AodvParameters:
    """The parameters of AODV. Defaults are those of RFC 3561, section 10, unless a field says otherwise."""

    active_route_s: Annotated[float, DURATION_S] = 3.0
    """ACTIVE_ROUTE_TIMEOUT: how long an unused route lives, in seconds."""
    own_route_s: Annotated[float, DURATION_S] = 6.0
    """MY_ROUTE_TIMEOUT: the lifetime that a destination gives to a route to itself, and the longest believed, in
    seconds."""
    delete_s: Annotated[float, DURATION_S] = 15.0
    """DELETE_PERIOD: how long an invalid route is remembered, in seconds; 5 times the longer of ACTIVE_ROUTE_TIMEOUT
    and 1 s."""
    node_traversal_s: Annotated[float, DURATION_S] = 0.04
    """NODE_TRAVERSAL_TIME: a conservative estimate of the time for one hop, in seconds; the basis of other timeouts."""
    net_diameter: Annotated[int, AT_LEAST_ONE, at_most(HOPS_MAX)] = 35
    """NET_DIAMETER: the largest number of hops between two nodes; the reach of the last ring, and the hop limit of
    packets."""
    ttl_start: Annotated[int, AT_LEAST_ONE] = 1
    """TTL_START: the reach of the first ring, in hops."""
    ttl_increment: Annotated[int, AT_LEAST_ONE] = 2
    """TTL_INCREMENT: how many hops wider each ring is than the previous one."""
    ttl_threshold: Annotated[int, AT_LEAST_ZERO] = 7
    """TTL_THRESHOLD: a ring wider than this, in hops, gets the network's diameter. 0: no expanding rings."""
    timeout_buffer: Annotated[int, AT_LEAST_ZERO] = 2
    """TIMEOUT_BUFFER: hops added to a ring's reach in its timeout, to allow for congestion."""
    request_retries: Annotated[int, AT_LEAST_ZERO, at_most(RETRIES_MAX)] = 2
    """RREQ_RETRIES: how often the widest ring is repeated; the wait doubles each time."""
    requests_per_s: Annotated[int, AT_LEAST_ONE, at_most(1000)] = 10
    """RREQ_RATELIMIT: the most requests that a node originates in a second; further ones wait."""
    errors_per_s: Annotated[int, AT_LEAST_ONE, at_most(1000)] = 10
    """RERR_RATELIMIT: the most errors that a node sends in a second; further ones are dropped and counted."""
    destination_only: bool = True
    """The D flag: only the destination itself may answer. If false, every node with a fresh route answers; where many
    have one, their replies collide (docs/routing.md has our measurements)."""
    local_repair: bool = True
    """Whether a node on a route seeks a new one itself when a link breaks (section 6.12), as ns-2's AODV does."""
    repair_hops_max: Annotated[int, AT_LEAST_ZERO] = 10
    """MAX_REPAIR_TTL: routes to destinations further away than this are not repaired, in hops; 0.3 of NET_DIAMETER."""
    repair_hops_added: Annotated[int, AT_LEAST_ZERO] = 2
    """LOCAL_ADD_TTL: how many hops wider a repair's only ring is than the route was."""
    relay_jitter_s: Annotated[float, AT_LEAST_ZERO, at_most(1.0)] = 0.01
    """The longest random delay before a request is relayed, in seconds, so that neighbours do not collide; ns-2's and
    ns-3's."""
    waiting_s: Annotated[float, DURATION_S] = 30.0
    """How long a packet waits for a route, in seconds; ns-2's and ns-3's."""
    packets_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """The most packets that wait for routes; ns-2's and ns-3's."""
    routes_max: Annotated[int, GREATER_THAN_ZERO] = 1024
    """The most routes a node keeps, invalid ones included. Our choice."""
    precursors_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """The most neighbours remembered as users of a route; with more, an error is broadcast. Our choice."""
    requests_max: Annotated[int, GREATER_THAN_ZERO] = 4096
    """The most requests remembered as seen, and the most nodes remembered as one-way. Our choice."""
    header_bytes: Annotated[int, OPTIONAL_SIZE_BYTES] = 28
    """The size of every packet's headers, in bytes: IP 20, UDP 8."""

    @property
    def net_traversal_s(self) -> float:
        """Return NET_TRAVERSAL_TIME, in seconds."""
        return 2 * self.node_traversal_s * self.net_diameter

    def __post_init__(self) -> None:
        """Check two conditions: one for freedom from loops, and that a route outlives its reply's journey.

        For freedom from loops, a node used as a next hop must remember longer than any route lives.
        """
        longest_s = max(self.active_route_s, self.own_route_s, 2 * self.net_traversal_s)
        if self.delete_s < longest_s:
            raise ParameterError(
                "delete_s", f"must be at least {longest_s:g}, the longest time that an unused route lives"
            )
        on_the_way_s = self.net_diameter * self.node_traversal_s
        if self.own_route_s <= on_the_way_s:
            raise ParameterError("own_route_s", f"must be more than {on_the_way_s:g}, the time a reply may take")
