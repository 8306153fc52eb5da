from pathlib import Path

import pyarrow as pa
import pytest
from fake_runs import made_up_facts

from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.run_files import OK, TABLE_SCHEMAS, RunOutcome, run_row
from roamcast.campaigns.whole_files import write_parquet
from roamcast.core.errors import UserError
from roamcast.core.plugins import Plugins
from roamcast.measuring.metrics import DriverMetrics, known_metrics
from roamcast.spark.jobs import failure
from roamcast.spark.runs.compaction import CompactTask


@pytest.fixture
def folder(tmp_path: Path) -> CampaignFolder:
    (tmp_path / "runs").mkdir()
    write_parquet(run_row("good", 1, "{}", RunOutcome(OK, facts=made_up_facts("a", 1))), tmp_path / "runs/good.parquet")
    return CampaignFolder(tmp_path)


def compact(folder: CampaignFolder, *run_ids: str) -> None:
    batch = pa.RecordBatch.from_pydict({"task": [0] * len(run_ids), "run_id": list(run_ids)})
    task = CompactTask(folder, folder.root, tuple(TABLE_SCHEMAS), DriverMetrics.of(known_metrics), Plugins())
    list(task(iter([batch])))


def test_a_damaged_file_is_named(folder: CampaignFolder) -> None:
    folder.run_file("damaged").write_bytes(b"PAR1")
    with pytest.raises(UserError, match=r"runs/damaged\.parquet: cannot be read .*; remove it and call again$"):
        compact(folder, "damaged", "good")


def test_a_file_of_another_version_is_named(folder: CampaignFolder) -> None:
    write_parquet(pa.table({"run_id": ["other"]}), folder.run_file("other"))
    with pytest.raises(UserError, match=r"runs/other\.parquet: has the columns of another version"):
        compact(folder, "good", "other")


def test_what_a_worker_said_to_a_person_reaches_the_person() -> None:
    story = (
        "An exception was thrown from the Python worker:\nTraceback (most recent call last):\n"
        '  File "compaction.py", line 9, in _read\nroamcast.core.errors.UserError: runs/a.parquet: cannot be read\n\n'
        "\tat org.apache.spark.api.python.Error: no\n"
    )
    assert str(failure(RuntimeError(story), Path("out"), Path("out/spark.log"))) == "runs/a.parquet: cannot be read"


def test_anything_else_is_one_line_with_the_place_of_the_log() -> None:
    error = failure(
        RuntimeError("Job aborted\n\tat org.apache\nOSError: no space left\n"), Path("out"), Path("out/spark.log")
    )
    assert str(error) == "out: Spark gave up (OSError: no space left); see out/spark.log"
    assert str(failure(RuntimeError("Job aborted\n"), Path("o"), Path("l"))) == "o: Spark gave up (Job aborted); see l"
    assert str(failure(None, Path("o"), Path("l"))) == "o: Spark gave up (None); see l"
