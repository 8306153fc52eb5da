"""Measured values, as the pipeline hands them to papers and reports: small, plain, independent of Spark."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roamcast.measuring.statistics import Estimate, Sample


@dataclass(frozen=True, slots=True)
class Measurement:
    """The value of a metric over the seeds at one point of a sweep: a mean, or a ratio of sums."""

    sweep: str
    point: Mapping[str, Any]
    """The labels of the point: scenario keys and their values."""
    metric: str
    mean: float
    low: float | None
    """Where the 95 % interval begins; None with one seed."""
    high: float | None
    """Where it ends; None with one seed."""
    seeds: int
    samples: Sequence[Sample] = ()
    """Each seed's contribution to the value, for comparisons of two points; none if the value is a comparison."""

    @classmethod
    def of(
        cls, sweep: str, point: Mapping[str, Any], metric: str, found: Estimate, samples: Sequence[Sample] = ()
    ) -> "Measurement":
        """Return an estimate at its place in a sweep."""
        return cls(sweep, point, metric, found.mean, found.low, found.high, found.seeds, tuple(samples))


class Measurements:
    """A table of measurements that can be asked for by labels."""

    def __init__(self, rows: Iterable[Measurement]) -> None:
        self._rows: dict[tuple[str, str, str], Measurement] = {
            (row.sweep, row.metric, _key(row.point)): row for row in rows
        }

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Measurement]:
        return iter(self._rows.values())

    def has(self, sweep: str) -> bool:
        """Say whether anything of a sweep was measured."""
        return any(row.sweep == sweep for row in self)

    def find(self, sweep: str, metric: str, point: Mapping[str, Any]) -> Measurement | None:
        """Return the measurement at a point, or None if it was not made."""
        return self._rows.get((sweep, metric, _key(point)))

    def where(self, sweep: str, metric: str, labels: Mapping[str, Any] | None = None) -> list[Measurement]:
        """Return the measurements of a sweep whose point has these labels among its own, in order of the table."""
        wanted = {key: _normal(value) for key, value in (labels or {}).items()}
        return [
            row
            for row in self._rows.values()
            if row.sweep == sweep
            and row.metric == metric
            and all(key in row.point and _normal(row.point[key]) == value for key, value in wanted.items())
        ]


def _key(point: Mapping[str, Any]) -> str:
    return json.dumps({key: _normal(value) for key, value in point.items()}, sort_keys=True)


def _normal(value: Any) -> Any:
    """Make 10 and 10.0 one value."""
    if isinstance(value, (list, tuple)):
        return [_normal(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value
