"""The layers of STYLE.md, proved by reading the imports: an import never points up.

    cli  >  api  >  report, papers, validation  >  spark  >  campaigns, measuring, testing  >  sim, live, recordings
    >  protocols, routing  >  matching, core

Imports under ``if TYPE_CHECKING`` and inside functions count like any other. The checker is shown to catch what it
is there for by planting violations.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path

import pytest

import roamcast
from roamcast.cli.main import COMMANDS

ROOT = Path(roamcast.__file__).parent
LAYERS = (
    {"core", "matching"},
    {"protocols", "routing"},
    {"sim", "live", "recordings"},
    {"campaigns", "measuring", "testing", "plugin"},
    {"spark"},
    {"report", "papers", "validation"},
    {"api"},
    {"cli", "__main__"},
)
"""From the bottom up."""
PURE = {"core", "matching", "protocols", "routing"}
"""Facts and the time go in, effects come out: nothing here waits, talks to a socket or looks at a clock."""
WORLD = {
    "asyncio", "concurrent", "datetime", "multiprocessing", "select", "selectors", "secrets", "signal", "socket",
    "subprocess", "threading", "time", "uuid",
}  # fmt: skip
"""Modules by which a clock, another process or true randomness could get in."""
PROTOCOL_HOLDERS = {"sim", "live"}
"""They know a protocol through one interface, never by its name."""
SEEDED = {"Random", "Generator", "PCG64", "SeedSequence"}
"""The names that may be taken from ``random`` and ``numpy.random``: sources that must be given a seed."""


@cache
def modules() -> Mapping[str, str]:
    """Return the text of every module of the project by its name."""
    found = {}
    for path in sorted(path for path in ROOT.rglob("*.py") if "__pycache__" not in path.parts):
        parts = ("roamcast", *path.relative_to(ROOT).with_suffix("").parts)
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = path.read_text(encoding="utf-8")
    return found


def part_of(module: str) -> str:
    """Return the part of the project that a module belongs to: the folder or file below ``roamcast``."""
    return module.split(".")[1] if "." in module else ""


def rank(part: str) -> int | None:
    """Return how high a part stands, from 0; None for one that is in no layer."""
    return next((height for height, layer in enumerate(LAYERS) if part in layer), None)


@lru_cache(maxsize=2)
def nodes_of(text: str) -> tuple[ast.AST, ...]:
    """Return all parts of a module; several rules look at the same one."""
    return tuple(ast.walk(ast.parse(text)))


def dotted(node: ast.AST) -> str:
    """Return an expression such as ``numpy.random.rand``; what is no name in it is a question mark."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


def imports(module: str, text: str, is_package: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the line and the full name of everything that a module imports, by statement or by a call with a text."""
    for node in nodes_of(text):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = module.split(".") if is_package else module.split(".")[:-1]
            above = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{start}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and dotted(node.func).split(".")[-1] in ("import_module", "__import__"):
            yield from ((node.lineno, each.value) for each in node.args if _is_text(each))  # type: ignore[attr-defined]


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def violations(module: str, text: str) -> list[str]:
    """Return what a module does that its place in the layers forbids, each with its line."""
    part, package = part_of(module), (ROOT / Path(*module.split(".")[1:]) / "__init__.py").exists()
    found = []
    for line, name in imports(module, text, package):
        top, other = name.split(".")[0], part_of(name)
        if top == "roamcast" and part and (rank(other) or 0) > (rank(part) or 0):
            found.append((line, f"{part} imports {other}, which stands above it"))
        if top == "roamcast" and part in PROTOCOL_HOLDERS and other in ("protocols", "routing"):
            found.append((line, f"{part} knows a protocol by its name"))
        if top in ("pyspark", "py4j") and part != "spark":
            found.append((line, f"{part} imports Spark, which only spark may"))
        if top in WORLD and part in PURE | {"sim"}:
            found.append((line, f"{part} imports {top}"))
        if (
            name.startswith(("random.", "numpy.random."))
            and part in PURE | {"sim"}
            and name.split(".")[-1] not in SEEDED
        ):
            found.append((line, f"{part} draws from a global source: {name}"))
    found += [(line, f"{name} is private to its folder") for line, name in private_imports(module, text, package)]
    found += [(line, f"the text {name!r} names a file of {other}") for line, name, other in foreign_files(module, text)]
    if part in PURE | {"sim"}:
        found += [(line, f"{part} draws from a global source: {text}") for line, text in global_draws(text)]
    return [f"{module}:{line}: {what}" for line, what in sorted(found)]


def private_imports(module: str, text: str, is_package: bool) -> Iterator[tuple[int, str]]:
    """Yield the imports of modules that start with an underscore by modules outside of their folder."""
    folder = module if is_package else module.rpartition(".")[0]
    for line, name in imports(module, text, is_package):
        *above, last = name.split(".")
        for depth, word in enumerate([*above, last]):
            owner = ".".join(name.split(".")[:depth])
            if word.startswith("_") and not word.startswith("__") and name.startswith("roamcast.") and owner != folder:
                if f"{owner}.{word}" in modules() or word in above:
                    yield line, f"{owner}.{word}"
                break


def foreign_files(module: str, text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the texts, other than docstrings, that name a file or module of another part of the project."""
    documents = {id(node.value) for node in nodes_of(text) if isinstance(node, ast.Expr)}
    for node in nodes_of(text):
        if _is_text(node) and id(node) not in documents:
            other = _named_part(node.value)  # type: ignore[attr-defined]
            if other not in (None, part_of(module)):
                yield node.lineno, node.value, other  # type: ignore[attr-defined]


def _named_part(text: str) -> str | None:
    """Return the part of the project that a text's file or module belongs to; None: it names none."""
    if re.fullmatch(r"roamcast(\.\w+)+", text):
        return part_of(text) if text in modules() else None
    if not re.fullmatch(r"[\w./*\[\]!-]+\.py", text):
        return None
    first, slash, _ = text.removeprefix("src/").removeprefix("roamcast/").partition("/")
    if slash:
        return first if rank(first) is not None else None
    owners = {part_of(module) for module in modules() if f"{module.split('.')[-1]}.py" == text and part_of(module)}
    return owners.pop() if len(owners) == 1 else None


def global_draws(text: str) -> Iterator[tuple[int, str]]:
    """Yield every use of something in ``random`` or ``numpy.random`` that needs no seed, and of ``os.urandom``."""
    real: dict[str, str] = {}
    for node in nodes_of(text):
        if isinstance(node, ast.Import):
            real |= {each.asname or each.name.split(".")[0]: each.name if each.asname else "" for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "numpy":
            real |= {each.asname or each.name: f"numpy.{each.name}" for each in node.names}
    for node in nodes_of(text):
        if isinstance(node, ast.Attribute):
            first, *rest = dotted(node).split(".")
            name = ".".join([real.get(first, "?") or first, *rest])
            source, _, last = name.rpartition(".")
            if (source in ("random", "numpy.random") and last not in SEEDED) or name == "os.urandom":
                yield node.lineno, name


def test_every_module_keeps_to_its_layer() -> None:
    assert [line for module, text in modules().items() for line in violations(module, text)] == []


PROTOCOL_FILES = {"protocol", "parameters", "messages"}
"""Every folder that is a protocol or a router has these."""
PAPER_FILES = {"scenario", "figures", "claims"}
"""Every folder that is a paper has these."""
FAMILIES = (
    (
        r"roamcast\.(protocols|protocols\.shared|routing)\.\w+",
        PROTOCOL_FILES | {"broker", "subscriber", "tree_position"},
    ),
    (r"roamcast\.sim\.dcf", {"parameters"}),
    (r"roamcast\.core", {"parameters", "messages"}),
    (r"roamcast\.papers\.\w+", PAPER_FILES | {"cost_claims", "claim_parts", "curves", "readings"}),
)
"""Folders, and the names of files that mean the same in all folders of the family. ``core`` has what every file of
parameters or messages is made of."""
COMPONENT_FOLDERS = ("roamcast.sim.mobility", "roamcast.sim.radio", "roamcast.sim.workload", "roamcast.protocols")
"""Here the file's name is the component's name in a scenario, unless it begins with an underscore."""
COMMAND_FOLDERS = ("roamcast.cli", "roamcast.api")
"""Here the file's name is the command's, or that of the command whose work the file does."""


def has_given_name(module: str) -> bool:
    """Tell whether a file's name follows from a rule, so that it cannot be another."""
    folder, _, name = module.rpartition(".")
    if folder in COMPONENT_FOLDERS:
        return not name.startswith("_")
    is_command = any(name in group for group in COMMANDS.values())
    return (folder in COMMAND_FOLDERS and is_command) or any(
        re.fullmatch(folders, folder) and name in names for folders, names in FAMILIES
    )


def name_clashes(files: Iterable[str]) -> dict[str, list[str]]:
    """Return the names that several files have though not all of these follow from a rule."""
    homes: dict[str, list[str]] = {}
    for module in files:
        homes.setdefault(module.rpartition(".")[2].removeprefix("_"), []).append(module)
    return {
        name: found
        for name, found in homes.items()
        if len(found) > 1 and not all(has_given_name(each) for each in found)
    }


def is_folder(module: str) -> bool:
    return (ROOT / Path(*module.split(".")[1:]) / "__init__.py").exists()


def test_no_two_files_share_a_name_but_not_a_meaning() -> None:
    files = [module for module in modules() if not is_folder(module) and not module.endswith("__main__")]
    assert name_clashes(files) == {}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("campaigns.scenario", "papers.frugal.scenario"),
        ("core.ranges", "sim.workload.ranges"),
        ("cli.check", "testing.conformance.check"),
        ("sim.mobility._traffic", "measuring.metrics.traffic"),
        ("sim.host", "core.host"),
        ("spark.messages", "routing.aodv.messages"),
        ("cli.output", "spark.output"),
    ],
)
def test_a_planted_clash_of_names_is_caught(one: str, other: str) -> None:
    assert len(name_clashes([f"roamcast.{one}", f"roamcast.{other}"])) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("papers.frugal.scenario", "papers.brvst.scenario"),
        ("protocols.frugal.messages", "routing.aodv.messages"),
        ("cli.contacts", "sim.radio.contacts"),
        ("cli.compare", "api.compare"),
    ],
)
def test_names_that_a_rule_gives_do_not_clash(one: str, other: str) -> None:
    assert name_clashes([f"roamcast.{one}", f"roamcast.{other}"]) == {}


def test_every_protocol_router_and_paper_with_a_folder_has_the_same_files() -> None:
    lacking: dict[str, set[str]] = {}
    for part, main, names in (
        ("protocols", "protocol", PROTOCOL_FILES),
        ("routing", "protocol", PROTOCOL_FILES),
        ("papers", "scenario", PAPER_FILES),
    ):
        folders = [path.parent for path in (ROOT / part).glob(f"*/{main}.py")]
        assert folders
        lacking |= {f"{part}/{folder.name}": names - {file.stem for file in folder.glob("*.py")} for folder in folders}
    assert {folder: names for folder, names in lacking.items() if names} == {}


def test_every_part_of_the_project_stands_in_a_layer() -> None:
    parts = {part_of(module) for module in modules()} - {""}
    assert {part for part in parts if rank(part) is None} == set()


def test_the_package_itself_imports_nothing_of_the_project_but_for_type_checkers() -> None:
    tree = ast.parse(modules()["roamcast"])
    hidden = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    tree.body = [node for node in tree.body if node not in hidden]
    imported = [name for _, name in imports("roamcast", ast.unparse(tree), is_package=True)]
    assert [name for name in imported if name.split(".")[0] == "roamcast"] == []
    assert len(hidden) == 1


@pytest.mark.parametrize(
    ("module", "text", "complaint"),
    [
        ("core.events", "from roamcast.sim.facts import Facts", "core imports sim, which stands above it"),
        ("core.events", "import roamcast.protocols.frugal.protocol", "core imports protocols, which stands above it"),
        ("protocols.frugal", "from roamcast import sim", "protocols imports sim, which stands above it"),
        ("protocols.gossip", "from ..sim import clock", "protocols imports sim, which stands above it"),
        ("protocols.gossip", "from .. import sim", "protocols imports sim, which stands above it"),
        ("protocols", "from ..sim import clock", "protocols imports sim, which stands above it"),
        ("sim.host", "def f():\n    import roamcast.cli.main", "sim imports cli, which stands above it"),
        ("sim.host", "if TYPE_CHECKING:\n    from roamcast.spark import x", "sim imports spark, which stands"),
        ("campaigns.plan", "from roamcast.papers import load", "campaigns imports papers, which stands above it"),
        ("sim.simulation", "from roamcast.protocols import load_protocol", "sim knows a protocol by its name"),
        ("report.draw", "import pyspark", "report imports Spark, which only spark may"),
        ("cli.main", "from pyspark.sql import functions", "cli imports Spark, which only spark may"),
        ("sim.host", 'importlib.import_module("pyspark.sql")', "sim imports Spark, which only spark may"),
        ("protocols.frugal", "import time", "protocols imports time"),
        ("protocols.frugal", "from time import time", "protocols imports time"),
        ("routing.aodv", "import asyncio", "routing imports asyncio"),
        ("matching.bloom", "import socket as s", "matching imports socket"),
        ("core.host", "from threading import Lock", "core imports threading"),
        ("sim.clock", "import time", "sim imports time"),
        ("sim.clock", "import datetime", "sim imports datetime"),
        ("protocols.gossip", "from random import randint", "protocols draws from a global source: random.randint"),
        ("protocols.gossip", "import random\nrandom.random()", "protocols draws from a global source: random.random"),
        (
            "sim.radio.fading",
            "import numpy as np\nnp.random.normal()",
            "sim draws from a global source: numpy.random.normal",
        ),
        (
            "sim.radio.fading",
            "from numpy import random\nrandom.rand()",
            "draws from a global source: numpy.random.rand",
        ),
        ("sim.radio.fading", "import random as r\nr.gauss(0, 1)", "draws from a global source: random.gauss"),
        (
            "sim.radio.fading",
            "from numpy.random import default_rng",
            "sim draws from a global source: numpy.random.def",
        ),
        ("sim.radio.fading", "import os\nx = os.urandom(8)", "sim draws from a global source: os.urandom"),
        ("spark.parquet", "from roamcast.matching._shelf import Shelf", "roamcast.matching._shelf is private"),
        ("spark.parquet", "from roamcast.matching import _shelf", "roamcast.matching._shelf is private"),
        (
            "sim.radio.fading",
            "from roamcast.sim.mobility._draws import Draws",
            "mobility._draws is private",
        ),
        ("core.compiled", 'x = "routing/aodv/protocol.py"', "names a file of routing"),
        ("core.compiled", 'x = "campaign_folder.py"', "names a file of campaigns"),
        ("core.compiled", 'x = "roamcast.sim.facts"', "names a file of sim"),
    ],
)
def test_a_planted_violation_is_caught(module: str, text: str, complaint: str) -> None:
    found = violations(f"roamcast.{module}", text)
    assert len(found) == 1
    assert complaint in found[0]
    assert found[0].startswith(f"roamcast.{module}:{len(text.splitlines())}: ")


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("protocols.gossip", "from roamcast.core.host import Host\nfrom roamcast.routing.aodv.protocol import Aodv"),
        ("protocols.gossip", "from random import Random\nfrom math import inf"),
        ("protocols.gossip", "def f(host):\n    return host.random.random()"),
        ("protocols.gossip", "def f(random):\n    return random.random()"),
        ("sim.streams", "import numpy as np\nnp.random.Generator(np.random.PCG64(1))"),
        ("sim.dcf.medium", "from . import access\nfrom ..movement import Area"),
        ("spark.session.session", "import time\nfrom pyspark.sql import SparkSession\nimport roamcast.campaigns.plan"),
        ("matching.index", "from roamcast.matching._shelf import Shelf"),
        ("routing.native", 'x = "routing/aodv/protocol.py"'),
        ("cli.main", "from roamcast.spark import jobs\nfrom roamcast.core.errors import UserError"),
    ],
)
def test_what_points_down_or_sideways_is_allowed(module: str, text: str) -> None:
    assert violations(f"roamcast.{module}", text) == []
