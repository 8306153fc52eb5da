"""A decorator that compiles the index's inner loops with Numba (see ``core/compiled``)."""

from collections.abc import Callable
from typing import Any, TypeVar

from roamcast.core.compiled import Compiler

F = TypeVar("F", bound=Callable[..., Any])

_COMPILER = Compiler("roamcast.matching")


def compiled(function: F) -> F:
    """Compile a function, which may allocate arrays."""
    return _COMPILER.compile(function)
