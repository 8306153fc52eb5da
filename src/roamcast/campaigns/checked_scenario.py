"""A scenario: everything that determines a run, as a person wrote it, checked before anything is computed.

Two scenarios with the same meaning have the same ``canonical_json``, whatever their names, the order of their keys and
the defaults they spell out; a run's identity and the work that is sent to Spark are derived from it.
"""

import json
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roamcast.campaigns.assignment import assign
from roamcast.campaigns.python_values import as_path, as_written, written_table
from roamcast.campaigns.recording_paths import with_paths_beside
from roamcast.campaigns.scenario_choices import CHOICES
from roamcast.campaigns.scenario_file import read_document
from roamcast.campaigns.scenario_tables import Resolved, resolve
from roamcast.campaigns.sweep import Sweep, cross_section, points, read_sweep
from roamcast.core.errors import InvalidValueError, NameClashError, UserError, suggestion
from roamcast.core.parameters import check, plain, printable_key
from roamcast.sim.setup import Setup


def canonical(value: Any) -> str:
    """Return the canonical JSON text of a value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def read_scenario(path: str | Path) -> dict[str, Any]:
    """Return the document in a scenario file, with the file's name as its own if it has none."""
    file = as_path(path, "path")
    return {"name": file.stem, **with_paths_beside(read_document(file), file.parent)}


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Scenario:
    """A checked scenario. Make one with ``load``, ``from_document`` or ``from_json``."""

    document: Mapping[str, Any]
    """The scenario as written, in plain values; treat it as frozen."""
    where: str
    """Where it was written (the file's name), for error messages."""
    resolved: Resolved
    """The checked document, with all defaults filled in."""
    swept: Sweep
    """The ``[sweep]`` table with dotted keys; empty without one."""

    @classmethod
    def load(cls, path: str | Path) -> "Scenario":
        """Read a scenario file; if the scenario has no name, it gets that of the file."""
        return cls.from_document(read_scenario(path), str(path))

    @classmethod
    def load_with(cls, path: str | Path, values: Mapping[str, Any], source: str) -> "Scenario":
        """Read a scenario file and set some dotted keys, as ``from_document_with`` does."""
        return cls.from_document_with(read_scenario(path), values, source, str(path))

    @classmethod
    def from_document_with(
        cls, document: Mapping[str, Any], values: Mapping[str, Any], source: str, where: str = "scenario"
    ) -> "Scenario":
        """Check a document and set some dotted keys: ``from_document`` and ``with_values``.

        A component that the values replace need not be usable: it may be one that several sources have.
        """
        try:
            return cls.from_document(document, where).with_values(values, source)
        except NameClashError:
            there = f"{where} with {source}"
            return cls._checked(assign(as_written(document), as_written(values), there), there)

    @classmethod
    def from_document(cls, document: Mapping[str, Any], where: str = "scenario") -> "Scenario":
        """Check a document and make a scenario from it."""
        scenario = cls._checked(written_table(document, where), where)
        for point in cross_section(scenario.swept):
            scenario.at_point(point)
        return scenario

    @classmethod
    def from_json(cls, text: str, where: str = "scenario") -> "Scenario":
        """Make a scenario from its canonical JSON."""
        given: Any = text
        if not isinstance(given, (str, bytes)):
            raise InvalidValueError(where, given, "must be a text in JSON")
        try:
            document = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UserError(f"{where}: is not valid JSON: {error}") from None
        if not isinstance(document, dict):
            raise InvalidValueError(where, document, "must be a JSON object")
        return cls.from_document(document, where)

    @classmethod
    def _checked(cls, document: Mapping[str, Any], where: str) -> "Scenario":
        sweep = read_sweep(document.get("sweep", {}), f"{where} [sweep]")
        return cls(document, where, resolve(document, where), sweep)

    @property
    def name(self) -> str:
        """Return the scenario's name, which has no effect on a run."""
        return self.resolved.general.name

    @property
    def seed(self) -> int:
        """Return the seed to use if no other is given."""
        return self.resolved.general.seed

    def with_values(self, values: Mapping[str, Any], source: str = "") -> "Scenario":
        """Return the scenario with some dotted keys set; ``source`` names in errors where the values come from.

        Choosing another component with ``protocol.name`` or ``radio.model`` keeps the keys that it knows too. The sweep
        stays as it is and is checked again when it is run.
        """
        where = f"{self.where} with {source}" if source else self.where
        written = written_table(values, source.removesuffix("=") or "values")
        return self._checked(assign(self.document, written, where), where)

    def sweep(self, over: Mapping[str, Iterable[Any]] | None = None) -> list["Scenario"]:
        """Return the scenario at every combination of some keys' values; without any, of its own ``[sweep]``."""
        swept = self.swept if over is None else read_sweep(as_written(over), "sweep")
        return [self.at_point(point) for point in points(swept)]

    def at_point(self, point: Mapping[str, Any]) -> "Scenario":
        """Return the scenario, without its sweep, at one point of a sweep."""
        where = f"{self.where} with [sweep]"
        rest = {key: value for key, value in self.document.items() if key != "sweep"}
        return self._checked(assign(rest, point, where), where)

    def value(self, key: str) -> Any:
        """Return the value of a dotted key, its default if the scenario does not set it.

        Equal values have one form, whichever way they were written.
        """
        given: Any = key
        if not isinstance(given, str):
            raise InvalidValueError("key", given, "must be a text, such as nodes.count")
        parts = key.split(".")
        choice = CHOICES.get(parts[0])
        found: Any = {**self.resolved.deciding, "name": self.name, "seed": self.seed}
        if choice is not None and len(parts) > 1 and parts[1] in choice.names():
            # A component's own table is read as written, whether or not the component is chosen.
            written = self.document.get(choice.table, {}).get(parts[1], {})
            own = check(choice.parameters_class(parts[1]), written, self.where)
            found = {choice.table: {parts[1]: {name: plain(value) for name, value in own.items()}}}
        for depth, part in enumerate(parts):
            if not isinstance(found, Mapping) or part not in found:
                known = sorted(found) if isinstance(found, Mapping) else []
                here = f" of {'.'.join(parts[:depth])}" if depth else ""
                listed = f"known keys{here}: {', '.join(known)}" if known else f"{'.'.join(parts[:depth])} has no keys"
                raise UserError(f"{self.where} {printable_key(key)}: unknown key; {suggestion(part, known)}{listed}")
            found = found[part]
        return found

    def as_dict(self) -> dict[str, Any]:
        """Return the complete document as plain values, with all defaults filled in."""
        swept = {"sweep": {key: list(values) for key, values in self.swept.items()}} if self.swept else {}
        return deepcopy({"name": self.name, "seed": self.seed, **self.resolved.deciding, **swept})

    def __eq__(self, other: object) -> bool:
        """Tell whether the two mean the same, whatever defaults and spellings of numbers they were written with."""
        return isinstance(other, Scenario) and canonical(self.as_dict()) == canonical(other.as_dict())

    def __hash__(self) -> int:
        return hash(canonical(self.as_dict()))

    def __repr__(self) -> str:
        """Return a line with the scenario's size and its components."""
        resolved = self.resolved
        chosen = ", ".join(f"{table} {component.name}" for table, component in resolved.components.items())
        swept = f", sweep over {', '.join(self.swept)}" if self.swept else ""
        size = f"{resolved.nodes.count} nodes, {resolved.general.duration_s:g} s"
        return f"<Scenario {self.name}: {size}, {chosen}{swept}>"

    def setup(self) -> Setup:
        """Return the simulator's input."""
        general, nodes, chosen = self.resolved.general, self.resolved.nodes, self.resolved.components
        return Setup(
            nodes=nodes.count,
            area=self.resolved.area,
            duration_s=general.duration_s,
            warmup_s=general.warmup_s,
            settle_s=general.settle_s,
            processing_s_max=nodes.processing_s_max,
            mobility=chosen["mobility"].parameters,
            radio=chosen["radio"].parameters,
            mac=chosen["mac"].parameters,
            workload=chosen["workload"].parameters,
            protocol=chosen["protocol"].loaded,
            parameters=chosen["protocol"].parameters,
            energy=self.resolved.energy,
        )

    def canonical_json(self) -> str:
        """Return everything that determines a run except its seed; scenarios of the same meaning give the same text."""
        return canonical(self.resolved.deciding)
