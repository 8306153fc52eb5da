"""Components found by their file: ``sim/mobility/random_waypoint.py`` holds the mobility ``random-waypoint``.

Adding a component is adding a file; there is no list to keep.
"""

import importlib
import inspect
import pkgutil
from functools import cache
from types import ModuleType
from typing import TypeVar

from roamcast.core.errors import UnknownNameError

T = TypeVar("T")


@cache
def component_names(package: str) -> tuple[str, ...]:
    """List the components of a package by the names of its files."""
    module = importlib.import_module(package)
    names = (each.name for each in pkgutil.iter_modules(module.__path__))
    return tuple(sorted(name.replace("_", "-") for name in names if not name.startswith("_")))


def load_component(package: str, name: str, kind: type[T], what: str, place: str = "") -> type[T]:
    """Return the one class of ``kind`` in the file that ``name`` stands for."""
    if name not in component_names(package):
        raise UnknownNameError(what, name, component_names(package), place)
    module = importlib.import_module(f"{package}.{name.replace('-', '_')}")
    return _only_class(module, kind)


def _only_class(module: ModuleType, kind: type[T]) -> type[T]:
    found = [
        each
        for _, each in inspect.getmembers(module, inspect.isclass)
        if issubclass(each, kind) and each.__module__ == module.__name__ and not inspect.isabstract(each)
    ]
    if len(found) != 1:
        raise TypeError(f"{module.__name__} must define one {kind.__name__}, it defines {len(found)}")
    return found[0]
