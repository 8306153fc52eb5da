"""The ``seed``, ``seeds`` and ``seeds_max`` arguments of the API's functions: NumPy's whole numbers are welcome."""

from collections.abc import Iterable, Sequence
from operator import index
from typing import SupportsIndex

from roamcast.campaigns.scenario_tables import SEED_MAX
from roamcast.core.errors import InvalidValueError


def checked_seed(seed: SupportsIndex) -> int:
    """Return a seed as a plain number if it is one."""
    number = whole_number(seed)
    if number is None or not 0 <= number <= SEED_MAX:
        raise InvalidValueError("seed", seed, f"must be a whole number from 0 to {SEED_MAX}")
    return number


def checked_count(count: SupportsIndex, where: str) -> int:
    """Return a number of seeds as a plain number if it is one."""
    number = whole_number(count)
    if number is None or number < 1:
        raise InvalidValueError(where, count, "must be a whole number from 1")
    return number


def checked_seeds(seeds: SupportsIndex | Iterable[SupportsIndex], first: int) -> Sequence[int]:
    """Return the seeds that are meant by a list, or by how many there are from the first on."""
    if whole_number(seeds) is None and isinstance(seeds, Iterable) and not isinstance(seeds, (str, bytes)):
        return [checked_seed(seed) for seed in seeds]
    number = whole_number(seeds)
    if number is None or number < 1:
        raise InvalidValueError("seeds", seeds, "must be a whole number from 1, or a list of seeds")
    return range(first, first + number)


def whole_number(value: object) -> int | None:
    """Return Python's or NumPy's whole number as Python's; None for anything else."""
    try:
        return None if isinstance(value, bool) else index(value)  # type: ignore[arg-type]
    except TypeError:
        return None
