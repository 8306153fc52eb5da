"""How the medium's inner loop is compiled (``core/compiled``)."""

from collections.abc import Callable
from typing import Any, TypeVar

from roamcast.core.compiled import Compiler

F = TypeVar("F", bound=Callable[..., Any])

_COMPILER = Compiler(__file__, ("roamcast.sim.dcf", "roamcast.sim.radio"))
LAST = "clear_wake"
"""The function that a medium compiles last: whoever ends the process meanwhile has not compiled all."""


def has_compiled() -> bool:
    """Tell whether the inner loop has been compiled before and need not be again."""
    return _COMPILER.has_compiled(f"entry_points.{LAST}")


def compiled(function: F) -> F:
    """Compile a function that only works on arrays which others hold: it may not make any.

    So nothing needs to count who holds an array (``_nrt``), which else takes longer than all the rest: a count is
    an atomic operation, for each array that a function looks at. And it becomes a part of whoever calls it
    (``forceinline``): handing on all arrays, at each node that a frame reaches, took half of the medium's time.
    """
    return _COMPILER.compile(function, _nrt=False, forceinline=True)


def entry(function: F) -> F:
    """Compile a function that Python calls with the whole state, for which arrays have to be counted."""
    return _COMPILER.compile(function)
