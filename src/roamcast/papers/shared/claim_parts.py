"""Parts of claims, for all papers: measured values, and differences, ratios and interpolations of them, paired by seed.

Runs with one seed see the same movement and publications, so a comparison takes the seeds that all its values have.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import inf, isfinite

from roamcast.measuring.measurements import Measurement, over_seeds
from roamcast.measuring.metrics import bounds_of
from roamcast.measuring.statistics import SHARE, Bounds, Sampled, average, finite_exp, paired
from roamcast.measuring.verdicts import (
    Band,
    Deviation,
    Measure,
    Part,
    Quantity,
    Ratio,
    Sum,
    Value,
    at_least,
    at_most,
    within,
)

SHARE_MARGIN = 0.01
"""A share, or a difference of shares, within one point of a boundary is on the line."""
RATIO_MARGIN = 0.05
"""A ratio, a count or a time within 5 % of a boundary is on the line."""

Row = Measurement | None
"""A measurement; None where it was not made."""


def if_measured(sweep: str, measure: Measure) -> Measure:
    """Return a measure that yields no parts if its sweep was not run at all."""
    return lambda measured: measure(measured) if measured.has(sweep) else []


def limits(low: float = -inf, high: float = inf) -> Band | None:
    """Return the band between two limits, of which one or both may be missing; None if there is nothing to judge."""
    if isfinite(low) and isfinite(high):
        return within(low, high)
    return at_least(low) if isfinite(low) else at_most(high) if isfinite(high) else None


def value_part(label: str, row: Row, band: Band | None = None) -> Part:
    """Return a part for a measured value."""
    return _part(label, [row], band, lambda values: Value.of(values[0], _bounds(row)), _is_share(row))


def printed_part(label: str, row: Row, printed: float, runs: int, band: Band) -> Part:
    """Return a part for the amount by which a value exceeds the one that the paper printed from some runs."""
    return _part(
        label, [row], band, lambda values: Deviation(Value.of(values[0], _bounds(row)), printed, runs), _is_share(row)
    )


def difference_part(label: str, row: Row, less: Row, band: Band | None = None) -> Part:
    """Return a part for the amount by which one value exceeds another."""
    return combined_part(label, [(1.0, row), (-1.0, less)], band)


def combined_part(label: str, terms: Sequence[tuple[float, Row]], band: Band | None = None) -> Part:
    """Return a part for a weighted sum of values."""

    def quantity(values: Sequence[Sampled]) -> Quantity:
        weighted = zip(terms, values, strict=True)
        return Sum.of([(weight, value, _bounds(row)) for (weight, row), value in weighted])

    return _part(label, [row for _, row in terms], band, quantity, all(_is_share(row) for _, row in terms))


def share_part(label: str, row: Row, of: Row, band: Band | None = None) -> Part:
    """Return a part for the share that one value is of another, from none to all."""
    return _part(label, [row, of], band, lambda values: Value.of(values[0] / values[1], SHARE), is_share=True)


def ratio_part(label: str, row: Row, over: Row, band: Band | None = None) -> Part:
    """Return a part for the ratio of two values."""
    return pooled_ratio_part(label, [(row, over)], band)


def pooled_ratio_part(label: str, pairs: Sequence[tuple[Row, Row]], band: Band | None = None) -> Part:
    """Return a part for the geometric mean of the ratios at several points, with the lowest and the highest of them."""
    rows = [row for pair in pairs for row in pair]
    ratios: list[float] = []

    def logs(values: Sequence[Sampled]) -> list[Sampled]:
        found = [above.log() - under.log() for above, under in zip(values[::2], values[1::2], strict=True)]
        ratios.extend(each.value for each in found)
        return found

    part = _part(label, rows, band, lambda values: Ratio.of(average(logs(values))), is_share=False)
    if part.quantity is None or len(pairs) < 2:
        return part
    return replace(part, extent=(finite_exp(min(ratios)), finite_exp(max(ratios))))


def formula_part(
    label: str,
    rows: Sequence[Row],
    quantity: Callable[[Sequence[Sampled]], Quantity],
    band: Band | None = None,
    *,
    is_share: bool = False,
) -> Part:
    """Return a part for any formula of several values; ``is_share``: its result is in points of a share."""
    return _part(label, rows, band, quantity, is_share)


def _part(
    label: str,
    rows: Sequence[Row],
    band: Band | None,
    quantity: Callable[[Sequence[Sampled]], Quantity],
    is_share: bool,
) -> Part:
    known = [row for row in rows if row is not None]
    values = paired([row.samples for row in known]) if known and len(known) == len(rows) else None
    if band is not None and not band.margin:
        band = replace(band, margin=SHARE_MARGIN if is_share else RATIO_MARGIN, is_log=not is_share)
    points = frozenset(place for row in known for place in row.places)
    part = Part(label, None, band, points, frozenset(row.metric for row in known))
    try:
        return part if values is None else replace(part, quantity=quantity(values))
    except (ValueError, ZeroDivisionError):  # the logarithm of nothing, or a division by it
        return part


def _bounds(row: Row) -> Bounds:
    return Bounds(0.0, 0.0) if row is None else bounds_of(row.metric, row.kind)


def _is_share(row: Row) -> bool:
    bounds = _bounds(row)
    return isfinite(bounds.low) and isfinite(bounds.high)


def seeds_text(rows: Iterable[Measurement]) -> str:
    """State the number of seeds behind a figure, for its caption."""
    return f"Values {over_seeds(rows)}."
