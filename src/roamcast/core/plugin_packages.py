"""The files of an installed plug-in: what is shipped to a cluster and what counts in the identity of its runs.

They are those of the outermost package, or the one module, that holds the plug-in: of ``acme.coins.protocol`` all of
``acme``, or all of ``acme.coins`` where ``acme`` is a namespace that several distributions share.
"""

from collections.abc import Iterator
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from typing import Any

from roamcast.core.errors import PluginError
from roamcast.core.plugins import PackagedComponent

COMPILED_ENDINGS = (".so", ".pyd", ".dll", ".dylib")
_LEFT_OUT = (".pyc", ".pyo", *COMPILED_ENDINGS)


def package_files(component: PackagedComponent) -> tuple[tuple[str, bytes], ...]:
    """Return the paths and contents of a plug-in's files, in order; compiled modules count by the version alone."""
    return _contents(_root(component))


def is_compiled(component: PackagedComponent) -> bool:
    """Tell whether a plug-in has modules that only fit the machine that they were made for."""
    spec = _root(component)
    if spec.submodule_search_locations is None:
        return bool(spec.origin and spec.origin.endswith(COMPILED_ENDINGS))
    return any(path.endswith(COMPILED_ENDINGS) for path, _ in _below(files(spec.name), ""))


def root_name(component: PackagedComponent) -> str:
    """Return the name of the outermost package or module that belongs to a plug-in."""
    return _root(component).name


def _root(component: PackagedComponent) -> ModuleSpec:
    parts = component.module.split(".")
    for depth in range(1, len(parts) + 1):
        name = ".".join(parts[:depth])
        try:
            spec = find_spec(name)
        except (ImportError, ValueError):
            spec = None
        if spec is None:
            raise PluginError(f"{component.origin}, {component.name} = {component.value}: there is no module {name}")
        if spec.origin is not None:  # a namespace has none
            return spec
    raise PluginError(f"{component.origin}, {component.name} = {component.value}: names no module")


def _contents(spec: ModuleSpec) -> tuple[tuple[str, bytes], ...]:
    return _contents_of(spec.name, spec.origin or "")


@cache
def _contents_of(name: str, origin: str) -> tuple[tuple[str, bytes], ...]:
    path = name.replace(".", "/")
    spec = find_spec(name)
    assert spec is not None
    if spec.submodule_search_locations is not None:
        found = sorted(_below(files(name), path), key=lambda each: each[0])
        return tuple((path, file.read_bytes()) for path, file in found if not path.endswith(_LEFT_OUT))
    loader: Any = spec.loader
    if origin.endswith(_LEFT_OUT) or not hasattr(loader, "get_data"):
        return ()
    return ((f"{path}.py", loader.get_data(origin)),)


def _below(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.name.startswith(".") or entry.name == "__pycache__":
            continue
        below = f"{path}/{entry.name}"
        if entry.is_dir():
            yield from _below(entry, below)
        else:
            yield below, entry
