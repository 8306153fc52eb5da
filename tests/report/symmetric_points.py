"""Points whose intervals reach as far up as down."""

from roamcast.report.figure import Point


def around(x: float, y: float, half_width: float | None) -> Point:
    """Return a point with an interval of this half-width."""
    return Point(x, y) if half_width is None else Point(x, y, y - half_width, y + half_width)
