"""docs/routing.md: its tables of parameters are the code's, and the example's names exist."""

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

import roamcast.routing
from roamcast.routing import load_router, router_names

PAGE = (Path(__file__).parents[2] / "docs" / "routing.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", router_names())
def test_every_router_has_a_section_with_its_parameters_and_their_defaults(name: str) -> None:
    section = PAGE.split(f"\n## `{name}`\n")[1].split("\n## ")[0]
    documented = re.findall(r"^\| `(\w+)` \| (.+?) \|", section, flags=re.MULTILINE)
    assert documented == [(each.name, json.dumps(each.default)) for each in fields(load_router(name).Parameters)]


def test_the_page_names_every_call_of_the_interface() -> None:
    interface = roamcast.routing.GeographicRouter, roamcast.routing.RouterUser
    calls = {name for cls in interface for name in vars(cls) if not name.startswith("_")}
    assert {call for call in calls if f"`{call}(" not in PAGE} == set()
