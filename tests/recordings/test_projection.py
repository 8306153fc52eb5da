"""Latitude and longitude in metres: distances are those on the ellipsoid, within the error that is stated."""

from math import cos, hypot, radians, sin, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roamcast.core.errors import UserError
from roamcast.recordings.projection import EARTH_M, FLATTENING, projection_for

ECCENTRICITY_2 = FLATTENING * (2 - FLATTENING)


@settings(deadline=None)
@given(st.floats(-75, 75), st.floats(-179, 178), st.floats(-1, 1), st.floats(-1, 1))
def test_short_distances_are_those_of_the_ellipsoid(lat: float, lon: float, north: float, east: float) -> None:
    """Between places some hundred metres apart, within 10 km of the middle of the tracks."""
    plane = projection_for(lon, lat, lon + 0.09, lat + 0.09)
    one, other = (lon + 0.02, lat + 0.03), (lon + 0.02 + east * 0.005, lat + 0.03 + north * 0.005)
    (ax, bx), (ay, by) = plane.metres([one[0], other[0]], [one[1], other[1]])
    middle = radians((one[1] + other[1]) / 2)
    under = 1 - ECCENTRICITY_2 * sin(middle) ** 2
    meridian_m, normal_m = EARTH_M * (1 - ECCENTRICITY_2) / under**1.5, EARTH_M / sqrt(under)
    expected_m = hypot(meridian_m * radians(other[1] - one[1]), normal_m * cos(middle) * radians(other[0] - one[0]))
    assert hypot(bx - ax, by - ay) == pytest.approx(expected_m, rel=1e-5, abs=1e-3)


@settings(deadline=None)
@given(st.floats(-80, 79), st.floats(-170, 169), st.floats(0, 1), st.floats(0, 1))
def test_the_origin_is_the_south_west_corner(lat: float, lon: float, north: float, east: float) -> None:
    plane = projection_for(lon, lat, lon + 1, lat + 1)
    x_m, y_m = plane.metres([lon + east], [lat + north])
    assert x_m[0] >= -1e-6
    assert y_m[0] >= -1e-6


def test_tracks_of_two_continents_are_refused() -> None:
    with pytest.raises(UserError, match="more than 300 km from their centre; import a smaller region"):
        projection_for(11.5, -33.9, 151.2, 48.1)
