"""Plug-ins: components that come from installed packages and from single files, not from this tree.

An installed package offers a component by an entry point in a group such as ``roamcast.protocols``; its name is the
component's name, its value ``module:Class``. A file that a person names with ``--plugin`` offers every class and
metric that it defines. ``roamcast.core.components`` decides which of them is a protocol or a workload.

Reading the names of entry points takes 10 ms, once in a process and only when somebody asks for a component; a
package's module is imported when its component is used or listed.
"""

import ast
import importlib
import re
import sys
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from types import ModuleType

from roamcast.core.editable_packages import editable_roots
from roamcast.core.errors import PluginError, UnknownNameError, UserError

TOPICS = ("metrics", "mobility", "papers", "protocols", "radio", "routers", "workload")
"""The kinds of components that can be plugged in, each with an entry point group of its own."""
GROUP_PREFIX = "roamcast."
FILE_MODULE_PREFIX = "roamcast_plugin_"
"""How the name of the module begins that is made of a plug-in file."""
COMPILED_ENDINGS = (".so", ".pyd", ".dll", ".dylib")
_NOT_CODE = {"docs", "examples", "test", "tests"}
"""Folders that distributions install by mistake beside their packages; another's of that name may be found first."""
_INSTALLERS_FOLDERS = {"site-packages", "dist-packages"}


@dataclass(frozen=True, slots=True)
class PackagedComponent:
    """A component that an installed package offers by an entry point."""

    group: str
    name: str
    value: str
    """Where it is: ``module:attribute``."""
    package: str
    """The distribution's name, as pip knows it."""
    version: str
    location: str = field(default="", compare=False)
    """The folder on the path in which the package was found; empty where that is for a worker to find out."""
    roots: tuple[str, ...] = ()
    """The outermost packages and modules of the distribution, as far as its installer wrote them down."""

    @property
    def origin(self) -> str:
        """Return where the component comes from, for a person."""
        return f"package {self.package} {self.version}"

    @property
    def module(self) -> str:
        """Return the module that holds it."""
        return self.value.partition(":")[0].strip()

    def load(self) -> object:
        """Import the module and return what the entry point names."""
        _, _, attributes = self.value.partition(":")
        entry = f"{self.name} = {self.value}"
        try:
            found: object = importlib.import_module(self.module)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a plug-in does, the others go on
            place = _place_of(error, self.module.partition(".")[0])
            raise PluginError(f"{place or f'{self.origin}, {entry}'}: {reason_of(error)}") from None
        for attribute in filter(None, attributes.strip().split(".")):
            found = getattr(found, attribute, None)
        if found is None or isinstance(found, ModuleType):
            raise PluginError(f"{self.origin}, {entry}: there is no such object")
        return found


@dataclass(frozen=True, slots=True)
class PluginFile:
    """A Python file that a person has named as a plug-in. It stands alone: more than a file is a package."""

    path: str
    source: bytes = field(repr=False)

    @property
    def origin(self) -> str:
        """Return where its components come from, for a person."""
        return f"file {self.path}"

    def module(self) -> ModuleType:
        """Return what the file defines; it is executed once."""
        return _executed(self)


@dataclass(frozen=True, slots=True)
class Plugins:
    """All plug-ins that a process knows, in a form in which another process can be told of them."""

    files: tuple[PluginFile, ...] = ()
    packaged: tuple[PackagedComponent, ...] = ()


class _Known:
    """The plug-ins of this process."""

    files: tuple[PluginFile, ...] = ()
    packaged: tuple[PackagedComponent, ...] | None = None
    """None: those that are installed."""


def load_plugin_file(path: str | Path) -> PluginFile:
    """Execute a Python file, and know from now on the components that it defines."""
    try:
        source = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"{path}: cannot be read as a plug-in ({reason.lower()})") from None
    file = PluginFile(str(path), source)
    _refuse_neighbours(file)
    others = (known for known in _Known.files if Path(known.path).resolve() != Path(path).resolve())
    _Known.files = (*others, file)
    return file


def plugin_files() -> tuple[PluginFile, ...]:
    """Return the plug-in files that have been loaded."""
    return _Known.files


def packaged_components(topic: str) -> tuple[PackagedComponent, ...]:
    """Return what installed packages offer of a kind; their modules are not imported."""
    return tuple(each for each in _packaged() if each.group == GROUP_PREFIX + topic)


def unknown_groups() -> Iterator[str]:
    """Yield a line for each package whose entry points are in a group that looks like ours and is none."""
    groups = [GROUP_PREFIX + topic for topic in TOPICS]
    for origin, group in dict.fromkeys((each.origin, each.group) for each in _packaged()):
        if group not in groups:
            yield str(UnknownNameError("plug-in group", group, groups, origin))


def known_plugins() -> Plugins:
    """Return all plug-ins of this process, to be handed to another."""
    return Plugins(_Known.files, _packaged())


def use_plugins(plugins: Plugins) -> None:
    """Know exactly these plug-ins from now on: a worker knows those of its driver, and no others."""
    for folder in dict.fromkeys(each.location for each in plugins.packaged):
        if folder and folder not in sys.path and Path(folder).is_dir():  # a driver may have found it by its own path
            sys.path.append(folder)
    for file in plugins.files:
        file.module()
    _Known.files, _Known.packaged = plugins.files, plugins.packaged


def forget_plugins() -> None:
    """Know what a fresh process would know: no files, and the packages that are installed now."""
    _Known.files, _Known.packaged = (), None
    _installed.cache_clear()


def _packaged() -> tuple[PackagedComponent, ...]:
    return _installed() if _Known.packaged is None else _Known.packaged


@cache
def _installed() -> tuple[PackagedComponent, ...]:
    entry_points = metadata.entry_points()
    return tuple(
        PackagedComponent(group, each.name, each.value, each.dist.name, each.dist.version, *_whereabouts(each.dist))
        for group in sorted(entry_points.groups)
        if group.startswith(GROUP_PREFIX)
        for each in entry_points.select(group=group)
        if each.dist is not None
    )


def _whereabouts(distribution: metadata.Distribution) -> tuple[str, tuple[str, ...]]:
    """Return the folder of a distribution and its roots.

    These are found by the list of its files; of a package in development, whose files are elsewhere, by the list of its
    packages or by looking for them.
    """
    listed = distribution.files if distribution.read_text("RECORD") else None
    packages = set((distribution.read_text("top_level.txt") or "").split())
    in_development = editable_roots(distribution)
    roots = (
        (packages or in_development) if in_development else (_roots_of(map(PurePosixPath, listed or ())) or packages)
    )
    return str(distribution.locate_file("")), tuple(sorted(roots - _NOT_CODE))


def _roots_of(paths: Iterable[PurePosixPath]) -> set[str]:
    """Return the outermost packages, and the modules outside of any, of an installed distribution's files."""
    modules = [path for path in paths if path.suffix in (".py", *COMPILED_ENDINGS)]
    packages = {path.parent for path in modules if path.name == "__init__.py"}
    roots = set()
    for path in modules:
        above = [folder for folder in path.parents if folder in packages]  # the outermost comes last
        names = (above[-1] if above else path.parent / path.name.partition(".")[0]).parts
        if all(map(str.isidentifier, names)) and not names[0].startswith("__editable__"):
            roots.add(".".join(names))
    return roots


@cache
def _executed(file: PluginFile) -> ModuleType:
    # By its content: a file that has changed is another module, and what was made of the old one stays what it is.
    digest = blake2b(file.path.encode("utf-8", "surrogateescape") + b"\n" + file.source, digest_size=6).hexdigest()
    stem = re.sub(r"\W", "_", Path(file.path).stem)
    module = ModuleType(f"{FILE_MODULE_PREFIX}{stem}_{digest}")
    module.__file__ = file.path
    sys.modules[module.__name__] = module  # where dataclasses look for the names in their annotations
    try:
        exec(compile(file.source, file.path, "exec"), module.__dict__)
    except KeyboardInterrupt:
        del sys.modules[module.__name__]
        raise
    except BaseException as error:  # noqa: BLE001 - whatever a plug-in does, the others go on
        del sys.modules[module.__name__]
        raise PluginError(f"{_place_of(error, file.path) or file.path}: {reason_of(error)}") from None
    return module


def _refuse_neighbours(file: PluginFile) -> None:
    """Complain of a module beside a plug-in file, which would neither be shipped nor count in a run's identity.

    This is for the driver: on a worker, what was shipped may lie beside the file.
    """
    module, folder = file.module(), Path(file.path).resolve().parent
    held = [_module_of(each) for each in vars(module).values()]  # however it was imported
    for name in sorted({name.partition(".")[0] for name in (*_imports(file.source), *held)}):
        place = None if name == "roamcast" or name in sys.stdlib_module_names else _place_below(folder, name)
        if place is not None and name not in metadata.packages_distributions():
            expected = "a plug-in file stands alone; make an installable package of the two"
            raise PluginError(f"{file.path}: uses {place} beside it; {expected}")


def _module_of(found: object) -> str:
    return found.__name__ if isinstance(found, ModuleType) else str(getattr(found, "__module__", ""))


def _imports(source: bytes) -> Iterator[str]:
    """Yield the modules that a file imports, inside of functions too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def _place_below(folder: Path, name: str) -> Path | None:
    """Return where, in or below a folder, a module is that nobody installed there; None: it is not."""
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return None
    origin = [spec.origin] if spec is not None and spec.has_location and spec.origin else []
    for place in (*origin, *((spec.submodule_search_locations or ()) if spec is not None else ())):
        path = Path(place).resolve()
        if path.is_relative_to(folder) and not _INSTALLERS_FOLDERS.intersection(path.relative_to(folder).parts):
            return (path.parent if path.name == "__init__.py" else path).relative_to(folder)
    return None


def _place_of(error: BaseException, own: str) -> str | None:
    """Return the file and line at which a plug-in failed: the last that is its own; None: it did not get that far.

    ``own`` is the path of a file, or the name of a package.
    """
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno or 1}"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename == own or own in (part.removesuffix(".py") for part in Path(frame.filename).parts):
            return f"{frame.filename}:{frame.lineno}"
    return None


def plugin_place(error: BaseException) -> str | None:
    """Return the last line of a plug-in's own code that an error has passed through; None: it has passed none."""
    roots = {root for each in _packaged() for root in (each.module.partition(".")[0], *each.roots)} - {"roamcast"}
    place = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = str(frame.f_globals.get("__name__", ""))
        if name.startswith(FILE_MODULE_PREFIX) or any(f"{name}.".startswith(f"{root}.") for root in roots):
            place = f"{frame.f_code.co_filename}:{line}"
    return place


def reason_of(error: BaseException) -> str:
    """Return the type of an error and what it says, in one line."""
    said = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
    return f"{type(error).__name__}: {said[:300]}" if said else type(error).__name__
