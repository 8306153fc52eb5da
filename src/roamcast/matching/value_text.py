"""Any Python value in one short line, for the messages about values that nobody expected."""

from collections.abc import Iterable, Mapping
from math import isnan

from roamcast.core.errors import InvalidValueError, UnknownNameError, UserError, one_line

LENGTH_MAX = 80
BITS_MAX = 1024
"""Longer whole numbers are not written out; Python refuses it from 4,300 digits on."""


def written(value: object) -> str:
    """Return how a value is written in Python, shortened."""
    try:
        text = one_line(repr(value))
    except ValueError:
        text = f"a very long {type(value).__name__}"
    return text if len(text) <= LENGTH_MAX else text[: LENGTH_MAX - 3] + "..."


def shown(value: object) -> object:
    """Return a number or a text as it is, and of anything else how it is written: what an error can show."""
    if isinstance(value, (str, float)) or (isinstance(value, int) and value.bit_length() <= BITS_MAX):
        return value
    return written(value)


def invalid(place: str, value: object, expected: str) -> InvalidValueError:
    """Return the error about a value; an attribute's name in it may have any characters, and it is one line still."""
    return InvalidValueError(one_line(place), value, one_line(expected))


def unknown_attribute(name: object, known: Iterable[str], place: str) -> UserError:
    """Return the error about an attribute that nobody declared."""
    text = one_line(name) if isinstance(name, str) else written(name)
    listed = [one_line(each) for each in known]
    if not listed:
        return UserError(f"{place}: unknown attribute '{text}'; there are no attributes")
    return UnknownNameError("attribute", text, listed, place)


def check_identifier(identifier: object) -> None:
    """Complain of what cannot be a subscription's identifier."""
    try:
        hash(identifier)
    except TypeError:
        expected = "an identifier must be hashable, as the key of a dictionary is"
        raise invalid("subscription", shown(identifier), expected) from None
    if isinstance(identifier, float) and isnan(identifier):
        raise invalid("subscription", identifier, "an identifier must equal itself, or it cannot be removed")


def check_mapping(place: str, given: object, expected: str) -> None:
    """Complain of what has no attributes."""
    if not isinstance(given, Mapping):
        raise invalid(place, shown(given), expected)
