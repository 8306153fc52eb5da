"""Compiling inner loops with Numba, and caching the machine code for later processes.

Numba's cache notices a change in a function's own file, but not in the files of the functions that it calls. So the
cache folder is named after the digest of all files involved.
"""

from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit
from numba.core import config

from roamcast.core.content_digest import content_digest

F = TypeVar("F", bound=Callable[..., Any])


class Compiler:
    """Compiles the functions of some packages and caches the code next to the module that creates the compiler."""

    def __init__(self, module_file: str, packages: Sequence[str]) -> None:
        here = Path(module_file).parent
        self._cache_folder = str(here / "__pycache__" / f"{here.name}-{_digest(packages)}")

    def has_compiled(self, function: str) -> bool:
        """Tell whether the cache has a function (``module.name``) compiled from the current files."""
        return any(Path(self._cache_folder).rglob(f"{function}-*.nbc"))

    def compile(self, function: F, **options: Any) -> F:
        """Compile a function; if the cache folder is writable, later processes load it from there."""
        compile_: Any = njit
        settings: Any = config
        before, settings.CACHE_DIR = settings.CACHE_DIR, self._cache_folder
        try:
            compiled = compile_(cache=True, error_model="numpy", **options)(function)
        except (RuntimeError, OSError):  # imported from a zip file on a cluster's executor, so no cache
            compiled = compile_(error_model="numpy", **options)(function)
        finally:
            settings.CACHE_DIR = before
        return cast(F, compiled)


def _digest(packages: Sequence[str]) -> str:
    entries = [entry for package in packages for entry in sorted(files(package).iterdir(), key=lambda file: file.name)]
    return content_digest((entry.name, entry.read_bytes()) for entry in entries if entry.name.endswith(".py"))
