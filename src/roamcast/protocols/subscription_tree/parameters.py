"""The parameters of the subscription tree, with the source of each default."""

from dataclasses import dataclass
from typing import Annotated

from roamcast.core.parameters import AT_LEAST_ONE, AT_LEAST_ZERO, GREATER_THAN_ZERO, PERIOD_S, SIZE_BYTES, at_most
from roamcast.protocols.shared.tree_links import FAILURES_MAX


@dataclass(frozen=True, slots=True)
class SubscriptionTreeParameters:
    """The keys of ``[protocol]`` for the subscription tree."""

    heartbeat_s: Annotated[float, PERIOD_S] = 1.0
    """The longest time between a node's hellos, in seconds; AODV's and MAODV's."""
    heartbeat_m: Annotated[float, GREATER_THAN_ZERO] = 10.0
    """A moving node sends a hello at least once every so many metres, and at most four times in ``heartbeat_s``; a
    moving root sends its numbered hellos more often by the same factor. As with tree groups."""
    missed_heartbeats: Annotated[float, AT_LEAST_ONE] = 2.5
    """A neighbour is lost after this many heartbeats without a hello; Frugal's factor, MAODV has 2 or 3."""
    root_hello_s: Annotated[float, PERIOD_S] = 1.0
    """The time between two numbered hellos of the root, in seconds. MAODV has 5; ours is shorter, since a hello with a
    new number replaces a heartbeat, and lets a node that has lost its parent find another sooner."""
    reply_wait_s: Annotated[float, PERIOD_S] = 0.1
    """How long a node that seeks a parent waits for answers before it chooses, in seconds. Our choice."""
    request_wait_s: Annotated[float, PERIOD_S] = 0.25
    """How long after a request without an answer the next one is sent, in seconds; doubled each time. Our choice."""
    requests_max: Annotated[int, AT_LEAST_ONE] = 5
    """After this many requests without an answer a node becomes a root. MAODV has 3; ours is large enough for the
    root's next hello to arrive before the last. A node that has never been in a tree sends two."""
    merge_wait_s: Annotated[float, PERIOD_S] = 0.5
    """How long a node that has met a higher tree waits for its own to join elsewhere, in seconds; a random delay of up
    to the same length is added. Our choice: a hello has travelled through the whole tree by then."""
    shortcut_hops: Annotated[int, AT_LEAST_ONE] = 6
    """A node changes its parent for one that brings it this many hops closer to the root. Our choice: few links are
    worth breaking."""
    removal_wait_s: Annotated[float, AT_LEAST_ZERO, at_most(1e6)] = 1.0
    """How long a node waits before it reports that interests are gone, in seconds. Our choice: most lost nodes are back
    in a moment, somewhere else."""
    local_stretch: Annotated[float, GREATER_THAN_ZERO] = 10.0
    """A local event travels this many times its number of hops along the tree, where paths are longer. Our choice: it
    reaches practically everywhere; with 3, a third of the intended subscribers are not reached."""
    neighbours_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """The most nodes in range that a node remembers. Our choice."""
    losses_max: Annotated[int, AT_LEAST_ONE] = FAILURES_MAX
    """A link is broken when this many frames since the last hello, each repeated by the MAC, were not acknowledged. As
    with tree groups."""
    links_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """The most neighbours that a node has in the tree. Our choice."""
    interests_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """The most interests kept for each of them. Our choice."""
    held_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """The most events that a node without a parent keeps for the next one. Our choice."""
    identifiers_max: Annotated[int, GREATER_THAN_ZERO] = 4096
    """The most identifiers a node remembers as heard. Our choice."""
    control_bytes: Annotated[int, SIZE_BYTES] = 24
    """The size of a hello, a request, an answer or an activation, in bytes; MAODV's RREQ has 24."""
    header_bytes: Annotated[int, SIZE_BYTES] = 4
    """The size of a message with subscriptions, without these, in bytes. Our choice."""
    message_bytes_max: Annotated[int, SIZE_BYTES] = 2304
    """The largest message, in bytes; subscriptions that do not fit go into further messages. The body of an 802.11
    frame."""
