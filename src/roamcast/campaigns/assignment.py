"""Changing single keys of a document by their dotted names: ``--set radio.range_m=200``, and the points of a sweep."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from roamcast.campaigns.scenario_choices import KINDS
from roamcast.campaigns.scenario_file import has_huge_integer
from roamcast.core.errors import InvalidValueError, UserError
from roamcast.core.parameters import has_parameter, shown_key

PARTS_MAX = 4
"""The longest key is in a parameter that is a table, in a component's own: ``protocol.broker-gpsr.router.hops_max``."""


def parse_assignments(texts: Iterable[str], place: str = "--set") -> dict[str, Any]:
    """Read ``key=value`` texts; a value is what TOML would read, and a bare text where TOML reads nothing."""
    values: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UserError(f"{place} {shown_key(text)}: must be key=value, as in radio.range_m=200")
        values[key.strip()] = parse_value(value.strip())
    return values


def parse_value(text: str) -> Any:
    """Read a value in TOML's syntax, or take it as the text that it is."""
    try:
        document = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return document["value"] if len(document) == 1 and not has_huge_integer(document) else text


def assign(document: Mapping[str, Any], values: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return a document with some keys changed; what the new values mean is for the caller to check.

    Choices of a component come first, so that the other keys are the chosen component's, in whatever order they stand.
    """
    choosers = {f"{kind.table}.{kind.chooser}": kind for kind in KINDS.values()}
    changed = dict(document)
    for key in sorted(values, key=lambda key: key not in choosers):
        parts = key.split(".")
        if len(parts) > PARTS_MAX:
            raise UserError(f"{place} {shown_key(key)}: unknown key; a key has at most {PARTS_MAX} parts")
        if len(parts) == 1:
            changed[key] = values[key]
            continue
        table = _as_table(changed.get(parts[0]))
        if key in choosers:
            changed[parts[0]] = choosers[key].switch(table, values[key], place)
        elif len(parts) == PARTS_MAX:
            changed[parts[0]] = _with_innermost(table, parts, values[key])
        elif len(parts) == 3:
            changed[parts[0]] = _with_inner(table, parts, values[key])
        else:
            changed[parts[0]] = {**_without_own(parts[0], parts[1], table), parts[1]: values[key]}
    return changed


def _as_table(value: Any) -> dict[str, Any]:
    """Return a table to change; what was there instead of one gives way, and the check finds what is wrong."""
    return dict(value) if isinstance(value, Mapping) else {}


def _with_inner(table: dict[str, Any], parts: Sequence[str], value: Any) -> dict[str, Any]:
    """Return a table in which a key of a table inside it is set: of a component's own, or of one that is a parameter.

    A parameter (``protocol.router.hops_max``) is changed where it counts, in the chosen component's own table if it
    stands there.
    """
    name, inner, key = parts
    own = _own_table(name, table)
    if own is None or inner not in own:
        return {**table, inner: {**_as_table(table.get(inner)), key: value}}
    return {**table, _chosen(name, table): {**own, inner: {**_as_table(own[inner]), key: value}}}


def _with_innermost(table: dict[str, Any], parts: Sequence[str], value: Any) -> dict[str, Any]:
    """Return a table in which a parameter that is a table, in a component's own table, has a key set."""
    _, component, parameter, key = parts
    own = _as_table(table.get(component))
    before = _as_table(own.get(parameter, table.get(parameter)))
    return {**table, component: {**own, parameter: {**before, key: value}}}


def _without_own(name: str, key: str, table: dict[str, Any]) -> dict[str, Any]:
    """Return a table in which nothing overrules a key that is set for the chosen component."""
    own = _own_table(name, table)
    if own is None or key not in own:
        return table
    return {**table, _chosen(name, table): {each: value for each, value in own.items() if each != key}}


def _own_table(name: str, table: dict[str, Any]) -> Mapping[str, Any] | None:
    """Return what stands for the chosen component alone, if anything does."""
    own = table.get(_chosen(name, table))
    return own if isinstance(own, Mapping) else None


def _chosen(name: str, table: dict[str, Any]) -> str:
    kind = KINDS.get(name)
    return str(kind.chosen(table)) if kind else ""


def spread(values: Mapping[str, Any], protocols: Sequence[str], place: str) -> dict[str, Any]:
    """Return the values with each key of ``[protocol]`` set for those of several protocols that know it."""
    kind, found = KINDS["protocol"], {}
    for key, value in values.items():
        table, *path = key.split(".")
        if table != kind.table or not path or path == [kind.chooser] or path[0] in kind.names():
            found[key] = value
            continue
        knowing = [each for each in protocols if has_parameter(kind.parameters_class(each), path)]
        if not knowing:
            raise InvalidValueError(
                f"{place} {shown_key(key)}", value, f"none of {', '.join(protocols)} knows this key"
            )
        found |= {".".join((table, each, *path)): value for each in knowing}
    return found
