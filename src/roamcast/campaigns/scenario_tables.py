"""What a scenario's document means: every table checked, every default filled in, everything fitting together.

Some models learn only here what surrounds them (a publisher's number must be below the number of nodes, a street
map must lie in the area), so each is tried once, before any run is planned.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from functools import lru_cache
from typing import Annotated, Any

from roamcast.campaigns.scenario_choices import KINDS, Component
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
    misfit,
    parameter_names,
    shown_key,
)
from roamcast.sim.energy import Energy
from roamcast.sim.mobility import POINTS_MAX, MobilityModel
from roamcast.sim.movement import Area
from roamcast.sim.radio import RadioModel
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.workload import Workload, WorkloadModel

SECONDS_MAX = at_most(1e6)
"""Eleven days: longer than any experiment, short enough that a slip of the pen is noticed."""
SEED_MAX = 2**63 - 1
"""What a column of 64-bit integers holds."""
_NAME = Limit(lambda text: 0 < len(text) <= 100 and text.isprintable(), "must be 1 to 100 printable characters")


@dataclass(frozen=True, slots=True)
class General:
    """The keys above the first table."""

    duration_s: Annotated[float, GREATER_THAN_ZERO, SECONDS_MAX]
    """How long is measured, in seconds."""

    warmup_s: Annotated[float, AT_LEAST_ZERO, SECONDS_MAX] = 0.0
    """How long nodes move before the measurement, in seconds; a model that starts in its steady state needs none."""

    settle_s: Annotated[float, AT_LEAST_ZERO, SECONDS_MAX] = 5.0
    """How long the protocol runs before the measurement, in seconds; five of Frugal's slowest heartbeats of 1 s."""

    seed: Annotated[int, AT_LEAST_ZERO, at_most(SEED_MAX)] = 1
    """What everything random is drawn from, where no other seed is asked for."""

    name: Annotated[str, _NAME] = "scenario"
    """What the scenario is called in reports."""


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
    """A node takes up to this long, drawn uniformly, from deciding to send to handing the frame to the MAC, in
    seconds. A millisecond keeps nodes that hear one frame from answering it in the very same instant."""


_PLAIN_TABLES: Mapping[str, type[Any]] = {"area": AreaTable, "nodes": Nodes, "energy": Energy}
TABLES = (*_PLAIN_TABLES, *KINDS)
"""The tables that decide a run, in the order of a scenario file."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A document in types."""

    general: General
    area: Area
    nodes: Nodes
    energy: Energy
    components: Mapping[str, Component]
    """By the name of the table."""
    deciding: Mapping[str, Any]
    """The complete document of all that decides a run, but its seed."""

    def sample_workload(self) -> Workload:
        """Return what people do for some seed: how much there is to do is the same for all."""
        return _sample_workload(self.components["workload"].parameters, self.nodes.count, self.general.duration_s)

    def try_timing(self) -> None:
        """Put the MAC on the radio's rate, which shows whether it has that rate."""
        self.components["mac"].parameters.timing(self.components["radio"].parameters.propagation().bitrate_bps)

    def try_radio(self) -> None:
        """Ask the radio for its numbers and for what was recorded, which shows whether it takes so many nodes."""
        radio: RadioModel = self.components["radio"].parameters
        radio.propagation()
        radio.contacts(self.nodes.count)

    def try_movement(self) -> None:
        """Move the nodes for no time at all, which shows whether the model takes their number and the area."""
        mobility, count = self.components["mobility"], self.nodes.count
        points = _points(mobility.parameters, count, self.area, self.needed_s)
        if points > POINTS_MAX:
            expected = (
                f"makes about {points:,.0f} points of {count:,} nodes in {self.needed_s:g} s, at most {POINTS_MAX:,}"
            )
            raise InvalidValueError("[mobility] model", mobility.name, expected)
        _try_movement(mobility.parameters, count, self.area)

    @property
    def needed_s(self) -> float:
        """Return how long nodes move."""
        return max(self.general.warmup_s, self.general.settle_s) + self.general.duration_s


def resolve(document: Mapping[str, Any], place: str) -> Resolved:
    """Check a scenario's document and fill in its defaults; ``place`` is the file's name."""
    _check_names(document, place)
    general = build(General, {key: document[key] for key in parameter_names(General) if key in document}, place)
    area, nodes, energy = (
        build(cls, _table(document, key, place), f"{place} [{key}]") for key, cls in _PLAIN_TABLES.items()
    )
    components = {table: kind.resolve(_table(document, table, place), place) for table, kind in KINDS.items()}
    deciding = {
        **{key: value for key, value in as_table(general).items() if key not in ("name", "seed")},
        "area": as_table(area),
        "nodes": as_table(nodes),
        "energy": as_table(energy),
        **{table: kind.as_table(components[table]) for table, kind in KINDS.items()},
    }
    resolved = Resolved(general, Area(area.width_m, area.height_m), nodes, energy, components, deciding)
    _check_lead(resolved, place)
    _check_fit(resolved, place)
    _check_recordings(resolved, place)
    _check_attributes(resolved, place)
    return resolved


def with_protocol(resolved: Resolved, protocol: Component, place: str) -> Resolved:
    """Return what a scenario means with another protocol, which need not be known by name."""
    changed = replace(
        resolved,
        components={**resolved.components, "protocol": protocol},
        deciding={**resolved.deciding, "protocol": KINDS["protocol"].as_table(protocol)},
    )
    _check_recordings(changed, place)
    _check_attributes(changed, place)
    return changed


def _check_names(document: Mapping[str, Any], place: str) -> None:
    keys = parameter_names(General)
    for name, value in document.items():
        if name in keys or name in TABLES or name == "sweep":
            continue
        if isinstance(value, Mapping):
            known = (*TABLES, "sweep")
            listed = f"{suggestion(name, known)}known tables: {', '.join(known)}"
            raise UserError(f"{place} [{shown_key(name)}]: unknown table; {listed}")
        expected = f"unknown key; {suggestion(name, keys)}known keys: {', '.join(keys)}"
        raise InvalidValueError(f"{place} {shown_key(name)}", value, expected)


def _table(document: Mapping[str, Any], name: str, place: str) -> Mapping[str, Any]:
    if name not in document and (
        KINDS[name].default is not None if name in KINDS else not _required(_PLAIN_TABLES[name])
    ):
        return {}
    if name not in document:
        needed = KINDS[name].chooser if name in KINDS else ", ".join(_required(_PLAIN_TABLES[name]))
        raise UserError(f"{place} [{name}]: missing; a table with {needed} is needed")
    table = document[name]
    if not isinstance(table, Mapping):
        raise InvalidValueError(f"{place} {name}", table, "must be a table")
    return table


def _required(cls: type[Any]) -> list[str]:
    return [each.name for each in fields(cls) if each.default is MISSING]


def _check_recordings(resolved: Resolved, place: str) -> None:
    """Check that a recording is long enough, and that a protocol which must know places has some."""
    general, chosen = resolved.general, resolved.components
    needed_s = resolved.needed_s
    for kind, recorded in (("mobility", "the recorded movement lasts"), ("radio", "the recorded contacts last")):
        lasts_s = chosen[kind].parameters.lasts_s()
        if needed_s > lasts_s:
            raise InvalidValueError(
                f"{place} duration_s", general.duration_s, f"{recorded} {lasts_s:g} s, {needed_s:g} s are needed"
            )
    radio, protocol = chosen["radio"], chosen["protocol"]
    if radio.loaded.knows_places or not protocol.loaded.needs_positions:
        return
    raise UserError(f"{place} [protocol] name: {protocol.name} needs positions, which the radio {radio.name} has not")


def _check_attributes(resolved: Resolved, place: str) -> None:
    """Check that a protocol with a limit on attributes can carry every event."""
    protocol, workload = resolved.components["protocol"], resolved.components["workload"]
    limit, most = getattr(protocol.parameters, "attributes_max", None), workload.parameters.most_attributes()
    if limit is not None and most > limit:
        expected = f"must be at least {most}, the most attributes of an event in the workload {workload.name}"
        raise InvalidValueError(f"{place} [protocol] attributes_max", limit, expected)


def _check_lead(resolved: Resolved, place: str) -> None:
    """Check that nobody publishes before the protocol has begun."""
    lead_s, settle_s = resolved.components["workload"].parameters.begins_before_s(), resolved.general.settle_s
    if lead_s > settle_s:
        expected = f"must be at most settle_s, {settle_s:g}: before that there is no protocol"
        raise InvalidValueError(f"{place} [workload] lead_s", lead_s, expected)


def _check_fit(resolved: Resolved, place: str) -> None:
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
            raise misfit(error, f"{place} [{table}]", value) from None
        except ArithmeticError:
            raise UserError(f"{place} [{table}]: a value is too large or too small to be computed with") from None
        except UserError as error:
            # A model does not know the file; where it complains itself, it begins with its table.
            raise UserError(f"{place} {error}" if str(error).startswith("[") else str(error)) from None


# The points of a sweep mostly share their movement and their workload; what was tried need not be tried again.
@lru_cache(maxsize=64)
def _sample_workload(model: WorkloadModel, count: int, duration_s: float) -> Workload:
    return model.workload(count, duration_s, RandomStreams(0))


@lru_cache(maxsize=256)
def _try_movement(model: MobilityModel, count: int, area: Area) -> None:
    model.trajectories(count, area, 0.0, RandomStreams(0))


@lru_cache(maxsize=256)
def _points(model: MobilityModel, count: int, area: Area, until_s: float) -> float:
    return model.points(count, area, until_s)
