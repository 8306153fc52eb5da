"""Sweeps: a sweep is data. Keys of a scenario with a list of values each; the lists are crossed.

[sweep]
protocol.name = ["frugal", "flooding"]
workload.subscriber_fraction = [0.2, 0.8]
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from roamcast.core.errors import InvalidValueError, UserError
from roamcast.core.parameters import shown_key

POINTS_MAX = 100_000
"""More points than that are a slip of the pen: at a second each they would take a day."""

Sweep = Mapping[str, tuple[Any, ...]]
"""Dotted keys of a scenario, each with the values that it takes."""


def read_sweep(table: Any, place: str) -> Sweep:
    """Check a ``[sweep]`` table, whose keys may be dotted or quoted, and return it with dotted keys."""
    if not isinstance(table, Mapping):
        raise InvalidValueError(place, table, "must be a table")
    sweep: dict[str, tuple[Any, ...]] = {}
    for key, values in _leaves(table):
        if key in sweep:
            raise UserError(f"{place} {shown_key(key)}: must be there once only")
        sweep[key] = _checked_values(key, values, place)
    count = prod(len(values) for values in sweep.values())
    if count > POINTS_MAX:
        raise UserError(f"{place}: has {count:,} points; must be at most {POINTS_MAX:,}")
    return sweep


def points(sweep: Sweep) -> Iterator[dict[str, Any]]:
    """Yield every combination of the values; the last key changes fastest."""
    for values in product(*sweep.values()):
        yield dict(zip(sweep, values, strict=True))


def cross_section(sweep: Sweep) -> Iterator[dict[str, Any]]:
    """Yield, for each value of each key, one of the points that it is in: enough to try every value once."""
    first = {key: values[0] for key, values in sweep.items()}
    yield first
    for key, values in sweep.items():
        for value in values[1:]:
            yield {**first, key: value}


def _leaves(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def _checked_values(key: str, values: Any, place: str) -> tuple[Any, ...]:
    here = f"{place} {shown_key(key)}"
    if key in ("name", "seed") or key.split(".")[0] == "sweep":
        raise InvalidValueError(here, values, "cannot be swept; seeds are asked for where the sweep is run")
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise InvalidValueError(here, values, "must be a list of values")
    if not values:
        raise InvalidValueError(here, values, "must have at least one value")
    return tuple(values)
