"""The role of a home moves: whoever is there serves it."""

from math import inf

import pytest
from test_topic_homes import NEWS, figure_setup, run

from roamcast.core.event_interests import TopicInterest
from roamcast.protocols import load_protocol
from roamcast.protocols.shared.topic_homes.homes import home_place
from roamcast.protocols.shared.topic_homes.messages import SubscriptionCopy
from roamcast.sim.simulation import Simulation
from roamcast.sim.workload import Publication, Subscription
from roamcast.testing import network


@pytest.mark.parametrize("name", ["broker-gpsr", "rendezvous-gpsr"])
def test_when_the_node_at_a_home_drives_away_the_next_one_takes_over_by_itself(name: str) -> None:
    """Two nodes pass by the home one after the other; the subscriber and the publisher stand still."""
    home_x_m, home_y_m = home_place(NEWS, Simulation(figure_setup(name), 1).world)
    stays = [((0.0, home_x_m - 220.0, home_y_m),), ((0.0, home_x_m + 220.0, home_y_m),)]
    leaves = ((0.0, home_x_m, home_y_m), (20.0, home_x_m, home_y_m), (26.0, home_x_m, home_y_m + 900.0))
    comes = ((0.0, home_x_m, home_y_m + 900.0), (20.0, home_x_m, home_y_m + 900.0), (26.0, home_x_m, home_y_m))
    wishes = (Subscription(-inf, 0, TopicInterest(NEWS)),)
    published = tuple(Publication(at_s, 1, NEWS, 5.0, 400) for at_s in (5.0, 30.0, 32.0, 34.0))
    protocol = load_protocol(name)
    parameters = protocol.Parameters(root_home=False, far_home="drops")
    setup = network(protocol, (*stays, leaves, comes), wishes, published, parameters, duration_s=45.0)
    facts, frames = run(setup)
    assert {(each.event, each.node) for each in facts.deliveries} >= {(0, 0), (2, 0), (3, 0)}
    served = [frame.sender for frame in frames if isinstance(frame.message, SubscriptionCopy)]
    assert set(served) >= {2, 3}
