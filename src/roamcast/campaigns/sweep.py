"""Sweeps: keys of a scenario, each with a list of values. A sweep is data; its points are all combinations of values.

[sweep]
protocol.name = ["frugal", "flooding"]
workload.subscriber_fraction = [0.2, 0.8]
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from roamcast.core.errors import InvalidValueError, UserError
from roamcast.core.parameters import printable_key

POINTS_MAX = 100_000
"""More points than this are a mistake: at a second each they would take a day."""

Sweep = Mapping[str, tuple[Any, ...]]
"""Dotted keys of a scenario, each with its values."""


def read_sweep(table: Any, where: str) -> Sweep:
    """Check a ``[sweep]`` table, whose keys may be dotted or quoted, and return it with dotted keys."""
    if not isinstance(table, Mapping):
        raise InvalidValueError(where, table, "must be a table")
    sweep: dict[str, tuple[Any, ...]] = {}
    for key, values in _leaves(table):
        if key in sweep:
            raise UserError(f"{where} {printable_key(key)}: must be given only once")
        sweep[key] = _checked_values(key, values, where)
    count = prod(len(values) for values in sweep.values())
    if count > POINTS_MAX:
        raise UserError(f"{where}: has {count:,} points; must be at most {POINTS_MAX:,}")
    return sweep


def points(sweep: Sweep) -> Iterator[dict[str, Any]]:
    """Yield every combination of the values; the last key changes fastest."""
    for values in product(*sweep.values()):
        yield dict(zip(sweep, values, strict=True))


def cross_section(sweep: Sweep) -> Iterator[dict[str, Any]]:
    """Yield one point for each value of each key: enough to try every value once."""
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


def _checked_values(key: str, values: Any, where: str) -> tuple[Any, ...]:
    here = f"{where} {printable_key(key)}"
    if key in ("name", "seed") or key.split(".")[0] == "sweep":
        raise InvalidValueError(here, values, "cannot be swept; seeds are given when the sweep is run")
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise InvalidValueError(here, values, "must be a list of values")
    if not values:
        raise InvalidValueError(here, values, "must have at least one value")
    return tuple(values)
