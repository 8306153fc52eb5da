"""The definition of a metric."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass

from roamcast.core.components import METRIC_NAME
from roamcast.core.errors import InvalidValueError
from roamcast.measuring.metrics.run_summary import RunSummary
from roamcast.measuring.statistics import NON_NEGATIVE, Bounds

MetricFunction = Callable[[RunSummary], float | None]
"""A function of a run's facts. A function of ``Facts`` is one as well: a ``RunSummary`` is the facts, with sums."""

NO_UNIT = "1"


@dataclass(frozen=True, slots=True)
class Metric:
    """A quantity that every run has, or has not.

    Metric("hops_mean", unit="hops", group="delivery", description="...", higher_is_better=False,
           function=lambda facts: ...)

    A metric is computed by its ``function``, or it is the quotient of a ``numerator`` and a ``denominator``. The
    difference shows where several runs are taken together. Of values by a function, the mean is taken. Of quotients,
    the sum of the numerators is divided by that of the denominators, because a run that delivered nothing has no
    frames per delivery, and still sent frames.
    """

    name: str
    """Small letters, digits and underscores; the unit comes last unless the name implies it."""
    _: KW_ONLY
    unit: str
    """``s``, ``bytes``, ``frames``, ...; ``1`` for a pure number."""
    group: str
    """The heading under which it belongs: ``delivery``, ``traffic``, ..."""
    description: str
    """A sentence for people who do not know the metric."""
    higher_is_better: bool | None
    """None where neither is better in itself."""
    function: MetricFunction | None = None
    numerator: MetricFunction | None = None
    denominator: MetricFunction | None = None
    bounds: Bounds = NON_NEGATIVE
    """The values that are possible. Intervals stay within them."""
    label: str = ""
    """A short name for an axis, without the unit; by default made from the name."""

    def __post_init__(self) -> None:
        where = f"metric {self.name}"
        if not METRIC_NAME.fullmatch(self.name):
            raise InvalidValueError("metric name", self.name, "must be lower-case letters, digits and underscores")
        is_quotient = self.numerator is not None and self.denominator is not None
        is_partial = (self.numerator is None) != (self.denominator is None)
        if is_partial or is_quotient == (self.function is not None):
            raise InvalidValueError(where, "function", "needs either a function, or a numerator and a denominator")
        object.__setattr__(self, "bounds", Bounds(*self.bounds))  # a plain (0, 1) will do
        if not self.bounds.low < self.bounds.high:
            raise InvalidValueError(f"{where} bounds", self.bounds, "must be two numbers, the lower one first")

    @property
    def is_pooled(self) -> bool:
        """Tell whether several runs are taken together as one sum over another, and not by their mean."""
        return self.function is None

    @property
    def direction(self) -> str:
        """Return which values are better, in a word."""
        return {True: "higher", False: "lower", None: "-"}[self.higher_is_better]

    def amounts(self, facts: RunSummary) -> tuple[float, float] | None:
        """Return a pooled metric's numerator and denominator; None for any other metric."""
        if self.numerator is None or self.denominator is None:
            return None
        return float(self.numerator(facts) or 0.0), float(self.denominator(facts) or 0.0)

    def value(self, facts: RunSummary) -> float | None:
        """Return the metric of one run, or None where the run has no such value."""
        if self.function is not None:
            found = self.function(facts)
            return None if found is None else float(found)
        above, below = self.amounts(facts) or (0.0, 0.0)
        return quotient(above, below)

    def label_with(self, unit: str | None = None) -> str:
        """Return the label with the unit, unless the label says it already."""
        label = self.label or self.name.removesuffix(f"_{self.unit}").replace("_", " ").capitalize()
        shown = self.unit if unit is None else unit
        return label if shown == NO_UNIT or shown.lower() in label.lower().split() else f"{label} ({shown})"


def quotient(above: float, below: float) -> float | None:
    """Divide; None where there is nothing to divide by."""
    return above / below if below else None
