"""Setting single keys of a document by their dotted names: ``--set radio.range_m=200``, and the points of a sweep."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from roamcast.campaigns.scenario_choices import CHOICES
from roamcast.campaigns.scenario_file import has_huge_integer
from roamcast.core.errors import InvalidValueError, UserError
from roamcast.core.parameters import has_parameter, printable_key

PARTS_MAX = 4
"""The longest key is in a nested table of a component's own table: ``protocol.broker-gpsr.router.hops_max``."""


def parse_assignments(texts: Iterable[str], where: str = "--set") -> dict[str, Any]:
    """Read ``key=value`` texts; a value is read as TOML, or taken as a text if it is not valid TOML."""
    values: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UserError(f"{where} {printable_key(text)}: must be key=value, as in radio.range_m=200")
        values[key.strip()] = parse_value(value.strip())
    return values


def parse_value(text: str) -> Any:
    """Read a value in TOML's syntax, or return the text itself if it is not valid TOML."""
    try:
        document = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return document["value"] if len(document) == 1 and not has_huge_integer(document) else text


def assign(document: Mapping[str, Any], values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return a document with some keys changed; the caller must check the new values.

    Components are chosen first, so that the other keys apply to the chosen component, whatever their order.
    """
    choosers = {choice.key: choice for choice in CHOICES.values()}
    changed = dict(document)
    for key in sorted(values, key=lambda key: key not in choosers):
        parts = key.split(".")
        if len(parts) > PARTS_MAX:
            raise UserError(f"{where} {printable_key(key)}: unknown key; keys have at most {PARTS_MAX} parts")
        if len(parts) == 1:
            changed[key] = values[key]
            continue
        table = _as_table(changed.get(parts[0]))
        if key in choosers:
            changed[parts[0]] = choosers[key].switch(table, values[key], where)
        elif len(parts) == PARTS_MAX:
            changed[parts[0]] = _with_innermost(table, parts, values[key])
        elif len(parts) == 3:
            changed[parts[0]] = _with_inner(table, parts, values[key])
        else:
            changed[parts[0]] = {**_without_own(parts[0], parts[1], table), parts[1]: values[key]}
    return changed


def _as_table(value: Any) -> dict[str, Any]:
    """Return a copy of a table; anything else is replaced by an empty one, and the later check reports it."""
    return dict(value) if isinstance(value, Mapping) else {}


def _with_inner(table: dict[str, Any], parts: Sequence[str], value: Any) -> dict[str, Any]:
    """Return a table with a key of a nested table set: a component's own table, or a parameter that is a table.

    A parameter (``protocol.router.hops_max``) is changed where it takes effect: in the chosen component's own table, if
    that has it.
    """
    name, inner, key = parts
    own = _own_table(name, table)
    if own is None or inner not in own:
        return {**table, inner: {**_as_table(table.get(inner)), key: value}}
    return {**table, _chosen(name, table): {**own, inner: {**_as_table(own[inner]), key: value}}}


def _with_innermost(table: dict[str, Any], parts: Sequence[str], value: Any) -> dict[str, Any]:
    """Return a table with a key set in a parameter that is itself a table, in a component's own table."""
    _, component, parameter, key = parts
    own = _as_table(table.get(component))
    before = _as_table(own.get(parameter, table.get(parameter)))
    return {**table, component: {**own, parameter: {**before, key: value}}}


def _without_own(name: str, key: str, table: dict[str, Any]) -> dict[str, Any]:
    """Return a table in which the chosen component's own table does not override a key."""
    own = _own_table(name, table)
    if own is None or key not in own:
        return table
    return {**table, _chosen(name, table): {kept: value for kept, value in own.items() if kept != key}}


def _own_table(name: str, table: dict[str, Any]) -> Mapping[str, Any] | None:
    """Return the chosen component's own table, if there is one."""
    own = table.get(_chosen(name, table))
    return own if isinstance(own, Mapping) else None


def _chosen(name: str, table: dict[str, Any]) -> str:
    choice = CHOICES.get(name)
    return str(choice.chosen(table)) if choice else ""


def spread(values: Mapping[str, Any], protocols: Sequence[str], where: str) -> dict[str, Any]:
    """Return the values with each key of ``[protocol]`` set in the own tables of all protocols that know it."""
    choice, found = CHOICES["protocol"], {}
    for key, value in values.items():
        table, *path = key.split(".")
        if table != choice.table or not path or path == [choice.chooser] or path[0] in choice.names():
            found[key] = value
            continue
        knowing = [protocol for protocol in protocols if has_parameter(choice.parameters_class(protocol), path)]
        if not knowing:
            raise InvalidValueError(
                f"{where} {printable_key(key)}", value, f"none of {', '.join(protocols)} knows this key"
            )
        found |= {".".join((table, protocol, *path)): value for protocol in knowing}
    return found
