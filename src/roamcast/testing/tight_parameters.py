"""Parameters under which every table of a protocol holds only a few entries, so that tests soon fill them."""

from dataclasses import is_dataclass, replace
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from roamcast.core.host import PubSub
from roamcast.core.parameters import Limit

NOT_TABLES = ("_bytes_max", "_s_max", "hops_max")
"""Fields that limit a size, a time or a distance, not the number of entries of a table."""
LARGER_LIMITS = tuple(2**power for power in range(3, 11))
"""Tried in turn where a parameter allows no table as small as that."""


def tight_parameters(protocol: type[PubSub], limit: int = 5) -> Any:
    """Return a protocol's parameters with ``limit`` in every field that ends in ``_max``, a router's fields included.

    Where a field does not allow so little, it gets the least power of two that it allows.
    """
    return _tightened(protocol.Parameters(), limit)


def _tightened(parameters: Any, limit: int) -> Any:
    for name, hint in get_type_hints(type(parameters), include_extras=True).items():
        value = getattr(parameters, name, None)
        if is_dataclass(value) and not isinstance(value, type):
            parameters = replace(parameters, **{name: _tightened(value, limit)})
        elif name.endswith("_max") and not name.endswith(NOT_TABLES) and isinstance(value, int):
            parameters = _with_limit(parameters, name, hint, limit)
    return parameters


def _with_limit(parameters: Any, name: str, hint: Any, limit: int) -> Any:
    marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    for tried in (limit, *LARGER_LIMITS):
        if all(mark.holds(tried) for mark in marks if isinstance(mark, Limit)):
            try:
                return replace(parameters, **{name: tried})
            except ValueError:  # it does not fit the other parameters
                continue
    return parameters
