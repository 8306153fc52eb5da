"""Ways to DRIP's brokers never return to a node, whatever is lost and however the network changes meanwhile."""

from pathlib import Path
from random import Random

import pytest

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.protocols.drip.messages import RESIGNED, Announcement
from roamcast.protocols.drip.parameters import DripParameters
from roamcast.protocols.drip.regions import BrokerList
from roamcast.sim.simulation import simulate

BROKER = 0


def announced(number: int, hops: int) -> Announcement:
    return Announcement(20, BROKER, number, hops, 0.0, 0, None)


def has_loop(lists: list[BrokerList]) -> bool:
    """Follow the ways from all nodes."""
    for start in range(len(lists)):
        passed: set[int] = set()
        at: int | None = start
        while at not in (None, BROKER):
            if at in passed:
                return True
            passed.add(at)
            at = lists[at].next_hop(BROKER)
    return False


def test_two_neighbours_on_a_longer_detour_do_not_send_to_each_other() -> None:
    """Node 1 is next to the broker and node 2 behind it; then that link breaks, and the way leads over 4 and 3.

    If 2 compared the way over 1, of the announcement before, with its new distance, each would send to the other.
    """
    lists = [BrokerList(node, DripParameters()) for node in range(5)]
    for heard_by, sender, number, hops in (
        (1, 0, 1, 0),
        (2, 1, 1, 1),
        (4, 0, 2, 0),
        (3, 4, 2, 1),
        (2, 3, 2, 2),
        (1, 2, 2, 3),
    ):
        assert lists[heard_by].hear(announced(number, hops), sender, 1, 0.0)
    assert [each.next_hop(BROKER) for each in lists] == [None, 2, 3, 4, 0]
    assert not has_loop(lists)


@pytest.mark.parametrize("seed", range(20))
def test_no_way_returns_to_a_node_while_links_change_and_announcements_are_lost(seed: int) -> None:
    """Announcements of several numbers travel at once, each frame heard late or not at all, and tables overflow."""
    rng, nodes = Random(seed), 12
    lists = [BrokerList(node, DripParameters(brokers_max=2)) for node in range(nodes)]
    for each in lists:
        each.hear(Announcement(20, nodes + 1, 1, 0, 0.0, 0, None), 1, 0, 0.0)  # a broker next to every node
    under_way: list[tuple[int, int, int, int]] = []
    used = 0
    for step in range(600):
        if step % 40 == 0:
            links = {(one, other) for one in range(nodes) for other in range(nodes) if rng.random() < 0.2}
            under_way += [(node, BROKER, 1 + step // 40, 0) for one, node in links if one == BROKER]
        if under_way:
            receiver, sender, number, hops = under_way.pop(rng.randrange(len(under_way)))
            weight = rng.choice((1, 1, 2))
            if receiver != BROKER and lists[receiver].hear(announced(number, hops), sender, weight, float(step)):
                hops_here = lists[receiver][BROKER].hops
                heard_by = [node for one, node in links if one == receiver and rng.random() < 0.8]
                under_way += [(node, receiver, number, hops_here) for node in heard_by]
        if rng.random() < 0.2:  # a nearer broker takes the place of this one for a moment
            crowded = lists[rng.randrange(1, nodes)]
            if crowded.hear(Announcement(20, nodes, step + 1, 0, 0.0, 0, None), 1, 0, float(step)):
                crowded.hear(Announcement(20, nodes, step + 2, 0, 0.0, RESIGNED, None), 1, 0, float(step))
        assert not has_loop(lists), step
        used += sum(each.next_hop(BROKER) is not None for each in lists)
    assert used > nodes * 100


def test_in_the_scenario_of_the_brvst_paper_nothing_travels_until_its_hops_are_used_up() -> None:
    scenario = Scenario.load(Path(__file__).parents[2] / "scenarios" / "zones.toml")
    values = {"protocol.name": "drip", "duration_s": 6, "settle_s": 12, "workload.lead_s": 6}
    facts = simulate(scenario.with_values(values).setup(), seed=1)
    assert "hop-limit" not in {drop.reason for drop in facts.drops}
    assert len(facts.deliveries) > 20
