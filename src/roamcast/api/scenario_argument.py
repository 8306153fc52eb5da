"""The ``scenario``, ``set`` and ``protocol`` arguments of the API's functions, turned into a checked scenario."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.python_values import as_written
from roamcast.campaigns.scenario_choices import CHOICES, Component
from roamcast.campaigns.scenario_tables import with_protocol
from roamcast.core.components import is_abstract, kebab_case
from roamcast.core.errors import InvalidValueError
from roamcast.core.host import PubSub
from roamcast.core.parameters import build, has_parameter

ScenarioLike = str | Path | Mapping[str, Any] | Scenario
"""The path of a scenario file, its tables as a dictionary, or a scenario."""

_PROTOCOL = CHOICES["protocol"]


def as_scenario(scenario: ScenarioLike) -> Scenario:
    """Return a scenario that was given in whichever way."""
    if isinstance(scenario, Scenario):
        return scenario
    if isinstance(scenario, Mapping):
        return Scenario.from_document(scenario)
    return Scenario.load(scenario)


def with_protocol_class(scenario: Scenario, protocol: type[Any], values: Mapping[str, Any]) -> Scenario:
    """Return a scenario that runs a class instead of a named protocol, with some keys changed.

    Keys of ``[protocol]`` in ``values`` are the class's own parameters; those of the scenario's ``[protocol]`` table
    are kept where the class knows them. Nothing but this process knows the class, so the result serves for a run here
    and not for a campaign.
    """
    if not issubclass(protocol, PubSub) or is_abstract(protocol):
        raise InvalidValueError("protocol", protocol.__name__, "must be a name or a complete subclass of PubSub")
    prefix = f"{_PROTOCOL.table}."
    own = {key.removeprefix(prefix): value for key, value in as_written(values).items() if key.startswith(prefix)}
    others = {key: value for key, value in values.items() if not key.startswith(prefix)}
    scenario = scenario.with_values(others, "set=") if others else scenario
    table = scenario.document[_PROTOCOL.table]
    kept = {
        key: value for key, value in _PROTOCOL.shared_keys(table).items() if has_parameter(protocol.Parameters, (key,))
    }
    parameters = build(protocol.Parameters, {**kept, **own}, f"{scenario.where} with set= [protocol]")
    component = Component(kebab_case(protocol.__name__), protocol, parameters)
    return replace(scenario, resolved=with_protocol(scenario.resolved, component, scenario.where))
