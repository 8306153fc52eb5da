"""The layers of STYLE.md, proved by reading the imports: an import never points up.

    cli  >  report, papers, pipeline (Spark)  >  experiments, validation  >  sim, live  >  protocols, routing
    >  matching, core

Imports under ``if TYPE_CHECKING`` and inside functions count like any other. The checker is shown to catch what it
is there for by planting violations.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

import roamcast

ROOT = Path(roamcast.__file__).parent
LAYERS = (
    {"core", "matching", "recorded"},
    {"protocols", "routing"},
    {"sim", "live"},
    {"experiments", "validation"},
    {"report", "papers", "pipeline"},
    {"cli"},
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
"""What may be taken from ``random`` and ``numpy.random``: sources that must be given a seed."""


@cache
def modules() -> Mapping[str, str]:
    """Return the text of every module of the project by its name."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
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


def imports(module: str, text: str, is_package: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the line and the full name of everything that a module imports, by statement or by a call with a text."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = module.split(".") if is_package else module.split(".")[:-1]
            above = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{start}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("import_module", "__import__"):
            yield from ((node.lineno, each.value) for each in node.args if _is_text(each))  # type: ignore[attr-defined]


def _is_text(node: ast.expr) -> bool:
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
        if top in ("pyspark", "py4j") and part != "pipeline":
            found.append((line, f"{part} imports Spark, which only the pipeline may"))
        if top in WORLD and part in PURE | {"sim"}:
            found.append((line, f"{part} imports {top}"))
        if (
            name.startswith(("random.", "numpy.random."))
            and part in PURE | {"sim"}
            and name.split(".")[-1] not in SEEDED
        ):
            found.append((line, f"{part} draws from a global source: {name}"))
    if part in PURE | {"sim"}:
        found += [(line, f"{part} draws from a global source: {text}") for line, text in global_draws(text)]
    return [f"{module}:{line}: {what}" for line, what in sorted(found)]


def global_draws(text: str) -> Iterator[tuple[int, str]]:
    """Yield every use of something in ``random`` or ``numpy.random`` that needs no seed, and of ``os.urandom``."""
    tree = ast.parse(text)
    real: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            real |= {each.asname or each.name.split(".")[0]: each.name if each.asname else "" for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "numpy":
            real |= {each.asname or each.name: f"numpy.{each.name}" for each in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            first, *rest = ast.unparse(node).split(".")
            name = ".".join([real.get(first, "?") or first, *rest])
            source, _, last = name.rpartition(".")
            if (source in ("random", "numpy.random") and last not in SEEDED) or name == "os.urandom":
                yield node.lineno, name


@pytest.mark.parametrize("module", modules())
def test_a_module_keeps_to_its_layer(module: str) -> None:
    assert violations(module, modules()[module]) == []


def test_every_part_of_the_project_stands_in_a_layer() -> None:
    parts = {part_of(module) for module in modules()} - {""}
    assert {part for part in parts if rank(part) is None} == set()


def test_the_package_itself_imports_nothing_of_the_project() -> None:
    imported = [name for _, name in imports("roamcast", modules()["roamcast"], is_package=True)]
    assert [name for name in imported if name.split(".")[0] == "roamcast"] == []


@pytest.mark.parametrize(
    ("module", "text", "complaint"),
    [
        ("core.events", "from roamcast.sim.facts import Facts", "core imports sim, which stands above it"),
        ("core.events", "import roamcast.protocols.frugal", "core imports protocols, which stands above it"),
        ("protocols.frugal", "from roamcast import sim", "protocols imports sim, which stands above it"),
        ("protocols.frugal", "from ..sim import kernel", "protocols imports sim, which stands above it"),
        ("protocols.frugal", "from .. import sim", "protocols imports sim, which stands above it"),
        ("protocols", "from ..sim import kernel", "protocols imports sim, which stands above it"),
        ("sim.host", "def f():\n    import roamcast.cli.main", "sim imports cli, which stands above it"),
        ("sim.host", "if TYPE_CHECKING:\n    from roamcast.pipeline import x", "sim imports pipeline, which stands"),
        ("experiments.plan", "from roamcast.papers import load", "experiments imports papers, which stands above it"),
        ("sim.simulation", "from roamcast.protocols import load_protocol", "sim knows a protocol by its name"),
        ("report.draw", "import pyspark", "report imports Spark, which only the pipeline may"),
        ("cli.main", "from pyspark.sql import functions", "cli imports Spark, which only the pipeline may"),
        ("sim.host", 'importlib.import_module("pyspark.sql")', "sim imports Spark, which only the pipeline may"),
        ("protocols.frugal", "import time", "protocols imports time"),
        ("protocols.frugal", "from time import time", "protocols imports time"),
        ("routing.aodv", "import asyncio", "routing imports asyncio"),
        ("matching.bloom", "import socket as s", "matching imports socket"),
        ("core.host", "from threading import Lock", "core imports threading"),
        ("sim.kernel", "import time", "sim imports time"),
        ("sim.kernel", "import datetime", "sim imports datetime"),
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
        ("protocols.gossip", "from roamcast.core.host import Host\nfrom roamcast.routing.aodv import Aodv"),
        ("protocols.gossip", "from random import Random\nfrom math import inf"),
        ("protocols.gossip", "def f(host):\n    return host.random.random()"),
        ("protocols.gossip", "def f(random):\n    return random.random()"),
        ("sim.streams", "import numpy as np\nnp.random.Generator(np.random.PCG64(1))"),
        ("sim.medium.medium", "from . import kernel\nfrom ..movement import Area"),
        ("pipeline.session", "import time\nfrom pyspark.sql import SparkSession\nimport roamcast.experiments.plan"),
        ("cli.main", "from roamcast.pipeline import campaign\nfrom roamcast.core.errors import UserError"),
    ],
)
def test_what_points_down_or_sideways_is_allowed(module: str, text: str) -> None:
    assert violations(f"roamcast.{module}", text) == []
