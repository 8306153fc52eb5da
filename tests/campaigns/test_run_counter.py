from pathlib import Path

import pyarrow as pa
import pytest

from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.plan import PlannedRun
from roamcast.campaigns.progress import Standing
from roamcast.campaigns.run_counter import COUNT_PERIOD_S, IDLE_SHARE, TIMES_PER_COUNT, RunCounter
from roamcast.campaigns.whole_files import write_parquet

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


def protocol_runs(protocol: str, count: int) -> list[PlannedRun]:
    scenario = f'{{"protocol":{{"name":"{protocol}"}}}}'
    return [PlannedRun("a", "{}", f"{protocol}{seed}", seed, scenario, 1.0) for seed in range(count)]


def finish(folder: CampaignFolder, run: PlannedRun, cpu_s: float) -> None:
    write_parquet(pa.table({"cpu_s": [cpu_s]}), folder.run_file(run.run_id))


def test_the_first_runs_to_end_tell_what_the_others_cost(folder: CampaignFolder) -> None:
    slow, quick = protocol_runs("slow", 4), protocol_runs("quick", 4)
    counter = RunCounter(folder, [*slow, *quick], 0, Clock())
    finish(folder, slow[0], 9.0)
    finish(folder, quick[0], 1.0)
    assert counter.count().share == pytest.approx(10 / 40)
    for run in slow[1:]:
        finish(folder, run, 9.0)
    assert counter.count().share == pytest.approx(37 / 40)


def test_few_files_are_opened_at_each_count(folder: CampaignFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr("roamcast.campaigns.run_counter.cpu_seconds", lambda _, run_id: read.append(run_id))
    runs = protocol_runs("slow", 3 * TIMES_PER_COUNT)
    counter = RunCounter(folder, runs, 0, Clock())
    for run in runs:
        finish(folder, run, 1.0)
    for counts in (1, 2, 3, 3):
        counter.count()
        assert len(set(read)) == len(read) == counts * TIMES_PER_COUNT
