"""The comparison of protocols with another commit: what a worker measures, and what is said of two sides."""

from itertools import count
from typing import Any

import pytest
from benchmarks.protocol_worker import measured
from benchmarks.protocols import ProtocolCase, shown

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


def test_the_ratio_is_that_of_the_fastest_runs() -> None:
    row, same = shown(CASE, [[run(1.0, "a"), run(2.0, "a")], [run(5.0, "a"), run(3.0, "a")]])
    assert same
    assert row.split() == ["tree-group", "100.0", "20%", "300.0", "20%", "3.00", "same"]


def test_different_digests_are_said_so() -> None:
    row, same = shown(CASE, [[run(1.0, "a")], [run(1.0, "b")]])
    assert not same
    assert row.endswith("DIFFERENT")
