"""Projecting latitude and longitude to metres in the plane that touches the earth in the middle of the tracks.

A point on the WGS 84 ellipsoid is projected into the plane along the vertical of the middle. Distances are too short by
a fraction of at most (d / R)^2 / 2, where d is the distance from the middle: 0.0002 % at 10 km, 0.012 % at 100 km,
0.11 % at 300 km; points farther away than that are an error.
"""

from dataclasses import dataclass
from math import cos, degrees, hypot, radians, sin
from typing import Any

import numpy as np

from roamcast.core.errors import UserError

EARTH_M = 6_378_137.0
FLATTENING = 1 / 298.257223563
FROM_MIDDLE_M_MAX = 300_000.0
_ECCENTRICITY_2 = FLATTENING * (2 - FLATTENING)


@dataclass(frozen=True, slots=True)
class Projection:
    """A plane with its origin at the south-west corner of all tracks."""

    latitude_deg: float
    """The latitude and longitude at which the plane touches the earth."""
    longitude_deg: float
    west_m: float = 0.0
    """The position of the origin relative to that point."""
    south_m: float = 0.0

    def metres(self, longitude_deg: Any, latitude_deg: Any) -> tuple[Any, Any]:
        """Return the x and y of points, as arrays."""
        middle, turn = radians(self.latitude_deg), np.radians(np.asarray(longitude_deg) - self.longitude_deg)
        latitude = np.radians(np.asarray(latitude_deg))
        normal_m = EARTH_M / np.sqrt(1 - _ECCENTRICITY_2 * np.sin(latitude) ** 2)
        normal_middle_m = EARTH_M / (1 - _ECCENTRICITY_2 * sin(middle) ** 2) ** 0.5
        out_m, up_m = normal_m * np.cos(latitude), normal_m * (1 - _ECCENTRICITY_2) * np.sin(latitude)
        middle_out_m = normal_middle_m * cos(middle)
        middle_up_m = normal_middle_m * (1 - _ECCENTRICITY_2) * sin(middle)
        x_m = out_m * np.sin(turn)
        y_m = (up_m - middle_up_m) * cos(middle) - (out_m * np.cos(turn) - middle_out_m) * sin(middle)
        return x_m - self.west_m, y_m - self.south_m


def projection_for(west: float, south: float, east: float, north: float) -> Projection:
    """Return the plane for tracks between bounds in degrees."""
    touching = Projection((south + north) / 2, (west + east) / 2)
    # The bounds are curved in the plane: their extremes are at the corners or in the middles of the edges.
    longitudes = np.array([west, west, west, touching.longitude_deg, touching.longitude_deg, east, east, east])
    latitudes = np.array([south, touching.latitude_deg, north, south, north, south, touching.latitude_deg, north])
    if south <= 0 <= north:  # where the earth is widest
        longitudes, latitudes = np.append(longitudes, (west, east)), np.append(latitudes, (0.0, 0.0))
    x_m, y_m = touching.metres(longitudes, latitudes)
    turned = degrees(abs(radians(east - west)))
    if turned > 180 or hypot(float(np.abs(x_m).max()), float(np.abs(y_m).max())) > FROM_MIDDLE_M_MAX:
        raise UserError(
            f"the tracks lie between longitude {west:g} and {east:g}, latitude {south:g} and {north:g}: "
            f"more than {FROM_MIDDLE_M_MAX / 1000:g} km from their centre; import a smaller region"
        )
    return Projection(touching.latitude_deg, touching.longitude_deg, float(x_m.min()), float(y_m.min()))
