"""One node of a tree group and what its peers say, for tests that look at it step by step."""

from dataclasses import replace

from roamcast.core.messages import Message
from roamcast.protocols.tree_group.messages import (
    ACCEPTED,
    MEMBER,
    NEW,
    NO_LABEL,
    Heartbeat,
    JoinReply,
    JoinRequest,
    Label,
)
from roamcast.protocols.tree_group.parameters import TreeGroupParameters
from roamcast.protocols.tree_group.protocol import TreeGroup
from roamcast.testing import RecordingHost, interest_in

ME = 5
LABEL: Label = (7, 1, -1)
NEWS = interest_in("news")
NEWS_BITS = TreeGroupParameters().shape.mask("topic\x1fnews")


def heartbeat(
    beat: int = 1, state: int = MEMBER, label: Label = LABEL, parent: int | None = 1, **more: object
) -> Heartbeat:
    made = Heartbeat(60, beat, 1.0, state, label, parent, 0.5, 0, 1, 3, 9, None, None, (), ())
    return replace(made, **more)  # type: ignore[arg-type]


def node(**parameters: object) -> tuple[RecordingHost, TreeGroup]:
    host = RecordingHost(ME)
    return host, host.install(TreeGroup, TreeGroupParameters(**parameters))  # type: ignore[arg-type]


def member(label: Label = LABEL, parent: int = 2, **parameters: object) -> tuple[RecordingHost, TreeGroup]:
    """Return a node that has joined below a parent of this label."""
    host, protocol = node(**parameters)
    host.advance_to(1.0)
    protocol.on_message(heartbeat(label=label), parent)
    protocol.on_message(JoinReply(18, ACCEPTED, MEMBER, label, 0), parent)
    assert protocol.tree_position.parent == parent
    host.unicasts.clear()
    return host, protocol


def gateway_by(protocol: TreeGroup, *parents: int) -> None:
    """Make a node a gateway by a parent in another group that it has heard."""
    for parent in parents:
        protocol.tree_position.adopt_second(parent, protocol.tree_position.own_bits)


def last(host: RecordingHost) -> tuple[Message, int]:
    return host.unicasts[-1].message, host.unicasts[-1].to


def request(label: Label = NO_LABEL, state: int = NEW, bits: int = 0, weight: float = 0.0) -> JoinRequest:
    return JoinRequest(82, state, label, weight, 0, 1, bits)
