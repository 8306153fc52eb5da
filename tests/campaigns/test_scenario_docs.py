"""docs/scenarios.md has every key with its default, and its examples work."""

import re
import tomllib
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from roamcast.campaigns.scenario import Scenario
from roamcast.campaigns.scenario_choices import KINDS
from roamcast.campaigns.scenario_tables import AreaTable, General, Nodes
from roamcast.core.host import PubSub
from roamcast.core.parameters import plain
from roamcast.protocols import load_protocol, protocol_names
from roamcast.sim.energy import Energy
from roamcast.sim.workload.script import ScriptedPeople, ScriptedPublication, ScriptedSubscription

TEXT = (Path(__file__).parents[2] / "docs" / "scenarios.md").read_text(encoding="utf-8")
SECTIONS: dict[str, type[Any]] = {
    "### Above the first table": General,
    "### `[area]`": AreaTable,
    "### `[nodes]`": Nodes,
    "### `[energy]`": Energy,
    "Each of the `subscriptions` has": ScriptedSubscription,
    "and each of the `publications` has": ScriptedPublication,
    "and each of the `people` has": ScriptedPeople,
    **{f"### {table} `{name}`": kind.parameters_class(name) for table, kind in KINDS.items() for name in kind.names()},
}
EXAMPLES = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)


def documented(heading: str) -> dict[str, str]:
    """Return the keys of the table below a heading, each with its default."""
    kind, _, name = heading.partition(" `")  # several that have the same keys may share a heading
    several = rf"{re.escape(kind)} (?:`[^\n]*, )?`{re.escape(name)}(?:, `[^\n]*)?"
    wanted = re.compile(f"^{several if heading.startswith('### ') and name else re.escape(heading)}$", re.MULTILINE)
    found = wanted.search(TEXT)
    assert found, f"docs/scenarios.md has no section {heading}"
    rest = TEXT[found.end() :]
    table = rest[rest.index("\n|") :].lstrip("\n").split("\n\n", 1)[0]
    return {key: default.strip() for key, default in re.findall(r"^\| `(\w+)` \|([^|]*)\|", table, re.MULTILINE)}


def shown(default: Any) -> str:
    """Write a default as the page does."""
    if default is MISSING:
        return ""
    if is_dataclass(default) and isinstance(plain(default), dict):
        return "see [routing.md](routing.md)"
    value = plain(default)
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if value == {}:
        return "{}"
    if isinstance(value, list):
        return "[" + ", ".join(shown(item) for item in value) + "]"
    if isinstance(value, str):
        return f'"{value}"'
    return str(int(value)) if value == int(value) else repr(value)


@pytest.mark.parametrize("heading", SECTIONS)
def test_every_key_stands_on_the_page_with_its_default(heading: str) -> None:
    expected = {each.name: shown(each.default) for each in fields(SECTIONS[heading]) if each.init}
    if "name" in expected:
        expected["name"] = "the file's name"
    assert documented(heading) == expected


def test_every_scenario_that_is_shipped_stands_on_the_page() -> None:
    shipped = sorted(path.name for path in (Path(__file__).parents[2] / "scenarios").glob("*.toml"))
    assert re.findall(r"^\| `([\w-]+\.toml)` \|", TEXT, re.MULTILINE) == shipped


def test_the_page_says_which_protocols_only_broadcast() -> None:
    (sentence,) = re.findall(r"The protocols ([^.]*?) only broadcast", TEXT)
    silent = [name for name in protocol_names() if load_protocol(name).on_unicast_failed is PubSub.on_unicast_failed]
    assert re.findall(r"`([\w-]+)`", sentence) == silent


def test_the_first_example_is_a_scenario() -> None:
    assert Scenario.from_document(tomllib.loads(EXAMPLES[0])).name == "city"


@pytest.mark.parametrize("example", EXAMPLES[1:])
def test_the_other_examples_fit_into_the_first(example: str) -> None:
    tables = tomllib.loads(example)
    assert Scenario.from_document({**tomllib.loads(EXAMPLES[0]), **tables}).document.items() >= tables.items()
