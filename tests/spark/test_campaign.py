from collections import Counter
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from conftest import MASTER
from fake_runs import fake_simulate, made_up_facts, planned

from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.plan import PlannedRun
from roamcast.campaigns.progress import Progress, Standing
from roamcast.campaigns.run_files import CRASHED, FAILED, OK, TABLE_SCHEMAS
from roamcast.core.errors import UserError
from roamcast.spark.runs.campaign import CampaignResult, run_campaign

pytestmark = pytest.mark.usefixtures("spark")


class RecordingProgress(Progress):
    """Remember what was shown."""

    def __init__(self) -> None:
        super().__init__()
        self.last: Standing | None = None

    def end(self, standing: Standing | None = None) -> None:
        """Remember the last word."""
        self.last = standing or self.last

    def _show(self, text: str) -> None:
        pass


def campaign(plan: list[PlannedRun], folder: Path, progress: Progress | None = None) -> CampaignResult:
    return run_campaign(plan, folder, MASTER, progress, simulate=fake_simulate)


def tables_of(folder: Path) -> dict[str, list[dict[str, object]]]:
    """Return all tables that must not depend on what happened on the way."""
    names = [name for name in TABLE_SCHEMAS if name != "timings"]
    return {name: pq.read_table(folder / "tables" / name).to_pylist() for name in names}


def test_every_distinct_run_is_made_once_and_stands_in_every_sweep_that_asks_for_it(tmp_path: Path) -> None:
    log = str(tmp_path / "log")
    plan = [planned("a", seed, log=log) for seed in range(30)]
    plan += [planned("a", seed, log=log, sweep="other") for seed in range(10)]
    progress = RecordingProgress()
    result = campaign(plan, tmp_path / "out", progress)
    assert result == CampaignResult(tmp_path / "out" / "tables", planned=30, kept=0, simulated=30, failed=())
    assert Counter(Path(log).read_text(encoding="utf-8").splitlines()) == {f"a {seed}": 1 for seed in range(30)}
    assert progress.last == Standing(ended=30, planned=30, failed=0, share=1.0)
    tables = tables_of(tmp_path / "out")
    assert [(row["sweep"], row["seed"]) for row in tables["plan"]] == [
        *(("other", seed) for seed in range(10)),
        *(("sweep", seed) for seed in range(30)),
    ]
    assert [row["run_id"] for row in tables["runs"]] == sorted({run.run_id for run in plan})


def test_a_run_on_spark_gives_the_facts_of_a_run_without(tmp_path: Path) -> None:
    plan = [planned("a", seed) for seed in range(3)]
    campaign(plan, tmp_path)
    runs = {row["run_id"]: row for row in tables_of(tmp_path)["runs"]}
    for run in plan:
        facts = made_up_facts("a", run.seed)
        assert runs[run.run_id]["digest"] == facts.digest()
        assert runs[run.run_id]["scenario_json"] == run.scenario_json
        assert runs[run.run_id]["frame_receptions"] == facts.frame_receptions


def test_a_second_call_makes_only_what_is_missing(tmp_path: Path) -> None:
    log = tmp_path / "log"
    plan = [planned("a", seed, log=str(log)) for seed in range(6)]
    campaign(plan[:4], tmp_path / "out")
    log.unlink()
    result = campaign(plan, tmp_path / "out")
    assert (result.kept, result.simulated) == (4, 2)
    assert sorted(log.read_text(encoding="utf-8").splitlines()) == ["a 4", "a 5"]
    assert len(tables_of(tmp_path / "out")["runs"]) == 6


def test_tables_hold_the_plan_of_the_last_call_and_are_left_alone_if_they_do(tmp_path: Path) -> None:
    plan = [planned("a", seed) for seed in range(4)]
    campaign(plan, tmp_path)
    result = campaign(plan[:2], tmp_path)
    assert (result.planned, result.kept) == (2, 2)
    assert {row["run_id"] for row in tables_of(tmp_path)["runs"]} == {run.run_id for run in plan[:2]}
    before = (tmp_path / "tables").stat()
    campaign(plan[:2], tmp_path)
    assert (tmp_path / "tables").stat().st_ino == before.st_ino


def test_a_run_that_raises_is_a_row_with_its_reason_and_is_tried_again(tmp_path: Path) -> None:
    trouble = tmp_path / "trouble"
    trouble.touch()
    plan = [planned("good", seed) for seed in range(3)]
    plan.append(planned("bad", 7, raises_while=str(trouble)))
    result = campaign(plan, tmp_path / "out")
    (failed,) = result.failed
    assert (failed.run_id, failed.status, result.simulated) == (plan[-1].run_id, FAILED, 3)
    assert failed.reason.startswith("ValueError: no movement for seed 7 (fake_runs.py:")
    rows = {row["run_id"]: row for row in tables_of(tmp_path / "out")["runs"]}
    assert rows[failed.run_id]["reason"] == failed.reason
    assert [rows[run.run_id]["status"] for run in plan] == [OK, OK, OK, FAILED]

    trouble.write_text(" again")
    (failed,) = campaign(plan, tmp_path / "out").failed
    assert failed.reason.startswith("ValueError: no movement for seed 7 again (fake_runs.py:")

    trouble.unlink()
    result = campaign(plan, tmp_path / "out")
    assert (result.kept, result.simulated, result.failed) == (3, 1, ())
    assert {row["status"] for row in tables_of(tmp_path / "out")["runs"]} == {OK}


def test_runs_that_kill_their_worker_are_reported_and_the_others_go_on(tmp_path: Path) -> None:
    log = tmp_path / "log"
    # Both deadly ones are in the first task of three runs, and need more attempts than Spark gives it.
    deadly = (1, 2)
    plan = [planned("good", seed, cost=100.0 - seed) for seed in range(23)]
    for rank in deadly:
        plan[rank] = planned("deadly", rank, cost=100.0 - rank, dies=True, log=str(log))
    progress = RecordingProgress()
    result = campaign(plan, tmp_path / "out", progress)
    assert result.simulated == 21
    assert {failed.run_id for failed in result.failed} == {plan[rank].run_id for rank in deadly}
    assert {failed.status for failed in result.failed} == {CRASHED}
    assert "died 2 times" in result.failed[0].reason
    assert Counter(log.read_text(encoding="utf-8").splitlines()) == {f"deadly {rank}": 2 for rank in deadly}
    assert progress.last == Standing(ended=23, planned=23, failed=2, share=1.0)


def test_a_worker_puts_what_it_loaded_out_of_the_collectors_sight_once(tmp_path: Path) -> None:
    campaign([planned("a", seed, freeze_log=str(tmp_path / "log")) for seed in range(10)], tmp_path / "out")
    counts = Counter((tmp_path / "log").read_text(encoding="utf-8").splitlines())
    assert counts.total() == 10
    assert counts["not yet"] <= 2  # the first run of each of the two workers


def test_what_a_killed_call_left_behind_is_ignored_and_removed(tmp_path: Path) -> None:
    plan = [planned("a", seed) for seed in range(2)]
    in_folders = ("runs/.x.parquet.77.ab.tmp", "failed/.y.parquet.77.ab.tmp", "figures/.compare.png.77.ab.tmp")
    for leftover in (*in_folders, ".tables.tmp/runs/part-0.parquet"):
        (tmp_path / leftover).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / leftover).write_bytes(b"half a fi")
    (tmp_path / "started" / "earlier").mkdir(parents=True)
    (tmp_path / "started" / "earlier" / plan[0].run_id).write_bytes(b"ss")
    assert campaign(plan, tmp_path).simulated == 2
    assert not list(tmp_path.rglob(".*.tmp"))
    assert not (tmp_path / "started").exists()


def test_a_folder_that_cannot_be_written_is_refused_before_any_work(tmp_path: Path) -> None:
    log = tmp_path / "log"
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"file/out: cannot be written \(not a directory\)$"):
        campaign([planned("a", 0, log=str(log))], tmp_path / "file" / "out")
    assert not log.exists()


def test_two_calls_do_not_work_in_one_folder(tmp_path: Path) -> None:
    with CampaignFolder(tmp_path).opened(), pytest.raises(UserError, match="another roamcast is working"):
        campaign([planned("a", 0)], tmp_path)
    assert campaign([planned("a", 0)], tmp_path).simulated == 1


def test_a_run_that_cannot_be_written_down_at_all_is_one_line(tmp_path: Path) -> None:
    run = replace(planned("a", 0), run_id="no-such-folder/run")
    with pytest.raises(UserError, match=r": cannot be written \(no such file or directory\)$") as error:
        campaign([run], tmp_path)
    assert "\n" not in str(error.value)
