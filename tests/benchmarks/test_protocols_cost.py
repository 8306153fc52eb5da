"""The comparison of protocols with another commit: what a worker measures, and what is said of two sides."""

import json
from itertools import count
from typing import Any

import pytest
from benchmarks.__main__ import main
from benchmarks.cases import BENCHMARKS
from benchmarks.protocol_worker import measured
from benchmarks.protocols import (
    AGAINST,
    CASES,
    ROUNDS_MAX,
    TREES_AND_BROKERS,
    ProtocolCase,
    ProtocolCost,
    measure_protocols,
    measured_costs,
    shown,
)

from benchmarks import protocols

SMALL = {
    "duration_s": 2,
    "settle_s": 1,
    "area": {"width_m": 300, "height_m": 300},
    "nodes": {"count": 5},
    "mobility": {"model": "static"},
    "radio": {"model": "range", "range_m": 150},
    "workload": {"model": "single-topic", "subscriber_fraction": 1.0, "validity_s": 2},
    "protocol": {"name": "flooding"},
}
CASE = ProtocolCase("tree-group", "communities.toml")


def run(cpu_s: float, digest: str) -> dict[str, Any]:
    return {"cpu_s": cpu_s, "simulated_s": 10.0, "digest": digest, "medium_share": 0.2}


def test_a_worker_says_what_a_run_costs_and_the_same_digest_again(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = count(step=2)  # the real one may not move during so short a run
    monkeypatch.setattr("benchmarks.protocol_worker.process_time", lambda: next(clock))
    one, other = (measured(SMALL, {"protocol.name": "tree-group"}, seed=1) for _ in range(2))
    assert one["digest"] == other["digest"] != measured(SMALL, {}, seed=1)["digest"]
    assert one["simulated_s"] == 3
    assert one["cpu_s"] == 2
    assert 0 <= one["medium_share"] <= 1


def cost(*sides: tuple[dict[str, Any], ...]) -> ProtocolCost:
    return ProtocolCost(CASE, AGAINST if len(sides) > 1 else None, sides)


def test_the_ratio_is_that_of_the_fastest_runs() -> None:
    both = cost((run(1.0, "a"), run(2.0, "a")), (run(5.0, "a"), run(3.0, "a")))
    assert both.has_same_digests
    assert shown(both).split() == ["tree-group", "100.0", "20%", "300.0", "20%", "3.00", "same"]


def test_different_digests_are_said_so() -> None:
    assert shown(cost((run(1.0, "a"),), (run(1.0, "b"),))).endswith("DIFFERENT")


def test_one_side_alone_has_no_ratio() -> None:
    assert shown(cost((run(1.0, "a"),))).split() == ["tree-group", "100.0", "20%"]


def test_a_row_holds_every_run_of_both_sides() -> None:
    row = cost((run(1.0, "a"), run(2.0, "a")), (run(3.0, "a"), run(5.0, "b"))).as_row()
    assert (row["against"], row["ms_per_simulated_s"], row["ratio"]) == (AGAINST, [100.0, 300.0], 3.0)
    assert [[each["cpu_s"] for each in runs] for runs in row["runs"]] == [[1.0, 2.0], [3.0, 5.0]]
    assert not row["has_same_digests"]


class FakeWorker:
    """Stands for a process of either side, and notes the order of the runs."""

    order: list[str]

    def __init__(self, sources: Any) -> None:
        self._sources = sources

    @classmethod
    def of(cls, sources: Any) -> "FakeWorker":
        return cls(sources)

    def __enter__(self) -> "FakeWorker":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, case: ProtocolCase, duration_s: float | None) -> dict[str, Any]:
        assert duration_s is None
        is_ours = self._sources == protocols.ROOT / "src"
        self.order.append(f"{case.protocol} {'ours' if is_ours else 'other'}")
        return run(1.0 if is_ours else 2.0, "a")


@pytest.fixture
def order(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the runs that are made, with no process behind them."""
    made: list[str] = []
    monkeypatch.setattr(FakeWorker, "order", made, raising=False)
    monkeypatch.setattr(protocols, "Worker", FakeWorker)
    return made


def test_both_sides_alternate(order: list[str], tmp_path: Any) -> None:
    (found,) = measured_costs([CASE], 2, None, tmp_path)
    assert order == ["tree-group ours", "tree-group other"] * 2
    assert found.ratio == 2.0


def test_without_the_other_commit_one_line_says_so_and_ours_is_measured(
    order: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(protocols, "AGAINST", "0" * 40)
    costs = measure_protocols(5)
    assert order == [f"{case.protocol} ours" for case in CASES for _ in range(ROUNDS_MAX)]
    assert [found.against for found in costs] == [None] * len(CASES)
    assert capsys.readouterr().err.startswith("trees-and-brokers: there is no commit 0000")


def test_it_is_a_benchmark_of_the_command_and_both_sides_are_stored(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [cost((run(1.0, "a"),), (run(2.0, "a"),))]
    monkeypatch.setattr("benchmarks.__main__.measure_protocols", lambda _: made)
    assert main(["trees-and-brokers"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[-2:] == ["2.00", "same"]
    assert main(["trees-and-brokers", "--json"]) == 0
    assert TREES_AND_BROKERS not in BENCHMARKS  # or the two would be measured, and stored, under one name
    (row,) = json.loads(capsys.readouterr().out)["trees-and-brokers"]
    assert (row["ratio"], len(row["runs"])) == (2.0, 2)
