"""Plug-ins on the command line: ``--plugin``, and where ``roamcast list`` says that components come from."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from roamcast.cli import main

Install = Callable[..., Path]
RESCUE = str(Path(__file__).parents[2] / "scenarios" / "rescue.toml")
SILENT = """
from roamcast.plugin import PubSub

class Silent(PubSub):
    summary = "says nothing"
    def __init__(self, host, parameters): ...
    def subscribe(self, interest): ...
    def unsubscribe(self, interest): ...
    def publish(self, event): ...
    def on_message(self, message, sender): ...
    def on_wake(self, token): ...
    def storage_bytes(self): return 0
"""
METRIC = """
from roamcast.plugin import Metric

def metric(name):
    return Metric(
        name, unit="1", group="load", description="One.", higher_is_better=None, function=lambda run: 1, bounds=(0, 2)
    )
"""

pytestmark = pytest.mark.usefixtures("fresh_plugins")


@pytest.fixture
def silent(tmp_path: Path) -> str:
    path = tmp_path / "silent.py"
    path.write_text(SILENT, encoding="utf-8")
    return str(path)


def test_a_protocol_of_a_file_runs(silent: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", RESCUE, "--plugin", silent, "--protocol", "silent", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["protocol"], document["frames"]) == ("silent", 0)


def test_a_list_says_where_each_component_comes_from(
    silent: str, install_package: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install_package("hush-net", {"hush.py": SILENT}, {"roamcast.protocols": {"hush": "hush:Silent"}}, "2.0")
    assert main(["list", "protocols", "--plugin", silent, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["silent"] == {"summary": "says nothing", "from": f"file {silent}"}
    assert listed["hush"] == {"summary": "says nothing", "from": "package hush-net 2.0"}
    assert listed["frugal"]["from"] == "built in"
    assert main(["list", "protocols", "--plugin", silent]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("hush ") and "package hush-net 2.0" in line for line in lines)


def test_a_list_of_everything_has_every_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert list(listed) == ["protocols", "routers", "mobility", "radio", "mac", "workload", "metrics", "papers"]
    assert {"aodv", "gpsr"} <= set(listed["routers"])
    assert main(["list"]) == 0
    assert "\n\nrouters\n" in capsys.readouterr().out


def test_a_plug_in_that_fails_gets_a_line_and_the_others_are_listed(
    tmp_path: Path, install_package: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.py").write_text("import nothing_at_all\n")
    install_package("sick", {"sick.py": "\n1 / 0\n"}, {"roamcast.protocols": {"sick": "sick:X"}, "roamcast.route": {}})
    assert main(["list", "protocols", "--plugin", str(tmp_path / "broken.py")]) == 0
    printed = capsys.readouterr()
    assert "frugal" in printed.out
    assert printed.err.splitlines() == [
        f"roamcast: {tmp_path / 'broken.py'}:1: ModuleNotFoundError: No module named 'nothing_at_all'",
        f"roamcast: {tmp_path / 'site' / 'sick.py'}:2: ZeroDivisionError: division by zero",
    ]


def test_a_plug_in_that_fails_breaks_only_what_uses_it(
    tmp_path: Path, install_package: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install_package("sick", {"sick.py": "\n1 / 0\n"}, {"roamcast.protocols": {"sick": "sick:X"}})
    assert main(["run", RESCUE, "--protocol", "sick"]) == 2
    assert (
        capsys.readouterr().err == f"roamcast: {tmp_path / 'site' / 'sick.py'}:2: ZeroDivisionError: division by zero\n"
    )
    assert main(["run", RESCUE, "--protocol", "frugal"]) == 0


def test_two_of_one_name_are_an_error_for_who_uses_or_lists_them(
    silent: str, install_package: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install_package("hush-net", {"hush.py": SILENT}, {"roamcast.protocols": {"silent": "hush:Silent"}})
    line = (
        f"protocol 'silent' is defined more than once: package hush-net 1.0 and file {silent}; rename or remove all but"
    )
    assert main(["list", "protocols", "--plugin", silent]) == 2
    printed = capsys.readouterr()
    assert "frugal" in printed.out
    assert line in printed.err
    assert main(["run", RESCUE, "--protocol", "silent"]) == 2
    assert line in capsys.readouterr().err
    assert main(["list", "radio"]) == 0
    assert main(["run", RESCUE, "--protocol", "frugal"]) == 0
    assert capsys.readouterr().err == ""


def test_a_metric_of_a_plug_in_with_a_name_of_ours_is_left_out_with_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(f"{METRIC}\nA, B = metric('delivery_ratio'), metric('ones')\n")
    line = (
        f"roamcast: metric 'delivery_ratio' is defined more than once: built in and file {file}; "
        "rename or remove all but one\n"
    )
    assert main(["run", RESCUE, "--plugin", str(file), "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.err == line
    metrics = json.loads(printed.out)["metrics"]
    assert metrics["delivery_ratio"] < 1
    assert metrics["ones"] == 1
    assert main(["list", "metrics", "--plugin", str(file), "--json"]) == 2
    printed = capsys.readouterr()
    assert printed.err == line
    listed = json.loads(printed.out)
    assert (listed["delivery_ratio"]["from"], listed["ones"]["from"]) == ("built in", f"file {file}")


def test_every_metric_that_cannot_be_used_gets_a_line_from_the_commands_that_measure(
    tmp_path: Path, install_package: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install_package("sick", {"sick.py": "\n1 / 0\n"}, {"roamcast.metrics": {"pains": "sick:PAINS"}})
    file = tmp_path / "twice.py"
    file.write_text(f"{METRIC}\nA, B = metric('ones'), metric('ones')\n")
    lines = [
        f"roamcast: metric 'ones' is defined more than once: file {file} and file {file}; rename or remove all but one",
        f"roamcast: {tmp_path / 'site' / 'sick.py'}:2: ZeroDivisionError: division by zero",
    ]
    plugin = ["--plugin", str(file)]
    assert main(["run", RESCUE, *plugin]) == 0
    assert capsys.readouterr().err.splitlines() == lines
    for command in (["compare", "none.toml", "--protocols", "frugal"], ["reproduce", "none"], ["claims", "none"]):
        assert main([*command, *plugin]) == 2
        assert capsys.readouterr().err.splitlines()[:-1] == lines  # before what is wrong with the command
    assert main(["list", "metrics", *plugin]) == 2
    assert sorted(capsys.readouterr().err.splitlines()) == sorted(lines)
    assert main(["list", "radio", *plugin]) == 0
    assert capsys.readouterr().err == ""


def test_an_entry_point_in_a_group_that_is_none_is_told_by_lists(
    install_package: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install_package("odd", {"odd.py": SILENT}, {"roamcast.protocol": {"silent": "odd:Silent"}})
    assert main(["list", "radio"]) == 0
    assert "package odd 1.0: unknown plug-in group 'roamcast.protocol'; did you mean" in capsys.readouterr().err


def test_a_file_that_is_not_there_and_a_list_of_nothing_are_persons_mistakes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["run", RESCUE, "--plugin", "none.py"]) == 2
    assert capsys.readouterr().err == "roamcast: none.py: cannot be read as a plug-in (no such file or directory)\n"
    assert main(["list", "protocol"]) == 2
    assert "unknown kind of component 'protocol'; did you mean 'protocols'? known: mac, " in capsys.readouterr().err
