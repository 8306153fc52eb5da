"""Parameters of components: frozen dataclasses filled from a table of a scenario file.

The limits stand in the type (``Annotated[float, GREATER_THAN_ZERO]``), so that one function checks every
component's table and every mistake gets the same kind of line.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from roamcast.core.errors import InvalidValueError, UserError
from roamcast.core.topics import InvalidTopicError, Topic

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limit:
    """What a value must satisfy, and how to say so to a person."""

    holds: Callable[[Any], bool]
    expected: str


GREATER_THAN_ZERO = Limit(lambda value: value > 0, "must be greater than 0")
AT_LEAST_ZERO = Limit(lambda value: value >= 0, "must be at least 0")
FRACTION = Limit(lambda value: 0 <= value <= 1, "must be between 0 and 1")


def at_most(limit: float) -> Limit:
    """Return the limit that a value does not exceed ``limit``."""
    return Limit(lambda value: value <= limit, f"must be at most {limit:g}")


def one_of(*names: str) -> Limit:
    """Return the limit that a value is one of a few words."""
    return Limit(lambda value: value in names, "must be one of " + ", ".join(f'"{name}"' for name in names))


class ParameterError(ValueError):
    """Say, from a dataclass's ``__post_init__``, that a field does not fit the others."""

    def __init__(self, key: str, expected: str) -> None:
        super().__init__(f"{key}: {expected}")
        self.key = key
        self.expected = expected


def build(cls: type[T], table: Mapping[str, Any], place: str) -> T:
    """Make an instance of a parameter dataclass from a scenario's table, or say what is wrong where."""
    hints = get_type_hints(cls, include_extras=True)
    known = {each.name: each for each in fields(cls) if each.init}  # type: ignore[arg-type]
    for key in table:
        if key not in known:
            expected = "known keys: " + ", ".join(sorted(known)) if known else "takes no keys"
            raise InvalidValueError(f"{place} {key}", table[key], f"unknown key; {expected}")
    values: dict[str, Any] = {}
    for key, each in known.items():
        if key in table:
            values[key] = coerce(hints[key], table[key], f"{place} {key}")
        elif each.default is MISSING and each.default_factory is MISSING:
            raise UserError(f"{place} {key}: missing; {_type_name(hints[key])} is needed")
    try:
        return cls(**values)
    except ParameterError as error:
        shown = table.get(error.key, getattr(known.get(error.key), "default", None))
        raise InvalidValueError(f"{place} {error.key}", shown, error.expected) from None


def coerce(hint: Any, value: Any, place: str) -> Any:
    """Return ``value`` as the annotated type, or say what was expected."""
    if get_origin(hint) is Annotated:
        base, *limits = get_args(hint)
        result = coerce(base, value, place)
        for limit in limits:
            if result is not None and isinstance(limit, Limit) and not limit.holds(result):
                raise InvalidValueError(place, value, limit.expected)
        return result
    if get_origin(hint) in (Union, UnionType):
        if value is None:
            return None
        (inner,) = (each for each in get_args(hint) if each is not NoneType)
        return coerce(inner, value, place)
    if get_origin(hint) is tuple:
        return _coerce_tuple(hint, value, place)
    return _coerce_scalar(hint, value, place)


def _coerce_tuple(hint: Any, value: Any, place: str) -> tuple[Any, ...]:
    kinds = get_args(hint)
    if not isinstance(value, (list, tuple)):
        raise InvalidValueError(place, value, f"must be {_type_name(hint)}")
    if kinds[-1] is Ellipsis:
        return tuple(coerce(kinds[0], item, f"{place}[{number}]") for number, item in enumerate(value))
    if len(value) != len(kinds):
        raise InvalidValueError(place, value, f"must be {_type_name(hint)}")
    return tuple(coerce(kind, item, place) for kind, item in zip(kinds, value, strict=True))


def _coerce_scalar(hint: Any, value: Any, place: str) -> Any:
    if hint is Topic:
        try:
            return value if isinstance(value, Topic) else Topic(str(value))
        except InvalidTopicError as error:
            raise InvalidValueError(place, value, str(error)) from None
    fits = isinstance(value, hint) and not (hint is not bool and isinstance(value, bool))
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if hint is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if not fits:
        raise InvalidValueError(place, value, f"must be {_type_name(hint)}")
    if hint is float and not math.isfinite(value):
        raise InvalidValueError(place, value, "must be a finite number")
    return value


_NAMES = {float: "a number", int: "a whole number", str: "a text", bool: "true or false", Topic: "a topic"}


def _type_name(hint: Any) -> str:
    """Name a type as a person would."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _type_name(arguments[0])
    if origin in (Union, UnionType):
        return _type_name(arguments[0])
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return f"a list, each {_type_name(arguments[0])}"
        return f"a list of {len(arguments)}, each {_type_name(arguments[0])}"
    return _NAMES.get(hint, getattr(hint, "__name__", str(hint)))
