"""Typed attributes: an event's content besides its topic. Each is a number, a text or a truth value.

They are checked once, when they are made, so that matching need not check again: a number is finite, a text can be
encoded, and a name can be written in a predicate (``roamcast.core.predicates``).
"""

import math
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final, NoReturn, Self

from roamcast.core.errors import InvalidValueError

AttributeValue = float | str | bool
"""Integers count as numbers; truth values do not, although in Python they are."""

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
NAME_LENGTH_MAX = 64
TEXT_LENGTH_MAX = 4096
"""The longest text of an event, in characters, so that a peer cannot make us store more."""
ATTRIBUTES_MAX = 64
"""The largest number of attributes of an event."""
RESERVED = frozenset(
    {"topic", "and", "or", "not", "in", "between", "starts", "with", "present", "missing"}
    | {"true", "false", "anything", "nothing"}
)
"""The words of the predicate language; a predicate could not refer to an attribute with such a name."""


class AttributeType(StrEnum):
    """The type of a value, named as in a scenario."""

    NUMBER = "number"
    TEXT = "text"
    BOOLEAN = "boolean"


Schema = Mapping[str, AttributeType]
"""The attributes that exist and their types, to detect misspelt names and wrong types."""

_TYPES = {
    float: AttributeType.NUMBER,
    int: AttributeType.NUMBER,
    str: AttributeType.TEXT,
    bool: AttributeType.BOOLEAN,
}


def type_of(value: AttributeValue) -> AttributeType:
    """Return the type of a checked value."""
    return _TYPES[type(value)]


def is_finite(value: object) -> bool:
    """Tell whether an attribute can have a value: one of the three types, and neither NaN nor infinite."""
    return type(value) in _TYPES and (type(value) is not float or math.isfinite(value))


def is_encodable(text: str) -> bool:
    """Tell whether a text has no half of a surrogate pair, which UTF-8 cannot encode."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def is_attribute_name(name: str) -> bool:
    """Tell whether a name can be written in a predicate."""
    return len(name) <= NAME_LENGTH_MAX and NAME.fullmatch(name) is not None and name not in RESERVED


class Attributes(dict[str, AttributeValue]):
    """The attributes of one event or user by name. They never change."""

    __slots__ = ()

    def __init__(self, values: Mapping[str, object] | None = None, where: str = "attributes") -> None:
        values = {} if values is None else values
        if len(values) > ATTRIBUTES_MAX:
            raise InvalidValueError(where, f"{len(values)} attributes", f"must be at most {ATTRIBUTES_MAX}")
        super().__init__({_checked_name(name, where): _checked(values[name], f"{where} {name}") for name in values})

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("the attributes of an event never change")

    __setitem__ = __delitem__ = __ior__ = update = pop = popitem = setdefault = clear = _refuse

    def __eq__(self, other: object) -> bool:
        """Tell whether both have the same content: 1 and 1.0 are the same number, but true and 1 differ."""
        if not isinstance(other, dict) or not dict.__eq__(self, other):
            return False
        return all((type(value) is bool) == (type(other[name]) is bool) for name, value in self.items())

    def __ne__(self, other: object) -> bool:  # the one inherited from dict would ignore types
        return not self == other

    def __or__(self, other: object) -> "Attributes":  # type: ignore[override]
        return Attributes({**self, **other}) if isinstance(other, Mapping) else NotImplemented

    def __ror__(self, other: object) -> "Attributes":  # type: ignore[override]
        return Attributes({**other, **self}) if isinstance(other, Mapping) else NotImplemented

    def copy(self) -> Self:
        """Return the attributes themselves, as they never change."""
        return self

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type[Self], tuple[dict[str, AttributeValue]]]:
        return type(self), (dict(self),)


NO_ATTRIBUTES: Final = Attributes()


def _checked_name(name: Any, where: str) -> str:
    if not isinstance(name, str) or not is_attribute_name(name):
        expected = (
            f"an attribute's name is at most {NAME_LENGTH_MAX} letters, digits and '_', and not a word of predicates"
        )
        raise InvalidValueError(f"{where} name", name, expected)
    return name


def _checked(value: Any, where: str) -> AttributeValue:
    """Return a value in exactly one of the types, even if it came as an instance of a subclass."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        if len(value) > TEXT_LENGTH_MAX or not is_encodable(value):
            shortened = value[:40].encode("ascii", "backslashreplace").decode()
            raise InvalidValueError(where, shortened, f"must be at most {TEXT_LENGTH_MAX} characters of Unicode")
        return str(value)
    if not isinstance(value, (int, float)):
        raise InvalidValueError(where, value, "must be a number, a text, or true or false")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidValueError(where, number, "must be a finite number")
    return int(value) if isinstance(value, int) else number + 0.0
