"""Sweeps as data."""

import tomllib
from typing import Any

import pytest

from roamcast.campaigns.sweep import cross_section, points, read_sweep
from roamcast.core.errors import UserError

PLACE = "city.toml [sweep]"


def test_keys_may_be_dotted_quoted_or_in_tables() -> None:
    text = 'radio.range_m = [1]\n"nodes.count" = [2, 3]\n[protocol.frugal]\nheartbeat_s_max = [4]\n'
    assert read_sweep(tomllib.loads(text), PLACE) == {
        "radio.range_m": (1,),
        "nodes.count": (2, 3),
        "protocol.frugal.heartbeat_s_max": (4,),
    }


def test_lists_are_crossed_in_order_and_the_last_key_changes_fastest() -> None:
    assert list(points({"a": (1, 2), "b": ("x", "y")})) == [
        {"a": 1, "b": "x"},
        {"a": 1, "b": "y"},
        {"a": 2, "b": "x"},
        {"a": 2, "b": "y"},
    ]


def test_values_may_be_lists_and_tables() -> None:
    swept = read_sweep({"mobility.speed_mps": [[1, 1], [5, 5]], "radio": [{"model": "range"}]}, PLACE)
    assert swept == {"mobility.speed_mps": ([1, 1], [5, 5]), "radio": ({"model": "range"},)}


def test_a_sweep_over_nothing_has_one_point() -> None:
    assert list(points(read_sweep({}, PLACE))) == [{}]


def test_a_cross_section_has_every_value_and_only_points_of_the_sweep() -> None:
    sweep = {"a": (1, 2, 3), "b": (4, 5), "c": (6,)}
    section = list(cross_section(sweep))
    every = list(points(sweep))
    assert all(point in every for point in section)
    assert {(key, value) for point in section for key, value in point.items()} == {
        (key, value) for key, values in sweep.items() for value in values
    }
    assert len(section) == 4


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ({"radio.range_m": []}, f"{PLACE} radio.range_m = []: must have at least one value"),
        ({"radio.range_m": 5}, f"{PLACE} radio.range_m = 5: must be a list of values"),
        ({"protocol.name": "frugal"}, f'{PLACE} protocol.name = "frugal": must be a list of values'),
        ({"radio": {}}, f"{PLACE} radio = {{}}: must be a list of values"),
        ({"a.b": [1], "a": {"b": [2]}}, f"{PLACE} a.b: must be given only once"),
        (
            {"seed": [1, 2]},
            f"{PLACE} seed = [1, 2]: cannot be swept; seeds are given when the sweep is run",
        ),
        ({"a": range(400), "b": range(251)}, f"{PLACE}: has 100,400 points; must be at most 100,000"),
        (5, f"{PLACE} = 5: must be a table"),
    ],
)
def test_a_bad_sweep_gets_its_line(table: Any, line: str) -> None:
    with pytest.raises(UserError) as caught:
        read_sweep(table, PLACE)
    assert str(caught.value) == line


@pytest.mark.parametrize("key", ["name", "sweep", "sweep.radio"])
def test_what_decides_no_run_cannot_be_swept(key: str) -> None:
    with pytest.raises(UserError, match="cannot be swept"):
        read_sweep({key: ["a", "b"]}, PLACE)


def test_a_sweep_of_exactly_the_limit_is_allowed() -> None:
    assert len(read_sweep({"a": range(400), "b": range(250)}, PLACE)) == 2
