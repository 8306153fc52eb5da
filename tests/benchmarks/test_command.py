"""The command as a whole, with and without ns-3, and its result files."""

import json
import signal
from pathlib import Path

import pytest
from benchmarks.__main__ import main
from benchmarks.cases import BENCHMARKS, Case
from benchmarks.measure_all import growth_line, ns3_line, our_line
from benchmarks.measuring import Measurement, measure
from benchmarks.ns2_program import MISSING as NS2_MISSING
from benchmarks.ns3_cases import Ns3Measurement
from benchmarks.ns3_program import MISSING
from benchmarks.profiling import profile
from benchmarks.results import document, load, machine, save
from benchmarks.setups import heartbeats
from fake_ns2 import make_ns2
from fake_ns3 import make_tools

from benchmarks import cases

OURS = Measurement(
    benchmark="heartbeats",
    label="150 nodes",
    nodes=150,
    seed=1,
    frames=27_000,
    receptions=86_000,
    repeats=5,
    setup_cpu_s=0.01,
    cpu_s_best=0.18,
    cpu_s_median=0.2,
    frames_per_cpu_s=135_000.0,
    receptions_per_cpu_s=430_000.0,
    us_per_reception=2.3,
    peak_memory_mb=150.0,
    digest="00ff",
)


@pytest.fixture
def no_ns3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave nothing on the path of commands."""
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))


@pytest.fixture
def fake_ns3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the stand-ins on the path of commands, and nothing else."""
    make_tools(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_the_issue_s_cases_are_there_with_their_targets() -> None:
    targets = {
        (case.benchmark, case.label): case.ns3_ratio_target
        for name in ("heartbeats", "dense", "flood", "scale")
        for case in BENCHMARKS[name]()
        if case.ns3_ratio_target is not None
    }
    assert targets == {
        ("heartbeats", "150 nodes"): 10,
        ("dense", "100 nodes"): 5,
        ("flood", "500 nodes"): 15,
        ("scale", "2,400 nodes"): 100,
    }
    assert {case.label: case.ns2_ratio_target for case in BENCHMARKS["flows"]()} == {
        "60 nodes": 5,
        "60 nodes, disc": None,
    }
    assert all(case.beside_ns2 for name in ("heartbeats", "dense", "flows") for case in BENCHMARKS[name]())
    assert [case.make().nodes for case in BENCHMARKS["scale"]()] == [150, 600, 2_400, 9_600, 38_400]


def test_every_case_of_the_protocols_can_be_set_up() -> None:
    made = [case.make().protocol for case in cases.protocols_cases()]
    assert len(set(made)) == len(made) > 2


def test_a_measurement_counts_the_run_that_it_timed() -> None:
    case = Case("small", "8 nodes", lambda: heartbeats(8, 5.0))
    one, other = measure(case, 2, 1), measure(case, 1, 2)
    assert (one.frames, one.nodes, one.repeats, other.repeats) == (40, 8, 2, 1)
    assert 0 < one.setup_cpu_s < one.cpu_s_median
    assert one.cpu_s_best <= one.cpu_s_median
    assert one.peak_memory_mb > 10
    assert one.digest == measure(case, 1, 1).digest != other.digest


def test_without_ns3_one_line_says_so_and_ours_is_measured(
    no_ns3: None,  # noqa: ARG001
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["heartbeats", "--repeat", "1"]) == 0
    output = capsys.readouterr()
    assert output.err == f"{MISSING}\n{NS2_MISSING}\n"
    head, columns, ours = output.out.splitlines()
    assert head.startswith("seed 1, up to 1 runs each")
    assert "us/rec." in columns
    assert ours.split()[:5] == ["heartbeats", "150", "nodes", "27,000", "86,053"]


def test_with_ns3_both_are_in_the_document(
    fake_ns3: None,  # noqa: ARG001
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["heartbeats", "--repeat", "1", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    (row,) = result["measurements"]
    assert result["ns3"] == "3.99"
    assert row["ns3"]["cpu_s_best"] == 12.0
    assert row["ns3"]["ratio"] == pytest.approx(12.0 / row["cpu_s_median"])
    assert row["ns3"]["ratio_target"] == 10


def test_with_ns2_both_are_in_the_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_ns2(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["heartbeats", "--repeat", "1", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    (row,) = result["measurements"]
    assert result["ns2"] == "2.99"
    assert (row["ns2"]["cpu_s_best"], row["ns2"]["delivered"]) == (4.0, 1)
    assert row["ns2"]["ratio"] == pytest.approx(4.0 / row["cpu_s_median"])


def test_the_reference_needs_ns3(no_ns3: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: ARG001
    assert main(["ns3-reference", "--out", str(tmp_path / "reference.json")]) == 2
    assert capsys.readouterr().err == MISSING + "\n"
    assert not (tmp_path / "reference.json").exists()


def test_the_reference_has_every_case_with_its_range(
    fake_ns3: None,  # noqa: ARG001
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "reference.json"
    assert main(["ns3-reference", "--seeds", "1", "--walks", "2", "--neighbours", "2", "--out", str(path)]) == 0
    found = json.loads(path.read_text("utf-8"))
    by_name = {case["name"]: case for case in found["cases"]}
    assert by_name["802.11b saturated unicast with RTS, 20 senders"]["per_s"]["received"]["mean"] == 370.0
    assert by_name["802.11b hidden unicast, 50 frames/s each"]["per_s"]["data_frames"]["high"] == 20.0
    assert found["heartbeats"]["receptions"]["ours"][0] == 86_053
    assert found["heartbeats"]["ns3_less_ours_seed_by_seed"]["low"] <= 300 - 72_000
    assert "802.11a 54 Mbit/s saturated unicast, 5 senders" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("cpu_s", "target", "words"),
    [
        (1.9, 10, "9.5 times our CPU time; target 10: NOT reached"),
        (3.0, 10, "15.0 times our CPU time; target 10: reached"),
        (4.0, 10, "20.0 times our CPU time; target 10: reached, and twice it, the goal"),
        (4.0, None, "20.0 times our CPU time"),
    ],
)
def test_the_ratio_is_said_with_what_was_promised(cpu_s: float, target: float | None, words: str) -> None:
    line = ns3_line(OURS, Ns3Measurement(27_000, 86_000, 1, cpu_s, 5.0, 20.0), target)
    assert line.endswith(f"ns-3 takes {words}")


def test_the_growth_is_said_with_what_was_promised() -> None:
    def costing(nodes: int, us: float) -> Measurement:
        return Measurement(**(OURS.as_row() | {"nodes": nodes, "receptions": 100 * nodes, "cpu_s_best": us * nodes}))

    kept = growth_line([costing(150, 2.0), costing(600, 9.0), costing(38_400, 4.0)])
    assert kept == "from 150 to 38,400 nodes a reception costs 2.00 times as much; target at most 2: kept"
    assert growth_line([costing(150, 2.0), costing(38_400, 4.1)]).endswith("NOT kept")


def test_a_line_has_frames_receptions_rates_and_memory() -> None:
    expected = ["27,000", "86,000", "0.180", "0.200", "0.010", "135,000", "430,000", "2.30", "150"]
    assert our_line(OURS).split()[3:] == expected


def test_a_result_is_saved_under_its_version_and_read_again(tmp_path: Path) -> None:
    result = document([OURS.as_row()], "3.37")
    path = save(result, folder=tmp_path / "results")
    assert path == tmp_path / "results" / f"{result['version']}.json"
    assert load(path) == result
    assert {"version", "date", "python", "numba", "machine"} <= result.keys()


def test_the_machine_is_described_without_its_name(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nmodel name\t: Some Processor @ 2 GHz\n", "utf-8")
    described = machine(tmp_path / "cpuinfo")
    assert described["processor"] == "Some Processor @ 2 GHz"
    assert described.keys() == {"processor", "cores", "system"}
    assert machine(tmp_path / "nothing")["processor"]


@pytest.mark.parametrize(
    "arguments", [["hartbeats"], ["--repeat", "0"], ["radio", "--json"], ["ns3-reference", "--walks", "1"]]
)
def test_what_cannot_be_asked_for_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_the_profile_names_the_compiled_medium_and_ends_its_looking() -> None:
    before = signal.getsignal(signal.SIGPROF)
    table = profile(Case("small", "60 nodes", lambda: heartbeats(60, 20.0)), 1, lines=50, watched_cpu_s=0.5)
    assert "medium.py Medium.step" in table
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGPROF) is before
