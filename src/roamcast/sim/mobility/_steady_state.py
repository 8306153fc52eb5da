"""The steady state of the random waypoint model: the state of a node that has been walking forever.

Source: W. Navidi, T. Camp, "Stationary distributions for the random waypoint mobility model", IEEE Transactions on
Mobile Computing 3(1), 2004. A node seen at a random moment is more likely to be on a long trip than on a short one, and
on a slow one than on a fast one; it is pausing with the probability that equals the share of its time spent in pauses.
A run that starts like this needs no warm-up for its movement. Implemented for any rectangle, speeds uniform in a range,
and a constant pause.

We draw by rejection where the paper inverts a distribution function, because the last bit of a logarithm or a power
differs between machines, and that of a square root does not. The one remaining logarithm is in the probability of a
pause, where the last bit decides one draw in 10^16.
"""

import math

from roamcast.sim.mobility._draws import Draw
from roamcast.sim.trajectories import Area

Path = tuple[tuple[float, float], tuple[float, float]]
"""The node's position and the waypoint that it is heading for."""


def trip_length_m_mean(area: Area) -> float:
    """Return the mean distance between two uniform points of a rectangle (B. Ghosh, 1951)."""
    a, b = area.width_m, area.height_m
    diagonal = _distance(a, b)
    cubes = a**3 / b**2 + b**3 / a**2
    edges = diagonal * (3 - a**2 / b**2 - b**2 / a**2)
    logs = b**2 / a * math.log((a + diagonal) / b) + a**2 / b * math.log((b + diagonal) / a)
    return (cubes + edges + 2.5 * logs) / 15


class SteadyState:
    """Draws the state of a node at a random moment of an endless walk."""

    def __init__(self, area: Area, speed_mps: tuple[float, float], pause_s: float) -> None:
        self._area = area
        self._diagonal_m = _distance(area.width_m, area.height_m)
        self._speed_mps_max = speed_mps[1]
        self._band_ratio, self._band_starts_mps = _speed_bands(*speed_mps)
        trip_s_mean = trip_length_m_mean(area) * _pace_s_per_m_mean(*speed_mps)
        self.pause_probability = pause_s / (pause_s + trip_s_mean)

    def path(self, draw: Draw) -> Path:
        """Draw a point on a trip: trips in proportion to their length, the point uniform along the trip."""
        width_m, height_m = self._area.width_m, self._area.height_m
        while True:
            from_x, from_y, to_x, to_y = draw() * width_m, draw() * height_m, draw() * width_m, draw() * height_m
            if draw() * self._diagonal_m < _distance(to_x - from_x, to_y - from_y):
                break
        done = draw()
        return (from_x + (to_x - from_x) * done, from_y + (to_y - from_y) * done), (to_x, to_y)

    def speed_mps(self, draw: Draw) -> float:
        """Draw the speed of a moving node, in proportion to 1/speed, the time a trip takes."""
        starts, ratio = self._band_starts_mps, self._band_ratio
        while True:
            start = starts[int(draw() * len(starts))]
            speed = start * (1 + (ratio - 1) * draw())
            if draw() * speed < start:
                return min(speed, self._speed_mps_max)


def _speed_bands(low_mps: float, high_mps: float) -> tuple[float, list[float]]:
    """Divide a speed range into bands of equal ratio, at most 2; with the density 1/speed all are equally likely.

    Within a band, rejection accepts at least two draws in three, however wide the whole range is.
    """
    ratio, count = high_mps / low_mps, 1
    while ratio > 2:
        ratio, count = math.sqrt(ratio), count * 2
    starts = [low_mps]
    while len(starts) < count:
        starts.append(starts[-1] * ratio)
    return ratio, starts


def _pace_s_per_m_mean(low_mps: float, high_mps: float) -> float:
    """Return the mean of 1/speed for speeds uniform in a range."""
    if low_mps == high_mps:
        return 1 / low_mps
    return math.log1p((high_mps - low_mps) / low_mps) / (high_mps - low_mps)


def _distance(x_m: float, y_m: float) -> float:
    """Return the length of a vector, with the same last bit on every machine, unlike ``math.hypot``."""
    return math.sqrt(x_m * x_m + y_m * y_m)
