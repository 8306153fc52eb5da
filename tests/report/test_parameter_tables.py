"""Parameter tables: what a dataclass says of its fields, as Markdown."""

from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from roamcast.campaigns.scenario_choices import CHOICES
from roamcast.campaigns.scenario_tables import AreaTable, General, Nodes
from roamcast.core.parameters import FILLED_IN, FRACTION, GREATER_THAN_ZERO, at_most, at_most_items, one_of
from roamcast.report.parameter_tables import (
    MissingDocstringError,
    field_docstrings,
    inner_tables,
    nested_tables,
    parameter_table,
)
from roamcast.routing import load_router, router_names
from roamcast.sim.energy import Energy


@dataclass(frozen=True)
class Stop:
    """A table in a list of tables."""

    name: str
    """The name on the sign."""


@dataclass(frozen=True)
class Vehicle:
    """The keys that all vehicles have."""

    speed_mps: Annotated[float, GREATER_THAN_ZERO, at_most(100)]
    """The highest speed."""
    colour: Annotated[str, one_of("red", "blue")] = "red"
    """The colour; ``red`` is a bus | a fire engine."""
    digest: Annotated[str, FILLED_IN] = ""
    """Filled in where a run is planned."""


@dataclass(frozen=True)
class Engine:
    """A table inside the table."""

    power_w: float = 3.0
    """The power."""


@dataclass(frozen=True)
class Bus(Vehicle):
    """The keys of a bus."""

    doors: Annotated[int, GREATER_THAN_ZERO] | None = None
    """How many doors it has.

    None: one for each axle.
    """
    shares: tuple[Annotated[float, FRACTION], Annotated[float, FRACTION]] = (0.0, 0.5)
    """The fewest and the most seats taken."""
    stops: Annotated[tuple[Stop, ...], at_most_items(9)] = ()
    """Where it stops."""
    engine: Engine = Engine()
    """The engine that drives it."""


def rows(table: str) -> list[str]:
    """Return the rows of a table without its header."""
    return table.splitlines()[2:]


def test_a_row_has_the_key_the_default_the_limits_and_the_docstring_of_a_field() -> None:
    assert rows(parameter_table(Vehicle)) == [
        "| `speed_mps` | *required* | number, greater than 0 and at most 100 | The highest speed. |",
        '| `colour` | `"red"` | `"red"` or `"blue"` | The colour; `red` is a bus \\| a fire engine. |',
    ]


def test_inherited_fields_come_first_with_their_own_docstrings() -> None:
    assert rows(parameter_table(Bus))[2:] == [
        "| `doors` | *none* | whole number, greater than 0 | How many doors it has. None: one for each axle. |",
        "| `shares` | `[0, 0.5]` | `[number, number]`, each between 0 and 1 | The fewest and the most seats taken. |",
        "| `stops` | `[]` | list of tables, at most 9 items | Where it stops. |",
        "| `engine` | its own defaults | table | The engine that drives it. |",
    ]


def test_a_caller_can_say_better_what_a_default_is() -> None:
    assert "| the fastest |" in parameter_table(Vehicle, {"speed_mps": "the fastest"})


def test_tables_inside_a_table_are_found() -> None:
    assert nested_tables(Bus) == {"stops": Stop}
    assert inner_tables(Bus) == {"engine": Engine}


@dataclass(frozen=True)
class Undocumented:
    """A class with a field that says nothing."""

    told: int = 1
    """This one is explained."""
    silent: int = 2


def test_a_field_without_a_docstring_is_an_error_that_names_it() -> None:
    with pytest.raises(MissingDocstringError, match=r"Undocumented\.silent has no docstring"):
        parameter_table(Undocumented)


def all_parameters() -> list[type[Any]]:
    """Return every dataclass that a scenario file fills."""
    models = [choice.parameters_class(name) for choice in CHOICES.values() for name in choice.names()]
    found = [General, AreaTable, Nodes, Energy, *models, *(load_router(name).Parameters for name in router_names())]
    return [*found, *(nested for cls in found for nested in nested_tables(cls).values())]


def test_every_parameter_of_every_component_is_explained_in_whole_sentences() -> None:
    unfinished = [
        f"{cls.__qualname__}.{name}"
        for cls in all_parameters()
        for name, text in field_docstrings(cls).items()
        if not text.endswith(".")
    ]
    assert unfinished == []


def test_keys_that_are_filled_in_are_not_shown() -> None:
    assert "digest" not in parameter_table(CHOICES["mobility"].parameters_class("trace"))
