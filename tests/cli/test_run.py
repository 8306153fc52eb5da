"""``roamcast run`` and ``roamcast list``."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from roamcast.cli import main

SCENARIOS = Path(__file__).parents[2] / "scenarios"
RESCUE = str(SCENARIOS / "rescue.toml")


def _json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    document = json.loads(printed.out)
    assert isinstance(document, dict)
    return document


def test_the_same_scenario_and_seed_give_the_same_digest_twice_and_in_a_fresh_process(
    capsys: pytest.CaptureFixture[str],
) -> None:
    first, second = _json(capsys, "run", RESCUE), _json(capsys, "run", RESCUE)
    assert first == second
    code = "import sys; from roamcast.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "run", RESCUE, "--json"]
    fresh = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    assert fresh == first
    assert _json(capsys, "run", RESCUE, "--seed", "99")["digest"] != first["digest"]


def test_a_protocol_and_keys_can_be_changed_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    document = _json(capsys, "run", RESCUE, "--protocol", "flooding", "--set", "duration_s=700")
    assert document["protocol"] == "flooding"
    assert document["duration_s"] == 700
    assert set(document["traffic"]) == {"events"}


def test_the_text_names_every_metric_and_the_digest(capsys: pytest.CaptureFixture[str]) -> None:
    document = _json(capsys, "run", RESCUE)
    assert main(["run", RESCUE]) == 0
    text = capsys.readouterr().out
    assert str(document["digest"]) in text
    for metric in document["metrics"]:
        assert metric in text


def test_the_text_counts_in_words_and_leaves_the_unit_of_a_pure_number_blank(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["run", RESCUE]) == 0
    text = capsys.readouterr().out
    assert re.search(r"^3 events; 22 deliveries expected; ", text, re.MULTILINE)
    assert re.search(r"^delivery_ratio +0\.\d+ {5,}The share", text, re.MULTILINE)
    assert re.search(r"^latency_mean_s +[\d.]+ +s +The mean", text, re.MULTILINE)
    assert main(["run", str(SCENARIOS / "frugal.toml"), "--set", "nodes.count=2", "--set", "workload.events=1"]) == 0
    assert re.search(r"^1 event; \d+ deliver(y|ies) expected; ", capsys.readouterr().out, re.MULTILINE)


def test_a_trace_holds_every_frame_and_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = tmp_path / "frames.csv"
    document = _json(capsys, "run", RESCUE, "--trace", str(trace))
    assert document == _json(capsys, "run", RESCUE)
    with trace.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if float(row["ended_at_s"]) >= 0]
    sent = sum(kind["frames_sent"] for kind in document["traffic"].values())
    received = sum(len(row["receivers"].split()) for row in rows)
    assert received == document["receptions"]
    # Frames on the air when the measurement begins or ends are in one count and not in the other.
    assert abs(len(rows) - sent) <= 2


def test_every_list_names_what_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    found = {what: _json(capsys, "list", what) for what in ("protocols", "mobility", "radio", "papers")}
    assert {"frugal", "flooding", "interest-flooding", "neighbour-flooding"} <= set(found["protocols"])
    assert {"random-waypoint", "city-section", "static"} <= set(found["mobility"])
    assert {"range", "two-ray-ground"} <= set(found["radio"])
    assert "frugal" in found["papers"]
    for what, names in found.items():
        assert main(["list", what]) == 0
        text = capsys.readouterr().out
        assert all(name in text for name in names)


def test_explain_gives_every_pair_that_was_not_delivered_a_cause(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("run", RESCUE, "--protocol", "flooding", "--set", "duration_s=700")
    without, document = _json(capsys, *arguments), _json(capsys, *arguments, "--explain")
    undelivered = document.pop("undelivered")
    assert document == without
    assert sum(undelivered.values()) > 0
    assert set(undelivered) <= {"unreachable", "too late", "reachable"}
    assert main([*arguments, "--explain"]) == 0
    text = capsys.readouterr().out
    assert re.search(r"not delivered, because +pairs +of all", text)
    for cause, pairs in undelivered.items():
        assert re.search(rf"{cause} +{pairs:,} ", text)
    assert re.search(rf"together +{sum(undelivered.values()):,} ", text)
