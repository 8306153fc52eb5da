"""A node of BRVST that manages its grid and its zone, and peers who send it anything: for it, or past it to a place."""

from brvst_networks import Air
from hostile_strategies import anything, messages
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roamcast.core.host import Position
from roamcast.core.messages import Message
from roamcast.protocols.brvst import messages as _brvst_messages
from roamcast.protocols.brvst.cells import GRID, ZONE, Cell
from roamcast.protocols.brvst.messages import CellPayload, HandOver, Subscriptions
from roamcast.routing.sogr.messages import Packet, Stop
from roamcast.testing.hostile_messages import NODES

HERE = Position(125.0, 125.0)
OWN = (Cell(GRID, 0, 0), Cell(ZONE, 0, 0))


KINDS = [each for each in vars(_brvst_messages).values() if isinstance(each, type) and issubclass(each, CellPayload)]
PAYLOADS = st.one_of([anything(kind) for kind in sorted(set(KINDS) - {CellPayload}, key=lambda kind: kind.__name__)])
PARTS = st.lists(anything(Subscriptions), max_size=2)
ANY_MESSAGE = messages()


@st.composite
def addressed(draw: st.DrawFn) -> Message:
    """Draw a message for managers, often for the cells of this node, or a part of a hand-over for one of them."""
    if draw(st.integers(0, 4)) == 0:
        return HandOver(100, draw(st.sampled_from(OWN)), 3, tuple(draw(PARTS)))
    message: Message = draw(PAYLOADS)
    if draw(st.booleans()):
        object.__setattr__(message, "cells", (draw(st.sampled_from(OWN)),))
        object.__setattr__(message, "size_bytes", 500)
    return message


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    story=st.lists(
        st.tuples(st.one_of(addressed(), addressed(), ANY_MESSAGE), st.sampled_from(NODES), st.integers(0, 3)),
        min_size=5,
        max_size=20,
    )
)
def test_a_manager_survives_anything_and_goes_on_to_serve(story: list[tuple[Message, int, int]]) -> None:
    air = Air({7: (125, 125), 8: (150, 150)})
    air.run(3.0)
    node = air.nodes[7]
    assert len(node.offices.held) + len(air.nodes[8].offices.held) == 2
    for message, sender, how in story:
        if how == 0:
            node.on_packet(message, sender)
        elif how == 1:
            node.on_passing(message, sender, Position(250.0, 250.0))
        else:
            stop = Stop(7 if how == 2 else None, HERE, 9.0)
            node.on_message(Packet(500, message, sender, (stop,), 5, HERE), sender)
        air.run(0.3)
        assert node.storage_bytes() >= 0
    for host in air.hosts.values():
        assert all(event.is_valid(sent.at_s) for sent in host.unicasts for event in sent.message.events)
