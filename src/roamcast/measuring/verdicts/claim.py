"""Claims: what a paper says, as checks on measured numbers, each with the band that it allows them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from roamcast.measuring.measurements import Measurements, PointName
from roamcast.measuring.statistics import Interval
from roamcast.measuring.verdicts.band import Band
from roamcast.measuring.verdicts.quantity import Deviation, Quantity


@dataclass(frozen=True, slots=True)
class Part:
    """One number that a claim rests on."""

    label: str
    quantity: Quantity | None
    """None: the claim needs it and it was not measured, or has no value; that leaves the claim open."""
    band: Band | None = None
    """The values that the claim allows it; None: it is shown and not judged."""
    points: frozenset[PointName] = frozenset()
    """The points of sweeps whose runs it comes from."""
    metrics: frozenset[str] = frozenset()
    """The metrics that were read off there."""
    extent: Interval | None = None
    """For a number pooled over points: the lowest and the highest of them."""
    error_share: float = 1.0
    """The share of a claim's error that its interval may have: less than 1 if it was settled at an earlier look."""

    @classmethod
    def missing(cls, label: str, band: Band | None = None) -> "Part":
        """Return a part that the claim needs and that was not measured."""
        return cls(label, None, band or Band())

    @property
    def is_judged(self) -> bool:
        """Tell whether the claim rests on it."""
        return self.band is not None

    def interval(self, error: float) -> Interval | None:
        """Return the interval that misses the truth with this probability; None if there is none."""
        return None if self.quantity is None else self.quantity.interval(error * self.error_share)

    def intervals_of_paper(self, error: float) -> tuple[Interval, ...]:
        """Return the intervals that unlimited seeds of ours might leave, the one around today's value last."""
        if not isinstance(self.quantity, Deviation):
            return ()
        return self.quantity.intervals_of_paper(error * self.error_share)

    def passes(self, error: float) -> bool:
        """Tell whether it is certainly inside its band or beyond it on the favourable side."""
        interval = self.interval(error)
        return interval is not None and self.band is not None and self.band.passes(interval)

    def allowing(self, unseen: float) -> "Part":
        """Let its shares allow for so many runs at either bound that no seed has shown."""
        return self if self.quantity is None else replace(self, quantity=self.quantity.allowing(unseen))

    def with_seeds(self, seeds: int) -> "Part":
        """Forecast the part with another number of seeds."""
        return self if self.quantity is None else replace(self, quantity=self.quantity.with_seeds(seeds))


Measure = Callable[[Measurements], Sequence[Part]]
"""From a table of measurements to the numbers that a claim rests on; none if its sweep was not run."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a paper that can be true or false of our measurements."""

    name: str
    where: str
    """The paper's section or figure."""
    statement: str
    """The claim, in our words."""
    tolerance: str
    """The band in words, and why it is so: how near is near enough."""
    figures: tuple[int, ...]
    """The figures whose sweeps the claim needs."""
    measure: Measure
    remark: str = ""
    """Why the claim does not hold, as far as we know; shown only where it does not."""
    choice: str = ""
    """A choice of ours that the measured value rests on; shown whatever the verdict."""
    untestable: str = ""
    """Where the paper omits what a test needs, or contradicts itself; what was measured is then shown, not judged."""
    replaces: tuple[str, ...] = ()
    """The names of earlier encodings of the same sentence, whose verdicts are on record."""
    sweeps: tuple[str, ...] = ()
    """The sweeps that the claim needs, where they are not all of its figures'."""
    after_results: str = ""
    """How the claim was added or changed when results were known that bear on it, as far as its bands do not tell."""
