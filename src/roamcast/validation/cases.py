"""The parts of a validation case. Neither this code nor the code that prints results depends on a particular case."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from statistics import mean

TOLERANCE = 0.02
"""A mean this close to the reference's, as a share of it, agrees, however narrow the reference's range is."""

Run = Callable[[int, float], Mapping[str, float]]
"""Runs a case with a seed for a number of seconds and returns its quantities by name. It must be picklable: a module's
function, or a ``partial`` of one."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """Something that a case measures."""

    name: str
    """The key in the result of a run, and in JSON."""
    title: str
    """The name for people."""
    decimals: int = 1
    is_share: bool = False
    """A share, from 0 to 1; shown in percent."""


@dataclass(frozen=True, slots=True)
class Reference:
    """The result of the other simulator: the mean over its seeds, the range over them, or both."""

    mean: float | None
    low: float | None = None
    high: float | None = None
    last_digit: float = 0.0
    """The unit of the last stated digit; 0.1 for 5.4. A value that would be rounded to 5.4 is not below it."""

    @classmethod
    def of_seeds(cls, values: Sequence[float]) -> "Reference":
        """Return the reference for the results of several seeds."""
        return cls(mean(values), min(values), max(values))

    @classmethod
    def percent(cls, middle: float, low: float | None = None, high: float | None = None) -> "Reference":
        """Return a share stated in percent, to a tenth."""
        low, high = (None if bound is None else bound / 100 for bound in (low, high))
        return cls(middle / 100, low, high, last_digit=0.001)

    def allowed(self, tolerance: float) -> tuple[float, float]:
        """Return the bounds for our mean: the range over seeds, or the tolerance around the mean if that is wider."""
        lows = [] if self.low is None else [self.low - self.last_digit / 2]
        highs = [] if self.high is None else [self.high + self.last_digit / 2]
        if self.mean is not None:
            lows.append(self.mean - tolerance * abs(self.mean))
            highs.append(self.mean + tolerance * abs(self.mean))
        return min(lows, default=-inf), max(highs, default=inf)


@dataclass(frozen=True, slots=True)
class Expectation:
    """A quantity of a case and what it should be."""

    quantity: Quantity
    reference: Reference
    theory: Callable[[], float] | None = None
    """The value predicted without any simulator; shown, not judged."""
    tolerance: float = TOLERANCE
    remark: str = ""
    """The reason for a difference, as far as we know it, or that it is intended."""
    is_judged: bool = True
    """False: it is shown, with the remark, but does not count, since something better is judged instead."""


@dataclass(frozen=True, slots=True)
class Case:
    """Something that can be run with a seed, and the expected results."""

    name: str
    """Its name on the command line."""
    title: str
    run: Run
    duration_s: float
    quick_duration_s: float
    """The simulated time of a quick run."""
    expectations: tuple[Expectation, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Cases that differ in one number, shown as one table."""

    name: str
    """Selects all its cases on the command line."""
    title: str
    about: str
    """The setting, for someone who has not seen it before."""
    source: str
    """The origin of the reference."""
    cases: tuple[Case, ...]
    theory: str = ""
    """The origin of the theory's figures, if there are any."""
