"""The medium against what a trusted simulator (ns-3) and theory give on small cases: docs/radio.md has the table.

``roamcast validate`` runs the same cases in full; here they are reduced, with the allowance for chance that few seeds
need.
"""

from dataclasses import replace
from functools import partial
from math import sqrt
from statistics import mean, stdev

import numpy as np
import pytest

from roamcast.sim.trajectories import Trajectories
from roamcast.validation.case_groups import GROUPS, choose
from roamcast.validation.cases import Case, Group
from roamcast.validation.heartbeats import NODES, RANGE_M, Beat, play_heartbeats
from roamcast.validation.hidden import LOST as HIDDEN_LOST
from roamcast.validation.hidden import formula, run_hidden
from roamcast.validation.judging import SEEDS_MIN, Finding, Verdict
from roamcast.validation.running import QUICK, run_cases
from roamcast.validation.saturated import LOST, SATURATED, run_saturated, slotted_model

SEEDS = range(1, 81)
"""The first eighty, none chosen: receptions scatter by 7 % between seeds, since the number of neighbours does."""
STEADY_S = 20
"""Neighbours change slowly, so more seconds of a seed tell less than more seeds do."""
EVEN_CASES = {
    *("hidden-150", "hidden-unicast-100", "hidden-unicast-rts-100"),
    *("aodv-1", "aodv-10", "aodv-20"),
}
"""Long runs whose seeds differ little: three standard errors are about half of what is allowed, or less."""


def findings(case: Case) -> list[Finding]:
    """Run a single case, reduced; an even one with the fewest seeds that decide."""
    size = replace(QUICK, seeds=SEEDS_MIN) if case.name in EVEN_CASES else QUICK
    return run_cases(choose([case.name]), size, 1)


@pytest.mark.parametrize("case", [case for group in GROUPS for case in group.cases], ids=lambda case: case.name)
def test_a_case_gives_what_ns_3_gives(case: Case) -> None:
    for each in findings(case):
        assert each.verdict is not Verdict.DIFFERS, (each.expectation.quantity.name, each.mean)
        assert each.expectation.is_judged or each.expectation.remark


@pytest.mark.parametrize("broadcasters", [8, 12])
def test_a_different_contention_is_noticed(broadcasters: int) -> None:
    """Two broadcasters more or fewer than the reference's ten stand for a MAC that contends a little differently."""
    case = choose(["saturated-10"])[0].cases[0]
    wrong: Group = replace(SATURATED, cases=(replace(case, run=partial(run_saturated, broadcasters)),))
    assert {each.verdict for each in run_cases([wrong], QUICK, 1)} == {Verdict.DIFFERS}


@pytest.mark.parametrize("broadcasters", [2, 10, 50])
def test_saturated_broadcasters_lose_as_much_as_in_a_slotted_model(broadcasters: int) -> None:
    """In the model a node that draws 0 sends in the next round, and the others have not counted: as here."""
    ours = [run_saturated(broadcasters, seed, 10)[LOST.name] for seed in range(8)]
    theory = slotted_model(broadcasters)[LOST.name]
    assert mean(ours) == pytest.approx(theory, abs=0.003 + 2 * stdev(ours) / sqrt(len(ours)))


@pytest.mark.parametrize("rate", [5.0, 20.0, 50.0])
def test_hidden_terminals_follow_the_formula(rate: float) -> None:
    ours = [run_hidden(rate, seed, 200)[HIDDEN_LOST.name] for seed in range(6)]
    assert mean(ours) == pytest.approx(formula(rate), abs=0.003 + 2 * stdev(ours) / sqrt(len(ours)))


def test_the_formula_gives_the_figures_that_are_published_with_the_reference() -> None:
    received = [1 - formula(rate) for rate in (20, 50, 100, 150)]
    assert received == pytest.approx([0.908, 0.782, 0.600, 0.449], abs=0.0006)


def in_range(movement: Trajectories, beats: list[Beat]) -> int:
    """Count the neighbours of every sender at the time of its beat, by a look at every node."""
    count = 0
    for at_ns, node in beats:
        places_m = movement.positions(at_ns * 1e-9)
        offsets_m = places_m - places_m[node]
        count += int((np.hypot(offsets_m[:, 0], offsets_m[:, 1]) <= RANGE_M).sum()) - 1
    return count


def test_every_heartbeat_is_received_or_lost_by_everyone_in_range() -> None:
    medium, movement, beats = play_heartbeats(1, 60, warmup_s=600)
    frames, receptions = medium.totals
    assert frames == len(beats) == 60 * NODES
    # A frame begins up to a few milliseconds after its beat, in which a neighbour moves some centimetres.
    assert receptions + sum(medium.frames_lost) == pytest.approx(in_range(movement, beats), abs=5)


def expected_neighbours(pairs: int = 1_000_000) -> float:
    """Return the mean number of neighbours in the steady state, from first principles.

    A node is on a trip in proportion to the trip's length, and anywhere on it (the pause of 1 s in 260 s aside).
    """
    random = np.random.default_rng(1)
    near = count = 0
    while count < pairs:
        start, end = random.uniform(0, 5000, (2, 500_000, 2))
        taken = random.uniform(0, 5000 * sqrt(2), 500_000) < np.hypot(*(end - start).T)
        placed_m = (start + (end - start) * random.uniform(size=(500_000, 1)))[taken]
        half = len(placed_m) // 2
        apart_m = placed_m[:half] - placed_m[half : 2 * half]
        near += int((np.hypot(apart_m[:, 0], apart_m[:, 1]) <= RANGE_M).sum())
        count += half
    return (NODES - 1) * near / count


def test_heartbeats_in_the_steady_state_are_received_as_often_as_the_density_of_the_nodes_says() -> None:
    """About 2.9 for each frame; independent of ns-3."""
    receptions = [float(play_heartbeats(seed, STEADY_S, "steady-state")[0].totals[1]) for seed in SEEDS]
    expected = 0.9986 * STEADY_S * NODES * expected_neighbours()
    assert mean(receptions) == pytest.approx(expected, abs=3 * stdev(receptions) / sqrt(len(receptions)))
