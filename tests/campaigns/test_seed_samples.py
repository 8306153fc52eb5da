"""Gathering each seed's contribution to a metric, without Spark."""

from math import inf, isnan
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from roamcast.campaigns.run_files import TABLE_SCHEMAS
from roamcast.campaigns.seed_samples import seed_samples, total
from roamcast.campaigns.whole_files import write_parquet

PLAN = [("speed", "{}", "r1", 1), ("speed", "{}", "r2", 2), ("speed", "{}", "r3", 2), ("other", "{}", "r1", 1)]


def write_tables(folder: Path, metrics: list[tuple[Any, ...]], plan: list[tuple[Any, ...]] = PLAN) -> Path:
    for name, rows in (("plan", plan), ("metrics", metrics)):
        schema = TABLE_SCHEMAS[name]
        table = pa.table(dict(zip(schema.names, zip(*rows, strict=True), strict=True)), schema=schema)
        (folder / name).mkdir()
        write_parquet(table, folder / name / "part-00000.parquet")
    return folder


def found(folder: Path) -> dict[tuple[str, str], list[tuple[Any, ...]]]:
    return {
        (row["sweep"], row["metric"]): [(*each.values(),) for each in row["samples"]] for row in seed_samples(folder)
    }


def test_runs_of_one_seed_are_one_sample_and_a_run_counts_in_each_sweep(tmp_path: Path) -> None:
    values = {"r1": 1.0, "r2": 2.0, "r3": 4.0}
    tables = write_tables(tmp_path, [(run, "m", value, 10 * value, 1.0) for run, value in values.items()])
    assert found(tables) == {
        ("other", "m"): [(1, 1.0, 10.0, 1.0)],
        ("speed", "m"): [(1, 1.0, 10.0, 1.0), (2, 3.0, 60.0, 2.0)],
    }


def test_a_run_without_a_value_does_not_count_in_the_mean_but_in_the_sums(tmp_path: Path) -> None:
    tables = write_tables(
        tmp_path, [("r1", "m", None, 7.0, 0.0), ("r2", "m", 2.0, 8.0, 4.0), ("r3", "m", None, 5.0, 0.0)]
    )
    assert found(tables)["speed", "m"] == [(1, None, 7.0, 0.0), (2, 2.0, 13.0, 4.0)]


def test_a_run_without_metrics_is_no_sample(tmp_path: Path) -> None:
    tables = write_tables(tmp_path, [("r2", "m", 2.0, None, None), ("r3", "n", 5.0, None, None)])
    assert found(tables) == {("speed", "m"): [(2, 2.0, 0.0, 0.0)], ("speed", "n"): [(2, 5.0, 0.0, 0.0)]}


def test_points_and_metrics_come_in_their_order(tmp_path: Path) -> None:
    tables = write_tables(tmp_path, [(run, metric, 1.0, None, None) for run in ("r3", "r1") for metric in ("z", "b")])
    assert list(found(tables)) == [("other", "b"), ("other", "z"), ("speed", "b"), ("speed", "z")]


@pytest.mark.parametrize("numbers", [[0.1] * 10, [1e16, 1.0, -1e16], [3.0]])
def test_a_sum_does_not_depend_on_the_order(numbers: list[float]) -> None:
    assert total(numbers) == total(numbers[::-1]) == total(sorted(numbers))


def test_a_sum_has_a_value_also_where_there_is_no_number() -> None:
    assert isnan(total([inf, -inf]))
    assert total([1e308, 1e308]) == inf
