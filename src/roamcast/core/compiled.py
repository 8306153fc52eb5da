"""Compiling inner loops with Numba, and caching the machine code for later processes.

Numba's cache notices a change in a function's own file, but not in the files of the functions that it calls; and it
takes a file in a zip, as on a cluster's executor, for another one in each application. So the cache folder is
named after the digest of all files involved, and nothing else decides whether code is current.
"""

from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit
from numba.core import config

from roamcast.core.cache_folder import cache_folder
from roamcast.core.content_digest import content_digest

F = TypeVar("F", bound=Callable[..., Any])


class Compiler:
    """Compiles the functions of some packages and caches the code on this machine."""

    def __init__(self, *packages: str) -> None:
        name = packages[0].rpartition(".")[2]
        folder = cache_folder()
        self._cache_folder = folder / "compiled" / f"{name}-{_digest(packages)}" if folder else None

    def has_compiled(self, function: str) -> bool:
        """Tell whether the cache has a function (``module.name``) compiled from the current files."""
        return self._cache_folder is not None and any(self._cache_folder.rglob(f"{function}-*.nbc"))

    def compile(self, function: F, **options: Any) -> F:
        """Compile a function; if the cache folder is writable, later processes load it from there."""
        compile_: Any = njit
        settings: Any = config
        before = settings.CACHE_DIR, settings.CACHE_LOCATOR_CLASSES
        settings.CACHE_DIR = str(self._cache_folder or "")
        settings.CACHE_LOCATOR_CLASSES = f"{CacheLocator.__module__}.{CacheLocator.__qualname__}"
        try:
            compiled = compile_(cache=self._cache_folder is not None, error_model="numpy", **options)(function)
        finally:
            settings.CACHE_DIR, settings.CACHE_LOCATOR_CLASSES = before
        return cast(F, compiled)


class CacheLocator:
    """Tells Numba where a function's machine code belongs; the interface is that of Numba's own locators."""

    def __init__(self, folder: Path, line: int) -> None:
        self._folder = folder
        self._line = line

    @classmethod
    def from_function(cls, function: Any, path: str) -> "CacheLocator":
        """Return the locator of a function that was read from a path."""
        settings: Any = config
        return cls(Path(settings.CACHE_DIR, Path(path).parent.name), function.__code__.co_firstlineno)

    def get_cache_path(self) -> str:
        """Return the folder for its machine code."""
        return str(self._folder)

    def ensure_cache_path(self) -> None:
        """Make the folder."""
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_source_stamp(self) -> str:
        """Return what changes with the source: nothing but the folder's name."""
        return ""

    def get_disambiguator(self) -> str:
        """Return what tells functions of the same name in a file apart."""
        return str(self._line)


def _digest(packages: Sequence[str]) -> str:
    entries = [entry for package in packages for entry in sorted(files(package).iterdir(), key=lambda file: file.name)]
    return content_digest((entry.name, entry.read_bytes()) for entry in entries if entry.name.endswith(".py"))
