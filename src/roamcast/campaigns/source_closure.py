"""The files that a component depends on, found by following imports without executing anything."""

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources.abc import Traversable

PACKAGE = "roamcast"
FOLLOWED = ("core", "matching", "plugin", "protocols", "recordings", "routing", "sim")
"""The parts of the project that components are made of. What plans, measures or draws is not followed."""
ROUTER_LOADERS = ("load_router", "ROUTERS")
"""By these a protocol takes a router by its name instead of importing it."""
ANY_ROUTER = "*"
"""Stands for a router whose name is not written where it is loaded: it may be any."""
SOURCE_ENDINGS = (".py", ".toml")
NOT_DECIDING = frozenset(
    f"core/{module}.py"
    for module in (
        "cache_folder",
        "components",
        "content_digest",
        "editable_packages",
        "errors",
        "plugin_packages",
        "plugins",
    )
)
"""Files that no result depends on: they find components, word errors and name folders. Any other file may decide."""


@dataclass(frozen=True, slots=True)
class Reached:
    """The files and routers that some code leads to."""

    files: frozenset[str]
    """Paths below the package."""
    routers: frozenset[str]
    """Names of routers that are loaded by name."""


class SourceTree:
    """The source files that may decide a result, by their paths below the package: in a folder, or in a zip."""

    def __init__(self, root: Traversable, parts: Iterable[str] = FOLLOWED) -> None:
        entries = [entry for part in parts for name in (part, f"{part}.py") for entry in _files_at(root / name, name)]
        self.files = {path: file.read_bytes() for path, file in entries if path not in NOT_DECIDING}

    def own_files(self, package: str, module: str) -> list[str]:
        """Return the files of a component: one, or all of its folder, data included."""
        folder = package.replace(".", "/")
        name, dot, _ = module.removeprefix(f"{package}.").partition(".")
        if not dot:
            return [f"{folder}/{name}.py".removeprefix(f"{PACKAGE}/")]
        own = f"{folder}/{name}/".removeprefix(f"{PACKAGE}/")
        return [path for path in self.files if path.startswith(own)]

    def follow(
        self, paths: Iterable[str], texts: Iterable[bytes] = (), stop: Callable[[str], bool] = lambda _: False
    ) -> Reached:
        """Return all files that some files, and texts from elsewhere, lead to; ``stop`` tells which lead no further.

        A text that imports a package by itself may read the data in it, as a plug-in may read the street maps.
        """
        seen, routers = set[str](), set[str]()
        waiting = list(paths)
        for text in texts:
            led_to = self._led_to(text, None, routers)
            waiting += [*led_to, *self._data_beside(led_to)]
        while waiting:
            path = waiting.pop()
            if path not in seen and path in self.files:
                seen.add(path)
                if path.endswith(".py") and not stop(path):
                    waiting += self._led_to(self.files[path], path, routers)
        return Reached(frozenset(seen), frozenset(routers))

    def _led_to(self, text: bytes, path: str | None, routers: set[str]) -> list[str]:
        """Return the files that a text imports, and note the routers that it loads; no path: it is from elsewhere."""
        routers.update(_loaded_routers(text))
        return [found for name in _imported(text, path) for found in self._files_of(name)]

    def _data_beside(self, paths: Iterable[str]) -> Iterator[str]:
        folders = {path.removesuffix("__init__.py") for path in paths if path.endswith("/__init__.py")}
        return (path for path in self.files if not path.endswith(".py") and path.rpartition("/")[0] + "/" in folders)

    def _files_of(self, module: str) -> Iterator[str]:
        """Yield the file of a module or package, and those of the packages that are imported on the way to it."""
        parts = module.split(".")[1:]
        for depth in range(1, len(parts) + 1):
            path = "/".join(parts[:depth])
            yield from (each for each in (f"{path}.py", f"{path}/__init__.py") if each in self.files)


def _files_at(entry: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    """Yield a source file with its path, or all of those in a folder."""
    if entry.is_dir():
        for inner in entry.iterdir():
            yield from _files_at(inner, f"{path}/{inner.name}")
    elif path.endswith(SOURCE_ENDINGS) and entry.is_file():
        yield path, entry


def _parsed(text: bytes) -> ast.Module:
    """Return a text's tree. One that is no Python, such as a template in a plug-in's package, imports nothing."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


@cache
def _imported(text: bytes, path: str | None) -> tuple[str, ...]:
    """Return the full names of what a text imports from roamcast: modules, or names in modules."""
    found = []
    for node in _statements(_parsed(text)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            if path is None and node.level:  # what is near a text from elsewhere is not roamcast's
                continue
            package = [PACKAGE, *(path or "").split("/")[:-1]]
            above = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*above, *([node.module] if node.module else [])])
            found += [f"{start}.{alias.name}" for alias in node.names]
    return tuple(name for name in found if name.startswith(f"{PACKAGE}."))


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements of a text, those in functions too, but for what only type checkers read."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if not (isinstance(node, ast.If) and _name_of(node.test) == "TYPE_CHECKING"):
            waiting += getattr(node, "body", ())
        for inside in ("orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(node, inside, ())


@cache
def _loaded_routers(text: bytes) -> tuple[str, ...]:
    """Return the routers that a text loads: those whose names it writes down, else any."""
    if not any(name.encode() in text for name in ROUTER_LOADERS):
        return ()
    nodes = list(ast.walk(_parsed(text)))
    imported = [alias for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names]
    if any(alias.name in ROUTER_LOADERS and alias.asname for alias in imported):
        return (ANY_ROUTER,)
    named = {id(node.func): node.args[0] for node in nodes if isinstance(node, ast.Call) and node.args}
    used = [named.get(id(node)) for node in nodes if _name_of(node) in ROUTER_LOADERS]
    return tuple(
        name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else ANY_ROUTER for name in used
    )


def _name_of(node: ast.AST) -> str:
    """Return the name that an expression ends in: ``load_router`` of ``routing.load_router``."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
