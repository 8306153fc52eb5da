"""Resolving a scenario's document: check every table, fill in every default, and check that everything fits together.

Some models learn only here about the rest of the scenario (a publisher's number must be below the number of nodes, a
street map must lie within the area), so each is tried once before any run is planned.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from functools import lru_cache
from typing import Annotated, Any

from roamcast.campaigns.scenario_choices import CHOICES, Component
from roamcast.core.errors import InvalidValueError, UserError, suggestion
from roamcast.core.parameters import (
    AT_LEAST_ONE,
    AT_LEAST_ZERO,
    GREATER_THAN_ZERO,
    Limit,
    ParameterError,
    as_table,
    at_most,
    build,
    parameter_names,
    printable_key,
    user_error,
)
from roamcast.core.plugins import plugin_place
from roamcast.sim.energy import Energy
from roamcast.sim.mobility import POINTS_MAX, MobilityModel, move_nodes
from roamcast.sim.radio import RadioModel
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area
from roamcast.sim.workload import Workload, WorkloadModel, make_workload

SECONDS_MAX = at_most(1e6)
"""Eleven days: longer than any experiment, short enough that a typing mistake is noticed."""
SEED_MAX = 2**63 - 1
"""The largest value in a column of 64-bit integers."""
_NAME = Limit(lambda text: 0 < len(text) <= 100 and text.isprintable(), "must be 1 to 100 printable characters")


@dataclass(frozen=True, slots=True)
class General:
    """The keys above the first table."""

    duration_s: Annotated[float, GREATER_THAN_ZERO, SECONDS_MAX]
    """The length of the measurement, in seconds."""

    warmup_s: Annotated[float, AT_LEAST_ZERO, SECONDS_MAX] = 0.0
    """How long nodes move before the measurement, in seconds. Mobility models that start in their steady state need no
    warm-up."""

    settle_s: Annotated[float, AT_LEAST_ZERO, SECONDS_MAX] = 5.0
    """How long the protocol runs before the measurement, in seconds. Default: five of Frugal's slowest heartbeats of
    1 s."""

    seed: Annotated[int, AT_LEAST_ZERO, at_most(SEED_MAX)] = 1
    """The seed of all random draws, unless another is given when the scenario is run."""

    name: Annotated[str, _NAME] = "scenario"
    """The scenario's name in reports. Default: the name of the file."""


@dataclass(frozen=True, slots=True)
class AreaTable:
    """The keys of ``[area]``."""

    width_m: Annotated[float, GREATER_THAN_ZERO, at_most(1e6)]
    """The area's extent along x, in metres."""

    height_m: Annotated[float, GREATER_THAN_ZERO, at_most(1e6)]
    """The area's extent along y, in metres."""


@dataclass(frozen=True, slots=True)
class Nodes:
    """The keys of ``[nodes]``."""

    count: Annotated[int, AT_LEAST_ONE, at_most(100_000)]
    """How many nodes there are; they are numbered from 0."""

    processing_s_max: Annotated[float, AT_LEAST_ZERO, at_most(1)] = 0.001
    """The longest time between a node's decision to send and handing the frame to the MAC, in seconds; drawn uniformly
    for each frame. A millisecond keeps nodes that hear the same frame from answering at the same instant."""


_PLAIN_TABLES: Mapping[str, type[Any]] = {"area": AreaTable, "nodes": Nodes, "energy": Energy}
TABLES = (*_PLAIN_TABLES, *CHOICES)
"""The tables that determine a run, in the order of a scenario file."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A scenario's document, checked and converted to the types of its parameters."""

    general: General
    area: Area
    nodes: Nodes
    energy: Energy
    components: Mapping[str, Component]
    """The chosen components by the name of their table."""
    deciding: Mapping[str, Any]
    """The complete document of everything that determines a run except its seed."""

    def sample_workload(self) -> Workload:
        """Return the workload for one seed: its size is about the same for all."""
        return _sample_workload(self.components["workload"].parameters, self.nodes.count, self.general.duration_s)

    def try_timing(self) -> None:
        """Compute the MAC's timing at the radio's rate, which fails if the MAC does not have that rate."""
        self.components["mac"].parameters.timing(self.components["radio"].parameters.propagation().bitrate_bps)

    def try_radio(self) -> None:
        """Compute the radio's propagation and contacts, which fails if it does not support this many nodes."""
        radio: RadioModel = self.components["radio"].parameters
        radio.propagation()
        radio.contacts(self.nodes.count)

    def try_movement(self) -> None:
        """Move the nodes for zero seconds, which fails if the model does not support their number or the area."""
        mobility, count = self.components["mobility"], self.nodes.count
        points = _points(mobility.parameters, count, self.area, self.needed_s)
        if points > POINTS_MAX:
            expected = (
                f"yields about {points:,.0f} points for {count:,} nodes in {self.needed_s:g} s; "
                f"must be at most {POINTS_MAX:,}"
            )
            raise InvalidValueError("[mobility] model", mobility.name, expected)
        _try_movement(mobility.parameters, count, self.area)

    @property
    def needed_s(self) -> float:
        """Return how long nodes move in all."""
        return max(self.general.warmup_s, self.general.settle_s) + self.general.duration_s


def resolve(document: Mapping[str, Any], where: str) -> Resolved:
    """Check a scenario's document and fill in its defaults; ``where`` is the file's name."""
    _check_names(document, where)
    general = build(General, {key: document[key] for key in parameter_names(General) if key in document}, where)
    area, nodes, energy = (
        build(cls, _table(document, key, where), f"{where} [{key}]") for key, cls in _PLAIN_TABLES.items()
    )
    components = {table: choice.resolve(_table(document, table, where), where) for table, choice in CHOICES.items()}
    deciding = {
        **{key: value for key, value in as_table(general).items() if key not in ("name", "seed")},
        "area": as_table(area),
        "nodes": as_table(nodes),
        "energy": as_table(energy),
        **{table: choice.as_table(components[table]) for table, choice in CHOICES.items()},
    }
    resolved = Resolved(general, Area(area.width_m, area.height_m), nodes, energy, components, deciding)
    _check_lead(resolved, where)
    _check_fit(resolved, where)
    _check_recordings(resolved, where)
    _check_attributes(resolved, where)
    return resolved


def with_protocol(resolved: Resolved, protocol: Component, where: str) -> Resolved:
    """Return a scenario's meaning with another protocol, which need not be known by name."""
    changed = replace(
        resolved,
        components={**resolved.components, "protocol": protocol},
        deciding={**resolved.deciding, "protocol": CHOICES["protocol"].as_table(protocol)},
    )
    _check_recordings(changed, where)
    _check_attributes(changed, where)
    return changed


def _check_names(document: Mapping[str, Any], where: str) -> None:
    keys = parameter_names(General)
    for name, value in document.items():
        if name in keys or name in TABLES or name == "sweep":
            continue
        if isinstance(value, Mapping):
            known = (*TABLES, "sweep")
            listed = f"{suggestion(name, known)}known tables: {', '.join(known)}"
            raise UserError(f"{where} [{printable_key(name)}]: unknown table; {listed}")
        expected = f"unknown key; {suggestion(name, keys)}known keys: {', '.join(keys)}"
        raise InvalidValueError(f"{where} {printable_key(name)}", value, expected)


def _table(document: Mapping[str, Any], name: str, where: str) -> Mapping[str, Any]:
    if name not in document and (
        CHOICES[name].default is not None if name in CHOICES else not _required(_PLAIN_TABLES[name])
    ):
        return {}
    if name not in document:
        needed = CHOICES[name].chooser if name in CHOICES else ", ".join(_required(_PLAIN_TABLES[name]))
        raise UserError(f"{where} [{name}]: missing; a table with {needed} is needed")
    table = document[name]
    if not isinstance(table, Mapping):
        raise InvalidValueError(f"{where} {name}", table, "must be a table")
    return table


def _required(cls: type[Any]) -> list[str]:
    return [field.name for field in fields(cls) if field.default is MISSING]


def _check_recordings(resolved: Resolved, where: str) -> None:
    """Check that recordings are long enough, and that a protocol that needs positions gets them."""
    general, chosen = resolved.general, resolved.components
    needed_s = resolved.needed_s
    for kind, recorded in (("mobility", "the recorded movement lasts"), ("radio", "the recorded contacts last")):
        lasts_s = chosen[kind].parameters.lasts_s()
        if needed_s > lasts_s:
            raise InvalidValueError(
                f"{where} duration_s", general.duration_s, f"{recorded} {lasts_s:g} s, but {needed_s:g} s are needed"
            )
    radio, protocol = chosen["radio"], chosen["protocol"]
    if radio.loaded.knows_positions or not protocol.loaded.needs_positions:
        return
    raise UserError(f"{where} [protocol] name: {protocol.name} needs positions, but the radio {radio.name} has none")


def _check_attributes(resolved: Resolved, where: str) -> None:
    """Check that a protocol with a limit on attributes can carry every event."""
    protocol, workload = resolved.components["protocol"], resolved.components["workload"]
    limit, most = getattr(protocol.parameters, "attributes_max", None), workload.parameters.most_attributes()
    if limit is not None and most > limit:
        expected = (
            f"must be at least {most}, the largest number of attributes of an event in the {workload.name} workload"
        )
        raise InvalidValueError(f"{where} [protocol] attributes_max", limit, expected)


def _check_lead(resolved: Resolved, where: str) -> None:
    """Check that the workload does not begin before the protocol."""
    lead_s, settle_s = resolved.components["workload"].parameters.begins_before_s(), resolved.general.settle_s
    if lead_s > settle_s:
        expected = f"must be at most settle_s, {settle_s:g}: the protocol does not run before that"
        raise InvalidValueError(f"{where} [workload] lead_s", lead_s, expected)


def _check_fit(resolved: Resolved, where: str) -> None:
    trials: Mapping[str, Callable[[], object]] = {
        "mobility": resolved.try_movement,
        "radio": resolved.try_radio,
        "mac": resolved.try_timing,
        "workload": resolved.sample_workload,
    }
    for table, attempt in trials.items():
        try:
            attempt()
        except ParameterError as error:
            value = getattr(resolved.components[table].parameters, error.key, MISSING)
            raise user_error(error, f"{where} [{table}]", value) from None
        except ArithmeticError as error:
            if plugin_place(error) is not None:  # a mistake in its code, not in the scenario
                raise
            raise UserError(f"{where} [{table}]: a value is too large or too small to compute with") from None
        except UserError as error:
            # A model does not know the file's name; its own errors begin with its table.
            raise UserError(f"{where} {error}" if str(error).startswith("[") else str(error)) from None


# The points of a sweep mostly share their movement and their workload, so the results are cached.
@lru_cache(maxsize=64)
def _sample_workload(model: WorkloadModel, count: int, duration_s: float) -> Workload:
    return make_workload(model, count, duration_s, RandomStreams(0))


@lru_cache(maxsize=256)
def _try_movement(model: MobilityModel, count: int, area: Area) -> None:
    move_nodes(model, count, area, 0.0, RandomStreams(0))


@lru_cache(maxsize=256)
def _points(model: MobilityModel, count: int, area: Area, until_s: float) -> float:
    return model.points(count, area, until_s)
