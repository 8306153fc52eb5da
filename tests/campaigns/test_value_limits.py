"""Values that would hang a run, fill the memory or mean nothing: each gets its line before anything is computed."""

from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from scenario_documents import city

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.scenario_choices import CHOICES
from roamcast.cli import main
from roamcast.core.errors import UserError
from roamcast.core.parameters import coerce
from roamcast.protocols import protocol_names
from roamcast.sim.random_streams import RandomStreams

PERIOD, LASTING = "must be between 0.001 and 1,000,000", "must be greater than 0 and at most 1,000,000"
GROUPS = {"model": "groups", "topics": 2, "publishers": 2, "subscribers": 4, "interval_s": 10, "validity_s": 30}
HIGHWAY = Path(__file__).parents[2] / "scenarios" / "highway.toml"
ROADS = {"area": {"width_m": 5000, "height_m": 5000}}


def line(**changes: Any) -> str:
    """Return what a person is told about the city with some of its tables replaced."""
    with pytest.raises(UserError) as caught:
        Scenario.from_document({**city(), **changes}, "city.toml")
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix("city.toml ")


# --- how much follows from a value --------------------------------------------------------------------------


def test_more_waypoints_than_can_be_looked_through_get_a_line() -> None:
    for spacing_m in (1e-5, 1e-300):
        mobility = {"model": "freeway", "waypoint_spacing_m": spacing_m}
        expected = "yields more than 100,000 waypoints on this map"
        assert line(mobility=mobility, **ROADS) == f"[mobility] waypoint_spacing_m = {spacing_m}: {expected}"


def test_a_spacing_beyond_every_street_leaves_the_junctions() -> None:
    mobility = {"model": "freeway", "waypoint_spacing_m": 1e300}
    accepted = Scenario.from_document({**city(), **ROADS, "mobility": mobility}).setup().mobility
    assert 0 < len(accepted.waypoints()) < 100


@pytest.mark.parametrize("interval_s", [1e-6, 1e-320])
def test_more_events_of_groups_than_a_run_can_hold_get_a_line(interval_s: float) -> None:
    found = line(workload={**GROUPS, "interval_s": interval_s})
    assert found == f"[workload] interval_s = {interval_s}: publishes more than 1,000,000 events"


def test_an_interval_of_groups_beyond_every_run_gets_a_line() -> None:
    assert line(workload={**GROUPS, "interval_s": 1e300}) == f"[workload] interval_s = 1e+300: {LASTING}"


@pytest.mark.parametrize(
    ("workload", "count", "expected"),
    [
        (
            {**GROUPS, "topics": 10_000, "subscribers": 200},
            300,
            "subscribers = 200: yields more than 1,000,000 subscriptions to all topics",
        ),
        (
            {"model": "interests", "validity_s": 1, "until_s": 1, "subscriptions_per_node": [40, 50]},
            30_000,
            "subscriptions_per_node = [40, 50]: may yield more than 1,000,000 subscriptions",
        ),
        (
            {"model": "interests", "validity_s": 1, "publication_probability": 1e-9},
            100_000,
            "until_s = 6000.0: 100,000 nodes may publish for at most 1,000 s",
        ),
        (
            {"model": "script", "subscriptions": [{"topic": f"t{each}", "nodes": "all"} for each in range(11)]},
            100_000,
            "subscriptions = 1100000: must be at most 1,000,000 in total, counted for each node",
        ),
    ],
)
def test_more_subscriptions_or_draws_than_a_run_can_hold_get_a_line(
    workload: dict[str, Any], count: int, expected: str
) -> None:
    found = line(workload=workload, nodes={"count": count}, mobility={"model": "static"}, duration_s=6000)
    assert found == f"[workload] {expected}"


@pytest.mark.parametrize(
    ("mobility", "area_m", "duration_s"),
    [
        ({"model": "random-waypoint", "speed_mps": [1, 5]}, 1e-9, 60),
        ({"model": "random-waypoint", "speed_mps": [1, 5], "pause_s": 1e-9}, 1e-3, 1000),
        ({"model": "city-section"}, 5000, 1e6),
        ({"model": "freeway", "safety_distance_m": 0}, 5000, 1e6),
        ({"model": "manhattan"}, 5000, 1e6),
    ],
)
def test_more_points_of_movement_than_a_run_can_hold_get_a_line(
    mobility: dict[str, Any], area_m: float, duration_s: float
) -> None:
    area = {"width_m": area_m, "height_m": area_m}
    found = line(mobility=mobility, area=area, duration_s=duration_s, nodes={"count": 500})
    assert found.startswith(f'[mobility] model = "{mobility["model"]}": yields about ')
    assert found.endswith(f" points for 500 nodes in {duration_s + 5:g} s; must be at most 20,000,000")


def test_the_points_that_are_foretold_are_about_those_that_the_movement_has() -> None:
    for model, keys in (("random-waypoint", {"speed_mps": [5, 10]}), ("city-section", {"pause_s": [0, 0]})):
        table = {"model": model, "stop_probability": 0} if model == "city-section" else {"model": model}
        setup = Scenario.from_document({**city(), **ROADS, "mobility": {**table, **keys}}).setup()
        made = setup.mobility.trajectories(20, setup.area, 5000.0, RandomStreams(1))
        foretold = setup.mobility.points(20, setup.area, 5000.0)
        assert len(made.time_s) / 3 < foretold < 3 * len(made.time_s)


# --- periods, times and sizes -------------------------------------------------------------------------------


def times_of(cls: type[Any], before: str) -> dict[str, Any]:
    """Return the types of a component's times and of its router's, by their names."""
    found: dict[str, Any] = {}
    for name, hint in get_type_hints(cls, include_extras=True).items():
        if is_dataclass(hint):
            found.update(times_of(hint, f"{before}{name}."))  # type: ignore[arg-type]
        elif name.endswith(("_s", "_s_min", "_s_max")) and not name.endswith("per_s"):
            found[before + name] = hint
    return found


TIMES = {
    key: hint
    for name in protocol_names()
    for key, hint in times_of(CHOICES["protocol"].parameters_class(name), f"{name} ").items()
}


@pytest.mark.parametrize(
    ("name", "key", "values", "expected"),
    [
        ("broker-aodv", "subscription_s", (1e-9, 1e300), PERIOD),
        ("rendezvous-gpsr", "advertisement_s", (1e-9, 1e300), PERIOD),
        ("rendezvous-gpsr", "advertising_s", (0, 1e300), LASTING),
        ("flooding", "period_s", (1e-9, 1e300), PERIOD),
        ("frugal", "heartbeat_s_min", (1e-9, 1e300), PERIOD),
        ("hint-driven", "beacon_interval_s", (1e-9, 1e300), PERIOD),
        ("tree-group", "heartbeat_s", (1e-9, 1e300), PERIOD),
        ("subscription-tree", "root_hello_s", (1e-9, 1e300), PERIOD),
        ("drip", "announce_s", (1e-9, 1e300), PERIOD),
        ("brvst", "look_s", (1e-9, 1e300), PERIOD),
        ("frugal", "collection_factor", (1e-9, 0.9), "must be at least 1"),
        ("neighbour-flooding", "memory_periods", (1e-9, 0.9), "must be at least 1"),
        ("subscription-tree", "missed_heartbeats", (1e-9, 0.9), "must be at least 1"),
        ("tree-group", "header_bytes", (0, 100_000_000), "must be between 1 and 65,535"),
    ],
)
def test_a_value_that_could_only_be_a_slip_gets_a_line(
    name: str, key: str, values: tuple[float, ...], expected: str
) -> None:
    for value in values:
        assert line(protocol={"name": name, key: value}) == f"[protocol] {key} = {value}: {expected}"


@pytest.mark.parametrize(
    ("name", "key", "value", "expected"),
    [
        ("broker-gpsr", "beacon_s", 1e-6, PERIOD),
        ("broker-gpsr", "forget_factor", 0.1, "must be at least 1.5, the longest time between two beacons"),
        ("broker-gpsr", "header_bytes", 100_000_000, "must be between 0 and 65,535"),
        ("brvst", "retry_s", 1e-9, PERIOD),
        ("brvst", "retries", 1_000_000_000, "must be at most 1,000"),
        ("brvst", "header_bytes", 100_000_000, "must be between 0 and 65,535"),
    ],
)
def test_a_router_value_that_could_only_be_a_slip_gets_a_line(name: str, key: str, value: float, expected: str) -> None:
    found = line(protocol={"name": name, "router": {key: value}})
    assert found == f"[protocol] router {key} = {value}: {expected}"


@pytest.mark.parametrize("timeout_s", [0.5, 2.0])
def test_a_subscription_must_count_until_it_is_said_again(timeout_s: float) -> None:
    found = line(protocol={"name": "broker-aodv", "subscription_s": 2, "timeout_s": timeout_s})
    expected = "must be greater than subscription_s (2), or every subscription times out"
    assert found == f"[protocol] timeout_s = {timeout_s}: {expected}"


def test_no_time_of_a_protocol_is_longer_than_a_run_can_be() -> None:
    assert len(TIMES) > 50
    for key, hint in TIMES.items():
        with pytest.raises(UserError):
            coerce(hint, 1e300, key)


# --- what a person is offered -------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["city-section", "freeway", "manhattan", "trace"])
def test_a_fingerprint_is_not_offered_as_a_key(model: str) -> None:
    path = {"path": "nowhere"} if model == "trace" else {}
    found = line(mobility={"model": model, "mpa": 5, **path})
    assert found.startswith("[mobility] mpa = 5: unknown key; ")
    assert "known keys: " in found
    assert "digest" not in found


def test_a_fingerprint_that_a_plan_has_filled_in_is_taken() -> None:
    planned = Scenario.from_document({**city(), **ROADS, "mobility": {"model": "freeway"}})
    assert Scenario.from_json(planned.canonical_json()).canonical_json() == planned.canonical_json()
    assert planned.resolved.deciding["mobility"]["map_digest"]


def test_the_command_line_leaves_with_2_and_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(HIGHWAY), "--set", "workload.interval_s=1e-6"]) == 2
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1
    assert "interval_s = 1e-06: publishes more than 1,000,000 events" in shown
