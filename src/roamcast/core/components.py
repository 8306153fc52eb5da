"""Components by their names: those of this tree, of installed packages and of plug-in files.

In this tree a component is a file (``sim/mobility/random_waypoint.py`` holds the mobility model ``random-waypoint``),
or a folder whose main file (``protocol.py`` for a protocol or router, ``scenario.py`` for a paper) holds its class.
Adding one is adding a file; there is no list to maintain. Files that start with an underscore and folders without a
main file are shared code, not components. ``roamcast.core.plugins`` finds the others.

Two sources may claim one name. That is an error only where the name is used.
"""

import ast
import importlib
import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import ModuleType
from typing import Any, Generic, TypeVar

from roamcast.core.errors import InvalidValueError, NameClashError, PluginError, UnknownNameError
from roamcast.core.plugins import PackagedComponent, PluginFile, packaged_components, plugin_files

T = TypeVar("T")
MAIN_FILES = ("protocol", "scenario")
"""The modules that hold a component's class where the component is a folder."""
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
"""The name of a component in a scenario."""
METRIC_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A component of this tree."""

    module: str

    @property
    def origin(self) -> str:
        """Return where the component comes from, for a person."""
        return "built in"


Source = BuiltIn | PackagedComponent | PluginFile
"""Where a component comes from."""


class Kind(ABC):
    """A kind of component, found by name in all sources."""

    topic: str
    """The word by which ``roamcast list`` knows the kind; its entry point group is ``roamcast.`` and this."""
    noun: str
    """The word for one component of the kind."""

    def names(self) -> tuple[str, ...]:
        """List the components."""
        packaged = {each.name for each in packaged_components(self.topic)}
        in_files = {name for file in plugin_files() for name in self._offered(file)}
        return tuple(sorted({*self._built_in(), *packaged, *in_files}))

    def source(self, name: str, where: str = "") -> Source:
        """Return where a component comes from; ``where`` is where a person named it, for errors."""
        given: Any = name
        if not isinstance(given, str):  # by a Python program
            raise InvalidValueError(where or self.noun, given, f"must be a name; known: {', '.join(self.names())}")
        found = self._sources(name)
        if not found:
            raise UnknownNameError(self.noun, name, self.names(), where)
        if len(found) > 1:
            raise NameClashError(self.noun, name, self.origins(name), where)
        return found[0]

    def origins(self, name: str) -> list[str]:
        """Return where all components of a name come from, for a person."""
        return [each.origin for each in self._sources(name)]

    def _sources(self, name: str) -> list[Source]:
        found: list[Source] = [BuiltIn(self._built_in()[name])] if name in self._built_in() else []
        found += [each for each in packaged_components(self.topic) if each.name == name]
        return [*found, *(file for file in plugin_files() for _ in self._offered(file).get(name, ()))]

    def _load(self, name: str, where: str) -> Any:
        source = self.source(name, where)
        if isinstance(source, BuiltIn):
            return self._load_built_in(source.module)
        if isinstance(source, PluginFile):
            loaded = self._offered(source)[name][0]
            self._check_complete(loaded, f"{source.path}: {name}")
            return loaded
        loaded = source.load()
        place = f"{source.origin}, {name} = {source.value}:"
        if not self.fits(loaded):
            raise PluginError(f"{place} is not a {self.noun} ({self._expected})")
        self._check_name(name, loaded, source)
        self._check_complete(loaded, place)
        return loaded

    def _check_complete(self, loaded: Any, where: str) -> None:
        """Complain of a plug-in's component that lacks attributes which every component of this kind has."""
        missing = [name for name in self._attributes if not hasattr(loaded, name)]
        if missing:
            raise PluginError(f"{where} is not a {self.noun}: {listed_missing(missing)}")

    def offers(self, file: PluginFile) -> bool:
        """Tell whether a plug-in file has components of this kind."""
        return bool(self._offered(file))

    def _offered(self, file: PluginFile) -> dict[str, list[Any]]:
        """Return the components of this kind that a plug-in file defines, by name; several of one name clash."""
        return _offered(self, file)

    @property
    @abstractmethod
    def _expected(self) -> str:
        """Say what a component of this kind is in Python."""

    @property
    @abstractmethod
    def _attributes(self) -> tuple[str, ...]:
        """Return the attributes that a component must have beside what makes it fit."""

    @abstractmethod
    def _built_in(self) -> Mapping[str, str]:
        """Return the modules of the components in this tree, by name."""

    @abstractmethod
    def _load_built_in(self, module: str) -> Any:
        """Return the component that a module of this tree holds."""

    @abstractmethod
    def fits(self, found: object) -> bool:
        """Tell whether an object is a component of this kind."""

    @abstractmethod
    def name_of(self, found: Any) -> str:
        """Return the name of a component that a plug-in file defines."""

    @abstractmethod
    def _check_name(self, name: str, loaded: Any, source: PackagedComponent) -> None:
        """Complain of an entry point's name that no scenario or table could use."""


@dataclass(frozen=True, slots=True)
class ComponentKind(Kind, Generic[T]):
    """A kind whose components are classes with a common base."""

    topic: str
    noun: str
    package: str
    """The package of this tree whose files hold components."""
    base: type[T]
    attributes: tuple[str, ...] = ()
    """Attributes of the class that have no default."""

    def load(self, name: str, where: str = "") -> type[T]:
        """Return a component's class, or say which names there are; ``where`` is where a person named it."""
        loaded: type[T] = self._load(name, where)
        return loaded

    @property
    def _expected(self) -> str:
        return f"a class derived from {self.base.__name__} with all its abstract methods"

    @property
    def _attributes(self) -> tuple[str, ...]:
        return self.attributes

    def _built_in(self) -> Mapping[str, str]:
        return component_modules(self.package)

    def _load_built_in(self, module: str) -> type[T]:
        found: type[T] = _only_class(importlib.import_module(module), self.base)  # type: ignore[arg-type]
        return found

    def fits(self, found: object) -> bool:
        """Tell whether an object is a class of this kind that can be used."""
        return isinstance(found, type) and issubclass(found, self.base) and not is_abstract(found)

    def incomplete(self, file: PluginFile) -> Iterator[str]:
        """Yield a line for each class in a plug-in file that would be a component if it had all abstract methods.

        A class from which another in the file derives is shared code.
        """
        own = [each for each in _own_values(file).values() if isinstance(each, type)]
        for cls in dict.fromkeys(own):
            is_shared = any(other is not cls and issubclass(other, cls) for other in own)
            if self.base in cls.__bases__ and is_abstract(cls) and not is_shared:
                yield f"{file.path}: {cls.__name__} is not a {self.noun}: {listed_missing(abstract_names(cls))}"

    def name_of(self, found: Any) -> str:
        """Return the class's name as a scenario writes it."""
        return kebab_case(found.__name__)

    def _check_name(self, name: str, loaded: Any, source: PackagedComponent) -> None:  # noqa: ARG002
        if not NAME.fullmatch(name):
            expected = "lower-case letters and digits, joined by hyphens"
            raise PluginError(f"{source.origin}, {name} = {source.value}: the name of a {self.noun} must be {expected}")


class _PluginMetrics(Kind):
    """Metrics of plug-ins: objects with a name, a unit and a function. Those of this tree have a table of their own."""

    topic = "metrics"
    noun = "metric"
    _expected = "an object with name, unit and function"
    _attributes = ("group", "description", "higher_is_better", "bounds", "label_with", "amounts", "value")
    """Those of ``roamcast.plugin.Metric`` that tables and axes use."""

    def load(self, name: str, where: str = "") -> object:
        """Return a plug-in's metric."""
        loaded: object = self._load(name, where)
        return loaded

    def _built_in(self) -> Mapping[str, str]:
        return {}

    def _load_built_in(self, module: str) -> object:
        raise NotImplementedError(module)

    def fits(self, found: object) -> bool:
        """Tell whether an object looks like a metric."""
        if isinstance(found, (type, ModuleType)) or not isinstance(getattr(found, "name", None), str):
            return False
        functions = (getattr(found, name, None) for name in ("function", "numerator"))
        return isinstance(getattr(found, "unit", None), str) and any(map(callable, functions))

    def name_of(self, found: Any) -> str:
        """Return the metric's own name."""
        return str(found.name)

    def _check_complete(self, loaded: Any, where: str) -> None:
        """Complain of an object that looks like a metric, and of a metric that says nothing about itself."""
        super()._check_complete(loaded, where)
        if not isinstance(loaded.description, str) or not loaded.description.strip():
            raise PluginError(f"{where}: description = {loaded.description!r}: must be a sentence about the metric")

    def _check_name(self, name: str, loaded: Any, source: PackagedComponent) -> None:
        if loaded.name != name or not METRIC_NAME.fullmatch(name):
            expected = f"must be its own name, '{loaded.name}', in lower-case letters, digits and underscores"
            raise PluginError(f"{source.origin}, {name} = {source.value}: the name of a metric {expected}")


PLUGIN_METRICS = _PluginMetrics()


@cache
def component_modules(package: str) -> dict[str, str]:
    """Return the module of every component of a package of this tree, by the component's name."""
    found = {}
    for entry in sorted(files(package).iterdir(), key=lambda entry: entry.name):
        module = _component_module(entry)
        if module is not None:
            found[module.partition(".")[0].replace("_", "-")] = f"{package}.{module}"
    return found


def _component_module(entry: Traversable) -> str | None:
    """Return the module, below its package, in which a file or folder holds a component; None: it holds none."""
    if entry.name.startswith("_"):
        return None
    if entry.is_file():
        return entry.name.removesuffix(".py") if entry.name.endswith(".py") else None
    main = next((name for name in MAIN_FILES if entry.joinpath(f"{name}.py").is_file()), None)
    return None if main is None else f"{entry.name}.{main}"


def is_abstract(cls: type[Any]) -> bool:
    """Tell whether a class leaves methods open, whether or not it derives from ``ABC``."""
    return bool(abstract_names(cls))


def abstract_names(cls: type[Any]) -> list[str]:
    """Return the methods that a class leaves open."""
    return [name for name in dir(cls) if getattr(getattr(cls, name, None), "__isabstractmethod__", False)]


def listed_missing(names: Sequence[str]) -> str:
    """Say which attributes are missing."""
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} missing"


def kebab_case(name: str) -> str:
    """Return a class's name as a scenario writes it: ``CoinToss`` is ``coin-toss``."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name)
    return "-".join(filter(None, re.split(r"[-_]", parted))).lower()


@cache
def _offered(kind: Kind, file: PluginFile) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for value in _own_values(file).values():
        if kind.fits(value):
            same = found.setdefault(kind.name_of(value), [])
            if not any(each is value for each in same):  # another name for the same object is no second component
                same.append(value)
    return found


def _own_values(file: PluginFile) -> dict[str, Any]:
    """Return the public values that a plug-in file defines and does not import."""
    module, imported = file.module(), set(_imported_names(ast.parse(file.source)))
    return {
        name: value
        for name, value in vars(module).items()
        if name not in imported
        and not name.startswith("_")
        and not (isinstance(value, type) and value.__module__ != module.__name__)
    }


def _imported_names(tree: ast.AST) -> Iterator[str]:
    """Yield the names that a file has from elsewhere: what it imports is not what it defines."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)


@cache
def _only_class(module: ModuleType, base: Any) -> Any:
    found = [
        cls
        for _, cls in inspect.getmembers(module, inspect.isclass)
        if issubclass(cls, base) and cls.__module__ == module.__name__ and not is_abstract(cls)
    ]
    if len(found) != 1:
        raise TypeError(f"{module.__name__} must define one {base.__name__}, it defines {len(found)}")
    return found[0]
