"""Components found by their files: ``sim/mobility/random_waypoint.py`` holds the mobility model ``random-waypoint``.

A component is a file, or a folder whose main file (``protocol.py`` for a protocol or router, ``scenario.py`` for a
paper) holds its class. Adding one is adding a file; there is no list to maintain. Files that start with an underscore
and folders without a main file are shared code, not components.
"""

import importlib
import inspect
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import ModuleType
from typing import TypeVar

from roamcast.core.errors import UnknownNameError

T = TypeVar("T")
MAIN_FILES = ("protocol", "scenario")
"""The modules that hold a component's class where the component is a folder."""


@cache
def component_modules(package: str) -> dict[str, str]:
    """Return the module of every component of a package, by the component's name."""
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


def component_names(package: str) -> tuple[str, ...]:
    """List the components of a package."""
    return tuple(sorted(component_modules(package)))


def load_component(package: str, name: str, kind: type[T], what: str, place: str = "") -> type[T]:
    """Return the one class of ``kind`` in the module that ``name`` stands for."""
    if name not in component_modules(package):
        raise UnknownNameError(what, name, component_names(package), place)
    return _only_class(importlib.import_module(component_modules(package)[name]), kind)


def _only_class(module: ModuleType, kind: type[T]) -> type[T]:
    found = [
        each
        for _, each in inspect.getmembers(module, inspect.isclass)
        if issubclass(each, kind) and each.__module__ == module.__name__ and not inspect.isabstract(each)
    ]
    if len(found) != 1:
        raise TypeError(f"{module.__name__} must define one {kind.__name__}, it defines {len(found)}")
    return found[0]
