from pathlib import Path

import pytest

from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.plan import PlannedRun
from roamcast.campaigns.progress import Standing
from roamcast.campaigns.run_counter import COUNT_PERIOD_S, IDLE_SHARE, RunCounter

RUNS = [PlannedRun("a", "{}", f"run{seed}", seed, "{}", cost) for seed, cost in enumerate((6.0, 3.0, 1.0))]


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def folder(tmp_path: Path) -> CampaignFolder:
    for name in ("runs", "failed"):
        (tmp_path / name).mkdir()
    return CampaignFolder(tmp_path)


def test_runs_are_counted_by_their_files_and_weighed_by_their_cost(folder: CampaignFolder) -> None:
    counter = RunCounter(folder, RUNS, 5, Clock())
    assert counter.standing() == Standing(ended=5, planned=8, failed=0, share=0.0)
    folder.run_file(RUNS[0].run_id).touch()
    folder.failed_file(RUNS[2].run_id).touch()
    folder.run_file("of-another-plan").touch()
    assert counter.count() == Standing(ended=7, planned=8, failed=1, share=0.7)


def test_files_are_not_counted_again_at_once(folder: CampaignFolder) -> None:
    clock = Clock()
    counter = RunCounter(folder, RUNS, 0, clock)
    counter.standing()
    folder.run_file(RUNS[1].run_id).touch()
    clock.now_s += 0.9 * COUNT_PERIOD_S
    assert counter.standing().ended == 0
    clock.now_s += 0.2 * COUNT_PERIOD_S
    assert counter.standing() == Standing(ended=1, planned=3, failed=0, share=0.3)


def test_after_a_slow_count_the_counter_rests_longer(folder: CampaignFolder) -> None:
    times_s = iter([0.0, 0.0, 2.0, 2.0, 2.0 + 0.9 * IDLE_SHARE * 2.0])
    counter = RunCounter(folder, RUNS, 0, lambda: next(times_s))
    counter.standing()
    folder.run_file(RUNS[1].run_id).touch()
    assert counter.standing().ended == 0
