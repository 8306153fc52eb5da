"""Each seed's contribution to every metric at every point, gathered from a campaign's tables in this process.

For up to a hundred thousand runs this takes seconds. Spark, which does the same for larger campaigns
(``spark.runs.measure``), would first spend more than that on planning and compiling its queries.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from roamcast.campaigns.run_files import METRICS

Numbers = NDArray[np.float64]
_COLUMNS = ("value", "amount", "base")


@dataclass(frozen=True, slots=True)
class _RunValues:
    """The values of all runs: a row for each run, a column for each metric."""

    runs: dict[str, int]
    """The row of each run."""
    metrics: list[str]
    is_there: NDArray[np.bool_]
    columns: dict[str, Numbers]
    """``value``, ``amount`` and ``base``; 0 where the run has none."""
    has_value: NDArray[np.bool_]


def seed_samples(tables: Path, others: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """Yield, for each metric at each point, what each seed adds to it: sweep, point, metric and samples.

    The samples of a point are in the order of the seeds. Several runs of one seed are one sample: their mean, and the
    sums of their amounts and bases. ``others`` are tables with the columns of ``metrics``, or some of them, whose rows
    count as well.
    """
    values = _values(pa.concat_tables([_read(tables, name) for name in (METRICS, *others)], promote_options="default"))
    for (sweep, point), rows in sorted(_points(tables, values.runs).items()):
        seeds, found = _by_seed(values, rows)
        for metric in sorted(range(len(values.metrics)), key=values.metrics.__getitem__):
            samples = [
                {"seed": seed, "mean": mean, "amount": amount, "base": base}
                for seed, is_there, mean, amount, base in zip(seeds, *(each[metric] for each in found), strict=True)
                if is_there
            ]
            if samples:
                yield {"sweep": sweep, "point": point, "metric": values.metrics[metric], "samples": samples}


def total(numbers: Sequence[float]) -> float:
    """Return a sum that does not depend on the order of the numbers: the exact one, rounded once."""
    try:
        return fsum(numbers)
    except (OverflowError, ValueError):  # beyond the largest float, or infinities of both signs
        return sum(numbers)


def _read(tables: Path, name: str) -> pa.Table:
    return pq.read_table(tables / name)


def _values(table: pa.Table) -> _RunValues:
    """Return the rows of tables of metrics as arrays."""
    run_ids, metrics = (table.column(name).combine_chunks().dictionary_encode() for name in ("run_id", "metric"))
    names = run_ids.dictionary.to_pylist()
    at = run_ids.indices.to_numpy(), metrics.indices.to_numpy()
    shape = len(names), len(metrics.dictionary)
    is_there, has_value = np.zeros(shape, bool), np.zeros(shape, bool)
    is_there[at] = True
    has_value[at] = table.column("value").is_valid().to_numpy()
    columns = {}
    for name in _COLUMNS:
        columns[name] = np.zeros(shape)
        columns[name][at] = table.column(name).fill_null(0.0).to_numpy()
    runs = {run_id: row for row, run_id in enumerate(names)}
    return _RunValues(runs, metrics.dictionary.to_pylist(), is_there, columns, has_value)


def _points(tables: Path, runs: dict[str, int]) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """Return the seed and the row of every run with metrics, in the order of the seeds, at each point."""
    plan = pq.read_table(tables / "plan", columns=["sweep", "point", "seed", "run_id"])
    found: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for sweep, point, seed, run_id in zip(*(column.to_pylist() for column in plan.columns), strict=True):
        if run_id in runs:
            found[sweep, point].append((seed, runs[run_id]))
    return {place: sorted(rows) for place, rows in found.items()}


def _by_seed(values: _RunValues, rows: Sequence[tuple[int, int]]) -> tuple[list[int], list[list[list[Any]]]]:
    """Return the seeds of a point and, for each metric, by seed: whether there is a row, mean, amount and base."""
    of_seed: dict[int, list[int]] = defaultdict(list)
    for seed, row in rows:
        of_seed[seed].append(row)
    groups = list(of_seed.values())
    first = np.array([runs[0] for runs in groups])
    is_there, counts = values.is_there[first], values.has_value[first].astype(np.int64)
    sums = {name: column[first] for name, column in values.columns.items()}
    for index, runs in enumerate(groups):
        if len(runs) > 1:
            is_there[index] = values.is_there[runs].any(axis=0)
            counts[index] = values.has_value[runs].sum(axis=0)
            for name, column in values.columns.items():
                sums[name][index] = [total(each) for each in column[runs].T.tolist()]
    means = np.where(counts > 0, sums["value"] / np.maximum(counts, 1), np.nan).astype(object)
    means[counts == 0] = None
    return list(of_seed), [each.T.tolist() for each in (is_there, means, sums["amount"], sums["base"])]
