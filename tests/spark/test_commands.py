"""``roamcast compare``, ``reproduce`` and ``claims`` from the command line to the files, on a small network."""

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from roamcast.api.claim_decision import Budget
from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.plan import plan
from roamcast.cli import main
from roamcast.measuring.verdicts.looks import Looks
from roamcast.papers import PaperSweep
from roamcast.papers.frugal.curves import EVENTS, FRACTION, FRUGAL, SIMPLE
from roamcast.papers.frugal.readings import READINGS
from roamcast.papers.frugal.scenario import FrugalPaper

SCENARIO = """\
name = "square"
duration_s = 12
[area]
width_m = 400
height_m = 400
[nodes]
count = 12
[mobility]
model = "random-waypoint"
speed_mps = [2, 10]
[radio]
model = "range"
range_m = 150
[workload]
model = "single-topic"
topic = "news"
subscriber_fraction = 0.6
validity_s = 12
[protocol]
name = "frugal"
"""


class SmallPaper(FrugalPaper):
    """The costs of Frugal and of one flooding on a network of twelve."""

    first_seed = 1
    readings = (READINGS[0], *(reading for reading in READINGS if reading.name == "reception-phase"))

    def sweeps(self, scale: str) -> Sequence[PaperSweep]:  # noqa: ARG002 - it has one scale
        """Return eight runs."""
        scenario = Scenario.from_document(tomllib.loads(SCENARIO))
        over: dict[str, list[Any]] = {FRACTION: [0.6], EVENTS: [1, 3]}
        runs = [
            run
            for curve in (FRUGAL, SIMPLE)
            for run in plan(
                "frugality", scenario.with_values({"protocol.name": curve.protocol}), over, [1, 2], curve.labels
            )
        ]
        return [PaperSweep("frugality", (17, 18, 19, 20), tuple(runs))]


@pytest.fixture
def scenario(tmp_path: Path, spark: SparkSession) -> Path:  # noqa: ARG001 - the commands find the running session
    path = tmp_path / "square.toml"
    path.write_text(SCENARIO)
    return path


def test_protocols_are_compared_with_intervals_and_ratios(
    scenario: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    arguments = ["compare", str(scenario), "--protocols", "frugal,flooding", "--seeds", "3", "--out", str(out)]
    assert main([*arguments, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["measurements"]
    means, ratios = (
        {(row["point"]["protocol.name"], row["metric"]): row["mean"] for row in rows if row["kind"] == kind}
        for kind in ("value", "ratio")
    )
    for protocol in ("frugal", "flooding"):
        singles = []
        for seed in ("1", "2", "3"):
            assert main(["run", str(scenario), "--protocol", protocol, "--seed", seed, "--json"]) == 0
            singles.append(json.loads(capsys.readouterr().out)["metrics"])
        for metric in ("delivery_ratio", "bytes_sent_per_node", "duplicates_per_node"):
            expected = sum(each[metric] for each in singles) / 3
            assert means[protocol, metric] == pytest.approx(expected)
        frames = [each["frames_sent_per_node"] for each in singles]
        deliveries = [each["frames_sent_per_node"] / each["frames_per_delivery"] for each in singles]
        assert means[protocol, "frames_per_delivery"] == pytest.approx(sum(frames) / sum(deliveries))
    ratio = means["flooding", "bytes_sent_per_node"] / means["frugal", "bytes_sent_per_node"]
    assert ratios["flooding", "bytes_sent_per_node"] == pytest.approx(ratio)

    made = {path: path.stat().st_mtime_ns for path in (out / "runs").iterdir()}
    assert len(made) == 6
    assert main(arguments) == 0
    assert {path: path.stat().st_mtime_ns for path in (out / "runs").iterdir()} == made
    text = capsys.readouterr().out
    assert "flooding" in text
    assert "frames_per_delivery" in text
    assert (out / "figures" / "compare.png").exists()
    assert (out / "figures" / "compare.svg").exists()


def test_a_digest_inside_spark_is_that_of_a_run_alone(
    scenario: Path, tmp_path: Path, spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["compare", str(scenario), "--protocols", "frugal", "--seeds", "2", "--out", str(out)]) == 0
    capsys.readouterr()
    digests = {row.run_id: row.digest for row in spark.read.parquet(str(out / "tables" / "runs")).collect()}
    for seed in ("1", "2"):
        assert main(["run", str(scenario), "--seed", seed, "--json"]) == 0
        alone = json.loads(capsys.readouterr().out)
        assert digests[alone["run_id"]] == alone["digest"]


def test_a_bad_call_loses_nothing_that_was_computed(
    scenario: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    arguments = ["compare", str(scenario), "--protocols", "frugal", "--seeds", "2", "--out", str(out)]
    assert main(arguments) == 0
    before = {path: path.read_bytes() for path in out.rglob("*.parquet")}
    for mistake in (["--set", "radio.range_m=-1"], ["--master", "spark://127.0.0.1:1"], ["--seeds", "0"]):
        assert main([*arguments, *mistake]) == 2
    assert {path: path.read_bytes() for path in out.rglob("*.parquet")} == before
    assert capsys.readouterr().err.count("Traceback") == 0


def test_a_paper_is_reproduced_with_figures_claims_and_a_page(
    scenario: Path,  # noqa: ARG001 - brings the session
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("roamcast.cli.reproduce.load_paper", lambda _: SmallPaper())
    monkeypatch.setattr("roamcast.cli.claims.load_paper", lambda _: SmallPaper())
    out = tmp_path / "out"
    assert main(["reproduce", "frugal", "--figure", "18", "19", "--out", str(out), "--details"]) == 0
    text = capsys.readouterr().out
    assert "Figure 18: events sent" in text
    assert "Figure 17" not in text
    assert all(" ".join(step.split()) in " ".join(text.split()) for step in SmallPaper.next_steps)
    assert "events-sent" in text
    assert {path.name for path in (out / "figures").iterdir()} == {
        "figure-18.png",
        "figure-18.svg",
        "figure-19.png",
        "figure-19.svg",
        "claims.json",
        "index.html",
    }
    claims = json.loads((out / "figures" / "claims.json").read_text())
    (sent,) = (claim for claim in claims if claim["name"] == "events-sent")
    assert {part["label"]: part["value"] is not None for part in sent["parts"]} == {
        "(1) simple flooding": True,
        "(2) interests-aware flooding": False,
        "(3) neighbours' interests flooding": False,
    }
    assert sent["verdict"] == "undecided"  # the two floodings that were not run leave the claim open
    assert sent["parts"][0]["seeds"] == 2
    assert sent["parts"][0]["extent"] is not None

    assert main(["claims", "frugal", "--out", str(out), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {claim["name"]: claim["verdict"] for claim in document["claims"]}["events-sent"] == sent["verdict"]
    record = json.loads((out / "verdicts.json").read_text())
    assert [entry["verdict"] for entry in record["events-sent"]] == ["undecided"]


def test_claims_are_decided_under_every_reading_in_a_new_folder_and_resumed_from_there(
    scenario: Path,  # noqa: ARG001 - brings the session
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("roamcast.cli.claims.load_paper", lambda _: SmallPaper())
    out = tmp_path / "new"
    monkeypatch.setattr("roamcast.cli.claims.Budget", lambda minutes: Budget(minutes, Looks((10,), (0.00375,))))
    arguments = ["claims", "frugal", "--decide", "--readings", "--minutes", "20", "--out", str(out)]
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert "(1) default\n(2) reception-phase" in text
    assert f"Page: {out / 'figures' / 'index.html'}" in text
    runs = {path: path.stat().st_mtime_ns for path in (out / "runs").iterdir()}
    assert len(runs) == 10 * (2 + 2 + 2)  # Frugal has no phase: its runs under the other reading are those that it has
    record = json.loads((out / "verdicts.json").read_text())
    assert {(entry["reading"], entry["error"]) for entries in record.values() for entry in entries} == {
        ("default", 0.00375),
        ("reception-phase", 0.00375),
    }
    assert main([*arguments, "--json"]) == 0
    claims = json.loads(capsys.readouterr().out)["claims"]
    (bandwidth,) = (each for each in claims if (each["name"], each["reading"]) == ("bandwidth", "default"))
    assert {part["seeds"] for part in bandwidth["parts"] if part["value"] is not None} == {10}
    assert bandwidth["look"] == 1
    assert {path: path.stat().st_mtime_ns for path in (out / "runs").iterdir()} == runs
