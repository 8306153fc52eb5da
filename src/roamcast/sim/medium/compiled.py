"""How the medium's inner loop is compiled, and where the machine code is kept for later processes.

Numba's cache notices a change in the file of a function, not in the files of the functions that it calls. So the code
is kept in a folder named after the contents of all the files that take part.
"""

import hashlib
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit
from numba.core import config

F = TypeVar("F", bound=Callable[..., Any])

_SOURCES = ("roamcast.sim.medium", "roamcast.sim.radio", "roamcast.sim.mac")


def _digest() -> str:
    digest = hashlib.blake2b(digest_size=8)
    for package in _SOURCES:
        for file in sorted(files(package).iterdir(), key=lambda file: file.name):
            if file.name.endswith(".py"):
                digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()


_CACHE_FOLDER = str(Path(__file__).parent / "__pycache__" / f"medium-{_digest()}")


def kernel(function: F) -> F:
    """Compile a function that only works on arrays which others hold: it may not make any.

    So nothing needs to count who holds an array (``_nrt``), which else takes longer than all the rest: a count is
    an atomic operation, for each array that a function looks at.
    """
    return _compiled(function, _nrt=False)


def entry(function: F) -> F:
    """Compile a function that Python calls with the whole state, for which arrays have to be counted."""
    return _compiled(function)


def _compiled(function: F, **options: Any) -> F:
    """Compile a function; where a folder beside the sources can be written, later processes load it instead."""
    compile_: Any = njit
    settings: Any = config
    before, settings.CACHE_DIR = settings.CACHE_DIR, _CACHE_FOLDER
    try:
        compiled = compile_(cache=True, error_model="numpy", **options)(function)
    except (RuntimeError, OSError):  # imported from a zip file on a cluster's executor: there is no place for a cache
        compiled = compile_(error_model="numpy", **options)(function)
    finally:
        settings.CACHE_DIR = before
    return cast(F, compiled)
