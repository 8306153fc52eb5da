"""``roamcast runs`` and the options of campaigns, from the command line to the files."""

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fake_runs import planned
from pyspark.sql import SparkSession
from test_commands import SCENARIO

from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.stored_plan import load_plan, store_plan
from roamcast.cli import main


@pytest.fixture
def scenario(tmp_path: Path, spark: SparkSession) -> str:  # noqa: ARG001 - the commands find the running session
    path = tmp_path / "square.toml"
    path.write_text(SCENARIO)
    return str(path)


def test_runs_over_their_limit_are_shown_and_made_again(
    scenario: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "out")
    compare = ["compare", scenario, "--protocols", "frugal", "--seeds", "2", "--out", out]
    assert main([*compare, "--run-limit-s", "0.0001"]) == 1
    lines = [line for line in capsys.readouterr().err.splitlines() if " failed: took longer than 0.0001 s (" in line]
    assert [line.partition(" (run ")[0] for line in lines] == ["roamcast: frugal, seed 1", "roamcast: frugal, seed 2"]

    assert main(["runs", out]) == 0
    assert capsys.readouterr().out.startswith(f"{out}: 2 runs planned: 0 ok, 2 failed, 0 missing\n")
    assert main(["runs", out, "--failed", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert {row["run_id"] for row in shown["failed_runs"]} == {
        run.run_id for run in load_plan(CampaignFolder(Path(out)))
    }
    assert main(["runs", out, "--failed"]) == 0
    assert capsys.readouterr().out.count("took longer") == 2

    assert main(["runs", out, "--retry"]) == 0
    assert capsys.readouterr().out == f"{out}: 2 runs planned: 2 ok, 0 failed, 0 missing\n"
    assert pq.read_table(tmp_path / "out" / "tables" / "runs").column("status").to_pylist() == ["ok", "ok"]


def test_a_plan_of_other_code_or_of_another_version_is_not_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = CampaignFolder(tmp_path / "out")
    folder.root.mkdir()
    assert main(["runs", str(folder.root)]) == 2
    assert "has no plan.parquet" in capsys.readouterr().err
    store_plan(folder, [replace(planned("a", 1), run_id="0" * 32)])
    assert main(["runs", str(folder.root), "--retry"]) == 2
    said = capsys.readouterr().err
    assert "the code of a component, or of the simulator, has changed since this was planned; repeat the comm" in said
    monkeypatch.setattr("roamcast.campaigns.stored_plan.__version__", "0.0.9")
    assert main(["runs", str(folder.root), "--retry"]) == 2
    assert "was planned by another version of roamcast; repeat the command that made it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("seed", pa.array(["1"]), "has the columns of another version"),
        ("seed", pa.array([None], pa.int64()), "has no value where a campaign writes one"),
        ("scenario_json", pa.array([None], pa.string()), "has no value where a campaign writes one"),
        ("cost", pa.array([float("nan")]), "has a cost that is not a number of at least 0"),
        (None, None, "has no run where a campaign writes one"),
    ],
)
def test_a_plan_that_is_not_as_a_campaign_leaves_it_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], column: str | None, values: pa.Array | None, said: str
) -> None:
    folder = CampaignFolder(tmp_path)
    store_plan(folder, [planned("a", 1)])
    table = pq.read_table(folder.plan_file)
    table = table.set_column(table.column_names.index(column), column, values) if column else table.slice(1)
    pq.write_table(table, folder.plan_file)
    for arguments in ([], ["--retry"]):
        assert main(["runs", str(tmp_path), *arguments]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.endswith(f"plan.parquet: {said}")


def test_seeds_are_added_until_the_interval_is_narrow_and_differences_are_judged_on_pairs(
    scenario: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "out")
    compare = ["compare", scenario, "--protocols", "frugal,flooding", "--seeds", "2", "--out", out]
    precise = [*compare, "--precision", "delivery_ratio=0.0001", "--seeds-max", "4"]
    assert main([*precise, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (end,) = document["precision"]
    assert document["seeds"] == [1, 2, 3, 4]
    assert (end["seeds_min"], end["seeds_max"], end["points"]) == (4, 4, 2)
    (sent,) = (row for row in document["differences"] if row["metric"] == "bytes_sent_per_node")
    assert sent["point"]["protocol.name"] == "flooding"
    assert (sent["seeds"], sent["significant"]) == (4, sent["low"] > 0 or sent["high"] < 0)
    assert main([*precise, "--seeds", "4"]) == 0
    text = capsys.readouterr().out
    assert "Precision: delivery_ratio within 0.0001" in text
    assert "values over 4 seeds" in text
    assert ("x*)" in text) == any(row["significant"] for row in document["differences"])


def test_a_precision_that_makes_no_sense_is_one_line(scenario: str, capsys: pytest.CaptureFixture[str]) -> None:
    for text, problem in (("delivery=0.1", "unknown metric"), ("delivery_ratio=-1", "a number W above 0")):
        assert main(["compare", scenario, "--protocols", "frugal", "--precision", text]) == 2
        assert problem in capsys.readouterr().err
    fewer = ["--precision", "delivery_ratio=0.1", "--seeds", "5", "--seeds-max", "2"]
    assert main(["compare", scenario, "--protocols", "frugal", *fewer]) == 2
    assert "--seeds-max = 2: must be at least 5" in capsys.readouterr().err
