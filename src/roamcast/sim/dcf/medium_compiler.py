"""Decorators that compile the medium's inner loop with Numba (see ``core/compiled``)."""

from collections.abc import Callable
from typing import Any, TypeVar

from roamcast.core.compiled import Compiler

F = TypeVar("F", bound=Callable[..., Any])

_COMPILER = Compiler("roamcast.sim.dcf", "roamcast.sim.radio")
LAST_COMPILED = "clear_wake"
"""The function that a medium compiles last. If the process ends before that, something is left to compile."""


def has_compiled() -> bool:
    """Tell whether an earlier process has compiled the inner loop, so that this one need not."""
    return _COMPILER.has_compiled(f"entry_points.{LAST_COMPILED}")


def compiled(function: F) -> F:
    """Compile a function that works on existing arrays and allocates none.

    Reference counting is off (``_nrt=False``): it would cost an atomic operation for each array that a function
    touches, more than everything else together. The function is inlined into its caller (``forceinline``): passing all
    arrays on, at each node that a frame reaches, took half of the medium's time.
    """
    return _COMPILER.compile(function, _nrt=False, forceinline=True)


def entry(function: F) -> F:
    """Compile a function that Python calls, or one that makes arrays of memory, which Numba allows in no other."""
    return _COMPILER.compile(function, forceinline=True)
