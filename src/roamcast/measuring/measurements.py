"""Measured values, as the pipeline hands them to papers and reports: small, plain, independent of Spark."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from roamcast.measuring.statistics import Estimate, Sample, sampled

PointName = tuple[str, str]
"""A sweep, and the labels of one of its points as canonical JSON."""


class Kind(StrEnum):
    """The kinds of numbers that are made of one metric at one point."""

    VALUE = "value"
    """The metric itself."""
    RATIO = "ratio"
    """How many times the reference's value it is."""


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
    kind: Kind = Kind.VALUE
    made_of: tuple[PointName, ...] = ()
    """The points that it was computed from, if it was not measured at a point of its own."""

    @classmethod
    def of(
        cls,
        sweep: str,
        point: Mapping[str, Any],
        metric: str,
        found: Estimate,
        samples: Sequence[Sample] = (),
        kind: Kind = Kind.VALUE,
        made_of: tuple[PointName, ...] = (),
    ) -> "Measurement":
        """Return an estimate at its place in a sweep."""
        values = (found.mean, found.low, found.high, found.seeds)
        return cls(sweep, point, metric, *values, tuple(samples), kind, made_of)

    @property
    def place(self) -> PointName:
        """Return the point's name."""
        return self.sweep, point_key(self.point)

    @property
    def places(self) -> tuple[PointName, ...]:
        """Return the names of all points whose runs it comes from."""
        return self.made_of or (self.place,)

    def over(self, seeds: Collection[int]) -> "Measurement | None":
        """Return the value over some of the seeds, without an interval; None if they have no value."""
        samples = tuple(sample for sample in self.samples if sample.seed in seeds)
        found = sampled(samples)
        if found is None:
            return None
        return replace(self, mean=found.value, low=None, high=None, seeds=len(samples), samples=samples)


class Measurements:
    """A table of measurements that can be asked for by labels."""

    def __init__(self, rows: Iterable[Measurement]) -> None:
        self._rows: dict[tuple[str, str, Kind, str], Measurement] = {
            (row.sweep, row.metric, row.kind, point_key(row.point)): row for row in rows
        }
        self._by_metric: dict[tuple[str, str, Kind], list[Measurement]] = defaultdict(list)
        for (sweep, metric, kind, _), row in self._rows.items():
            self._by_metric[sweep, metric, kind].append(row)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Measurement]:
        return iter(self._rows.values())

    def over(self, seeds: Collection[int]) -> "Measurements":
        """Return the table over some of the seeds; values without samples, such as ratios, are left out."""
        return Measurements(row for row in (each.over(seeds) for each in self) if row is not None)

    def has(self, sweep: str) -> bool:
        """Say whether anything of a sweep was measured."""
        return any(row.sweep == sweep for row in self)

    def find(self, sweep: str, metric: str, point: Mapping[str, Any], kind: Kind = Kind.VALUE) -> Measurement | None:
        """Return the measurement at a point, or None if it was not made."""
        return self._rows.get((sweep, metric, kind, point_key(point)))

    def where(
        self, sweep: str, metric: str, labels: Mapping[str, Any] | None = None, kind: Kind = Kind.VALUE
    ) -> list[Measurement]:
        """Return the measurements of a sweep whose point has these labels among its own, in order of the table."""
        wanted = {key: _normal(value) for key, value in (labels or {}).items()}
        return [
            row
            for row in self._by_metric.get((sweep, metric, kind), ())
            if all(key in row.point and _normal(row.point[key]) == value for key, value in wanted.items())
        ]

    def first(self, sweep: str, metric: str, labels: Mapping[str, Any] | None = None) -> Measurement | None:
        """Return the first measurement whose point has these labels among its own, or None if there is none."""
        return next(iter(self.where(sweep, metric, labels)), None)


PointOrder = tuple[tuple[str, tuple[Any, ...]], ...]


def point_order(point: Mapping[str, Any]) -> PointOrder:
    """Return by what points are sorted: label after label, numbers by their size and all else as text."""
    return tuple((label, _value_order(point[label])) for label in sorted(point))


def _value_order(value: Any) -> tuple[Any, ...]:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return 0, float(value)
    if isinstance(value, (list, tuple)):
        return 1, *map(_value_order, value)
    return 2, json.dumps(value, sort_keys=True)


def over_seeds(rows: Iterable[Measurement]) -> str:
    """State the number of seeds behind some values, for a caption or a headline."""
    return f"over {number_range(row.seeds for row in rows)} seeds with 95 % intervals"


def number_range(numbers: Iterable[int]) -> str:
    """Return a number if all are the same, and else from the least to the greatest."""
    found = sorted({*numbers}) or [0]
    return str(found[0]) if len(found) == 1 else f"{found[0]} to {found[-1]}"


def point_key(point: Mapping[str, Any]) -> str:
    """Return a point's labels as text, the same for equal values however they were written."""
    return json.dumps({key: _normal(value) for key, value in point.items()}, sort_keys=True)


def _normal(value: Any) -> Any:
    """Make 10 and 10.0 one value."""
    if isinstance(value, (list, tuple)):
        return [_normal(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value
