"""A case as ns-2 is given it, what is made of its trace and its answer, and what is said where it is missing."""

import re
from dataclasses import replace
from itertools import pairwise
from math import dist
from pathlib import Path

import pytest
from benchmarks.beacon import phases_s
from benchmarks.measure_all import ns2_line
from benchmarks.ns2_cases import Ns2Measurement, count_trace, measure_in_ns2
from benchmarks.ns2_program import MISSING, Ns2, Ns2Error
from benchmarks.ns2_scenario import EDGE_M, NETWORK, write_scenario
from benchmarks.setups import NS2_RADIO, disc_flows, flood, flows, heartbeats
from fake_ns2 import TRACE, VERSION, make_ns2
from test_command import OURS

from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.radio.two_ray_ground import TwoRayGround
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.setup import Setup
from roamcast.sim.simulation import simulate


def _lines(setup: Setup, folder: Path, seed: int = 3) -> list[str]:
    scenario, _ = write_scenario(setup, seed, folder, is_traced=False)
    return scenario.read_text("utf-8").splitlines()


def _options(lines: list[str]) -> dict[str, str]:
    return {key: value for line in lines for key, value in re.findall(r"^set options\((\w+)\) \{(.*)\}$", line)}


def test_without_ns2_one_line_says_which_package_brings_it(tmp_path: Path) -> None:
    with pytest.raises(Ns2Error) as problem:
        Ns2.find(str(tmp_path / "ns"))
    assert str(problem.value) == MISSING
    assert "ns2" in MISSING
    assert "\n" not in MISSING


def test_another_program_of_that_name_is_not_taken_for_ns2(tmp_path: Path) -> None:
    other = tmp_path / "ns"
    other.write_text("#!/bin/sh\nexit 0\n", "utf-8")
    other.chmod(0o755)
    with pytest.raises(Ns2Error, match="not installed"):
        Ns2.find(str(other))


def test_ns2_is_found_with_its_version(tmp_path: Path) -> None:
    assert Ns2.find(make_ns2(tmp_path)).version == VERSION


def test_a_scenario_that_fails_is_said_with_its_words(tmp_path: Path) -> None:
    broken = tmp_path / "ns"
    broken.write_text("#!/bin/sh\necho invalid command name >&2\nexit 1\n", "utf-8")
    broken.chmod(0o755)
    with pytest.raises(Ns2Error, match=r"timed\.tcl failed in ns-2: invalid command name"):
        Ns2("2.35", str(broken)).run(tmp_path / "timed.tcl", tmp_path / "timed.txt")


def test_ns2_walks_every_leg_of_our_movement_at_its_speed(tmp_path: Path) -> None:
    setup = disc_flows(40.0)
    lines = _lines(setup, tmp_path)
    walks = setup.mobility.trajectories(60, setup.area, 45.0, RandomStreams(3))
    begin, end = walks.offsets[7], walks.offsets[8]
    points = list(zip(walks.time_s[begin:end], walks.x_m[begin:end], walks.y_m[begin:end], strict=True))
    starts = [float(line.split()[-1]) for line in lines if line.startswith(("$node(7) set X_", "$node(7) set Y_"))]
    assert starts == [points[0][1] + EDGE_M, points[0][2] + EDGE_M]
    words = [line.replace('"', "").split() for line in lines if "$node(7) setdest" in line]
    legs = [float(number) for word in words for number in (word[2], *word[-3:])]
    expected = [
        number
        for (from_s, *here), (to_s, x_m, y_m) in pairwise(points)
        if from_s < 45.0
        for number in (from_s, x_m + EDGE_M, y_m + EDGE_M, dist(here, (x_m, y_m)) / (to_s - from_s))
    ]
    assert legs == pytest.approx(expected)
    assert len(expected) >= 4


def test_ns2_sends_as_many_packets_between_the_same_nodes_as_ours(tmp_path: Path) -> None:
    setup = disc_flows(20.0)
    sent = [line.split()[1:] for line in _lines(setup, tmp_path) if line.startswith("send_packets")]
    ours = [(each.publisher, each.topic) for each in simulate(setup, 3).publications]
    told = [(int(one), f"to.{other}") for one, other, _, _, _, count in sent for _ in range(int(count))]
    assert sorted(told) == sorted(ours)
    assert {size for _, _, size, *_ in sent} == {str(512 + 28 - 20 + 36 - 34)}


def test_ns2_broadcasts_at_our_phases_and_every_node_receives(tmp_path: Path) -> None:
    lines = _lines(heartbeats(10, 2.0), tmp_path)
    sent = [line.split()[1:] for line in lines if line.startswith("send_packets")]
    assert [float(at_s) for *_, at_s, _ in sent] == phases_s(10, 1.0, 3)
    assert {(to, size, period) for _, to, size, period, _, _ in sent} == {("-1", "52", "1.0")}
    assert [line for line in lines if line.startswith("receive_packets")] == [f"receive_packets {n}" for n in range(10)]


def test_a_disc_is_heard_and_sensed_to_one_distance_and_nothing_survives_an_overlap(tmp_path: Path) -> None:
    disc, own = _options(_lines(disc_flows(5.0), tmp_path)), _options(_lines(flows(5.0), tmp_path))
    assert disc["receive_w"] == disc["sense_w"]
    assert float(disc["capture"]) >= 1e12
    assert [float(own[key]) for key in ("receive_w", "sense_w")] == pytest.approx([3.652e-10, 1.559e-11], rel=1e-6)
    assert (own["capture"], own["rts_threshold_bytes"], own["routing"]) == ("10.0", "0", "AODV")


def test_our_copy_of_ns2_s_radio_reaches_as_far_as_its_own() -> None:
    propagation = NS2_RADIO.propagation()
    assert (propagation.range_m, propagation.sense_range_m) == pytest.approx((250.0, 550.0), abs=0.1)


@pytest.mark.parametrize(
    ("setup", "words"),
    [
        (flood(5, 1.0), "no traffic"),
        (replace(disc_flows(5.0), radio=TwoRayGround()), "its own radio"),
        (replace(disc_flows(5.0), mac=Dcf(standard="802.11a")), r"802\.11b as it comes"),
    ],
)
def test_what_ns2_cannot_be_given_is_refused(setup: Setup, words: str, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=words):
        write_scenario(setup, 1, tmp_path, is_traced=False)


def test_frames_receptions_packets_and_deliveries_are_counted_and_a_second_arrival_is_not() -> None:
    assert count_trace(TRACE.splitlines()) == (3, 2, 2, 1)


def test_runs_are_timed_without_a_trace_and_counted_with_one(tmp_path: Path) -> None:
    ns2 = Ns2.find(make_ns2(tmp_path))
    measured = measure_in_ns2(ns2, disc_flows(5.0), 1, repeats=5)
    assert (measured.frames, measured.receptions, measured.packets, measured.delivered) == (3, 2, 2, 1)
    assert (measured.cpu_s_best, measured.peak_memory_mb, measured.repeats) == (4.0, 23.5, 3)
    ran = [Path(line).name for line in (tmp_path / "ran.log").read_text("utf-8").splitlines()]
    assert ran == ["version.tcl", "traced.tcl", "timed.tcl", "timed.tcl", "timed.tcl"]
    timed = _options(_lines(disc_flows(5.0), tmp_path))
    assert (timed["is_traced"], timed["trace"]) == ("OFF", "/dev/null")
    assert "-agentTrace $options(is_traced) -routerTrace OFF -macTrace $options(is_traced)" in NETWORK.read_text(
        "utf-8"
    )


@pytest.mark.parametrize(
    ("cpu_s", "target", "words"),
    [
        (0.9, 5, "ns-2 takes 4.5 times our CPU time; target 5: NOT reached; 10 packets, delivered 9 times"),
        (1.0, 5, "ns-2 takes 5.0 times our CPU time; target 5: reached; 10 packets, delivered 9 times"),
        (1.0, None, "ns-2 takes 5.0 times our CPU time; 10 packets, delivered 9 times"),
    ],
)
def test_the_ratio_is_said_with_what_is_wanted_and_delivered(cpu_s: float, target: float | None, words: str) -> None:
    theirs = Ns2Measurement(70, 300, 10, 9, 3, cpu_s, 2.0, 24.0)
    assert ns2_line(OURS, theirs, target).endswith(words)
    ours = replace(OURS, publications=10, deliveries=10)
    assert ns2_line(ours, theirs, target).endswith(f"{words}, ours 10 of 10")
