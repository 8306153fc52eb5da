"""docs/routing.md: it describes every router and every call of the interface."""

import re
from pathlib import Path

import roamcast.routing
from roamcast.routing import router_names

PAGE = (Path(__file__).parents[2] / "docs" / "routing.md").read_text(encoding="utf-8")


def test_every_router_has_a_section() -> None:
    titled = re.findall(r"^## `([\w-]+)`$", PAGE, flags=re.MULTILINE)
    assert sorted(titled) == sorted(router_names())


def test_the_page_names_every_call_of_the_interface() -> None:
    interface = roamcast.routing.GeographicRouter, roamcast.routing.RouterUser
    calls = {name for cls in interface for name in vars(cls) if not name.startswith("_")}
    assert {call for call in calls if f"`{call}(" not in PAGE} == set()
