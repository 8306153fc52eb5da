"""Bad input from a person: one line with the place and the expectation, exit code 2, no traceback."""

from pathlib import Path

import pytest

from roamcast.cli import main

SCENARIO = """\
name = "tiny"
duration_s = 5
[area]
width_m = 300
height_m = 300
[nodes]
count = 6
[mobility]
model = "static"
[radio]
model = "range"
range_m = 150
[workload]
model = "single-topic"
topic = "news"
subscriber_fraction = 1
validity_s = 5
[protocol]
name = "frugal"
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(SCENARIO)
    return path


def _line(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the one line that a mistake gives."""
    assert main(list(arguments)) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert printed.err.startswith("roamcast: ")
    return printed.err.removeprefix("roamcast: ").rstrip("\n")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "range_m = 150",
            "rnage_m = 150",
            "[radio] rnage_m = 150: unknown key; did you mean 'range_m'? known keys: bitrate_bps",
        ),
        ("range_m = 150", "range_m = -5", "[radio] range_m = -5: must be greater than 0"),
        ('model = "static"', 'model = "random-waypoint"\nspeed_mps = [9, 3]', "[mobility] speed_mps = [9, 3]: must be"),
        (
            'name = "frugal"',
            'name = "gosip"',
            "[protocol] name: unknown protocol 'gosip'; did you mean 'gossip'? known: broker-aodv, ",
        ),
        ("count = 6", "count = 0", "[nodes] count = 0: must be at least 1"),
        ("[protocol]", "[sweep]\n'radio.height_m' = [1, 2]\n[protocol]", "[radio] height_m = 1: unknown key"),
    ],
)
def test_a_bad_scenario(scenario: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, expected: str) -> None:
    scenario.write_text(SCENARIO.replace(old, new))
    for command in (["run"], ["compare", "--protocols", "frugal,flooding"]):
        line = _line(capsys, command[0], str(scenario), *command[1:])
        assert line.startswith(str(scenario))
        assert expected in line


def test_a_missing_scenario_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no such file" in _line(capsys, "run", str(tmp_path / "absent.toml"))


def test_bad_words_on_the_command_line(scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ["run", str(scenario)]
    assert "unknown protocol 'gosip'" in _line(capsys, *run, "--protocol", "gosip")
    assert "--protocol [protocol] name: unknown protocol" in _line(capsys, *run, "--protocol", "")
    assert "must be key=value" in _line(capsys, *run, "--set", "nonsense")
    assert "--seed" in _line(capsys, *run, "--seed", "-1")
    assert "--trace" in _line(capsys, *run, "--trace", str(scenario / "below-a-file.csv"))
    assert "see roamcast --help" in _line(capsys, "frobnicate")
    assert "unknown paper 'none'; known: broker-rendezvous, brvst, frugal" in _line(capsys, "reproduce", "none")
    assert "--figure: unknown figure '3'; known: 11, 12" in _line(capsys, "reproduce", "frugal", "--figure", "3")
    compare = ["compare", str(scenario), "--protocols"]
    assert "different names" in _line(capsys, *compare, "frugal,frugal")
    assert "unknown protocol 'gosip'" in _line(capsys, *compare, "frugal,gosip")
    assert "--seeds" in _line(capsys, *compare, "frugal", "--seeds", "0")


def test_an_area_that_is_too_small_for_the_map_is_named_with_the_file(
    scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = _line(capsys, "run", str(scenario), "--set", "mobility.model=freeway", "--set", "area.height_m=1000")
    assert line.startswith(f"{scenario} with --set [area] width_m = 300: must be at least 1000, since junction 'east'")


def test_an_output_folder_that_cannot_be_written(scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    in_the_way = scenario.parent / "file"
    in_the_way.write_text("not a folder")
    out = str(in_the_way / "results")
    line = _line(capsys, "compare", str(scenario), "--protocols", "frugal,flooding", "--out", out)
    assert line.startswith(out)
    assert "cannot be written" in line


@pytest.mark.parametrize("master", ["spark://127.0.0.1:1", "sprak://somewhere:7077", "local[none]"])
def test_a_master_that_cannot_be_used(scenario: Path, capsys: pytest.CaptureFixture[str], master: str) -> None:
    out = scenario.parent / "out"
    arguments = ["compare", str(scenario), "--protocols", "frugal,flooding", "--out", str(out), "--master", master]
    assert f'--master = "{master}"' in _line(capsys, *arguments)


@pytest.mark.parametrize("command", [["movement", "import"], ["contacts"], ["runs"]])
def test_a_name_that_is_too_long_and_a_path_without_permission_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    out = [] if command == ["runs"] else ["--out", str(tmp_path / "out")]
    assert "file name too long" in _line(capsys, *command, str(tmp_path / ("n" * 300)), *out)

    def refuse(path: Path, **_: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "stat", refuse)
    assert "permission denied" in _line(capsys, *command, str(tmp_path / "closed" / "a"), *out)


def test_control_characters_in_a_message_are_escaped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    absent = tmp_path / "a\nb\x1b[31m"
    assert "a\\nb\\x1b[31m: no such file" in _line(capsys, "movement", "import", str(absent), "--out", "o")
    (tmp_path / "t.csv").write_text("time,node,\x1b[2Jx,z\n0,a,1,2\n")
    assert "\x1b" not in _line(capsys, "movement", "import", str(tmp_path / "t.csv"), "--out", str(tmp_path / "o"))
    assert "in UTF-8" in _line(capsys, "movement", "import", str(tmp_path / "t.csv"), "--out", "bad\udcff")
