"""What a validation case consists of. Nothing here knows a particular case, and nothing that prints needs to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from statistics import mean

TOLERANCE = 0.02
"""A mean this near to the reference's, as a share of it, agrees, however narrow the reference's range is."""

Run = Callable[[int, float], Mapping[str, float]]
"""Run a case with a seed for so many seconds; return its quantities by name. It must be picklable: a function of a
module, or a ``partial`` of one."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """Something that a case measures."""

    name: str
    """The key in what a run returns, and in JSON."""
    title: str
    """What a person reads."""
    decimals: int = 1
    is_share: bool = False
    """A part of a whole, 0 to 1; shown in percent."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What the other simulator gave: the mean over its seeds, the range over them, or both."""

    mean: float | None
    low: float | None = None
    high: float | None = None
    last_digit: float = 0.0
    """The unit of the last digit that is stated; 0.1 for 5.4. A value that would be rounded to 5.4 is not below it."""

    @classmethod
    def of_seeds(cls, values: Sequence[float]) -> "Reference":
        """Return the reference that the outcomes of several seeds make."""
        return cls(mean(values), min(values), max(values))

    @classmethod
    def percent(cls, middle: float, low: float | None = None, high: float | None = None) -> "Reference":
        """Return a share that is stated in percent, to a tenth."""
        low, high = (None if each is None else each / 100 for each in (low, high))
        return cls(middle / 100, low, high, last_digit=0.001)

    def allowed(self, tolerance: float) -> tuple[float, float]:
        """Return where our mean must lie: the range over seeds, or the tolerance round the mean where it is wider."""
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
    """What follows without any simulator; shown beside, not judged."""
    tolerance: float = TOLERANCE
    remark: str = ""
    """What we know of the reason where it differs, or that it does so by choice."""
    is_judged: bool = True
    """False: it is shown, with the remark, and does not count, since something better is judged in its place."""


@dataclass(frozen=True, slots=True)
class Case:
    """Something that can be run with a seed, and what should come out of it."""

    name: str
    """What it is called on the command line."""
    title: str
    run: Run
    duration_s: float
    quick_duration_s: float
    """The time that a reduced run simulates."""
    expectations: tuple[Expectation, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Cases that differ in one number, shown as one table."""

    name: str
    """Stands for all its cases on the command line."""
    title: str
    about: str
    """The setting, for somebody who has not seen it before."""
    source: str
    """Where the reference comes from."""
    cases: tuple[Case, ...]
    theory: str = ""
    """What the theory's figures are, where there are any."""
