"""The data of a figure, independent of how it is drawn: labelled axes, and series of points with intervals."""

from dataclasses import dataclass
from math import isfinite


@dataclass(frozen=True, slots=True)
class Point:
    """A measured value with the ends of its 95 % interval; None if there is none, as with one seed."""

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
    """Values printed in the paper, for comparison; drawn differently from measured ones."""

    @property
    def name(self) -> str:
        """Return the label as shown, which marks the paper's values."""
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
    """Whether the vertical axis is logarithmic if its values span a decade or more."""
    y_limits: tuple[float, float] | None = None
    """The ends of the vertical axis, such as 0 and 1 for a share. Intervals are cut there, and marked."""
    log_x: bool = False
    x_names: tuple[str, ...] = ()
    """The names of x = 0, 1, 2, ... if x is a choice and not a quantity; the points are then not joined."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a paper, reproduced, or of a comparison."""

    name: str
    """The file's name without its suffix, for example ``figure-17``."""
    title: str
    caption: str
    """A sentence or two: what is shown, for how many seeds, and what to look for."""
    panels: tuple[Panel, ...]
