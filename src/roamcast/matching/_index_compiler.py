"""Decorators that compile the index's inner loops with Numba (see ``core/compiled``)."""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

from roamcast.core.compiled import Compiler

F = TypeVar("F", bound=Callable[..., Any])

_COMPILER = Compiler("roamcast.matching")


def compiled(function: F) -> F:
    """Compile a function, which may allocate arrays."""
    return _COMPILER.compile(function)


def inlined(function: F) -> F:
    """Compile a function that works on existing arrays and becomes part of its callers.

    Counting references to two dozen arrays and passing them on took more time than matching against 10,000
    subscriptions.
    """
    return _COMPILER.compile(function, _nrt=False, forceinline=True)


def entry_point(function: Any, *arguments: Any) -> Callable[..., Any]:
    """Return the compiled code for arguments of these types, which saves each call the lookup of their types."""
    type_of: Any = numba.typeof
    signature = tuple(type_of(argument) for argument in arguments)
    function.compile(signature)
    code: Callable[..., Any] = function.overloads[signature].entry_point
    return code
