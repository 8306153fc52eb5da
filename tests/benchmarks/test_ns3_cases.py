"""A case as ns-3 is given it, and what is made of its answer."""

from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.beacon import phases_s
from benchmarks.ns3_cases import measure_in_ns3, ns3_options, write_movement
from benchmarks.ns3_program import Ns3
from benchmarks.ns3_reference import in_range
from benchmarks.setups import dense, flood, heartbeats
from fake_ns3 import lines, make_tools

from roamcast.core.host import NoParameters
from roamcast.sim.mobility.static import Static
from roamcast.sim.radio.two_ray_ground import TwoRayGround
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Trajectories


def _numbers(path: Path) -> list[list[float]]:
    return [[float(word) for word in line.split()] for line in path.read_text("utf-8").splitlines()]


def test_movement_is_written_point_by_point_without_loss(tmp_path: Path) -> None:
    walks = [[(0.0, 1.5, 2.0), (1 / 3, 2.5, 0.1)], [(0.0, 7.0, 8.0)]]
    write_movement(Trajectories.from_points(walks), tmp_path / "movement")
    assert _numbers(tmp_path / "movement") == [[0, 0.0, 1.5, 2.0], [0, 1 / 3, 2.5, 0.1], [1, 0.0, 7.0, 8.0]]


def test_ns3_gets_the_movement_and_the_phases_of_our_run(tmp_path: Path) -> None:
    setup = dense(10, 2.0)
    options = ns3_options(setup, 3, tmp_path)
    ours = setup.mobility.trajectories(10, setup.area, 2.0, RandomStreams(3))
    movement = _numbers(tmp_path / "movement.txt")
    assert [row[1:] for row in movement] == [list(row) for row in zip(ours.time_s, ours.x_m, ours.y_m, strict=True)]
    assert [row[1] for row in _numbers(tmp_path / "schedule.txt")] == phases_s(10, 0.2, 3)
    told = {key: options[key] for key in ("kind", "nodes", "range", "duration", "payload", "period")}
    assert told == {"kind": "periodic", "nodes": 10, "range": 150.0, "duration": 2.0, "payload": 512, "period": 0.2}


def test_ns3_gets_the_publications_of_our_flood(tmp_path: Path) -> None:
    setup = flood(50, 4.0)
    options = ns3_options(setup, 3, tmp_path)
    published = setup.workload.workload(50, 4.0, RandomStreams(3)).publications
    assert _numbers(tmp_path / "schedule.txt") == [[each.node, each.at_s] for each in published]
    told = {key: options[key] for key in ("kind", "payload", "ttl", "jitter")}
    assert told == {"kind": "flood", "payload": 512, "ttl": 10, "jitter": 0.01}


def test_what_ns3_has_no_program_for_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="no program"):
        ns3_options(replace(heartbeats(5, 1.0), parameters=NoParameters()), 1, tmp_path)
    with pytest.raises(TypeError, match="discs"):
        ns3_options(replace(heartbeats(5, 1.0), radio=TwoRayGround()), 1, tmp_path)


def test_a_long_run_of_ns3_is_not_repeated(tmp_path: Path) -> None:
    ns3 = Ns3.find(make_tools(tmp_path), tmp_path / "cache")
    measured = measure_in_ns3(ns3, heartbeats(5, 1.0), 1, repeats=5)
    assert (measured.frames, measured.receptions, measured.cpu_s_best, measured.repeats) == (100, 300, 12.0, 1)


def test_a_short_run_of_ns3_is_repeated(tmp_path: Path) -> None:
    printed = '{"frames": 1, "receptions": 2, "cpu_s": 4.0, "peak_memory_mb": 9.0}'
    ns3 = Ns3.find(make_tools(tmp_path, printed), tmp_path / "cache")
    assert measure_in_ns3(ns3, heartbeats(5, 1.0), 1, repeats=5).repeats == 3
    assert measure_in_ns3(ns3, heartbeats(5, 1.0), 1, repeats=2).repeats == 2
    assert len(lines(tmp_path / "ran.log")) == 5


def test_who_is_in_range_is_counted_both_ways_every_second() -> None:
    line = Static(positions_m=((0.0, 0.0), (300.0, 0.0), (600.0, 0.0)))
    assert in_range(replace(heartbeats(3, 4.0), mobility=line), 1) == 4 * 4
