"""Parts of claims, for all papers: a measured value, or the difference or ratio of two, paired by seed."""

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from math import inf

from roamcast.measuring.claim_verdicts import Part
from roamcast.measuring.measurements import Measurement, Measurements, over_seeds
from roamcast.measuring.metrics import bounds_of
from roamcast.measuring.statistics import Bounds, Estimate, combined, ratio

Measure = Callable[[Measurements], Sequence[Part]]


def if_measured(sweep: str, measure: Measure) -> Measure:
    """Return a measure that yields no parts if its sweep was not run at all."""
    return lambda measured: measure(measured) if measured.has(sweep) else []


def value_part(label: str, row: Measurement | None, low: float = -inf, high: float = inf) -> Part:
    """Return a part for a measured value."""
    return Part.missing(label) if row is None else Part(label, row.mean, row.low, row.high, low, high)


def difference_part(
    label: str, row: Measurement | None, less: Measurement | None, low: float = -inf, high: float = inf
) -> Part:
    """Return a part for the amount by which one value exceeds another."""
    return combined_part(label, [(1.0, row), (-1.0, less)], low, high)


def combined_part(
    label: str, terms: Sequence[tuple[float, Measurement | None]], low: float = -inf, high: float = inf
) -> Part:
    """Return a part for a weighted sum of values."""
    known = [(factor, row) for factor, row in terms if row is not None]
    if len(known) < len(terms):
        return Part.missing(label)
    bounds = reduce(Bounds.plus, (bounds_of(row.metric, row.kind).times(factor) for factor, row in known))
    return _compared(label, combined([(factor, row.samples) for factor, row in known], bounds), low, high)


def ratio_part(
    label: str, row: Measurement | None, over: Measurement | None, low: float = -inf, high: float = inf
) -> Part:
    """Return a part for the ratio of two values."""
    found = None if row is None or over is None else ratio(row.samples, over.samples)
    return _compared(label, found, low, high)


def _compared(label: str, found: Estimate | None, low: float, high: float) -> Part:
    return Part.missing(label) if found is None else Part(label, found.mean, found.low, found.high, low, high)


def seeds_text(rows: Iterable[Measurement]) -> str:
    """State the number of seeds behind a figure, for its caption."""
    return f"Values {over_seeds(rows)}."
