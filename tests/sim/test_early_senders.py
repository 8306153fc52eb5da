"""A protocol may send while its node is being made, when other nodes are not there yet."""

from typing import Any

from roamcast.core.host import Host
from roamcast.core.messages import Message
from roamcast.protocols.flooding import Flooding
from roamcast.sim.simulation import simulate
from roamcast.testing.small_networks import line


class Eager(Flooding):
    """Sends a first frame at once."""

    def __init__(self, host: Host, parameters: Any) -> None:
        super().__init__(host, parameters)
        host.broadcast(Message(10))


def test_what_is_sent_while_nodes_are_made_reaches_the_neighbours() -> None:
    received: dict[int, list[int]] = {}
    facts = simulate(
        line(Eager),
        seed=1,
        watch=lambda frame: received.update({frame.sender: frame.receivers} if type(frame.message) is Message else {}),
    )
    assert set(received) == set(range(facts.nodes))
    assert any(received.values()), "all at once collide, but not everywhere"
    assert len(facts.deliveries) == len(simulate(line(Flooding), seed=1).deliveries) > 0
