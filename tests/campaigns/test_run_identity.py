"""A run is known by the engine and the components that it uses: what is edited decides what is run again."""

import ast
import json
import shutil
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from zipfile import Path as ZipPath
from zipfile import ZipFile

import pytest

from roamcast.campaigns.run_identity import CodeIdentity, chosen_components, code_of, is_engine
from roamcast.campaigns.scenario_choices import CHOICES
from roamcast.campaigns.source_closure import FOLLOWED, NOT_DECIDING, SourceTree
from roamcast.core import errors
from roamcast.core.components import BuiltIn
from roamcast.core.errors import UnknownNameError, UserError
from roamcast.core.plugins import load_plugin_file
from roamcast.protocols import PROTOCOLS, load_protocol
from roamcast.protocols.shared.topic_homes.system import TopicHomes
from roamcast.sim.maps import map_text
from roamcast.sim.mobility import MOBILITY

Install = Callable[..., Path]
ROOT = files("roamcast")
BUILT_IN = tuple(name for name in PROTOCOLS.names() if PROTOCOLS.source(name).origin == "built in")
HOMES = {name for name in BUILT_IN if issubclass(load_protocol(name), TopicHomes)}

SILENT = """
from coins.words import HELLO
from roamcast.plugin import PubSub

class Silent(PubSub):
    summary = HELLO
    def __init__(self, host, parameters): ...
    def subscribe(self, interest): ...
    def unsubscribe(self, interest): ...
    def publish(self, event): ...
    def on_message(self, message, sender): ...
    def on_wake(self, token): ...
    def storage_bytes(self): return 0
"""
ALONE = SILENT.replace("from coins.words import HELLO\n", "HELLO = 'hello'\n")


def scenario(protocol: str, mobility: str = "static", radio: str = "range", workload: str = "single-topic") -> str:
    """Return as much of a scenario as decides which code it uses."""
    models = {"mobility": mobility, "radio": radio, "workload": workload}
    tables: dict[str, object] = {table: {"model": model} for table, model in models.items()}
    return json.dumps({**tables, "protocol": {"name": protocol}})


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of this tree's files that can be edited."""
    folder = tmp_path / "roamcast"
    for part in (*FOLLOWED, "campaigns"):
        source = Path(str(ROOT / part))
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source.with_suffix(".py"), folder)
    return folder


def edit(folder: Path, *paths: str) -> None:
    for path in paths:
        with (folder / path).open("a", encoding="utf-8") as file:
            file.write("\n# edited\n")


def protocols_to_run_again(folder: Path, *paths: str) -> set[str]:
    """Edit some files, and return the protocols whose runs have another identity then."""
    before = CodeIdentity(folder)
    old = {name: code_of(scenario(name), before) for name in BUILT_IN}
    edit(folder, *paths)
    after = CodeIdentity(folder)
    return {name for name in BUILT_IN if code_of(scenario(name), after) != old[name]}


def test_a_copy_of_the_code_has_the_identity_of_the_code(copy: Path) -> None:
    assert code_of(scenario("frugal"), CodeIdentity(copy)) == code_of(scenario("frugal"))


@pytest.mark.parametrize(
    ("path", "again"),
    [
        ("protocols/frugal/protocol.py", {"frugal"}),
        ("protocols/frugal/messages.py", {"frugal"}),
        ("protocols/gossip.py", {"gossip", "ttl-flooding"}),  # of which the second is a gossip with a time to live
        ("protocols/shared/delayed_messages.py", {"gossip", "hint-driven", "ttl-flooding"}),
        ("protocols/shared/topic_homes/system.py", HOMES),
        ("routing/aodv/protocol.py", {"broker-aodv", "rendezvous-aodv"}),
        ("routing/aodv/parameters.py", {"broker-aodv", "rendezvous-aodv"}),
        ("routing/gpsr/neighbours.py", {name for name in HOMES if "gpsr" in name}),
        ("sim/dcf/medium.py", set(BUILT_IN)),
        ("sim/simulation.py", set(BUILT_IN)),
        ("core/host.py", set(BUILT_IN)),
        ("protocols/__init__.py", set(BUILT_IN)),
        ("campaigns/scenario_tables.py", set(BUILT_IN)),
        ("campaigns/progress.py", set()),
        ("sim/mobility/freeway.py", set()),
        ("sim/maps/campus.toml", set()),
        ("core/compiled.py", set(BUILT_IN)),
        *((path, set()) for path in sorted(NOT_DECIDING)),
    ],
)
def test_editing_a_file_makes_new_runs_of_what_stands_on_it_and_of_nothing_else(
    copy: Path, path: str, again: set[str]
) -> None:
    assert protocols_to_run_again(copy, path) == again


def test_there_are_six_systems_with_homes() -> None:
    assert len(HOMES) == 6


@pytest.mark.parametrize(
    ("path", "changed"),
    [
        ("sim/mobility/_draws.py", {"mobility"}),
        ("sim/mobility/static.py", {"mobility"}),
        ("sim/mobility/_car_traffic.py", set()),
        ("sim/radio/_drawn.py", {"radio"}),
        ("sim/radio/two_ray_ground.py", set()),
        ("sim/workload/single_topic.py", {"workload"}),
    ],
)
def test_a_run_stands_on_its_own_models_and_on_no_others(copy: Path, path: str, changed: set[str]) -> None:
    chosen = chosen_components(scenario("flooding"))
    before = CodeIdentity(copy)
    old = {kind.topic: before.component(kind, name) for kind, name in chosen}
    edit(copy, path)
    after = CodeIdentity(copy)
    assert {kind.topic for kind, name in chosen if after.component(kind, name) != old[kind.topic]} == changed


def test_a_file_that_is_new_in_a_components_folder_counts(copy: Path) -> None:
    before = code_of(scenario("frugal"), CodeIdentity(copy))
    (copy / "protocols" / "frugal" / "table.toml").write_text("x = 1\n")
    assert code_of(scenario("frugal"), CodeIdentity(copy)) != before


def test_the_engine_leads_to_nothing_that_is_not_counted() -> None:
    tree = SourceTree(ROOT, (*FOLLOWED, "campaigns"))
    engine = [path for path in tree.files if is_engine(path)]
    # A scenario's text is in the identity of its runs; how it came about is not.
    about_texts = {"__init__", "assignment", "python_values", "recording_paths", "scenario_file", "sweep"}
    left = {path for path in tree.follow(engine).files if not is_engine(path)}
    assert left == {f"campaigns/{name}.py" for name in about_texts}


def test_results_take_nothing_from_the_files_that_do_not_count_but_errors_and_how_to_find_things() -> None:
    taken: dict[str, set[str]] = {}
    for path, text in SourceTree(ROOT).files.items():
        for node in ast.walk(ast.parse(text)) if path.endswith(".py") else ():
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                start = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
                names = {alias.name for alias in node.names}
                # Nobody takes a whole module, whose names would not be seen here.
                assert not NOT_DECIDING.intersection(file_of(start + name) for name in names), path
                if file_of(start[:-1]) in NOT_DECIDING:
                    taken.setdefault(file_of(start[:-1]), set()).update(names)
    of_errors = {name: getattr(errors, name) for name in taken.pop("core/errors.py")}
    wording = {
        name for name, found in of_errors.items() if not (isinstance(found, type) and issubclass(found, UserError))
    }
    assert wording == {"one_line", "suggestion"}
    assert taken == {
        "core/cache_folder.py": {"cache_folder"},
        "core/components.py": {"ComponentKind"},
        "core/content_digest.py": {"content_digest"},
    }


def file_of(module: str) -> str:
    return module.removeprefix("roamcast.").replace(".", "/") + ".py"


def test_the_files_that_do_not_count_lead_to_none_that_does() -> None:
    for path in NOT_DECIDING:
        assert SourceTree(ROOT).follow((), [(ROOT / path).read_bytes()]).files <= {"core/__init__.py"}


def test_whatever_reads_the_street_maps_has_their_digest_in_its_scenario(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = SourceTree(ROOT)
    reads = "sim/maps/__init__.py"
    direct = {path for path, text in tree.files.items() if b"roamcast.sim.maps" in text}
    assert direct == {"sim/mobility/_street_files.py"}
    built_in = {name: MOBILITY.source(name) for name in MOBILITY.names()}
    modules = {name: source.module for name, source in built_in.items() if isinstance(source, BuiltIn)}
    models = {
        name for name, module in modules.items() if reads in tree.follow(tree.own_files(MOBILITY.package, module)).files
    }
    assert models == {"city-section", "freeway", "manhattan"}
    for name in models:
        digests = []
        for comment in ("", "# edited"):
            monkeypatch.setattr(
                "roamcast.sim.mobility._street_files.map_text", lambda name, added=comment: map_text(name) + added
            )
            chosen = CHOICES["mobility"].resolve({"model": name}, "here")
            digests.append(CHOICES["mobility"].as_table(chosen)["map_digest"])  # which is in the scenario's JSON
        assert digests[0] != digests[1]


@pytest.mark.usefixtures("fresh_plugins")
def test_a_plug_in_that_reads_the_street_maps_itself_counts_with_them(copy: Path, tmp_path: Path) -> None:
    path = tmp_path / "silent.py"
    path.write_text(f"from roamcast.sim.maps import map_text\n{ALONE}")
    load_plugin_file(path)
    before = code_of(scenario("silent"), CodeIdentity(copy))
    edit(copy, "sim/maps/campus.toml")
    assert code_of(scenario("silent"), CodeIdentity(copy)) != before


def test_code_in_a_zip_has_the_identity_of_the_code_in_a_folder(copy: Path, tmp_path: Path) -> None:
    with ZipFile(tmp_path / "roamcast.zip", "w") as archive:
        for file in sorted(copy.rglob("*")):
            archive.write(file, file.relative_to(tmp_path))
    zipped = CodeIdentity(ZipPath(tmp_path / "roamcast.zip", "roamcast/"))
    assert code_of(scenario("broker-gpsr", "trace"), zipped) == code_of(scenario("broker-gpsr", "trace"))


@pytest.mark.parametrize(
    ("text", "routers"),
    [
        ('from roamcast.plugin import load_router\nload_router("aodv")', {"aodv"}),
        ('from roamcast import routing\nrouting.load_router("mine", "here")', {"mine"}),
        ("from roamcast.routing import load_router\nload_router(name)", {"*"}),
        ("from roamcast.routing import load_router as load\nload('aodv')", {"*"}),
        ("from roamcast.routing import load_router\nf = load_router", {"*"}),
        ("from roamcast.routing import ROUTERS\nROUTERS.load('aodv')", {"*"}),
        ("from roamcast.routing import load_router", set()),
    ],
)
def test_a_router_that_is_loaded_by_name_counts_and_without_a_name_all_do(text: str, routers: set[str]) -> None:
    assert SourceTree(ROOT).follow((), [text.encode()], is_engine).routers == routers


def test_what_only_type_checkers_read_does_not_count() -> None:
    tree = SourceTree(ROOT)
    guarded = b"from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from roamcast.protocols.gossip import Gossip\n"
    assert tree.follow((), [guarded]).files == set()
    inside = b"def f():\n    try:\n        from roamcast.protocols import gossip\n    finally: ...\n"
    assert "protocols/gossip.py" in tree.follow((), [inside]).files


@pytest.mark.usefixtures("fresh_plugins")
def test_editing_a_plug_in_file_makes_new_runs_of_it_alone(tmp_path: Path) -> None:
    path = tmp_path / "silent.py"
    path.write_text(ALONE)
    load_plugin_file(path)
    mine, other = code_of(scenario("silent")), code_of(scenario("frugal"))
    path.write_text(ALONE + "\n# edited\n")
    load_plugin_file(path)
    assert code_of(scenario("silent")) != mine
    assert code_of(scenario("frugal")) == other
    path.rename(tmp_path / "elsewhere.py")  # where it is does not matter
    path.write_text("")
    load_plugin_file(path)
    load_plugin_file(tmp_path / "elsewhere.py")
    edited = code_of(scenario("silent"))
    (tmp_path / "elsewhere.py").write_text(ALONE)
    load_plugin_file(tmp_path / "elsewhere.py")
    assert code_of(scenario("silent")) == mine != edited


@pytest.mark.usefixtures("fresh_plugins")
def test_a_plug_in_stands_on_what_it_takes_from_roamcast(tmp_path: Path, copy: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("from roamcast.protocols.gossip import Gossip\nclass Mine(Gossip):\n    summary = 'mine'\n")
    load_plugin_file(path)
    tables = tmp_path / "silent.py"
    tables.write_text(ALONE)
    load_plugin_file(tables)
    before = CodeIdentity(copy)
    old = [code_of(scenario(name), before) for name in ("mine", "silent")]
    edit(copy, "protocols/gossip.py")
    edited = CodeIdentity(copy)
    assert code_of(scenario("mine"), edited) != old[0]
    assert code_of(scenario("silent"), edited) == old[1]
    edit(copy, "protocols/shared/event_tables.py")  # which roamcast.plugin offers
    assert code_of(scenario("silent"), CodeIdentity(copy)) != old[1]


def test_a_helper_module_of_a_plug_in_package_and_its_version_count(install_package: Install) -> None:
    found = []
    for site, (version, word) in enumerate([("1.0", "hello"), ("1.0", "good day"), ("1.1", "hello"), ("1.0", "hello")]):
        contents = {"coins/__init__.py": "", "coins/silent.py": SILENT, "coins/words.py": f"HELLO = '{word}'"}
        point = {"roamcast.protocols": {"silent": "coins.silent:Silent"}}
        install_package("coins", contents, point, version, f"site{site}")
        found.append(code_of(scenario("silent"), CodeIdentity(ROOT)))
    assert len(set(found[:3])) == 3
    assert found[3] == found[0]


def test_every_package_and_module_of_a_plug_ins_distribution_counts(install_package: Install) -> None:
    found = []
    changes: list[dict[str, str]] = [{}, {"coins_shared/words.py": "HELLO = 2"}, {"coins_too.py": "HELLO = 2"}, {}]
    for site, changed in enumerate(changes):
        contents = {
            "coins/__init__.py": "",
            "coins/silent.py": SILENT.replace("coins.words", "coins_shared.words"),
            "coins_shared/__init__.py": "1 / 0  # found, and not imported",
            "coins_shared/words.py": "HELLO = 1",
            "coins_too.py": "HELLO = 1",
            "tests/__init__.py": f"SITE = {site}",  # installed by mistake
        }
        point = {"roamcast.protocols": {"silent": "coins.silent:Silent"}}
        install_package("coins", {**contents, **changed}, point, folder=f"site{site}")
        found.append(code_of(scenario("silent"), CodeIdentity(ROOT)))
    assert len(set(found[:3])) == 3
    assert found[3] == found[0]


def test_a_file_of_a_plug_in_package_that_is_no_python_counts_and_imports_nothing(install_package: Install) -> None:
    found = []
    for site, word in enumerate(("load_router", "other")):
        contents = {
            "coins/__init__.py": "",
            "coins/silent.py": SILENT,
            "coins/words.py": "HELLO = 1\n",
            "coins/template.py": f"class {{{{ name }}}}: {word}\n",
        }
        point = {"roamcast.protocols": {"silent": "coins.silent:Silent"}}
        install_package("coins", contents, point, folder=f"site{site}")
        found.append(code_of(scenario("silent"), CodeIdentity(ROOT)))
    assert found[0] != found[1]


def test_relative_imports_of_a_plug_in_are_not_those_of_roamcast() -> None:
    text = b"from .protocols import gossip\nfrom . import plugin\nfrom ..sim.mobility import static\n"
    assert SourceTree(ROOT).follow((), [text]).files == set()


def test_the_files_of_a_plug_in_package_are_read_anew_by_each_process_alone(install_package: Install) -> None:
    contents = {"coins/__init__.py": "", "coins/silent.py": SILENT, "coins/words.py": "HELLO = 1\n"}
    site = install_package("coins", contents, {"roamcast.protocols": {"silent": "coins.silent:Silent"}})
    before = code_of(scenario("silent"))
    (site / "coins" / "words.py").write_text("HELLO = 2\n")
    assert code_of(scenario("silent")) == before  # what this process has imported is what it runs


def test_a_scenario_of_a_plug_in_that_is_not_there_cannot_be_known() -> None:
    with pytest.raises(UnknownNameError, match="unknown protocol 'silent'"):
        code_of(scenario("silent"))


def test_a_text_that_is_no_scenario_uses_no_components() -> None:
    assert [chosen_components(text) for text in ("{}", "[]", "nonsense", '{"radio": 5}')] == [[], [], [], []]
