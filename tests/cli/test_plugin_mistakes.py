"""Mistakes in plug-ins: each is one line with the place and what was expected, and never a traceback or a crash."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from roamcast.cli import main

Install = Callable[..., Path]
Captured = pytest.CaptureFixture[str]

RESCUE = str(Path(__file__).parents[2] / "scenarios" / "rescue.toml")
SCENARIO = """
duration_s = 2
area = {width_m = 100, height_m = 100}
nodes = {count = 3}
mobility = {model = "static"}
radio = {model = "range", range_m = 60}
workload = {model = "single-topic", subscriber_fraction = 1, events = 1, validity_s = 1}
protocol = {name = "flooding"}
"""
PROTOCOL = """
from roamcast.plugin import PubSub

class Loud(PubSub):
    summary = "has a mistake"
    def __init__(self, host, parameters): self.host = host
    def subscribe(self, interest): ...
    def unsubscribe(self, interest): ...
    def publish(self, event): MISTAKE
    def on_message(self, message, sender): ...
    def on_wake(self, token): ...
    def storage_bytes(self): return 0
"""
MODELS = """
from dataclasses import dataclass
from math import inf, nan
from roamcast.plugin import *

@dataclass(frozen=True)
class Move(MobilityModel):
    summary = "has a mistake"
    def trajectories(self, count, area, until_s, streams): return RESULT

@dataclass(frozen=True)
class Load(WorkloadModel):
    summary = "has a mistake"
    def workload(self, count, duration_s, streams): return RESULT
"""
PAPER = """
from roamcast.papers import Paper

class Essay(Paper):
    source, series_names, next_steps = "nobody", {1: ("a",)}, ()
    title = "An essay"
    def sweeps(self, scale): return SWEEPS
    def figures(self, measured): return []
    def claims(self): return []
"""
TOPIC = 'Topic("a.b")'

pytestmark = pytest.mark.usefixtures("fresh_plugins")


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    path = tmp_path / "small.toml"
    path.write_text(SCENARIO, encoding="utf-8")
    return str(path)


@pytest.fixture
def plugin(tmp_path: Path) -> Callable[[str], str]:
    def write(text: str) -> str:
        path = tmp_path / "mine.py"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("None", "trajectories returned NoneType; must be Trajectories"),
        (
            "Trajectories.from_points([[(0.0, 1.0, 1.0)]])",
            "number of trajectories = 1: must be 3, the number of nodes",
        ),
        (
            "Trajectories.from_points([[(0.0, 1.0, 1.0)], [], [(0.0, 1.0, 1.0)]])",
            "offsets must give each of the 3 nodes at least one point, and use all points",
        ),
        (
            "Trajectories([0, 1, 2, 3], [0.0] * 3, [0.0] * 3, [0.0] * 3)",
            "Trajectories needs NumPy arrays, offsets in int64 and all others in float64",
        ),
        (
            "Trajectories.from_points([[(0.0, 1.0, 1.0)], [(0.0, 1.0, 1.0), (2.0, nan, 1.0)], [(0.0, 1.0, 1.0)]])",
            "position of node 1 at 2 s = (nan, 1): must be finite",
        ),
        (
            "Trajectories.from_points([[(0.0, 1.0, 1.0)], [(0.0, 1.0, 1.0)], [(0.0, 1.0, 100.5)]])",
            "position of node 2 at 0 s = (1, 100.5): must be in the area of 100 x 100 m",
        ),
        (
            "Trajectories.from_points([[(0.0, -1.0, 1.0)], [(0.0, 1.0, 1.0)], [(0.0, 1.0, 1.0)]])",
            "position of node 0 at 0 s = (-1, 1): must be in the area of 100 x 100 m",
        ),
        (
            "Trajectories.from_points([[(3.0, 1.0, 1.0), (2.0, 1.0, 1.0)], [(0.0, 1.0, 1.0)], [(0.0, 1.0, 1.0)]])",
            "position of node 0 at 3 s = (1, 1): the times of a node must ascend",
        ),
    ],
)
def test_movement_that_the_medium_cannot_use_is_refused(
    result: str, expected: str, scenario: str, plugin: Callable[[str], str], capsys: Captured
) -> None:
    path = plugin(MODELS.replace("RESULT", result))
    assert main(["run", scenario, "--plugin", path, "--set", "mobility.model=move"]) == 2
    assert capsys.readouterr().err == f"roamcast: {scenario} with --set [mobility] Move: {expected}\n"


def test_movement_is_checked_for_the_whole_run(scenario: str, plugin: Callable[[str], str], capsys: Captured) -> None:
    result = "Trajectories.from_points([[(0.0, 1.0, 1.0), (until_s + 1.0, 1.0 + 50 * until_s, 1.0)]] * count)"
    path = plugin(MODELS.replace("RESULT", result))
    assert main(["run", scenario, "--plugin", path, "--set", "mobility.model=move"]) == 2
    expected = "position of node 0 at 8 s = (351, 1): must be in the area of 100 x 100 m"
    assert capsys.readouterr().err == f"roamcast: [mobility] Move: {expected}\n"


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("None", "workload returned NoneType; must be a Workload"),
        (
            f"Workload((Subscription(-inf, 3, TopicInterest({TOPIC})),), ())",
            "subscription of node 3: must be a node from 0 to 2",
        ),
        (
            f"Workload((), (Publication(1.0, -1, {TOPIC}, 60.0, 400),))",
            "publication of node -1: must be a node from 0 to 2",
        ),
        ("Workload((), (), {7: NO_ATTRIBUTES})", "attributes of node 7: must be a node from 0 to 2"),
    ],
)
def test_a_workload_that_cannot_be_used_is_refused(
    result: str, expected: str, scenario: str, plugin: Callable[[str], str], capsys: Captured
) -> None:
    path = plugin(MODELS.replace("RESULT", result))
    assert main(["run", scenario, "--plugin", path, "--set", "workload.model=load"]) == 2
    assert capsys.readouterr().err == f"roamcast: {scenario} with --set [workload] Load: {expected}\n"


def test_a_model_that_divides_by_zero_is_blamed_and_not_the_scenario(
    scenario: str, plugin: Callable[[str], str], capsys: Captured
) -> None:
    path = plugin(MODELS.replace("RESULT", "1 / 0"))
    for choice in ("mobility.model=move", "workload.model=load"):
        assert main(["run", scenario, "--plugin", path, "--set", choice]) == 1
        assert capsys.readouterr().err.startswith(f"roamcast: {path}:{9 if 'move' in choice else 14}: ZeroDivision")


def test_a_model_that_is_not_frozen_is_refused(scenario: str, plugin: Callable[[str], str], capsys: Captured) -> None:
    path = plugin(MODELS.replace("(frozen=True)", ""))
    assert main(["run", scenario, "--plugin", path, "--set", "mobility.model=move"]) == 2
    expected = "[mobility] move: Move, which holds its keys, must be a frozen dataclass"
    assert capsys.readouterr().err == f"roamcast: {expected}\n"


@pytest.mark.parametrize(
    ("mistake", "reason"),
    [
        ("raise ValueError('this is\\nhard')", "ValueError: this is hard"),
        ("raise SystemExit(4)", "SystemExit: 4"),
        ("open('/no/such/file')", "FileNotFoundError: [Errno 2] No such file or directory: '/no/such/file'"),
        ("self.host.deliver(None)", "AttributeError: 'NoneType' object has no attribute 'is_open_to'"),
    ],
)
def test_a_mistake_in_a_protocol_is_one_line_with_its_place(
    mistake: str,
    reason: str,
    scenario: str,
    plugin: Callable[[str], str],
    capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arguments = ["run", scenario, "--plugin", plugin(PROTOCOL.replace("MISTAKE", mistake)), "--protocol", "loud"]
    line = f"roamcast: {arguments[3]}:9: {reason}; ROAMCAST_TRACEBACK=1 shows the traceback\n"
    assert main(arguments) == 1
    assert capsys.readouterr().err == line
    monkeypatch.setenv("ROAMCAST_TRACEBACK", "1")
    assert main(arguments) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("Traceback")
    assert shown.endswith(line)


def test_a_mistake_in_a_package_is_one_line_with_its_place(
    scenario: str, tmp_path: Path, install_package: Install, capsys: Captured
) -> None:
    source = PROTOCOL.replace("MISTAKE", "1 / 0")
    install_package("loud-net", {"loud/__init__.py": source}, {"roamcast.protocols": {"loud": "loud:Loud"}})
    assert main(["run", scenario, "--protocol", "loud"]) == 1
    place = tmp_path / "site" / "loud" / "__init__.py"
    assert capsys.readouterr().err.startswith(f"roamcast: {place}:9: ZeroDivisionError: division by zero; ")


def test_a_wrong_value_of_a_plug_in_that_breaks_our_code_is_one_line_too(
    scenario: str, plugin: Callable[[str], str], capsys: Captured
) -> None:
    path = plugin(PROTOCOL.replace("MISTAKE", "...").replace("return 0", "return 'many'"))
    assert main(["run", scenario, "--plugin", path, "--protocol", "loud"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "recorder.py:" in line
    assert f", with file {path}: TypeError: " in line


def test_a_metric_that_ends_the_process_is_one_line(
    scenario: str, plugin: Callable[[str], str], capsys: Captured
) -> None:
    source = (
        "from roamcast.plugin import Metric\n"
        "def leave(facts): raise SystemExit(3)\n"
        "M = Metric('m', unit='1', group='g', description='A.', higher_is_better=None, function=leave)\n"
    )
    assert main(["run", scenario, "--plugin", plugin(source)]) != 0
    (line,) = capsys.readouterr().err.splitlines()
    assert "SystemExit: 3" in line
    assert "mine.py:2" in line


@pytest.mark.parametrize("name", ["SystemExit", "GeneratorExit", "BaseException"])
def test_a_file_may_raise_anything_and_the_others_are_listed(
    name: str, plugin: Callable[[str], str], capsys: Captured
) -> None:
    path = plugin(f"\nraise {name}('no')\n")
    assert main(["list", "protocols", "--plugin", path]) == 0
    printed = capsys.readouterr()
    assert "frugal" in printed.out
    assert printed.err == f"roamcast: {path}:2: {name}: no\n"


def test_a_class_that_lacks_methods_is_named_with_them(plugin: Callable[[str], str], capsys: Captured) -> None:
    path = plugin(
        "from roamcast.plugin import PubSub, MobilityModel, WorkloadModel\n"
        "class Lazy(PubSub):\n    def publish(self, event): ...\n    def subscribe(self, interest): ...\n"
        "    def on_wake(self, token): ...\n"
        "class Still(MobilityModel): ...\n"
        "class _Own(WorkloadModel): ...\n"
    )
    lines = [
        f"roamcast: {path}: Lazy is not a protocol: __init__, on_message, storage_bytes, unsubscribe are missing",
        f"roamcast: {path}: Still is not a mobility model: trajectories is missing",
    ]
    assert main(["list", "radio", "--plugin", path]) == 0
    assert capsys.readouterr().err.splitlines() == lines
    assert main(["check", "lazy", "--plugin", path]) == 2
    assert capsys.readouterr().err.splitlines()[:2] == lines


def test_an_abstract_class_that_others_in_the_file_share_is_no_mistake(
    plugin: Callable[[str], str], capsys: Captured
) -> None:
    shared = (
        PROTOCOL.replace("MISTAKE", "...")
        .replace("Loud", "Shared")
        .replace("    def storage", "class Loud(Shared):\n    def storage")
    )
    assert main(["list", "protocols", "--json", "--plugin", plugin(shared)]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert "loud" in json.loads(printed.out)


def test_a_file_without_any_component_gets_a_line(plugin: Callable[[str], str], capsys: Captured) -> None:
    path = plugin("from roamcast.protocols.gossip import Gossip\n")
    assert main(["list", "protocols", "--plugin", path]) == 0
    assert capsys.readouterr().err.startswith(f"roamcast: {path}: has no component; must define a protocol, ")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "from types import SimpleNamespace\nM = SimpleNamespace(name='duck', unit='s', function=len, "
            "group='g', description='A duck.', higher_is_better=None)\n",
            " duck is not a metric: bounds, label_with, amounts, value are missing",
        ),
        (
            "from roamcast.plugin import Metric\n"
            "M = Metric('duck', unit='s', group='g', description=None, higher_is_better=None, function=len)\n",
            " duck: description = None: must be a sentence about the metric",
        ),
    ],
)
def test_a_metric_that_is_incomplete_gets_a_line_and_the_others_are_listed(
    source: str, expected: str, scenario: str, plugin: Callable[[str], str], capsys: Captured
) -> None:
    path = plugin(source)
    for command in (["list", "metrics"], ["run", scenario]):
        assert main([*command, "--plugin", path]) == 0
        printed = capsys.readouterr()
        assert "delivery_ratio" in printed.out
        assert "duck" not in printed.out
        assert printed.err == f"roamcast: {path}:{expected}\n"


def test_a_paper_without_a_title_gets_a_line_and_the_others_are_listed(
    plugin: Callable[[str], str], capsys: Captured
) -> None:
    path = plugin(PAPER.replace("SWEEPS", "[]").replace("title =", "name ="))
    for command in (["list"], ["list", "papers"]):
        assert main([*command, "--plugin", path]) == 0
        printed = capsys.readouterr()
        assert "tree-group" in printed.out
        assert printed.err == f"roamcast: {path}: essay is not a paper: title is missing\n"
    assert main(["reproduce", "essay", "--plugin", path]) == 2


@pytest.mark.parametrize(
    ("sweeps", "code", "expected"),
    [
        ("1 / 0", 1, "mine.py:7: ZeroDivisionError: division by zero"),
        ("[]", 2, "no runs are planned; a paper's sweeps must have at least one run"),
    ],
)
def test_a_paper_without_runs_is_one_line(
    sweeps: str, code: int, expected: str, tmp_path: Path, plugin: Callable[[str], str], capsys: Captured
) -> None:
    path = plugin(PAPER.replace("SWEEPS", sweeps))
    assert main(["reproduce", "essay", "--plugin", path, "--out", str(tmp_path / "out")]) == code
    (line,) = capsys.readouterr().err.splitlines()
    assert expected in line
    assert not (tmp_path / "out").exists()


def test_prints_of_plug_ins_do_not_break_a_document(
    scenario: str, plugin: Callable[[str], str], capsys: Captured
) -> None:
    path = plugin("print('importing')\n" + PROTOCOL.replace("MISTAKE", "print('publishing')"))
    assert main(["run", scenario, "--plugin", path, "--protocol", "loud", "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["protocol"] == "loud"
    assert printed.err == "importing\npublishing\n"
    assert main(["list", "--plugin", plugin(f"print('again')\n{PROTOCOL}".replace("MISTAKE", "...")), "--json"]) == 0
    printed = capsys.readouterr()
    assert "loud" in json.loads(printed.out)["protocols"]
    assert printed.err == "again\n"
    assert main(["list", "protocols"]) == 0
    assert "frugal" in capsys.readouterr().out


@pytest.mark.parametrize(
    "name", ["none", "true", "false", "event", "message", "pub-sub", "host", "interest", "stored", "check", "any"]
)
def test_a_new_protocol_cannot_have_a_class_with_a_name_that_is_taken(
    name: str, tmp_path: Path, capsys: Captured
) -> None:
    assert main(["new", "protocol", name, "--into", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"roamcast: new protocol '{name}': Python or ")
    assert not list(tmp_path.iterdir())
