"""A release next to an earlier commit: which runs are made, which are compared, and what is said of them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from benchmarks.__main__ import main
from benchmarks.protocols import ROOT, ProtocolCase
from benchmarks.releases import (
    NAMES,
    RELEASES,
    Cost,
    compile_native,
    costs_of,
    environment,
    measured_rows,
    show_releases,
)

Rows = dict[str, dict[str, Any]]


def rows(digest: str = "a", **cpu_s: float) -> Rows:
    return {name: {"cpu_s_best": took_s, "digest": digest} for name, took_s in cpu_s.items()}


def test_the_fastest_of_each_side_counts_and_only_cases_of_both_are_compared() -> None:
    turns = [(rows(flood=3.0, new=1.0), rows(flood=2.0, old=1.0)), (rows(flood=1.0), rows(flood=4.0))]
    (cost,) = costs_of(turns)
    assert cost == Cost("flood", ((3.0, 1.0), (2.0, 4.0)), has_same_digests=True)
    assert cost.ratio == 0.5
    assert not cost.is_slower


def test_a_case_that_is_more_than_a_tenth_slower_is_named() -> None:
    costs = [Cost(name, ((took_s,), (1.0,)), True) for name, took_s in (("a", 1.09), ("b", 1.11))]
    assert show_releases(costs).splitlines()[-1] == "more than 10 % slower: b"
    assert [line.endswith("SLOWER") for line in show_releases(costs).splitlines()] == [False, False, True, False]
    assert show_releases(costs[:1]).splitlines()[-1] == "more than 10 % slower: nothing"


def test_other_frames_are_said_to_be_others() -> None:
    (cost,) = costs_of([(rows("a", flood=1.0), rows("b", flood=1.0))])
    assert not cost.has_same_digests
    assert "other frames" in show_releases([cost])


def test_a_tree_runs_its_own_benchmarks_with_its_own_sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls: list[tuple[list[str], Any]] = []

    def run(command: list[str], **keys: Any) -> "subprocess.CompletedProcess[str]":
        calls.append((command, keys))
        measurements = [{"benchmark": "flood", "label": "500 nodes", "cpu_s_best": 1.0, "digest": "a"}]
        return subprocess.CompletedProcess(command, 0, json.dumps({"measurements": measurements}))

    monkeypatch.setattr("benchmarks.releases.subprocess.run", run)
    assert list(measured_rows(tmp_path, "flood")) == ["flood 500 nodes"]
    ((command, keys),) = calls
    assert command[:4] == [sys.executable, "-m", "benchmarks", "flood"]
    assert keys["cwd"] == tmp_path
    assert keys["env"]["PYTHONPATH"].split(":") == [str(tmp_path / "src"), str(tmp_path)]


@pytest.mark.parametrize("path", ["src/roamcast/core/native.py", "src/roamcast/routing/native/__init__.py"])
def test_either_tree_compiles_aodv_by_the_module_that_it_has(
    path: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr("benchmarks.releases.subprocess.run", lambda command, **_: commands.append(command))
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).touch()
    compile_native(tmp_path)
    module = path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    assert commands == [[sys.executable, "-m", module]]


def test_our_own_tree_has_the_benchmarks_and_the_module() -> None:
    assert environment(ROOT)["PYTHONPATH"].startswith(str(ROOT / "src"))
    assert {*NAMES} < {"heartbeats", "dense", "flood", "flows", "scale", "protocols"}


def test_a_case_may_have_values_of_its_own() -> None:
    request = ProtocolCase("frugal", "highway.toml", {"mobility.speed_mps": [9, 10]}).request(5.0)
    assert request["values"] == {"protocol.name": "frugal", "mobility.speed_mps": [9, 10], "duration_s": 5.0}


def test_it_is_a_benchmark_of_the_command_and_both_sides_are_stored(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [Cost("flood", ((1.0, 2.0), (4.0, 3.0)), has_same_digests=True)]
    monkeypatch.setattr("benchmarks.__main__.measure_releases", lambda *_: made)
    assert main([RELEASES, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)[RELEASES]
    assert (row["cpu_s"], row["other_cpu_s"]) == ([1.0, 2.0], [4.0, 3.0])
