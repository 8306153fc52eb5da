"""Campaigns whose runs hang or eat memory, whose disk is full, whose files are torn, whose code changes meanwhile."""

from pathlib import Path
from typing import Any

import pytest
from conftest import MASTER
from fake_runs import fake_simulate, planned
from test_campaign import campaign, tables_of

from roamcast.campaigns.run_files import FAILED
from roamcast.campaigns.run_limits import RunLimits
from roamcast.core.errors import UserError
from roamcast.spark.runs.campaign import run_campaign

pytestmark = pytest.mark.usefixtures("spark")


def test_runs_that_hang_or_eat_memory_are_rows_with_the_reason_and_the_others_go_on(tmp_path: Path) -> None:
    bad: dict[str, dict[str, Any]] = {"waits": {"waits": True}, "spins": {"spins": True}, "eats": {"eats_mb": 8000}}
    plan = [planned(name, 0, cost=9.0, **what) for name, what in bad.items()]
    plan += [planned("good", seed, cost=0.1) for seed in range(5)] + [planned("modest", 0, eats_mb=20)]
    limits = RunLimits(duration_s_max=1.0, memory_mb_max=200)
    result = run_campaign(plan, tmp_path, MASTER, simulate=fake_simulate, limits=limits)
    reasons = {failed.run_id: (failed.status, failed.reason) for failed in result.failed}
    assert set(reasons) == {run.run_id for run in plan[:3]}
    assert result.simulated == 6
    starts = ("took longer than 1 s (fake_runs.py:", "took longer than 1 s in compiled code (fake_runs.py:")
    for run, start in zip(plan, (*starts, "took more than 200 MB of memory (fake_runs.py:"), strict=False):
        assert reasons[run.run_id][0] == FAILED
        assert reasons[run.run_id][1].startswith(start)


def test_a_disk_that_takes_no_more_ends_the_campaign_and_the_next_call_goes_on(tmp_path: Path) -> None:
    full, log = tmp_path / "full", tmp_path / "log"
    full.touch()
    early = [planned("early", 0, log=str(log))]
    plan = [*early, *(planned("late", seed, cuts_files_while=str(full)) for seed in range(2))]
    campaign(early, tmp_path / "out")
    with pytest.raises(UserError, match=r"out: cannot be written \(file too large\)$"):
        campaign(plan, tmp_path / "out")
    assert not list((tmp_path / "out").rglob("*.tmp"))
    assert not list((tmp_path / "out" / "failed").iterdir())  # no run is blamed for the disk
    full.unlink()
    result = campaign(plan, tmp_path / "out")
    assert (result.kept, result.simulated, result.failed) == (1, 2, ())
    assert log.read_text(encoding="utf-8") == "early 0\n"


def test_a_torn_file_of_a_run_is_counted_and_the_run_made_again(tmp_path: Path) -> None:
    plan = [planned("a", seed) for seed in range(4)]
    campaign(plan, tmp_path)
    tables = tables_of(tmp_path)
    files = [tmp_path / "runs" / f"{run.run_id}.parquet" for run in plan]
    whole = files[0].read_bytes()
    files[0].write_bytes(b"")
    files[1].write_bytes(files[1].read_bytes()[:-20])
    files[2].write_bytes(bytes(len(whole)))
    kept_at = files[3].stat().st_mtime_ns
    result = campaign(plan, tmp_path)
    assert (result.torn, result.kept, result.simulated, result.failed) == (3, 1, 3, ())
    assert files[3].stat().st_mtime_ns == kept_at
    assert tables_of(tmp_path) == tables
    assert campaign(plan, tmp_path).torn == 0


def test_workers_with_other_code_than_the_plans_make_no_run(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^a worker has different code of roamcast or of a plug-in than ") as error:
        run_campaign([planned("a", 0)], tmp_path, MASTER)
    assert "\n" not in str(error.value)
    assert not list((tmp_path / "runs").iterdir())
