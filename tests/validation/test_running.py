"""Cases over seeds, in one process or several."""

from multiprocessing import active_children

import pytest

from roamcast.validation.case_groups import choose
from roamcast.validation.running import Size, run_cases

SMALL = Size(3, is_quick=True)


def test_two_processes_give_the_same_figures_as_one() -> None:
    groups = choose(["saturated-2", "saturated-5", "hidden-20"])
    alone, together = run_cases(groups, SMALL, 1), run_cases(groups, SMALL, 2)
    assert alone == together
    assert [each.case.name for each in alone] == 3 * ["saturated-2"] + 3 * ["saturated-5"] + ["hidden-20"]
    assert [len(each.ours) for each in alone] == 7 * [3]
    assert active_children() == []


def test_every_seed_is_run_and_one_more_changes_none_of_the_others() -> None:
    groups = choose(["saturated-5"])
    three, four = run_cases(groups, SMALL, 1), run_cases(groups, Size(4, is_quick=True), 1)
    assert len(set(three[0].ours)) == 3
    assert [each.ours for each in three] == [each.ours[:3] for each in four]


def test_a_quick_run_is_shorter() -> None:
    case = choose(["hidden-20"])[0].cases[0]
    assert SMALL.duration_s(case) == case.quick_duration_s < case.duration_s == Size(3).duration_s(case)


@pytest.mark.parametrize("processes", [1, 2])
def test_progress_is_told_after_every_run_and_ends_with_all(processes: int) -> None:
    shares: list[float] = []
    run_cases(choose(["saturated-2", "saturated-5"]), SMALL, processes, shares.append)
    assert shares == [done / 6 for done in range(1, 7)]


def test_an_interruption_leaves_no_process_behind() -> None:
    def interrupt(share: float) -> None:
        raise KeyboardInterrupt(share)

    with pytest.raises(KeyboardInterrupt):
        run_cases(choose(["saturated"]), Size(50), 2, interrupt)
    assert active_children() == []
