"""How inner loops are compiled, and where the machine code is kept for later processes.

Numba's cache notices a change in the file of a function, not in the files of the functions that it calls. So the code
is kept in a folder named after the contents of all the files that take part.
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
    """Compiles the functions of some packages, and keeps the code beside the file that made it."""

    def __init__(self, made_by: str, packages: Sequence[str]) -> None:
        here = Path(made_by).parent
        self._cache_folder = str(here / "__pycache__" / f"{here.name}-{_digest(packages)}")

    def has_compiled(self, function: str) -> bool:
        """Tell whether a function (``module.name``) was compiled of these very files, and need not be waited for."""
        return any(Path(self._cache_folder).rglob(f"{function}-*.nbc"))

    def compile(self, function: F, **options: Any) -> F:
        """Compile a function; where a folder beside the sources can be written, later processes load it instead."""
        compile_: Any = njit
        settings: Any = config
        before, settings.CACHE_DIR = settings.CACHE_DIR, self._cache_folder
        try:
            compiled = compile_(cache=True, error_model="numpy", **options)(function)
        except (RuntimeError, OSError):  # imported from a zip file on a cluster's executor: no place for a cache
            compiled = compile_(error_model="numpy", **options)(function)
        finally:
            settings.CACHE_DIR = before
        return cast(F, compiled)


def _digest(packages: Sequence[str]) -> str:
    entries = [entry for package in packages for entry in sorted(files(package).iterdir(), key=lambda each: each.name)]
    return content_digest((entry.name, entry.read_bytes()) for entry in entries if entry.name.endswith(".py"))
