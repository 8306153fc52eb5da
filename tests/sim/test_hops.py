"""Whom a local event is for: who is within some hops at the moment of its publication."""

from math import hypot

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.sim.facts import Facts
from roamcast.sim.hops import within_hops
from roamcast.sim.simulation import simulate
from roamcast.sim.trajectories import Trajectories


def standing(*places: tuple[float, float]) -> Trajectories:
    return Trajectories.from_points([[(0.0, x_m, y_m)] for x_m, y_m in places])


LINE = standing(*((100.0 * node, 0.0) for node in range(6)))


@pytest.mark.parametrize(("hops_max", "reached"), [(1, {1, 2, 3}), (2, {0, 1, 2, 3, 4}), (9, set(range(6)))])
def test_on_a_line_hops_are_counted_both_ways(hops_max: int, reached: set[int]) -> None:
    assert within_hops(LINE, np.full(6, 100.0), 2, hops_max, 0.0) == reached


def test_the_network_is_taken_as_it_is_at_the_moment() -> None:
    walking = Trajectories.from_points([[(0.0, 0.0, 0.0)], [(0.0, 500.0, 0.0), (10.0, 0.0, 0.0)]])
    assert within_hops(walking, np.full(2, 100.0), 0, 1, 7.9) == {0}
    assert within_hops(walking, np.full(2, 100.0), 0, 1, 8.0) == {0, 1}


def test_a_hop_goes_as_far_as_the_senders_own_range() -> None:
    ranges_m = np.array([100.0, 50.0, 100.0, 100.0, 100.0, 100.0])
    assert within_hops(LINE, ranges_m, 0, 5, 0.0) == {0, 1}
    assert within_hops(LINE, ranges_m, 5, 5, 0.0) == set(range(1, 6))


@settings(deadline=None, max_examples=60)
@given(
    places=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400)), min_size=1, max_size=25),
    hops_max=st.integers(1, 6),
)
def test_it_is_what_a_search_by_hand_finds(places: list[tuple[int, int]], hops_max: int) -> None:
    found = {0}
    for _ in range(hops_max):
        found |= {
            node
            for node, (x_m, y_m) in enumerate(places)
            if any(hypot(x_m - places[each][0], y_m - places[each][1]) <= 100 for each in found)
        }
    trajectories = standing(*((float(x_m), float(y_m)) for x_m, y_m in places))
    assert within_hops(trajectories, np.full(len(places), 100.0), 0, hops_max, 3.0) == found


def run(hops_max: int | None) -> Facts:
    """Return what happens where four nodes in a line, 100 m apart, ask for news and the first publishes some."""
    publication = {"node": 0, "topic": "news", "at_s": 1, "validity_s": 5}
    document = {
        "duration_s": 10,
        "area": {"width_m": 400, "height_m": 100},
        "nodes": {"count": 4},
        "mobility": {"model": "static", "placement": "grid"},
        "radio": {"model": "range", "range_m": 140},
        "workload": {
            "model": "script",
            "subscriptions": [{"nodes": "all", "topic": "news"}],
            "publications": [publication if hops_max is None else {**publication, "hops_max": hops_max}],
        },
        "protocol": {"name": "gossip"},
    }
    return simulate(Scenario.from_document(document).setup(), 1)


@pytest.mark.parametrize(("hops_max", "interested"), [(None, 3), (1, 1), (2, 2)])
def test_of_a_local_event_only_those_within_its_hops_count_whoever_delivers_it(
    hops_max: int | None, interested: int
) -> None:
    facts = run(hops_max)
    assert [each.interested for each in facts.publications] == [interested]
    counted = {each.node for each in facts.deliveries if each.counted}
    assert counted == set(range(1, interested + 1))
    assert {each.node for each in facts.deliveries} == {0, 1, 2, 3}  # gossip knows nothing of local events
    assert facts.publications[0].published_at_s == pytest.approx(1.0)
