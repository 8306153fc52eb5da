"""``roamcast run --trace``: no input of the run is written to, and a run that does not end leaves no half a trace."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from test_bad_input import SCENARIO

from roamcast.cli import main
from roamcast.cli.trace_file import input_files, trace_file
from roamcast.core.errors import UserError
from roamcast.sim.maps import map_text

PROGRAM = "import sys; from roamcast.cli import main; sys.exit(main(sys.argv[1:]))"
ROOT = Path(__file__).parents[2]
HEADER = "ended_at_s,sender,kind,payload_bytes,events,receivers"


@pytest.fixture
def scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "tiny.toml"
    path.write_text(SCENARIO)
    return path


def line(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the one line that a mistake gives."""
    assert main(list(arguments)) == 2
    (said,) = capsys.readouterr().err.splitlines()
    return said.removeprefix("roamcast: ")


@pytest.mark.parametrize("name", ["tiny.toml", "./tiny.toml", "link.toml", "hard.toml"])
def test_a_trace_that_is_the_scenario_is_refused(scenario: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    Path("link.toml").symlink_to("tiny.toml")
    Path("hard.toml").hardlink_to("tiny.toml")
    said = line(capsys, "run", "tiny.toml", "--trace", name)
    assert said == f"--trace {Path(name)}: is the scenario of this run; name another file"
    assert scenario.read_text() == SCENARIO


def test_a_trace_that_is_the_map_is_refused_before_the_map_is_lost(
    scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("town.toml").write_text(map_text("freeway"))
    roads = [f"--set={key}" for key in ("mobility.model=freeway", "mobility.map=town.toml")]
    area = ["--set", "area.width_m=1000", "--set", "area.height_m=1000"]
    said = line(capsys, "run", str(scenario), *roads, *area, "--trace", "town.toml")
    assert said == "--trace town.toml: is the map town.toml of this run; name another file"
    assert Path("town.toml").read_text() == map_text("freeway")


def test_all_that_a_scenario_names_is_an_input_and_maps_that_roamcast_brings_are_none(scenario: Path) -> None:
    document = {
        "mobility": {"model": "trace", "path": "moved", "city-section": {"map": "a.toml"}},
        "radio": {"model": "contacts", "path": "met"},
        "sweep": {"mobility.map": ["b.toml", "campus"]},
    }
    names = {str(path): what for path, what in input_files(scenario, document).items()}
    recordings = {"moved": "the recording moved", "met": "the recording met"}
    maps = {"a.toml": "the map a.toml", "b.toml": "the map b.toml"}
    assert names == {**recordings, **maps, str(scenario): "the scenario"}
    Path("moved").mkdir()
    with pytest.raises(UserError, match=r"^--trace moved/frames.csv: lies in the recording moved"):
        trace_file(Path("moved/frames.csv"), input_files(scenario, document)).__enter__()
    assert not list(Path("moved").iterdir())


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_an_older_trace_and_nothing_else(
    scenario: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], ending: signal.Signals
) -> None:
    is_ctrl_c = ending == signal.SIGINT
    before = signal.signal(ending, signal.default_int_handler if is_ctrl_c else signal.SIG_DFL)

    def interrupted(*_: object) -> None:
        os.kill(os.getpid(), ending)

    monkeypatch.setattr("roamcast.sim.simulation.simulate", interrupted)
    Path("old.csv").write_text("an older one")
    files = sorted(Path().iterdir())
    try:
        for name in ("old.csv", "new.csv"):
            assert main(["run", str(scenario), "--trace", name]) == 128 + ending
    finally:
        signal.signal(ending, before)
    assert capsys.readouterr().err.endswith("roamcast: interrupted; nothing is kept\n")
    assert sorted(Path().iterdir()) == files
    assert Path("old.csv").read_text() == "an older one"


def test_a_trace_takes_the_place_of_an_older_one_with_its_link_and_its_permissions(scenario: Path) -> None:
    Path("old.csv").write_text("an older one")
    Path("old.csv").chmod(0o640)
    Path("link.csv").symlink_to("old.csv")
    files = sorted(Path().iterdir())
    assert main(["run", str(scenario), "--trace", "link.csv"]) == 0
    assert sorted(Path().iterdir()) == files
    assert Path("link.csv").is_symlink()
    assert Path("old.csv").read_text().startswith(HEADER)
    assert Path("old.csv").stat().st_mode & 0o777 == 0o640


def test_pipes_and_devices_are_written_directly(scenario: Path) -> None:
    os.mkfifo("pipe")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_text()))
    reader.start()
    assert main(["run", str(scenario), "--trace", "pipe"]) == 0
    reader.join()
    assert read[0].startswith(HEADER)
    assert Path("pipe").is_fifo()
    assert main(["run", str(scenario), "--trace", "/dev/null"]) == 0
    assert Path("/dev/null").is_char_device()


def test_a_trace_to_standard_output_comes_before_the_results_also_in_a_file(scenario: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, "run", str(scenario), "--trace", "/dev/stdout"]
    with Path("both.txt").open("w") as both:
        subprocess.run(command, stdout=both, stderr=subprocess.DEVNULL, check=True, cwd=ROOT)
    trace, _, results = Path("both.txt").read_text().partition("tiny: frugal, 6 nodes")
    assert trace.startswith(HEADER)
    assert trace.endswith("\n")
    assert results.endswith("Every frame: /dev/stdout\n")


def test_a_full_disk_under_a_trace_is_one_line(scenario: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, "run", str(scenario), "--trace", "/dev/full"]
    child = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    said = "roamcast: --trace /dev/full: cannot be written: no space left on device"
    assert (child.returncode, child.stdout, child.stderr.splitlines()[-1]) == (2, "", said)
    assert "Traceback" not in child.stderr
    assert "Exception ignored" not in child.stderr


def test_a_trace_does_not_go_where_json_goes(scenario: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(scenario), "--json", "--trace", "/dev/stdout"]) == 2
    printed = capfd.readouterr()
    assert printed.out == ""
    assert "--trace /dev/stdout: is where --json prints its document; name a file" in printed.err
