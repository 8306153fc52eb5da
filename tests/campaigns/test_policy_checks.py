"""Policies are held against what a scenario says of its people, as filters are against what events say."""

from typing import Any

import pytest
from scenario_documents import city

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.core.errors import UserError

PEOPLE: list[dict[str, Any]] = [{"attributes": {"rank": 1}}]


def line(workload: dict[str, Any]) -> str:
    """Return what a person is told about the city with another workload."""
    with pytest.raises(UserError) as caught:
        Scenario.from_document({**city(), "workload": workload}, "city.toml")
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix("city.toml ")


def story(policy: str, people: list[dict[str, Any]], **keys: Any) -> dict[str, Any]:
    """Return a workload of one event with a policy, for which all ask."""
    event = {"node": 0, "topic": "a", "at_s": 1, "validity_s": 5, "policy": policy}
    asked = [{"topic": "a", "nodes": "all"}]
    return {"model": "script", "subscriptions": asked, "publications": [event], "people": people, **keys}


@pytest.mark.parametrize(
    ("policy", "people", "expected"),
    [
        ("rnak >= 1", PEOPLE, "column 1: unknown attribute 'rnak'; did you mean 'rank'? known: rank"),
        ("rnak missing or rank > 5", PEOPLE, "column 1: unknown attribute 'rnak'; did you mean 'rank'? known: rank"),
        ('rank >= "a"', PEOPLE, 'column 9: rank is a number and cannot be compared with "a"'),
        (
            "rank >= 1",
            [],
            "column 1: unknown attribute 'rank'; no attributes are declared; add [[workload.people]] or strict = false",
        ),
    ],
)
def test_a_policy_is_held_against_what_is_known_of_the_people(
    policy: str, people: list[dict[str, Any]], expected: str
) -> None:
    assert line(story(policy, people)) == f"[workload] publications[0] policy, {expected}"
    Scenario.from_document({**city(), "workload": story(policy, people, strict=False)})


def test_a_policy_about_what_is_known_of_some_of_the_people_is_fine() -> None:
    people = [*PEOPLE, {"nodes": [1], "attributes": {"role": "police"}}]
    policy = 'rank > 5 or role = "police" or role missing'
    accepted = Scenario.from_document({**city(), "workload": story(policy, people)})
    assert str(accepted.setup().workload.publications[0].policy) == policy  # type: ignore[attr-defined]


def test_people_of_whom_one_thing_is_said_in_two_types_get_a_line() -> None:
    people = [*PEOPLE, {"nodes": [1], "attributes": {"rank": "high"}}]
    expected = 'people[1] attributes rank = "high": must be a number as in people[0], unless strict = false'
    assert line(story("rank > 5", people)) == f"[workload] {expected}"


def test_people_of_no_nodes_get_a_line() -> None:
    people = [{"nodes": [], "attributes": {"rank": 1}}]
    assert line(story("rank > 5", people)) == "[workload] people[0] nodes = []: must name at least one node"
