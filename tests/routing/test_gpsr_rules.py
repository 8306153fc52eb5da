"""The rules of GPSR one by one: beacons, greedy mode, the walk round a void, and what a lost neighbour changes."""

from dataclasses import replace
from itertools import pairwise

import pytest
from router_network import GivenUp, Letter, RouterNetwork

from roamcast.core.host import Position
from roamcast.core.messages import Message
from roamcast.routing.gpsr.messages import (
    Beacon,
    GeographicPacket,
    Walk,
)
from roamcast.routing.gpsr.parameters import GpsrParameters
from roamcast.routing.gpsr.protocol import Gpsr

LETTER = Letter(100, "dear")
ME = 1
HERE = Position(0.0, 0.0)
FAR = Position(1000.0, 0.0)


class Alone:
    """One router at (0, 0), to which the test is all neighbours."""

    def __init__(self, places: dict[int, tuple[float, float]], parameters: GpsrParameters | None = None) -> None:
        self.network = RouterNetwork(Gpsr, [ME], parameters, {ME: HERE})
        self.router, self.user = self.network.routers[ME], self.network.users[ME]
        for node, place in places.items():
            self.router.on_message(Beacon(40, Position(*place)), node)

    def take(self) -> list[tuple[Message, int | None]]:
        taken = list(self.network.hosts[ME].sent)
        self.network.hosts[ME].sent.clear()
        return taken

    def next_hops(self) -> list[int | None]:
        return [to for _, to in self.take()]

    def reasons(self) -> list[str]:
        return [reason for _, reason in self.network.hosts[ME].drops]


def packet(node: int | None = 9, walk: Walk | None = None, hops_left: int = 50) -> GeographicPacket:
    """Return a packet of node 5 for a place 1 km to the east, from the west."""
    return GeographicPacket(145, LETTER, 5, node, FAR, hops_left, Position(-100.0, 0.0), walk)


# --- beacons ----------------------------------------------------------------------------------------------------


def test_beacons_say_where_the_node_is_half_to_one_and_a_half_intervals_apart() -> None:
    network = RouterNetwork(Gpsr, [ME], GpsrParameters(beacon_s=2.0), {ME: HERE})
    sent_at_s: list[float] = []

    def note(message: Message, after_s: float = 0.0) -> None:  # noqa: ARG001 - only its time matters
        sent_at_s.append(network.now)

    network.hosts[ME].broadcast = note  # type: ignore[method-assign]
    network.start()
    network.run(2000.0)
    gaps_s = [later - earlier for earlier, later in pairwise(sent_at_s)]
    assert 0.0 <= sent_at_s[0] <= 2.0
    assert (1.0 <= min(gaps_s) < 1.02, 2.98 < max(gaps_s) <= 3.0) == (True, True)
    assert 1.95 < sum(gaps_s) / len(gaps_s) < 2.05


def test_a_beacon_has_an_address_and_two_coordinates() -> None:
    alone = Alone({})
    alone.router.start()
    alone.network.run(1.5)
    assert alone.take()[0] == (Beacon(4 + 8 + 28, HERE), None)


def test_a_node_that_does_not_know_where_it_is_sends_no_beacons_and_no_packets() -> None:
    network = RouterNetwork(Gpsr, [ME], None, {})
    network.start()
    network.routers[ME].send(LETTER, 9, FAR)
    network.run(10.0)
    assert network.hosts[ME].sent == []
    assert network.users[ME].given_up == [GivenUp(LETTER, 9, "no-position")]


def test_a_neighbour_not_heard_for_four_and_a_half_intervals_is_forgotten() -> None:
    alone = Alone({2: (100.0, 0.0)}, GpsrParameters(beacon_s=2.0))
    alone.network.run(9.0)
    assert alone.router.storage_bytes() == 12
    alone.network.run(9.01)
    assert alone.router.storage_bytes() == 0
    alone.router.send(LETTER, 9, FAR)
    assert alone.user.given_up == [GivenUp(LETTER, 9, "no-neighbour")]


def test_a_full_table_forgets_who_was_heard_longest_ago() -> None:
    alone = Alone({2: (100.0, 0.0), 3: (90.0, 0.0)}, GpsrParameters(neighbours_max=2))
    alone.network.run(1.0)
    alone.router.on_message(Beacon(40, Position(100.0, 0.0)), 2)
    alone.router.on_message(Beacon(40, Position(80.0, 0.0)), 4)
    assert set(alone.router.neighbours()) == {2, 4}


def test_a_packet_tells_where_its_sender_is() -> None:
    alone = Alone({2: (100.0, 0.0)})
    alone.router.on_message(packet(), 8)
    assert alone.router.neighbours()[8] == Position(-100.0, 0.0)


# --- greedy mode ------------------------------------------------------------------------------------------------


def test_a_packet_goes_to_the_neighbour_nearest_to_its_target() -> None:
    alone = Alone({2: (100.0, 0.0), 3: (100.0, 90.0), 4: (-150.0, 0.0)})
    alone.router.send(LETTER, 9, FAR)
    assert alone.take() == [(GeographicPacket(100 + 28 + 17, LETTER, ME, 9, FAR, 128, HERE, None), 2)]


def test_a_neighbour_gets_its_packet_wherever_it_was_thought_to_be() -> None:
    alone = Alone({2: (100.0, 0.0), 9: (-150.0, 0.0)})
    alone.router.send(LETTER, 9, FAR)
    alone.router.send(LETTER, 9)
    alone.router.on_message(packet(walk=Walk(Position(20.0, 0.0), Position(20.0, 0.0), (5, 6))), 8)
    assert alone.next_hops() == [9, 9, 9]


def test_without_a_position_only_a_neighbour_is_reached() -> None:
    alone = Alone({2: (100.0, 0.0)})
    alone.router.send(LETTER, 9)
    assert alone.user.given_up == [GivenUp(LETTER, 9, "no-position")]


# --- the walk ---------------------------------------------------------------------------------------------------


def test_with_nobody_nearer_a_packet_sets_out_along_the_first_edge_counterclockwise_from_its_target() -> None:
    alone = Alone({2: (-50.0, 80.0), 3: (-50.0, -80.0)})
    alone.router.send(LETTER, 9, FAR)
    walk = Walk(HERE, HERE, (ME, 2))
    assert alone.take() == [(GeographicPacket(100 + 28 + 17 + 24, LETTER, ME, 9, FAR, 128, HERE, walk), 2)]


def test_a_walking_packet_turns_by_the_right_hand_rule() -> None:
    alone = Alone({2: (0.0, 100.0), 3: (0.0, -100.0)})
    walk = Walk(Position(50.0, 0.0), Position(50.0, 0.0), (5, 6))
    alone.router.on_message(packet(walk=walk), 8)
    alone.router.on_message(replace(packet(walk=walk), sender_at=Position(0.0, -100.0)), 3)
    sent = alone.take()
    assert [to for _, to in sent] == [3, 2]
    assert [message.walk for message, _ in sent if isinstance(message, GeographicPacket)] == [walk, walk]


def test_a_packet_that_is_nearer_than_where_it_set_out_goes_greedily_again() -> None:
    alone = Alone({2: (100.0, 0.0), 3: (0.0, -100.0)})
    alone.router.on_message(packet(walk=Walk(Position(-1.0, 0.0), Position(-1.0, 0.0), (5, 6))), 8)
    [(message, to)] = alone.take()
    assert isinstance(message, GeographicPacket)
    assert (message.walk, to, message.hops_left, message.sender_at) == (None, 2, 49, HERE)


def test_a_packet_goes_on_round_the_next_face_where_its_line_to_the_target_is_crossed() -> None:
    # From the west the right-hand rule gives 3, but that edge crosses the line from (50, -100) to the target.
    alone = Alone({2: (0.0, 100.0), 3: (100.0, -120.0)})
    start = Position(50.0, -100.0)
    alone.router.on_message(packet(walk=Walk(start, start, (5, 6))), 8)
    [(message, to)] = alone.take()
    assert isinstance(message, GeographicPacket)
    assert message.walk is not None
    assert (to, message.walk.entered_at, message.walk.first_edge) == (2, start, (ME, 2))
    assert message.walk.face_at == pytest.approx((80.645, -96.774), abs=0.001)


def test_a_crossing_that_is_not_nearer_to_the_target_changes_nothing() -> None:
    alone = Alone({2: (0.0, 100.0), 3: (100.0, -120.0)})
    walk = Walk(Position(50.0, -100.0), Position(200.0, -84.2), (5, 6))
    alone.router.on_message(packet(walk=walk), 8)
    [(message, to)] = alone.take()
    assert isinstance(message, GeographicPacket)
    assert (to, message.walk) == (3, walk)


@pytest.mark.parametrize("node", [9, None])
def test_a_packet_that_has_gone_round_has_missed_its_node_or_has_found_the_home_of_its_place(node: int | None) -> None:
    alone = Alone({2: (0.0, 100.0), 3: (0.0, -100.0)})
    walk = Walk(Position(50.0, 0.0), Position(50.0, 0.0), (ME, 3))
    alone.router.on_message(packet(node, walk), 8)
    assert alone.take() == []
    assert alone.reasons() == (["gone-round"] if node else [])
    assert [(each.payload, each.origin) for each in alone.user.arrived] == ([] if node else [(LETTER, 5)])
    assert alone.user.given_up == []  # it was not this node's own


def test_a_node_without_neighbours_is_the_home_of_every_place() -> None:
    alone = Alone({})
    alone.router.send_to_place(LETTER, FAR)
    assert [(each.payload, each.origin) for each in alone.user.arrived] == [(LETTER, ME)]


# --- lost neighbours --------------------------------------------------------------------------------------------


def fail_last(alone: Alone) -> None:
    """Let the MAC report that the last packet did not get through."""
    message, to = alone.network.hosts[ME].sent[-1]
    assert to is not None
    alone.network.now += 0.01
    alone.router.on_unicast_failed(message, to)


def test_a_packet_that_fails_goes_to_the_next_best_neighbour_and_the_lost_one_is_forgotten() -> None:
    alone = Alone({2: (100.0, 0.0), 3: (80.0, 0.0)})
    alone.router.send(LETTER, 9, FAR)
    fail_last(alone)
    assert set(alone.router.neighbours()) == {3}
    fail_last(alone)
    sent = alone.take()
    assert [(to, message.hops_left) for message, to in sent if isinstance(message, GeographicPacket)] == [
        (2, 128),
        (3, 127),
    ]
    assert alone.user.given_up == [GivenUp(LETTER, 9, "no-neighbour")]


def test_a_full_queue_costs_the_packet_and_no_neighbour() -> None:
    alone = Alone({2: (100.0, 0.0), 3: (80.0, 0.0)})
    alone.router.send(LETTER, 9, FAR)
    [(message, _)] = alone.take()
    alone.router.on_unicast_failed(message, 2)  # in the instant of sending
    assert set(alone.router.neighbours()) == {2, 3}
    assert (alone.take(), alone.user.given_up) == ([], [GivenUp(LETTER, 9, "refused")])


def test_a_walk_that_fails_at_its_first_edge_begins_with_the_next() -> None:
    alone = Alone({2: (-50.0, 80.0), 3: (-50.0, -80.0)})
    alone.router.send(LETTER, 9, FAR)
    fail_last(alone)
    [_, (message, to)] = alone.take()
    assert isinstance(message, GeographicPacket)
    assert (to, message.walk) == (3, Walk(HERE, HERE, (ME, 3)))


@pytest.mark.parametrize(("first_edge", "goes_on"), [((5, 6), True), ((ME, 2), False)])
def test_a_walk_that_fails_later_turns_further_and_ends_where_it_began(
    first_edge: tuple[int, int], goes_on: bool
) -> None:
    alone = Alone({2: (0.0, 100.0), 3: (0.0, -100.0)})
    walk = Walk(Position(50.0, 0.0), Position(50.0, 0.0), first_edge)
    alone.router.on_message(packet(walk=walk), 8)
    fail_last(alone)
    assert alone.next_hops() == ([3, 2] if goes_on else [3])
    assert alone.reasons() == ([] if goes_on else ["gone-round"])


@pytest.mark.parametrize("first_edge", [(5, 6), (ME, 2)])
def test_a_walk_that_ends_beside_its_node_begins_anew_if_that_node_is_gone(first_edge: tuple[int, int]) -> None:
    alone = Alone({2: (0.0, 100.0), 3: (0.0, -100.0), 9: (70.0, 70.0)})
    walk = Walk(Position(50.0, 0.0), Position(50.0, 0.0), first_edge)
    alone.router.on_message(packet(node=9, walk=walk), 8)
    fail_last(alone)
    (to_the_node, nine), (anew, two) = alone.take()
    assert isinstance(to_the_node, GeographicPacket)
    assert isinstance(anew, GeographicPacket)
    assert (nine, to_the_node.walk) == (9, None)
    assert (two, anew.walk) == (2, Walk(HERE, HERE, (ME, 2)))
    assert alone.reasons() == []


def test_no_packet_goes_on_for_ever() -> None:
    alone = Alone({2: (100.0, 0.0), 3: (90.0, 0.0), 4: (80.0, 0.0)}, GpsrParameters(hops_max=2))
    alone.router.send(LETTER, 9, FAR)
    fail_last(alone)
    fail_last(alone)
    alone.router.on_message(packet(hops_left=1), 8)
    assert alone.next_hops() == [2, 3]
    assert alone.reasons() == ["hop-limit", "hop-limit"]
    assert alone.user.given_up == [GivenUp(LETTER, 9, "hop-limit")]


# --- capture ----------------------------------------------------------------------------------------------------


def test_the_user_can_take_out_what_passes_its_own_packets_too() -> None:
    alone = Alone({2: (100.0, 0.0)})
    alone.user.captures = True
    alone.router.send_to_place(LETTER, FAR)
    alone.router.on_message(packet(node=None), 8)
    alone.router.on_message(packet(node=9), 8)
    assert alone.user.passed == [(LETTER, ME, FAR), (LETTER, 5, FAR), (LETTER, 5, 9)]
    assert (alone.take(), alone.user.arrived, alone.reasons()) == ([], [], [])


def test_a_packet_for_the_node_itself_is_not_passing() -> None:
    alone = Alone({2: (100.0, 0.0)})
    alone.user.captures = True
    alone.router.on_message(packet(node=ME), 8)
    assert (len(alone.user.arrived), alone.user.passed) == (1, [])
