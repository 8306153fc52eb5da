"""Parameters of components: frozen dataclasses that are filled from a table of a scenario file.

Limits are part of a field's type (``Annotated[float, GREATER_THAN_ZERO]``), so that one function checks the tables of
all components and every mistake is reported in the same way. A field is a number, a text, a truth value, a ``Topic``, a
``Predicate``, an event's ``Attributes``, another such dataclass (a table inside the table), a tuple of these (a list),
or a union of these. TOML has no null: an empty text in a field that may be None means None.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from roamcast.core.attributes import Attributes
from roamcast.core.errors import InvalidValueError, UserError, suggestion
from roamcast.core.predicates import Predicate, parse
from roamcast.core.topics import InvalidTopicError, Topic

T = TypeVar("T")

_BARE_KEY = re.compile(r"[A-Za-z0-9_.\[\]-]{1,60}")


@dataclass(frozen=True, slots=True)
class Limit:
    """A condition on a value, and its wording for error messages."""

    holds: Callable[[Any], bool]
    expected: str


GREATER_THAN_ZERO = Limit(lambda value: value > 0, "must be greater than 0")
AT_LEAST_ZERO = Limit(lambda value: value >= 0, "must be at least 0")
AT_LEAST_ONE = Limit(lambda value: value >= 1, "must be at least 1")
FRACTION = Limit(lambda value: 0 <= value <= 1, "must be between 0 and 1")
PERIOD_S = Limit(lambda value: 0.001 <= value <= 1e6, "must be between 0.001 and 1,000,000")
"""The interval at which a node repeats something. A frame is on the air for about a millisecond, so a node that sends
more often only fills its own queue; and no run is longer than the upper limit."""
DURATION_S = Limit(lambda value: 0 < value <= 1e6, "must be greater than 0 and at most 1,000,000")
"""A duration; no run is longer than the upper limit."""
OPTIONAL_SIZE_BYTES = Limit(lambda value: 0 <= value <= 65_535, "must be between 0 and 65,535")
"""The size of a part of a message that may be absent, such as a header; at most that of a datagram."""
SIZE_BYTES = Limit(lambda value: 0 < value <= 65_535, "must be between 1 and 65,535")
"""The size of something that is always there; at most that of a datagram."""


def at_most(limit: float) -> Limit:
    """Require that a value does not exceed ``limit``."""
    text = f"{int(limit):,}" if limit == int(limit) else f"{limit:g}"
    return Limit(lambda value: value <= limit, f"must be at most {text}")


def at_least(limit: float, why: str = "") -> Limit:
    """Require that a value is not below ``limit``; ``why`` explains the number if it is not obvious."""
    return Limit(lambda value: value >= limit, f"must be at least {limit:g}" + (f", {why}" if why else ""))


def at_most_items(limit: int) -> Limit:
    """Require that a list is no longer than ``limit``."""
    return Limit(lambda value: len(value) <= limit, f"must have at most {limit:,} items")


def one_of(*names: str) -> Limit:
    """Require that a value is one of a few words."""
    return Limit(lambda value: value in names, "must be one of " + ", ".join(f'"{name}"' for name in names))


class FilledIn:
    """Marks a field that is filled in when a run is planned: a table may have it, but errors do not suggest it."""


FILLED_IN = FilledIn()


class ParameterError(ValueError):
    """A field that conflicts with other fields or with the rest of the scenario.

    ``__post_init__`` raises it, or a model once it knows its network. ``value`` is the value to report if it is not
    that of the field itself, such as an item deep in a list.
    """

    def __init__(self, key: str, expected: str, value: object = MISSING) -> None:
        super().__init__(f"{key}: {expected}")
        self.key = key
        self.expected = expected
        self.value = value


def parameter_names(cls: type[Any]) -> tuple[str, ...]:
    """List the keys that a parameter dataclass takes."""
    return tuple(sorted(_known(cls)))


def has_parameter(cls: type[Any], path: Sequence[str]) -> bool:
    """Tell whether a class has a parameter; a path of several names leads through nested tables."""
    name, *inner = path
    if name not in _known(cls):
        return False
    hint = _bare(_hints(cls)[name])
    return not inner or (is_dataclass(hint) and has_parameter(cast(type[Any], hint), inner))


def check(cls: type[Any], table: Mapping[str, Any], where: str, also_known: Iterable[str] = ()) -> dict[str, Any]:
    """Return a table's values converted to the types of a parameter dataclass; the table may be incomplete."""
    known, hints = _known(cls), _hints(cls)
    for key in table:
        if key not in known:
            offered = (name for name in known if not any(isinstance(mark, FilledIn) for mark in _marks(hints[name])))
            listed = sorted({*offered, *also_known})
            expected = (
                f"{suggestion(key, listed)}known keys: {', '.join(listed)}" if listed else "this table has no keys"
            )
            raise InvalidValueError(f"{where} {printable_key(key)}", table[key], f"unknown key; {expected}")
    return {key: coerce(hints[key], table[key], f"{where} {key}") for key in known if key in table}


def build(cls: type[T], table: Mapping[str, Any], where: str, also_known: Iterable[str] = ()) -> T:
    """Make an instance of a parameter dataclass from a scenario's table, or raise an error that names file and key.

    ``also_known`` are keys of the same table that are read elsewhere; error messages list them too.
    """
    values = check(cls, table, where, also_known)
    for key, known in _known(cls).items():
        if key not in values and known.default is MISSING and known.default_factory is MISSING:
            raise UserError(f"{where} {key}: missing; {_type_name(_hints(cls)[key])} is needed")
    try:
        return cls(**values)
    except ParameterError as error:
        default = _known(cls)[error.key].default if error.key in _known(cls) else MISSING
        raise user_error(error, where, table.get(error.key, default)) from None


def user_error(error: ParameterError, where: str, value: object = MISSING) -> UserError:
    """Convert a ``ParameterError`` to a line for a person; ``value`` is the field's, if known."""
    reported = value if error.value is MISSING else error.value
    if reported is MISSING or reported is None:
        return UserError(f"{where} {error.key}: {error.expected}")
    return InvalidValueError(f"{where} {error.key}", plain(reported), error.expected)


def as_table(instance: Any) -> dict[str, Any]:
    """Return the table, with every default filled in, from which ``build`` makes an equal instance.

    Equal instances yield equal tables: an integer in a field for any number becomes 10.0, however it was written.
    """
    hints = _hints(type(instance))
    where = type(instance).__name__
    return {key: plain(coerce(hints[key], getattr(instance, key), f"{where} {key}")) for key in _known(type(instance))}


def coerce(hint: Any, value: Any, where: str) -> Any:
    """Convert ``value`` to the annotated type, or raise an error that says what was expected."""
    origin = get_origin(hint)
    if origin is Annotated:
        base, *limits = get_args(hint)
        result = coerce(base, value, where)
        for limit in limits:
            if result is not None and isinstance(limit, Limit) and not limit.holds(result):
                raise InvalidValueError(where, value, limit.expected)
        return result
    if origin in (Union, UnionType):
        return _coerce_union(hint, value, where)
    if not _accepts(hint, value):
        raise InvalidValueError(where, value, f"must be {_type_name(hint)}")
    if origin is tuple:
        kinds = get_args(hint)
        if kinds[-1] is Ellipsis:
            kinds = kinds[:1] * len(value)
        return tuple(coerce(kind, value[index], f"{where}[{index}]") for index, kind in enumerate(kinds))
    if is_dataclass(hint) and hint not in _NAMES:
        return build(hint, value, where) if isinstance(value, Mapping) else value  # type: ignore[arg-type]
    return _coerce_scalar(hint, value, where)


def printable_key(key: str) -> str:
    """Return a key in a form that can be printed on one line, whatever characters it contains."""
    return key if _BARE_KEY.fullmatch(key) else json.dumps(key[:60])


def _coerce_union(hint: Any, value: Any, where: str) -> Any:
    kinds = [kind for kind in get_args(hint) if kind is not NoneType]
    may_be_none = len(kinds) < len(get_args(hint))
    accepting = [kind for kind in kinds if _accepts(kind, value)]
    if may_be_none and (value is None or (value == "" and str not in map(_bare, kinds))):
        return None
    if not accepting:
        raise InvalidValueError(where, value, f"must be {_type_name(hint)}")
    return coerce(accepting[0], value, where)


def _coerce_scalar(hint: Any, value: Any, where: str) -> Any:
    if hint is Topic:
        try:
            return value if isinstance(value, Topic) else Topic(value)
        except InvalidTopicError as error:
            raise InvalidValueError(where, value, " ".join(str(error).split())) from None
    if hint is Predicate:
        return value if isinstance(value, Predicate) else parse(value, where)
    if hint is Attributes:
        return Attributes(value, where)
    if hint is not float:
        return int(value) if hint is int else value
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidValueError(where, value, "must be a finite number")
    return number + 0.0  # turns -0.0 into 0.0, so that equal values look equal


def _accepts(hint: Any, value: Any) -> bool:
    """Tell whether a value has the shape of a type, without looking inside."""
    hint = _bare(hint)
    if get_origin(hint) is tuple:
        kinds = get_args(hint)
        return isinstance(value, (list, tuple)) and (kinds[-1] is Ellipsis or len(value) == len(kinds))
    if hint in (Topic, Predicate):
        return isinstance(value, (str, hint))
    if hint is Attributes:
        return isinstance(value, Mapping)
    if is_dataclass(hint):
        return isinstance(value, (Mapping, hint))  # type: ignore[arg-type]
    if hint is bool or isinstance(value, bool):
        return hint is bool and isinstance(value, bool)
    if hint is int and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, (int, float) if hint is float else hint)


def plain(value: Any) -> Any:
    """Return a value in the types of JSON and TOML."""
    if isinstance(value, Topic):
        return value.path
    if isinstance(value, Predicate):
        return str(value)
    if isinstance(value, Attributes):
        return dict(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return as_table(value)
    return value


def _hints(cls: Any) -> dict[str, Any]:
    """Return the types of a dataclass's fields, with their limits."""
    return _resolved_hints(cls)


@cache
def _resolved_hints(cls: Any) -> dict[str, Any]:
    # Cached, because a campaign checks thousands of tables of the same few classes.
    return get_type_hints(cls, include_extras=True)


def _known(cls: Any) -> dict[str, Field[Any]]:
    """Return the fields that a table can fill."""
    return {field.name: field for field in fields(cls) if field.init}


def _marks(hint: Any) -> tuple[Any, ...]:
    """Return the annotations of a type, mostly limits."""
    return get_args(hint)[1:] if get_origin(hint) is Annotated else ()


def _bare(hint: Any) -> Any:
    """Return a type without its limits."""
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


_NAMES = {
    float: "a number",
    int: "a whole number",
    str: "a text",
    bool: "true or false",
    Topic: "a topic",
    Predicate: "a predicate",
    Attributes: "a table of attributes",
}


def _type_name(hint: Any) -> str:
    """Name a type in plain words."""
    hint = _bare(hint)
    arguments = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        return " or ".join(_type_name(kind) for kind in arguments if kind is not NoneType)
    if get_origin(hint) is tuple:
        item = _type_name(arguments[0])
        return f"a list, each {item}" if arguments[-1] is Ellipsis else f"a list of {len(arguments)}, each {item}"
    if hint not in _NAMES and is_dataclass(hint):
        return "a table"
    return _NAMES.get(hint, getattr(hint, "__name__", str(hint)))
