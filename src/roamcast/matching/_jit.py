"""How the index's inner loops are compiled (``core/compiled``)."""

from collections.abc import Callable
from typing import Any, TypeVar

from roamcast.core.compiled import Compiler

F = TypeVar("F", bound=Callable[..., Any])

_COMPILER = Compiler(__file__, ("roamcast.matching",))


def kernel(function: F) -> F:
    """Compile a function, which may make arrays."""
    return _COMPILER.compile(function)
