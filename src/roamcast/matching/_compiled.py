"""How the index's inner loops are compiled, and where the machine code is kept for later processes.

Numba's cache notices a change in the file of a function, not in the files of the functions that it calls. So the code
is kept in a folder named after the contents of all the files of compiled functions.
"""

import hashlib
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit
from numba.core import config

F = TypeVar("F", bound=Callable[..., Any])


def _digest() -> str:
    digest = hashlib.blake2b(digest_size=8)
    for file in sorted(files("roamcast.matching").iterdir(), key=lambda file: file.name):
        if file.name.endswith(".py") and file.name.startswith("_"):
            digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()


_CACHE_FOLDER = str(Path(__file__).parent / "__pycache__" / f"matching-{_digest()}")


def kernel(function: F) -> F:
    """Compile a function; where a folder beside the sources can be written, later processes load it instead."""
    compile_: Any = njit
    settings: Any = config
    before, settings.CACHE_DIR = settings.CACHE_DIR, _CACHE_FOLDER
    try:
        compiled = compile_(cache=True, error_model="numpy")(function)
    except (RuntimeError, OSError):  # imported from a zip file on a cluster's executor: there is no place for a cache
        compiled = compile_(error_model="numpy")(function)
    finally:
        settings.CACHE_DIR = before
    return cast(F, compiled)
