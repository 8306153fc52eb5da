"""Formatting any Python value as one short line, for error messages about unexpected values."""

from collections.abc import Iterable, Mapping
from math import isnan

from roamcast.core.errors import InvalidValueError, UnknownNameError, UserError, one_line

LENGTH_MAX = 80
BITS_MAX = 1024
"""Longer integers are not written out; Python itself refuses from 4,300 digits on."""


def short_repr(value: object) -> str:
    """Return a value's ``repr`` as one line, shortened."""
    try:
        text = one_line(repr(value))
    except ValueError:
        text = f"a very long {type(value).__name__}"
    return text if len(text) <= LENGTH_MAX else text[: LENGTH_MAX - 3] + "..."


def reportable(value: object) -> object:
    """Return a number or a text unchanged, and the ``short_repr`` of anything else, for use in an error."""
    if isinstance(value, (str, float)) or (isinstance(value, int) and value.bit_length() <= BITS_MAX):
        return value
    return short_repr(value)


def invalid(where: str, value: object, expected: str) -> InvalidValueError:
    """Return the error about a value; it is one line even if an attribute's name contains odd characters."""
    return InvalidValueError(one_line(where), value, one_line(expected))


def unknown_attribute(name: object, known: Iterable[str], where: str) -> UserError:
    """Return the error about an attribute that was not declared."""
    text = one_line(name) if isinstance(name, str) else short_repr(name)
    listed = [one_line(known_name) for known_name in known]
    if not listed:
        return UserError(f"{where}: unknown attribute '{text}'; there are no attributes")
    return UnknownNameError("attribute", text, listed, where)


def check_identifier(identifier: object) -> None:
    """Raise an error if a value cannot be a subscription's identifier."""
    try:
        hash(identifier)
    except TypeError:
        expected = "an identifier must be hashable, as the key of a dictionary is"
        raise invalid("subscription", reportable(identifier), expected) from None
    if isinstance(identifier, float) and isnan(identifier):
        raise invalid("subscription", identifier, "an identifier must equal itself, or it cannot be removed")


def check_mapping(where: str, given: object, expected: str) -> None:
    """Raise an error if a value is not a mapping."""
    if not isinstance(given, Mapping):
        raise invalid(where, reportable(given), expected)
