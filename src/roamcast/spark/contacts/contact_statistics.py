"""Statistics of contacts: their durations, the times between them, and the network over time; counted on Spark."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from roamcast.recordings.recording_layout import COMPONENTS, COMPONENTS_SCHEMA, Imported
from roamcast.spark.jobs import wait_for_job
from roamcast.spark.session.session import open_session

POINTS_MAX = 200


@dataclass(frozen=True, slots=True)
class Tail:
    """A complementary cumulative distribution: the share of values that is larger than each."""

    values: tuple[float, ...]
    shares: tuple[float, ...]
    count: int
    mean: float | None
    median: float | None


@dataclass(frozen=True, slots=True)
class ContactStatistics:
    """The data of the plots."""

    durations: Tail
    inter_contacts: Tail
    network: dict[str, list[Any]]
    """The table of components, by column."""


def contact_statistics(contacts: Imported, master: str) -> ContactStatistics:
    """Compute the distributions of contact durations and of the times between contacts."""
    spark = open_session(master)
    files = [str(file) for file in contacts.files()]
    context = spark.sparkContext
    found = wait_for_job(spark, "statistics", lambda: context.parallelize(files, len(files)).map(_counts).collect())
    lasting, pausing = (sum((counts[at] for counts in found), Counter()) for at in range(2))
    return ContactStatistics(_tail(lasting), _tail(pausing), _network(contacts.root / COMPONENTS))


def _tail(counts: Counter[float]) -> Tail:
    values = sorted(counts)
    return tail(values, [counts[value] for value in values])


def _counts(file: str) -> tuple[Counter[float], Counter[float]]:
    """Return how often each duration, and each time between contacts, occurs in a file of contacts."""
    rows = pq.ParquetFile(file).read(["duration_s", "inter_contact_s"])
    return _counted(rows.column(0)), _counted(rows.column(1))


def _counted(column: Any) -> Counter[float]:
    values, times = np.unique(to_milliseconds(column.drop_null().to_numpy()), return_counts=True)
    return Counter(dict(zip(values.tolist(), times.tolist(), strict=True)))


def to_milliseconds(values_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to three decimals as on paper: the shortest number that is the same float, halves away from 0."""
    scaled = values_s * 1000
    rounded = np.rint(scaled) / 1000
    for at in np.flatnonzero(np.abs(np.abs(scaled - np.trunc(scaled)) - 0.5) < 1e-3).tolist():
        rounded[at] = float(Decimal(repr(float(values_s[at]))).quantize(Decimal("0.001"), ROUND_HALF_UP))
    return rounded


def tail(values: Sequence[float], times: Sequence[int]) -> Tail:
    """Return the complementary cumulative distribution of sorted values, given how many times each occurs."""
    total = sum(times)
    if not total:
        return Tail((), (), 0, None, None)
    up_to = list(accumulate(times))
    mean = sum(value * count for value, count in zip(values, times, strict=True)) / total
    # The middle value, or the mean of the middle two.
    median = (values[bisect_left(up_to, (total + 1) // 2)] + values[bisect_left(up_to, total // 2 + 1)]) / 2
    shares = [1 - count / total for count in up_to]
    chosen = _spread(len(values))
    return Tail(tuple(values[at] for at in chosen), tuple(shares[at] for at in chosen), total, mean, median)


def _spread(count: int) -> list[int]:
    """Choose some of many indices, denser among the first: on a logarithmic axis they look evenly spaced."""
    if count <= POINTS_MAX:
        return list(range(count))
    return sorted({round(count ** (step / (POINTS_MAX - 1))) - 1 for step in range(POINTS_MAX)})


def _network(folder: Path) -> dict[str, list[Any]]:
    """Return the table of components, thinned to a number of points that a plot can show."""
    files = sorted(folder.glob("*.parquet"))
    columns: dict[str, list[Any]] = {name: [] for name in COMPONENTS_SCHEMA.names}
    for file in files:
        for name, values in pq.ParquetFile(file).read().to_pydict().items():
            columns[name] += values
    step = -(-len(columns["time_s"]) // POINTS_MAX) or 1
    return {name: values[::step] for name, values in columns.items()}
