"""Stories in which a node that breaks one of the rules in ``_aodv_routes`` would make a loop, or go back in numbers.

In each, node 0 has a route to node 2 over node 1, and does not hear that node 1 has lost its own. In the first two, 0
and 1 then are out of earshot, node 3 stands between them, and node 1 asks it for the way to node 2. Node 0 hears the
question from 3, not from its next hop, so only the number in it keeps node 0 from answering with the route that leads
through node 1.
"""

from test_aodv_loops import LETTER, Watched

from roamcast.core.messages import Message
from roamcast.routing.aodv.messages import RouteError, RouteReply
from roamcast.routing.aodv.parameters import AodvParameters
from roamcast.routing.aodv.route_table import Route

ANYONE = AodvParameters(destination_only=False, local_repair=False, ttl_threshold=0)
"""Whoever has a fresh route answers, and the whole network is asked at once."""


def route_over_one(delay_s_max: float = 0.001) -> Watched:
    """Return 0 - 1 - 2, with a route from 0 to 2 that was found with some delay, and 3 apart."""
    watched = Watched(4, ANYONE)
    watched.network.delay_s_max = delay_s_max
    watched.network.join(0, 1)
    watched.network.join(1, 2)
    watched.network.routers[0].send(LETTER, 2)
    watched.network.run(4 * delay_s_max + 1.0)
    watched.network.delay_s_max = 0.001
    assert (route(watched, 0).next_hop, route(watched, 1).next_hop) == (1, 2)
    return watched


def route(watched: Watched, node: int) -> Route:
    """Return what a node knows of the way to node 2."""
    found = watched.route(node, 2)
    assert found is not None
    return found


def let_one_ask_round_the_corner(watched: Watched) -> None:
    """Put 3 between 0 and 1, of which the first still has its route and the second has none, and let 1 ask."""
    network = watched.network
    network.part(0, 1)
    network.part(1, 2)
    network.join(0, 3)
    network.join(3, 1)
    assert (route(watched, 0).is_active, route(watched, 0).next_hop) == (True, 1)
    assert watched.network.routers[1].routes.active(2, network.now) is None
    network.hosts[0].sent.clear()
    network.routers[1].send(LETTER, 2)
    network.run(network.now + 0.05)
    assert route(watched, 0).is_active  # so it could have answered
    assert [message for message, _ in network.hosts[0].sent if isinstance(message, RouteReply)] == []
    network.run(network.now + 40.0)


def hold_errors(watched: Watched) -> list[Message]:
    """Keep node 1's errors from their way, and return the list in which they are kept."""
    held: list[Message] = []
    carry = watched.network.hosts[1].unicast

    def carry_or_hold(message: Message, to: int) -> None:
        if isinstance(message, RouteError):
            held.append(message)
        else:
            carry(message, to)

    watched.network.hosts[1].unicast = carry_or_hold  # type: ignore[method-assign]
    return held


def test_who_lets_a_route_expire_gets_no_answer_from_one_whose_route_leads_through_it_and_lives_on() -> None:
    watched = route_over_one(delay_s_max=0.5)
    one_ends_s, zero_ends_s = route(watched, 1).until_s, route(watched, 0).until_s
    assert zero_ends_s - one_ends_s > 0.1  # as long as the reply was under way between the two
    watched.network.run(one_ends_s + 0.01)
    let_one_ask_round_the_corner(watched)


def test_who_gets_packets_for_a_route_that_it_has_lost_does_not_forget_its_number_meanwhile() -> None:
    watched = route_over_one()
    network = watched.network
    held = hold_errors(watched)
    network.part(1, 2)
    while network.now < 20.0:  # longer than DELETE_PERIOD after the break, less than it after the last packet
        network.routers[0].send(LETTER, 2)
        network.run(network.now + 2.0)
    assert len(held) > 5
    let_one_ask_round_the_corner(watched)


def test_an_error_that_a_newer_route_has_overtaken_does_not_take_the_number_back() -> None:
    watched = route_over_one()
    network = watched.network
    held = hold_errors(watched)
    network.part(1, 2)
    network.routers[1].send(LETTER, 2)
    network.run(1.1)
    assert held == [RouteError(40, ((2, 1),))]
    network.join(1, 2)
    for node in (77, 78, 79):
        network.routers[2].send(LETTER, node)  # its requests carry its own number, counted up each time
        network.run(network.now + 0.1)
    assert (route(watched, 0).is_active, route(watched, 0).next_hop, route(watched, 0).sequence) == (True, 1, 3)
    network.routers[0].on_message(held[0], 1)
    watched.check()
    assert (route(watched, 0).is_active, route(watched, 0).sequence) == (False, 4)


def test_who_takes_out_packets_for_a_route_that_it_has_lost_does_not_forget_its_number_either() -> None:
    watched = route_over_one()
    network = watched.network
    network.users[1].captures = True
    while network.now < 25.0:
        network.routers[0].send(LETTER, 2)
        network.run(network.now + 2.0)
    network.users[1].captures = False
    assert watched.route(1, 2) is not None  # its packets were taken out for 25 s, and its number is still known
    let_one_ask_round_the_corner(watched)
