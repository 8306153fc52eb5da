"""The benchmark of matching, at a reduced size."""

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.__main__ import main
from benchmarks.matching import CASES, MatchingMeasurement, measure_matching, show_matching
from benchmarks.matching_engines import Engine, index_of, numpy_dense
from benchmarks.matching_hem import Hem
from benchmarks.matching_workloads import ATTRIBUTES, Workload, make_workload

from benchmarks import matching
from roamcast.core.errors import UserError

FAST = MatchingMeasurement("10,000 wide-all", "roamcast, bit sets", 200_000.0, 150_000.0, 1_421.0, 172_000)


def test_the_targets_are_the_best_public_engine_s() -> None:
    assert [(count, f"{ranges}-{events}", target) for count, ranges, events, target in CASES][:2] == [
        (10_000, "wide-all", 172_000),
        (100_000, "wide-all", 28_000),
    ]


@pytest.mark.parametrize(
    ("ranges", "events", "share"),
    [("wide", "all", 0.1421), ("selective", "all", 0.0198), ("wide", "few", 0.0135), ("selective", "few", 0.0024)],
)
def test_a_workload_has_as_many_matches_as_the_reference(ranges: str, events: str, share: float) -> None:
    workload = make_workload(10_000, ranges, events, 2_000, 1)
    assert workload.batch.present.sum(axis=1).max() == (ATTRIBUTES if events == "all" else 3)
    assert index_of(workload).count_many(workload.batch).mean() == pytest.approx(10_000 * share, rel=0.15)


def test_all_engines_agree_and_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "CPU_S", 0.001)
    found = measure_matching(2, cases=[(300, "wide", "few", 1.0)], events=64)
    assert [each.engine for each in found] == [
        "roamcast, bit sets",
        "roamcast, counts",
        "numpy, dense comparison",
        "DuckDB, joined and counted",
        "DuckDB, a wide table filtered",
        "HEM in Numba, 64 groups",
        "HEM in Numba, 256 groups",
    ]
    assert all(0 < each.events_per_cpu_s_median <= each.events_per_cpu_s for each in found)
    assert found[0].target == 1.0
    assert found[2].target is None


def test_an_engine_that_finds_something_else_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "numpy_dense", lambda _: lambda events: np.full(len(events), -1))
    with pytest.raises(UserError, match="numpy, dense comparison finds"):
        measure_matching(1, cases=[(100, "wide", "all", 1.0)], events=8)


@pytest.mark.parametrize("events", ["few", "all"])
@pytest.mark.parametrize("engine", [numpy_dense, lambda workload: Hem(workload, 64).match])
def test_the_others_count_what_a_loop_counts(engine: Callable[[Workload], Engine], events: str) -> None:
    workload = make_workload(200, "wide", events, 20, 2)
    table, batch = workload.table, workload.batch
    for event, count in enumerate(engine(workload)(batch)):
        holds = np.ones(200, bool)
        for owner, place, low, high in zip(table.subscription, table.attribute, table.low, table.high, strict=True):
            holds[owner] &= batch.present[event, place] and low <= batch.values[event, place] <= high
        assert count == holds.sum()


def test_a_target_that_is_missed_is_said() -> None:
    lines = show_matching([FAST, replace(FAST, events_per_cpu_s=100_000.0)]).splitlines()
    assert lines[1].endswith("1.2 x the best public engine")
    assert lines[2].endswith("0.6 x the best public engine: NOT reached")
    assert lines[3].endswith("NOT reached")
    assert show_matching([FAST]).endswith(": reached")


def test_another_engine_that_is_faster_in_this_run_is_said() -> None:
    other = replace(FAST, engine="HEM", target=None)
    lines = show_matching([FAST, replace(other, events_per_cpu_s=400_000.0)]).splitlines()
    assert lines[1].endswith("1.2 x the best public engine, 0.5 x the best of the others in this run")
    assert lines[3] == "the others in this run: faster on 10,000 wide-all"
    assert "the others in this run: slower on every workload" in show_matching(
        [FAST, replace(other, events_per_cpu_s=9)]
    )


def test_it_is_a_benchmark_of_the_command_without_ns3(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.__main__.measure_matching", lambda repeats, seed: [FAST] * (repeats * seed))
    assert main(["matching", "--repeat", "2", "--seed", "1"]) == 0
    assert capsys.readouterr().out.startswith("subscriptions, workload")
    assert main(["matching", "--repeat", "2", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["matching"]) == 2
