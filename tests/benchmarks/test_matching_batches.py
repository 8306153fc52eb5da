"""The benchmark of matching at several batch sizes, at a reduced size."""

import json
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.__main__ import main
from benchmarks.matching_batches import BatchMeasurement, measure_batches, show_batches
from benchmarks.matching_engines import index_of
from benchmarks.matching_hem import Hem
from benchmarks.matching_workloads import make_workload

from benchmarks import matching_batches
from roamcast.core.errors import UserError

FAST = BatchMeasurement(100_000, "100,000 wide-all", 16, "counts", 2.0, 7.0)


def test_every_result_is_measured_at_every_batch_size_beside_hem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching_batches, "CPU_S", 0.0005)
    monkeypatch.setattr(matching_batches, "EVENTS", 600)
    found = measure_batches(1, cases=[(300, "wide", "few")], batches=(1, 600))
    assert [(each.batch, each.result) for each in found] == [
        (batch, result) for batch in (1, 600) for result in ("counts", "bit sets", "numbers", "identifiers")
    ]
    assert all(each.ours_us > 0 and each.hem_us > 0 for each in found)


def test_hem_writes_the_numbers_that_our_index_finds() -> None:
    workload = make_workload(300, "wide", "all", 20, 3)
    hem, matches = Hem(workload, 64), index_of(workload).match_many(workload.batch)
    for event in range(20):
        (count,) = hem.write_numbers(workload.batch[event : event + 1])
        assert np.array_equal(hem._numbers[:count], np.sort(matches.numbers(event)))


def test_a_difference_in_matches_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hem, "match", lambda _, events: np.full(len(events), -1))
    with pytest.raises(UserError, match="different numbers of matches"):
        measure_batches(1, cases=[(100, "wide", "all")])


def test_every_row_says_its_target_and_whether_it_is_reached() -> None:
    slow = replace(FAST, batch=1, ours_us=8.0)
    lines = show_batches([FAST, slow]).splitlines()
    assert lines[1].split()[-3:] == ["3.50", "1.0", "reached"]
    assert lines[2].endswith("0.88    1.0  NOT reached")
    assert lines[-2:] == ["1 of 2 targets reached", "NOT reached: 100,000 wide-all by 1, counts"]
    assert show_batches([FAST]).endswith("NOT reached: none")


@pytest.mark.parametrize(
    ("subscriptions", "batch", "result", "target"),
    [
        (100_000, 4096, "counts", 4.0),
        (100_000, 256, "counts", 1.0),
        (100_000, 4096, "numbers", 1.0),
        (10_000, 4096, "counts", 1.0),
    ],
)
def test_counts_of_large_batches_shall_be_four_times_as_fast(
    subscriptions: int, batch: int, result: str, target: float
) -> None:
    assert replace(FAST, subscriptions=subscriptions, batch=batch, result=result).target == target


def test_it_is_a_benchmark_of_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.__main__.measure_batches", lambda repeats, seed: [FAST] * (repeats * seed))
    assert main(["matching-batches", "--repeat", "2"]) == 0
    assert capsys.readouterr().out.startswith("subscriptions, workload")
    assert main(["matching-batches", "--repeat", "2", "--json"]) == 0
    assert [row["ratio"] for row in json.loads(capsys.readouterr().out)["matching-batches"]] == [3.5, 3.5]
