"""Markdown tables of parameters, made from the dataclass that a scenario file fills.

The default, the limits and the docstring of a field are written once, in the dataclass. These tables are the only
place where a reader sees them, so they cannot disagree with the code.
"""

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from roamcast.core.attributes import Attributes
from roamcast.core.parameters import FilledIn, Limit, plain
from roamcast.core.predicates import Predicate
from roamcast.core.topics import Topic

HEADER = "| key | default | value | meaning |\n|---|---|---|---|"
_NAMES = {
    float: "number",
    int: "whole number",
    str: "text",
    bool: "true or false",
    Topic: "topic",
    Predicate: "predicate",
    Attributes: "table of attributes",
}
_TYPES_ALSO_DATACLASSES = (Topic, Predicate, Attributes)


class MissingDocstringError(Exception):
    """A parameter without a docstring, which has no meaning to show."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One key of a scenario's table, in the words of the reference."""

    key: str
    default: str
    value: str
    """The type, the limits or the choices."""
    meaning: str

    def row(self) -> str:
        """Return the row of a Markdown table."""
        cells = (f"`{self.key}`", self.default, self.value, self.meaning)
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def parameter_table(cls: type[Any], defaults: Mapping[str, str] | None = None) -> str:
    """Return the Markdown table of a dataclass's keys; ``defaults`` replaces what is shown as some keys' defaults."""
    rows = [Parameter(*row) for row in _cells(cls, defaults or {})]
    return "\n".join([HEADER, *(row.row() for row in rows)]) if rows else "It has no keys."


def nested_tables(cls: type[Any]) -> dict[str, type[Any]]:
    """Return the dataclasses that fill lists of tables (``[[workload.publications]]``), by key."""
    lists = {field.name: _bare(_hints(cls)[field.name]) for field in _shown_fields(cls)}
    items = {key: _bare(get_args(hint)[0]) for key, hint in lists.items() if get_origin(hint) is tuple}
    return {key: item for key, item in items.items() if _is_table(item)}


def inner_tables(cls: type[Any]) -> dict[str, type[Any]]:
    """Return the dataclasses that fill single tables inside the table (``[protocol.router]``), by key."""
    hints = {field.name: _bare(_hints(cls)[field.name]) for field in _shown_fields(cls)}
    return {key: hint for key, hint in hints.items() if _is_table(hint)}


def field_docstrings(cls: type[Any]) -> dict[str, str]:
    """Return the docstring below each field of a dataclass or named tuple, inherited ones too, as one line each."""
    found: dict[str, str] = {}
    for owner in reversed(cls.__mro__):
        if is_dataclass(owner) or hasattr(owner, "_fields"):
            found |= _written_docstrings(owner)
    names = [field.name for field in fields(cls) if field.init] if is_dataclass(cls) else cls._fields
    for name in names:
        if not found.get(name):
            raise MissingDocstringError(f"{cls.__module__}.{cls.__qualname__}.{name} has no docstring below it")
    return {name: found[name] for name in names}


def _written_docstrings(cls: type[Any]) -> dict[str, str]:
    """Return the docstrings in the text of one class; a field that is declared anew without one loses its parent's."""
    (body,) = [
        node.body
        for node in ast.walk(ast.parse(inspect.getsource(sys.modules[cls.__module__])))
        if isinstance(node, ast.ClassDef) and node.name == cls.__name__
    ]
    found = {}
    for field, below in zip(body, [*body[1:], None], strict=True):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            is_text = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            text = str(below.value.value) if is_text else ""  # type: ignore[union-attr]
            found[field.target.id] = " ".join(text.replace("``", "`").split())
    return found


def _cells(cls: type[Any], defaults: Mapping[str, str]) -> Iterator[tuple[str, str, str, str]]:
    meanings, hints = field_docstrings(cls), _hints(cls)
    for field in _shown_fields(cls):
        key = field.name
        default = defaults.get(key) or _shown_default(field)
        yield key, default, _value(hints[key]), meanings[key]


def _shown_fields(cls: type[Any]) -> Iterator[Field[Any]]:
    """Yield the fields that a person may write; some are filled in where a run is planned."""
    for field in fields(cls):
        marks = get_args(_hints(cls)[field.name])[1:]
        if field.init and not any(isinstance(mark, FilledIn) for mark in marks):
            yield field


def _shown_default(field: Field[Any]) -> str:
    default = field.default
    if default is MISSING:
        default = MISSING if field.default_factory is MISSING else field.default_factory()
    if default is MISSING:
        return "*required*"
    if default is None:
        return "*none*"
    if isinstance(value := plain(default), dict):
        return "`{}`" if not value or isinstance(default, _TYPES_ALSO_DATACLASSES) else "its own defaults"
    return f"`{_toml(value)}`"


def _toml(value: Any) -> str:
    """Write a plain value as a scenario file has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return str(int(value)) if value == int(value) else repr(value)


def _value(hint: Any) -> str:
    """Name what a key can have: its choices, or its type and limits."""
    base, limits = (get_args(hint)[0], get_args(hint)[1:]) if get_origin(hint) is Annotated else (hint, ())
    expected = [limit.expected for limit in limits if isinstance(limit, Limit)]
    choices = [text.removeprefix("must be one of ") for text in expected if text.startswith("must be one of ")]
    if choices:
        return " or ".join(f"`{choice}`" for choice in choices[0].split(", "))
    if get_origin(base) in (Union, UnionType):
        named = "; or ".join(_value(kind) for kind in get_args(base) if kind is not NoneType)
    elif get_origin(base) is tuple:
        named = _list_name(get_args(base))
    else:
        named = "table" if _is_table(base) else _NAMES.get(base, base.__name__)
    rules = [text.removeprefix("must be ").removeprefix("must have ").removeprefix("must ") for text in expected]
    return f"{named}, {' and '.join(rules)}" if rules else named


def _list_name(kinds: tuple[Any, ...]) -> str:
    """Name a list of any length, ``list of numbers``, or a fixed one, ``[number, number]``, and its items' limits."""
    item, rules = _value(kinds[0]), ""
    if get_origin(_bare(kinds[0])) is not tuple:
        item, _, rules = item.partition(", ")
    if kinds[-1] is Ellipsis:
        named = f"list of {item}" if item.startswith("`") else f"list of {item}s"
    else:
        named = f"`[{', '.join([item] * len(kinds))}]`"
    return f"{named}, each {rules}" if rules else named


def _is_table(hint: Any) -> bool:
    return isinstance(hint, type) and is_dataclass(hint) and hint not in _TYPES_ALSO_DATACLASSES


def _bare(hint: Any) -> Any:
    """Return a type without its limits, and without None as a choice."""
    hint = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if get_origin(hint) in (Union, UnionType):
        kinds = [kind for kind in get_args(hint) if kind is not NoneType]
        return _bare(kinds[0]) if len(kinds) == 1 else hint
    return hint


def _hints(cls: type[Any]) -> dict[str, Any]:
    return get_type_hints(cls, include_extras=True)
