"""The five choices of a scenario: mobility, radio, mac, workload and protocol, each by name with its own keys.

A key directly in ``[protocol]`` applies to whichever protocol runs; one in ``[protocol.frugal]`` applies to that
protocol only, and takes precedence. So one file can hold the parameters of all the protocols that it compares. The
same holds for the models of the other four tables.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass
from typing import Any

from roamcast.core.components import ComponentKind
from roamcast.core.errors import InvalidValueError, UserError
from roamcast.core.host import PubSub
from roamcast.core.parameters import as_table, build, check, parameter_names, printable_key
from roamcast.protocols import PROTOCOLS
from roamcast.sim.dcf.parameters import load_mac, mac_names
from roamcast.sim.mobility import MOBILITY
from roamcast.sim.radio import RADIO
from roamcast.sim.workload import WORKLOAD


@dataclass(frozen=True, slots=True)
class Component:
    """A model or a protocol that a scenario chose, with its parameters."""

    name: str
    loaded: type[Any]
    parameters: Any
    """An instance of the model itself, or of the protocol's ``Parameters``."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the five tables: where its components are found and which key chooses among them."""

    table: str
    chooser: str
    names: Callable[[], tuple[str, ...]]
    load: Callable[[str, str], type[Any]]
    kind: ComponentKind[Any] | None = None
    """The kind of component; None: the MAC, which is part of the simulator."""
    default: str | None = None
    """The component that is used if the table does not name one."""

    @classmethod
    def among(cls, kind: ComponentKind[Any], table: str, chooser: str) -> "Choice":
        """Return the choice among all components of a kind, those of plug-ins included."""
        return cls(table, chooser, kind.names, kind.load, kind)

    @property
    def key(self) -> str:
        """Return the dotted key that chooses: ``protocol.name``."""
        return f"{self.table}.{self.chooser}"

    def parameters_class(self, name: str) -> type[Any]:
        """Return the dataclass of a component's keys."""
        loaded = self.load(name, "")
        keys: type[Any] = loaded.Parameters if issubclass(loaded, PubSub) else loaded
        is_frozen = is_dataclass(keys) and getattr(keys, "__dataclass_params__").frozen  # noqa: B009 - mypy knows it not
        if not is_frozen:  # a plug-in's; those of this tree are
            raise UserError(f"[{self.table}] {name}: {keys.__name__}, which holds its keys, must be a frozen dataclass")
        return keys

    def is_ambiguous(self, name: str) -> bool:
        """Tell whether several sources have a component of this name."""
        return self.kind is not None and len(self.kind.origins(name)) > 1

    def own_tables(self, table: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
        """Return the nested tables that apply to one component each."""
        return {key: value for key, value in table.items() if isinstance(value, Mapping) and key in self.names()}

    def shared_keys(self, table: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keys that apply to whichever component is chosen."""
        own = self.own_tables(table)
        return {key: value for key, value in table.items() if key != self.chooser and key not in own}

    def chosen(self, table: Mapping[str, Any]) -> Any:
        """Return the value of the key that chooses the component, or the default."""
        return table.get(self.chooser, self.default)

    def resolve(self, table: Mapping[str, Any], where: str) -> Component:
        """Make the component that a table chooses, after checking the whole table."""
        here = f"{where} [{self.table}]"
        name = self._checked_name(self.chosen(table), f"{here} {self.chooser}")
        cls = self.parameters_class(name)
        shared, own = self.shared_keys(table), self.own_tables(table)
        for key, value in shared.items():
            if isinstance(value, Mapping) and key not in parameter_names(cls):
                self._checked_name(key, f"{where} [{self.table}.{printable_key(key)}]")
        for component, keys in own.items():
            if component == name or not self.is_ambiguous(component):  # what is not used may clash
                check(self.parameters_class(component), keys, f"{where} [{self.table}.{component}]")
        try:
            parameters = build(cls, {**shared, **own.get(name, {})}, here, also_known=(self.chooser,))
        except UserError as error:
            # A model does not know the file's name; its own errors begin with its table.
            if str(error).startswith("["):
                raise UserError(f"{where} {error}") from None
            raise
        return Component(name, self.load(name, ""), parameters)

    def switch(self, table: Mapping[str, Any], name: Any, where: str) -> dict[str, Any]:
        """Return the table with another component chosen, without the shared keys that this one does not know.

        They are kept in the old component's own table, so that switching back restores them.
        """
        old, shared, switched = self.chosen(table), self.shared_keys(table), dict(table)
        if name == old:
            return switched
        name = self._checked_name(name, f"{where} [{self.table}] {self.chooser}")
        cls = self.parameters_class(name)
        if shared and old in self.names():
            switched[old] = {**shared, **self.own_tables(table).get(old, {})}
        for key, value in shared.items():
            if not _fits(cls, key, value):
                del switched[key]
        return {**switched, self.chooser: name}

    def as_table(self, component: Component) -> dict[str, Any]:
        """Return the complete table that chooses a component with its parameters."""
        return {self.chooser: component.name, **as_table(component.parameters)}

    def _checked_name(self, name: Any, where: str) -> str:
        if name is None:
            raise UserError(f"{where}: missing; known: {', '.join(self.names())}")
        if not isinstance(name, str):
            raise InvalidValueError(where, name, f"must be a text; known: {', '.join(self.names())}")
        if name not in self.names():
            self.load(printable_key(name), where)  # raises an error that lists the known names
        return name


def _fits(cls: type[Any], key: str, value: Any) -> bool:
    """Tell whether a component knows a key and accepts its value."""
    try:
        check(cls, {key: value}, "")
    except UserError:
        return False
    return True


CHOICES: Mapping[str, Choice] = {
    choice.table: choice
    for choice in (
        Choice.among(MOBILITY, "mobility", "model"),
        Choice.among(RADIO, "radio", "model"),
        Choice("mac", "model", mac_names, load_mac, default="dcf"),
        Choice.among(WORKLOAD, "workload", "model"),
        Choice.among(PROTOCOLS, "protocol", "name"),
    )
}
"""The five tables by name, in the order of a scenario file."""
PROTOCOL_KEY = CHOICES["protocol"].key
"""The key that chooses the protocol, which is also its column in the tables of results."""
