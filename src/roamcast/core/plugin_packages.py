"""The files of an installed plug-in: what is shipped to a cluster and what counts in the identity of its runs.

They are those of all packages and modules of the distribution that offers the plug-in. Of a namespace that several
distributions share they are only the parts that are its own: of ``acme.coins.protocol`` all of ``acme``, or all of
``acme.coins`` where ``acme`` is such a namespace.
"""

from collections.abc import Iterator
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from typing import Any

from roamcast.core.content_digest import content_digest
from roamcast.core.errors import PluginError
from roamcast.core.plugins import COMPILED_ENDINGS, PackagedComponent

_LEFT_OUT = (".pyc", ".pyo", *COMPILED_ENDINGS)


def package_files(component: PackagedComponent) -> tuple[tuple[str, bytes], ...]:
    """Return the paths and contents of a plug-in's files, in order; compiled modules count by the version alone."""
    return tuple(sorted({file for spec in _roots(component) for file in _contents_of(spec.name, spec.origin or "")}))


def package_digest(component: PackagedComponent) -> str:
    """Return the fingerprint of a plug-in's code: its package, its version and its files."""
    return f"{component.package} {component.version} {content_digest(package_files(component))}"


def is_compiled(component: PackagedComponent) -> bool:
    """Tell whether a plug-in has modules that only fit the machine that they were made for."""
    return any(map(_is_compiled, _roots(component)))


def root_names(component: PackagedComponent) -> tuple[str, ...]:
    """Return the names of the outermost packages and modules that belong to a plug-in."""
    return tuple(spec.name for spec in _roots(component))


def _roots(component: PackagedComponent) -> list[ModuleSpec]:
    """Return the package or module that holds the plug-in, then the others of its distribution that are there."""
    own = _own_root(component)
    others = (_found(name) for name in component.roots if name != own.name)
    return [own, *(spec for spec in others if spec is not None and spec.origin is not None)]


def _own_root(component: PackagedComponent) -> ModuleSpec:
    parts = component.module.split(".")
    for depth in range(1, len(parts) + 1):
        name = ".".join(parts[:depth])
        spec = _found(name)
        if spec is None:
            raise PluginError(f"{component.origin}, {component.name} = {component.value}: there is no module {name}")
        if spec.origin is not None:  # a namespace has none
            return spec
    raise PluginError(f"{component.origin}, {component.name} = {component.value}: names no module")


def _found(name: str) -> ModuleSpec | None:
    try:
        return find_spec(name)
    except (ImportError, ValueError):
        return None


def _is_compiled(spec: ModuleSpec) -> bool:
    if spec.submodule_search_locations is None:
        return bool(spec.origin and spec.origin.endswith(COMPILED_ENDINGS))
    return any(path.endswith(COMPILED_ENDINGS) for path, _ in _below(_folder(spec), ""))


@cache
def _contents_of(name: str, origin: str) -> tuple[tuple[str, bytes], ...]:
    path = name.replace(".", "/")
    spec = find_spec(name)
    assert spec is not None
    if spec.submodule_search_locations is not None:
        found = sorted(_below(_folder(spec), path), key=lambda each: each[0])
        return tuple((path, file.read_bytes()) for path, file in found if not path.endswith(_LEFT_OUT))
    loader: Any = spec.loader
    if origin.endswith(_LEFT_OUT) or not hasattr(loader, "get_data"):
        return ()
    return ((f"{path}.py", loader.get_data(origin)),)


def _folder(spec: ModuleSpec) -> Traversable:
    """Return a package's folder, in a zip or not, without importing the package if its loader can do so."""
    loader: Any = spec.loader
    reader = loader.get_resource_reader(spec.name) if hasattr(loader, "get_resource_reader") else None
    folder: Traversable = files(spec.name) if reader is None else reader.files()
    return folder


def _below(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.name.startswith(".") or entry.name == "__pycache__":
            continue
        below = f"{path}/{entry.name}"
        if entry.is_dir():
            yield from _below(entry, below)
        else:
            yield below, entry
