"""Shared by the tests of freeway and Manhattan: cars that drive, and where on a map they were."""

import hashlib
from itertools import pairwise

import numpy as np

from roamcast.sim.mobility import MobilityModel
from roamcast.sim.mobility._streets import StreetMap
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area, Point, Trajectories

AREA = Area(1000.0, 1000.0)

Leg = tuple[Point, Point]


def drive(model: MobilityModel, cars: int = 60, until_s: float = 300.0, seed: int = 1) -> Trajectories:
    return model.trajectories(cars, AREA, until_s, RandomStreams(seed))


def points_of(trajectories: Trajectories, car: int) -> list[Point]:
    part = slice(trajectories.offsets[car], trajectories.offsets[car + 1])
    columns = (trajectories.time_s[part], trajectories.x_m[part], trajectories.y_m[part])
    return list(zip(*(column.tolist() for column in columns), strict=True))


def legs_of(trajectories: Trajectories) -> list[list[Leg]]:
    """Return the legs of each car."""
    return [list(pairwise(points_of(trajectories, car))) for car in range(trajectories.count)]


def speed_of(leg: Leg) -> float:
    (from_s, from_x, from_y), (to_s, to_x, to_y) = leg
    return float(np.hypot(to_x - from_x, to_y - from_y) / (to_s - from_s))


def lane_of(leg: Leg, street_map: StreetMap) -> tuple[int, int] | None:
    """Return the junctions from and to which the street leads that a whole leg is on, in the leg's direction."""
    for street in street_map.streets:
        start, end = street_map.junctions[street.start], street_map.junctions[street.end]
        along_x, along_y = end.x_m - start.x_m, end.y_m - start.y_m
        length_m = np.hypot(along_x, along_y)
        steps = [(x_m - start.x_m, y_m - start.y_m) for _, x_m, y_m in leg]
        aside_m = [abs(step_y * along_x - step_x * along_y) / length_m for step_x, step_y in steps]
        done_m = [(step_x * along_x + step_y * along_y) / length_m for step_x, step_y in steps]
        if max(aside_m) < 1e-6 and min(done_m) > -1e-6 and max(done_m) < length_m + 1e-6:
            return (street.start, street.end) if done_m[1] >= done_m[0] else (street.end, street.start)
    return None


def lanes_of(legs: list[Leg], street_map: StreetMap) -> list[tuple[int, int]]:
    """Return the streets that a car drove, each with its direction and once for each time."""
    lanes: list[tuple[int, int]] = []
    for leg in legs:
        lane = lane_of(leg, street_map)
        assert lane is not None, leg
        if not lanes or lanes[-1] != lane:
            lanes.append(lane)
    return lanes


def digest_of(trajectories: Trajectories) -> str:
    joined = b"".join(each.tobytes() for each in (trajectories.time_s, trajectories.x_m, trajectories.y_m))
    return hashlib.blake2b(joined, digest_size=8).hexdigest()
