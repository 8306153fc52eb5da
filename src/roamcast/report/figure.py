"""What a figure is, apart from how it is drawn: labelled axes and series of points with their intervals."""

from dataclasses import dataclass
from math import isfinite


@dataclass(frozen=True, slots=True)
class Point:
    """A measured value with the ends of its 95 % interval; None where one seed gives none."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return the interval if there is one to draw."""
        if self.low is None or self.high is None or not self.low < self.high:
            return None
        return (self.low, self.high) if isfinite(self.low) and isfinite(self.high) else None


@dataclass(frozen=True, slots=True)
class Series:
    """Points that belong together, in order of x."""

    label: str
    points: tuple[Point, ...]
    from_paper: bool = False
    """What the paper printed, for comparison; drawn apart from what was measured."""

    @property
    def name(self) -> str:
        """Return the label as it is shown: what is the paper's says so."""
        return f"{self.label} (paper)".strip() if self.from_paper and "paper" not in self.label.lower() else self.label


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes."""

    title: str
    x_label: str
    """With its unit."""
    y_label: str
    """With its unit."""
    series: tuple[Series, ...]
    log_y: bool = False
    """Whether the vertical axis is logarithmic where its values are a decade or more apart."""
    y_limits: tuple[float, float] | None = None
    """Where the vertical axis begins and ends: what a share can be, say. Intervals are cut there, and marked."""
    log_x: bool = False
    x_names: tuple[str, ...] = ()
    """What x = 0, 1, 2, ... stand for, where x is a choice and not a quantity; the points are then not joined."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a paper, or of a comparison, made again."""

    name: str
    """The file's name without its ending, for example ``figure-17``."""
    title: str
    caption: str
    """What is shown, of how many seeds, and what to see in it, in a sentence or two."""
    panels: tuple[Panel, ...]
