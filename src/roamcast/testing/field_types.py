"""The types of fields that messages are made of, taken apart, so that a test can fill a message it has never seen."""

from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NewType, Union, get_args, get_origin, get_type_hints

CONTAINERS: tuple[type[Any], ...] = (tuple, frozenset, list, set)


class UnknownFieldTypeError(TypeError):
    """Say that the test kit cannot make a value of a type."""

    def __init__(self, hint: Any) -> None:
        shown = getattr(hint, "__qualname__", None) or str(hint)
        super().__init__(
            f"cannot make a {shown}; messages consist of numbers, texts, bytes, enumerations, topics, events, "
            "interests, positions, and of dataclasses, named tuples, tuples and frozensets of these"
        )


def plain(hint: Any) -> Any:
    """Return the type behind ``Annotated`` and ``NewType``."""
    while get_origin(hint) is Annotated or isinstance(hint, NewType):
        hint = hint.__supertype__ if isinstance(hint, NewType) else get_args(hint)[0]
    return NoneType if hint is None else hint


def choices(hint: Any) -> tuple[Any, ...]:
    """Return the values of a ``Literal``, an enumeration or a truth value; nothing for any other type."""
    if get_origin(hint) is Literal:
        return get_args(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return tuple(hint)
    return (False, True) if hint is bool else ()


def alternatives(hint: Any) -> tuple[Any, ...]:
    """Return the types that are joined by ``|``; nothing for any other type."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else ()


def container(hint: Any) -> tuple[type[Any], tuple[Any, ...], bool] | None:
    """Return what a collection is, the types of its items, and whether it may have any number of them."""
    origin = get_origin(hint)
    if origin not in CONTAINERS:
        return None
    items = get_args(hint)
    if origin is not tuple:
        return origin, items, True
    return (tuple, items[:1], True) if items[-1:] == (Ellipsis,) else (tuple, items, False)


@cache
def field_types(hint: Any) -> dict[str, Any] | None:
    """Return the fields of a dataclass or named tuple, with their types; None for any other type."""
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        return {field.name: hints[field.name] for field in fields(hint) if field.init}
    if isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields"):
        hints = get_type_hints(hint)
        return {name: hints[name] for name in hint._fields}
    return None
