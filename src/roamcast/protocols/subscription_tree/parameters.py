"""The parameters of the subscription tree."""

from dataclasses import dataclass
from typing import Annotated

from roamcast.core.parameters import AT_LEAST_ONE, AT_LEAST_ZERO, GREATER_THAN_ZERO, PERIOD_S, SOME_BYTES, at_most
from roamcast.protocols.shared.tree_links import FAILURES_MAX


@dataclass(frozen=True, slots=True)
class SubscriptionTreeParameters:
    """The keys of ``[protocol]`` for the subscription tree."""

    heartbeat_s: Annotated[float, PERIOD_S] = 1.0
    """A node that has sent no hello for so long sends one, in seconds; AODV's and MAODV's."""
    heartbeat_m: Annotated[float, GREATER_THAN_ZERO] = 10.0
    """A node that moves says one at least once on so many metres, at most four times in ``heartbeat_s``; a moving root
    sends its numbered hellos as much more often. As with tree groups."""
    missed_heartbeats: Annotated[float, AT_LEAST_ONE] = 2.5
    """A neighbour is lost after so many heartbeats without a hello; Frugal's factor, MAODV has 2 or 3."""
    root_hello_s: Annotated[float, PERIOD_S] = 1.0
    """The time from one numbered hello of the root to the next, in seconds. MAODV has 5; ours is shorter, since a hello
    with a new number takes the place of a heartbeat, and lets who has lost its parent find another sooner."""
    reply_wait_s: Annotated[float, PERIOD_S] = 0.1
    """How long a node that seeks a parent waits for answers before it chooses, in seconds. Our choice."""
    request_wait_s: Annotated[float, PERIOD_S] = 0.25
    """How long after a request without an answer the next one comes, in seconds; each time twice as long. Ours."""
    requests_max: Annotated[int, AT_LEAST_ONE] = 5
    """After so many requests without an answer a node becomes a root. MAODV has 3; ours is so many that the root's next
    hello comes before the last; who has never been in a tree sends two."""
    merge_wait_s: Annotated[float, PERIOD_S] = 0.5
    """How long a node that has met a higher tree waits for its own to have joined elsewhere, in seconds, and up to as
    long again. Our choice: a hello has gone through the whole tree by then."""
    shortcut_hops: Annotated[int, AT_LEAST_ONE] = 6
    """A node changes its parent for one that brings it so many hops nearer to the root. Our choice: few links are worth
    breaking."""
    removal_wait_s: Annotated[float, AT_LEAST_ZERO, at_most(1e6)] = 1.0
    """How long a node waits before it says that something is asked for no more, in seconds. Our choice: most of those
    who are lost are back in a moment, somewhere else."""
    local_stretch: Annotated[float, GREATER_THAN_ZERO] = 10.0
    """A local event goes so many times its number of hops along the tree, whose ways are longer. Our choice: as good as
    everywhere, for with 3 times a third of those whom it is meant for are not reached."""
    neighbours_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """How many nodes in reach are remembered. Our choice."""
    losses_max: Annotated[int, AT_LEAST_ONE] = FAILURES_MAX
    """A link is broken when so many frames since the last hello, each repeated by the MAC, were not acknowledged. As
    with tree groups."""
    links_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """How many neighbours in the tree a node has. Our choice."""
    interests_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """How many interests are kept for each of them. Our choice."""
    held_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """How many events a node without a parent keeps for the next one. Our choice."""
    identifiers_max: Annotated[int, GREATER_THAN_ZERO] = 4096
    """How many identifiers are remembered as heard. Our choice."""
    control_bytes: Annotated[int, SOME_BYTES] = 24
    """The size of a hello, a request, an answer or an activation; MAODV's RREQ has 24."""
    header_bytes: Annotated[int, SOME_BYTES] = 4
    """The size of a message with subscriptions without these. Our choice."""
    message_bytes_max: Annotated[int, SOME_BYTES] = 2304
    """More subscriptions than fit go into several messages; the body of an 802.11 frame."""
