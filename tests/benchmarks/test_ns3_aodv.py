"""The flows over AODV as ns-3 is given them, and the file that is made from its answer."""

import json
from pathlib import Path

import pytest
from benchmarks.__main__ import main
from benchmarks.ns3_aodv import aodv_options
from fake_ns3 import lines, make_tools

from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.simulation import simulate
from roamcast.validation.aodv import SETTLE_S, SPEEDS_MPS, waypoint_setup


@pytest.fixture
def fake_ns3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the stand-ins on the path of commands, and nothing else."""
    make_tools(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_ns3_gets_the_movement_and_the_packets_of_our_run(tmp_path: Path) -> None:
    setup = waypoint_setup("aodv", 10.0, 40.0, seed=3)
    options = aodv_options(setup, 3, tmp_path)
    facts = simulate(setup, 3)
    packets = [line.split() for line in lines(tmp_path / "schedule.txt")]
    assert [(int(one), f"to.{other}") for one, other, _ in packets] == [
        (each.publisher, each.topic) for each in facts.publications
    ]
    sent_at_s = [SETTLE_S + each.published_at_s for each in facts.publications]
    assert [float(at_s) for _, _, at_s in packets] == pytest.approx(sent_at_s, abs=1e-6)
    walks = setup.mobility.trajectories(60, setup.area, 45.0, RandomStreams(3))
    movement = [[float(word) for word in line.split()[1:]] for line in lines(tmp_path / "movement.txt")]
    assert movement == [list(each) for each in zip(walks.time_s, walks.x_m, walks.y_m, strict=True)]
    told = {key: options[key] for key in ("nodes", "range", "duration", "counted", "payload", "RngRun")}
    assert told == {"nodes": 60, "range": 250.0, "duration": 45.0, "counted": 5.0, "payload": 512, "RngRun": 3}


def test_the_reference_has_every_speed_and_seed_with_our_parameters(
    fake_ns3: None,  # noqa: ARG001
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "reference.json"
    assert main(["ns3-aodv", "--seeds", "2", "--processes", "1", "--out", str(path)]) == 0
    found = json.loads(path.read_text("utf-8"))["our_parameters"]
    assert [(each["speed_mps"], len(each["runs"])) for each in found] == [(each, 2) for each in SPEEDS_MPS]
    assert {run["delivered"] for each in found for run in each["runs"]} == {round(888 / 890, 4)}
    ran = lines(tmp_path / "ran.log")
    assert all("DestinationOnly=1" in line and "MyRouteTimeout=6s" in line and "--arp=0" in line for line in ran)
    assert [line.split("--RngRun=")[1].split()[0] for line in ran] == 3 * ["1", "2"]
    shown = capsys.readouterr().out
    assert "20 m/s       2     0.998     (0.998-0.998)             0.040  0.080   53,000" in shown


def test_a_reference_without_runs_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["ns3-aodv", "--seeds", "0"])
    assert "must be at least 1" in capsys.readouterr().err
