"""The ``scenario``, ``set`` and ``protocol`` arguments of the API's functions, turned into a checked scenario."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from roamcast.campaigns.checked_scenario import Scenario, read_scenario
from roamcast.campaigns.python_values import as_path, written_table
from roamcast.campaigns.scenario_choices import CHOICES, Component
from roamcast.campaigns.scenario_tables import with_protocol
from roamcast.core.components import is_abstract, kebab_case
from roamcast.core.errors import InvalidValueError, NameClashError
from roamcast.core.host import PubSub
from roamcast.core.parameters import build, has_parameter

ScenarioLike = str | Path | Mapping[str, Any] | Scenario
"""The path of a scenario file, its tables as a dictionary, or a scenario."""

_PROTOCOL = CHOICES["protocol"]


def as_scenario(scenario: ScenarioLike, values: Mapping[str, Any] | None = None, source: str = "") -> Scenario:
    """Return a scenario that was given in whichever way, with some dotted keys set.

    A component that the values replace may be one that several sources have.
    """
    if isinstance(scenario, Scenario):
        return scenario.with_values(values, source) if values else scenario
    document, where = _written(scenario)
    if not values:
        return Scenario.from_document(document, where)
    return Scenario.from_document_with(document, values, source, where)


def _written(scenario: str | Path | Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """Return the document of a scenario, and where it was written."""
    if isinstance(scenario, Mapping):
        return scenario, "scenario"
    path = as_path(scenario, "scenario", "must be a path, a dictionary or a Scenario")
    return read_scenario(path), str(path)


def with_protocol_class(scenario: ScenarioLike, protocol: type[Any], values: Mapping[str, Any]) -> Scenario:
    """Return a scenario that runs a class instead of a named protocol, with some keys changed.

    Keys of ``[protocol]`` in ``values`` are the class's own parameters; those of the scenario's ``[protocol]`` table
    are kept where the class knows them. Nothing but this process knows the class, so the result serves for a run here
    and not for a campaign.
    """
    if not issubclass(protocol, PubSub) or is_abstract(protocol):
        raise InvalidValueError("protocol", protocol.__name__, "must be a name or a complete subclass of PubSub")
    prefix = f"{_PROTOCOL.table}."
    written = written_table(values, "set")
    own = {key.removeprefix(prefix): value for key, value in written.items() if key.startswith(prefix)}
    others = {key: value for key, value in written.items() if not key.startswith(prefix)}
    chosen, table = _with_protocol_table(scenario)
    chosen = chosen.with_values(others, "set=") if others else chosen
    kept = {
        key: value for key, value in _PROTOCOL.shared_keys(table).items() if has_parameter(protocol.Parameters, (key,))
    }
    parameters = build(protocol.Parameters, {**kept, **own}, f"{chosen.where} with set= [protocol]")
    component = Component(kebab_case(protocol.__name__), protocol, parameters)
    return replace(chosen, resolved=with_protocol(chosen.resolved, component, chosen.where))


def _with_protocol_table(scenario: ScenarioLike) -> tuple[Scenario, Mapping[str, Any]]:
    """Return a scenario and its ``[protocol]`` table as written.

    Where several sources have the protocol of that table, the scenario has another, since neither will be used.
    """
    try:
        chosen = as_scenario(scenario)
    except NameClashError as clash:
        document, where = _written(scenario)  # type: ignore[arg-type]  # a Scenario has been checked, and had no clash
        stand_in = {_PROTOCOL.chooser: next(name for name in _PROTOCOL.names() if not _PROTOCOL.is_ambiguous(name))}
        try:
            chosen = Scenario.from_document_with({**document, _PROTOCOL.table: stand_in}, {}, "protocol=", where)
        except NameClashError:
            raise clash from None
        return chosen, written_table(document[_PROTOCOL.table], where)
    return chosen, chosen.document[_PROTOCOL.table]
