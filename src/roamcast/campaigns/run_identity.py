"""A fingerprint of the code that decides a run, so that results of old code are never taken for those of new code.

The version alone cannot tell: the author of a protocol changes it many times between two releases. A run is decided by
the engine, which is the same for all, and by the components that its scenario names: its mobility, radio and workload
models and its protocol, each with all that it imports and the routers that it loads. So editing a protocol makes new
runs of that protocol, and editing the medium makes new runs of everything.

A plug-in counts with all files of its package, or with its one file. What it imports from other people's packages does
not count, as NumPy's version does not.
"""

import json
from collections.abc import Iterable, Iterator
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from roamcast.campaigns.scenario_choices import CHOICES
from roamcast.campaigns.source_closure import ANY_ROUTER, FOLLOWED, PACKAGE, Reached, SourceTree
from roamcast.core.components import BuiltIn, ComponentKind, Source
from roamcast.core.content_digest import content_digest
from roamcast.core.errors import UserError
from roamcast.core.plugin_packages import package_digest, package_files
from roamcast.core.plugins import PackagedComponent, PluginFile, Plugins, known_plugins
from roamcast.routing import ROUTERS

ENGINE_PARTS = ("core", "sim")
"""The folders of the engine; of the folders of components in them, only ``__init__.py`` is of it."""
MAPS = "sim/maps/"
"""The street maps are no part of the engine: a scenario that uses one has the digest of its text (``map_digest``)."""
ENGINE_FILES = (
    "campaigns/checked_scenario.py",
    "campaigns/scenario_choices.py",
    "campaigns/scenario_tables.py",
)
"""From a scenario's text to what the simulator is given. How that text came about does not matter: it is in the id."""
_COMPONENT_FOLDERS = tuple(
    kind.package.removeprefix(f"{PACKAGE}.").replace(".", "/")
    for kind in (ROUTERS, *(choice.kind for choice in CHOICES.values()))
    if kind is not None  # the MAC is engine
)
"""Code that components share is followed from each of them; the base class that all have is in the ``__init__.py``."""


def is_engine(path: str) -> bool:
    """Tell whether a file, by its path below the package, counts for every run."""
    folder, _, name = path.rpartition("/")
    if path in ENGINE_FILES:
        return True
    if path.startswith(MAPS) and not path.endswith(".py"):
        return False
    if folder.startswith(_COMPONENT_FOLDERS):
        return name == "__init__.py" and folder in _COMPONENT_FOLDERS
    return path.startswith(tuple(f"{part}/" for part in ENGINE_PARTS))


class CodeIdentity:
    """The fingerprints of the engine and of components, of roamcast's files as they are below a folder."""

    def __init__(self, root: Traversable) -> None:
        self._root = root
        self._digests: dict[tuple[str, str, Plugins], str] = {}

    @cached_property
    def _tree(self) -> SourceTree:
        return SourceTree(self._root, (*FOLLOWED, "campaigns"))

    @cached_property
    def engine(self) -> str:
        """Return the fingerprint of the engine."""
        return self._digest_of(filter(is_engine, self._tree.files))

    def component(self, kind: ComponentKind[Any], name: str, place: str = "") -> str:
        """Return the fingerprint of a component and of everything that it depends on besides the engine."""
        key = (kind.topic, name, known_plugins())
        if key not in self._digests:
            kind.source(name, place)  # which says what there is
            self._digests[key] = self._component(kind, name)
        return self._digests[key]

    def _component(self, kind: ComponentKind[Any], name: str) -> str:
        used = list(self.used_sources(kind, name))
        paths = {path for _, reached, _ in used for path in reached.files if not is_engine(path)}
        outside = sorted(digest for _, _, digest in used if digest)
        return content_digest((each, b"") for each in (self._digest_of(paths), *outside))

    def used_sources(self, kind: ComponentKind[Any], name: str) -> Iterator[tuple[Source, Reached, str]]:
        """Yield a component's source and those of the routers that it loads by name.

        With each comes what it leads to in roamcast, and a plug-in's own fingerprint.
        """
        seen = set[tuple[str, str]]()
        waiting = [(kind, name)]
        while waiting:
            here, called = waiting.pop()
            if (here.topic, called) in seen:
                continue
            seen.add((here.topic, called))
            try:
                source = here.source(called)
            except UserError:  # a router that is not there, or twice: a run that asks for it will say so
                continue
            reached, digest = self._followed(here, source)
            yield source, reached, digest
            waiting += [(ROUTERS, router) for router in sorted(_routers(reached.routers))]

    def _followed(self, kind: ComponentKind[Any], source: Source) -> tuple[Reached, str]:
        if isinstance(source, BuiltIn):
            return self._tree.follow(self._tree.own_files(kind.package, source.module), stop=is_engine), ""
        if isinstance(source, PluginFile):
            return self._tree.follow((), [source.source], is_engine), content_digest([("", source.source)])
        own = package_files(source)
        modules = [content for path, content in own if path.endswith(".py")]
        return self._tree.follow((), modules, is_engine), package_digest(source)

    def _digest_of(self, paths: Iterable[str]) -> str:
        return content_digest((path, self._tree.files[path]) for path in sorted(paths))


@cache
def installed_code() -> CodeIdentity:
    """Return the fingerprints of the code that runs here; each is computed once in a process."""
    return CodeIdentity(files(PACKAGE))


def code_of(scenario_json: str, code: CodeIdentity | None = None) -> str:
    """Return the fingerprint of all code that decides a run of a scenario."""
    if code is not None:
        return _code_of(scenario_json, code)
    return _installed_code_of(scenario_json, known_plugins())


def chosen_components(scenario_json: str) -> list[tuple[ComponentKind[Any], str]]:
    """Return the components that a scenario names."""
    try:
        document = json.loads(scenario_json)
    except ValueError:  # a plan that somebody has edited; whoever reads the scenario will say so
        return []
    tables = document if isinstance(document, dict) else {}
    chosen = []
    for table, choice in CHOICES.items():
        name = tables[table].get(choice.chooser) if isinstance(tables.get(table), dict) else None
        chosen += [(choice.kind, name)] if choice.kind is not None and isinstance(name, str) else []
    return chosen


def packages_of(scenario_json: str) -> set[PackagedComponent]:
    """Return the components of installed packages that a scenario uses, routers that are loaded by name included."""
    code = installed_code()
    chosen = chosen_components(scenario_json)
    sources = [source for kind, name in chosen for source, _, _ in code.used_sources(kind, name)]
    return {source for source in sources if isinstance(source, PackagedComponent)}


@lru_cache(maxsize=1024)
def _installed_code_of(scenario_json: str, plugins: Plugins) -> str:  # noqa: ARG001 - a plug-in more is another answer
    return _code_of(scenario_json, installed_code())


def _code_of(scenario_json: str, code: CodeIdentity) -> str:
    components = [f"{kind.topic} {code.component(kind, name)}" for kind, name in chosen_components(scenario_json)]
    return content_digest((each, b"") for each in (code.engine, *components))


def _routers(names: Iterable[str]) -> set[str]:
    """Return the routers that are loaded by some names; where a name is not known before the run, all of them."""
    return {router for name in names for router in (ROUTERS.names() if name == ANY_ROUTER else (name,))}
