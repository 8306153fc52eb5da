"""Components of installed packages and of plug-in files, beside those of this tree."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from roamcast.core.components import PLUGIN_METRICS, kebab_case
from roamcast.core.errors import NameClashError, PluginError, UnknownNameError, UserError
from roamcast.core.host import PubSub
from roamcast.core.plugins import known_plugins, load_plugin_file, unknown_groups, use_plugins
from roamcast.measuring.metrics import plugin_metrics
from roamcast.protocols import PROTOCOLS, load_protocol, protocol_names
from roamcast.routing import ROUTERS
from roamcast.sim.workload import WORKLOAD

Install = Callable[..., Path]

QUIET = """
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
METRICS = """
from roamcast.plugin import Metric

NODES = Metric(
    "nodes_counted", unit="nodes", group="load", description="Nodes.", higher_is_better=None,
    function=lambda facts: facts.nodes,
)
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "expected"),
    [("CoinToss", "coin-toss"), ("TTLFlooding", "ttl-flooding"), ("Gossip3", "gossip3"), ("My_Own", "my-own")],
)
def test_a_class_is_named_in_a_scenario_by_its_words(name: str, expected: str) -> None:
    assert kebab_case(name) == expected


@pytest.mark.usefixtures("fresh_plugins")
def test_a_file_offers_the_classes_that_it_defines_and_can_be_used(tmp_path: Path) -> None:
    more = (
        "from roamcast.protocols.gossip import Gossip\n"
        "from roamcast.plugin import Router\n"
        "class Louder(Silent): ...\n"
        "class Open(PubSub): ...\n"  # abstract
        "class _Private(Silent): ...\n"
        "class HalfARouter(Router): ...\n"
        "Same = Silent\n"
    )
    load_plugin_file(write(tmp_path, "quiet.py", QUIET + more))
    assert {"silent", "louder"} == set(protocol_names()) - _built_in()
    assert load_protocol("silent").summary == "says nothing"
    assert PROTOCOLS.source("silent").origin == f"file {tmp_path / 'quiet.py'}"
    assert PROTOCOLS.source("gossip").origin == "built in"
    assert "half-arouter" not in ROUTERS.names()
    assert "silent" not in WORKLOAD.names()


def _built_in() -> set[str]:
    return {name for name in protocol_names() if PROTOCOLS.source(name).origin == "built in"}


@pytest.mark.usefixtures("fresh_plugins")
def test_a_file_that_is_loaded_again_takes_its_own_place(tmp_path: Path) -> None:
    path = write(tmp_path, "quiet.py", QUIET)
    load_plugin_file(path)
    load_plugin_file(tmp_path / ".." / tmp_path.name / "quiet.py")
    first = load_protocol("silent")
    write(tmp_path, "quiet.py", QUIET.replace("says nothing", "says less"))
    load_plugin_file(path)
    assert first.summary == "says nothing"
    assert load_protocol("silent").summary == "says less"


def test_an_entry_point_is_a_component_of_its_name_and_is_imported_when_it_is_used(install_package: Install) -> None:
    install_package("quiet-net", {"quiet/__init__.py": QUIET}, {"roamcast.protocols": {"hush": "quiet:Silent"}}, "2.1")
    assert "hush" in protocol_names()
    assert PROTOCOLS.source("hush").origin == "package quiet-net 2.1"
    assert "quiet" not in sys.modules
    assert load_protocol("hush").__name__ == "Silent"
    assert "quiet" in sys.modules


def test_two_sources_of_one_name_are_an_error_for_who_uses_it_that_names_both(
    install_package: Install, tmp_path: Path
) -> None:
    install_package("one", {"one.py": QUIET}, {"roamcast.protocols": {"silent": "one:Silent", "gossip": "one:Silent"}})
    install_package("two", {"two.py": QUIET}, {"roamcast.protocols": {"hush": "two:Silent"}})
    path = write(tmp_path, "quiet.py", QUIET)
    load_plugin_file(path)
    with pytest.raises(NameClashError) as caught:
        load_protocol("silent", "--protocol")
    assert str(caught.value) == (
        f"--protocol: protocol 'silent' is defined more than once: package one 1.0 and file {path}; "
        "rename or remove all but one"
    )
    with pytest.raises(NameClashError, match=r"'gossip' is defined more than once: built in and package one 1\.0"):
        load_protocol("gossip")
    assert load_protocol("hush").__name__ == "Silent"
    assert load_protocol("frugal").__name__ == "Frugal"


@pytest.mark.usefixtures("fresh_plugins")
def test_two_metrics_of_one_file_with_one_name_clash(tmp_path: Path) -> None:
    load_plugin_file(write(tmp_path, "twice.py", METRICS + METRICS.replace("NODES", "OTHER")))
    assert plugin_metrics() == {}
    with pytest.raises(NameClashError, match=r"metric 'nodes_counted' is defined more than once: file .* and file"):
        PLUGIN_METRICS.load("nodes_counted")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1\nclass (\n", "broken.py:2: SyntaxError: invalid syntax"),
        ("x = 1\n\nraise ValueError('two\\nlines')\n", "broken.py:3: ValueError: two lines"),
        (
            "def f():\n    import nothing_here\nf()\n",
            "broken.py:2: ModuleNotFoundError: No module named 'nothing_here'",
        ),
        ("import sys\nsys.exit(3)\n", "broken.py:2: SystemExit: 3"),
    ],
)
@pytest.mark.usefixtures("fresh_plugins")
def test_a_file_that_fails_gets_one_line_with_its_place_and_the_reason(
    tmp_path: Path, text: str, expected: str
) -> None:
    with pytest.raises(PluginError) as caught:
        load_plugin_file(write(tmp_path, "broken.py", text))
    assert str(caught.value) == f"{tmp_path}/{expected}"
    assert known_plugins().files == ()


@pytest.mark.usefixtures("fresh_plugins")
def test_a_file_that_is_not_there_is_a_persons_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none.py: cannot be read as a plug-in \(no such file or directory\)"):
        load_plugin_file(tmp_path / "none.py")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("import neighbour_of_a_test\n", "neighbour_of_a_test.py"),
        ("from neighbour_of_a_test import PERIOD_S\n", "neighbour_of_a_test.py"),
        ("def f():\n    from neighbour_of_a_test import PERIOD_S\n", "neighbour_of_a_test.py"),
        ("from folder_of_a_test import f\n", "folder_of_a_test"),
        ("import folder_of_a_test.more\n", "folder_of_a_test"),
        ("from namespace_of_a_test.more import f\n", "namespace_of_a_test"),
        ("import sys\nfrom deeper_in_a_test import X\n", "below/deeper_in_a_test.py"),
        ("import importlib\nf = importlib.import_module('folder_of_a_test').f\n", "folder_of_a_test"),
    ],
)
@pytest.mark.usefixtures("fresh_plugins")
def test_a_file_may_not_lean_on_anything_beside_or_below_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, place: str
) -> None:
    for folder in ("folder_of_a_test", "namespace_of_a_test", "below"):
        (tmp_path / folder).mkdir()
    write(tmp_path, "neighbour_of_a_test.py", "PERIOD_S = 1.5\n")
    for name in ("folder_of_a_test/__init__.py", "folder_of_a_test/more.py", "namespace_of_a_test/more.py"):
        write(tmp_path, name, "def f(): ...\n")
    write(tmp_path, "below/deeper_in_a_test.py", "X = 1\n")
    for path in (tmp_path, tmp_path / "below"):
        monkeypatch.syspath_prepend(str(path))
    before = set(sys.modules)
    with pytest.raises(PluginError) as caught:
        load_plugin_file(write(tmp_path, "mine.py", text))
    expected = "a plug-in file stands alone; make an installable package of the two"
    assert str(caught.value) == f"{tmp_path}/mine.py: uses {place} beside it; {expected}"
    assert known_plugins().files == ()
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.mark.usefixtures("fresh_plugins")
def test_a_file_may_use_what_is_installed_below_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, install_package: Install
) -> None:
    install_package("measures", {"measures.py": METRICS}, {})  # with pip's --target
    packages = tmp_path / ".venv" / "lib" / "site-packages"
    packages.mkdir(parents=True)
    write(packages, "installed_for_a_test.py", "X = 1\n")
    monkeypatch.syspath_prepend(str(packages))
    text = "import json, installed_for_a_test\nfrom measures import NODES\nfrom roamcast.plugin import PubSub\n"
    load_plugin_file(write(tmp_path, "mine.py", text))
    assert len(known_plugins().files) == 1
    del sys.modules["installed_for_a_test"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("sick.protocol:Silent", "sick/protocol.py:2: ZeroDivisionError: division by zero"),
        ("sick:Nobody", "package sick 1.0, ill = sick:Nobody: there is no such object"),
        ("sick:VALUE", "package sick 1.0, ill = sick:VALUE: is not a protocol (a class derived from PubSub with all"),
        ("sick.no:X", "package sick 1.0, ill = sick.no:X: ModuleNotFoundError: No module named 'sick.no'"),
        ("gone:X", "package sick 1.0, ill = gone:X: ModuleNotFoundError: No module named 'gone'"),
    ],
)
def test_an_entry_point_that_fails_gets_one_line_and_the_others_work(
    install_package: Install, value: str, expected: str
) -> None:
    files = {"sick/__init__.py": "VALUE = 1\n", "sick/protocol.py": "\n1 / 0\n", "well.py": QUIET}
    install_package("sick", files, {"roamcast.protocols": {"ill": value, "hush": "well:Silent"}})
    with pytest.raises(PluginError) as caught:
        load_protocol("ill")
    assert expected in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    assert load_protocol("hush").__name__ == "Silent"


def test_a_name_that_no_scenario_could_use_is_refused(install_package: Install) -> None:
    install_package("odd", {"odd.py": QUIET}, {"roamcast.protocols": {"a.b": "odd:Silent"}})
    with pytest.raises(PluginError, match="the name of a protocol must be lower-case letters and digits, joined by hy"):
        load_protocol("a.b")


def test_a_group_that_is_none_of_ours_is_noticed(install_package: Install) -> None:
    install_package("odd", {"odd.py": QUIET}, {"roamcast.protocol": {"hush": "odd:Silent"}})
    (line,) = unknown_groups()
    assert line.startswith("package odd 1.0: unknown plug-in group")
    assert "'roamcast.protocol'; did you mean 'roamcast.protocols'? known: roamcast.metrics, " in line


def test_metrics_of_packages_and_files_are_found_by_their_own_names(install_package: Install, tmp_path: Path) -> None:
    named = METRICS.replace("nodes_counted", "nodes_of_package")
    points = {"nodes_of_package": "measures:NODES", "wrong": "measures:NODES", "broken": "measures:none"}
    install_package("measures", {"measures.py": named}, {"roamcast.metrics": points})
    borrowed = "from measures import NODES as MINE\n"
    load_plugin_file(write(tmp_path, "metrics.py", borrowed + METRICS))
    found = plugin_metrics()
    assert set(found) == {"nodes_counted", "nodes_of_package"}
    assert [getattr(metric, "unit", None) for metric in found.values()] == ["nodes", "nodes"]
    with pytest.raises(PluginError, match="the name of a metric must be its own name, 'nodes_of_package'"):
        PLUGIN_METRICS.load("wrong")


def test_another_process_can_be_told_of_all_plug_ins_and_knows_no_others(
    install_package: Install, tmp_path: Path
) -> None:
    install_package("quiet-net", {"quiet.py": QUIET}, {"roamcast.protocols": {"hush": "quiet:Silent"}})
    load_plugin_file(write(tmp_path, "quiet_file.py", QUIET))
    told = tmp_path / "told"
    program = (
        "import pickle, sys, pathlib\n"
        "from roamcast.core.plugins import use_plugins\n"
        "from roamcast.protocols import load_protocol, PROTOCOLS\n"
        "use_plugins(pickle.loads(pathlib.Path(sys.argv[1]).read_bytes()))\n"
        "print([(load_protocol(name).__name__, PROTOCOLS.source(name).origin) for name in ('hush', 'silent')])\n"
    )
    told.write_bytes(pickle.dumps(known_plugins()))
    (tmp_path / "quiet_file.py").unlink()  # the other process may be on another machine
    done = subprocess.run([sys.executable, "-c", program, str(told)], capture_output=True, text=True, check=True)
    origins = ["package quiet-net 1.0", f"file {tmp_path / 'quiet_file.py'}"]
    assert done.stdout.strip() == str([("Silent", origin) for origin in origins])
    use_plugins(type(known_plugins())())
    with pytest.raises(UnknownNameError):
        load_protocol("hush")


def test_looking_for_a_component_of_this_tree_imports_no_plug_in(install_package: Install) -> None:
    install_package("bomb", {"bomb.py": "raise ValueError"}, {"roamcast.protocols": {"bomb": "bomb:Bomb"}})
    assert issubclass(load_protocol("frugal"), PubSub)
    assert "bomb" not in sys.modules
