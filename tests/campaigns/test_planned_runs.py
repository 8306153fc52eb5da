"""From a sweep to rows, and what makes two runs the same run."""

import json
import re
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scenario_documents import city

from roamcast import __version__
from roamcast.campaigns import plan as plan_module
from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.plan import PlannedRun, estimated_cost, plan, run_id
from roamcast.campaigns.run_identity import code_of
from roamcast.core.errors import UserError

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def scenario(**changes: Any) -> Scenario:
    """Return the city with some tables replaced."""
    return Scenario.from_document({**city(), **changes}, "city.toml")


def identity(one: Scenario) -> str:
    """Return the identity of a scenario's run with its own seed."""
    return run_id(one.canonical_json(), one.seed)


def test_a_sweep_becomes_a_row_for_each_point_and_seed() -> None:
    base = scenario()
    rows = plan("figure 9", base, {"protocol.name": ["frugal", "flooding"], "radio.range_m": [50, 100]}, [3, 4])
    assert [
        (json.loads(row.point)["protocol.name"], json.loads(row.point)["radio.range_m"], row.seed) for row in rows
    ] == [(name, reach, seed) for name in ("frugal", "flooding") for reach in (50.0, 100.0) for seed in (3, 4)]
    assert len({row.run_id for row in rows}) == 8
    last = base.with_values({"protocol.name": "flooding", "radio.range_m": 100})
    assert rows[-1] == PlannedRun(
        "figure 9",
        '{"protocol.name":"flooding","radio.range_m":100.0}',
        run_id(last.canonical_json(), 4),
        4,
        last.canonical_json(),
        estimated_cost(last),
    )


def test_a_run_id_has_32_hexadecimal_digits_and_holds_the_version() -> None:
    text = scenario().canonical_json()
    assert len(run_id(text, 1)) == 32
    assert set(run_id(text, 1)) <= set("0123456789abcdef")
    assert run_id(text, 1) == run_id(text, 1, __version__)
    assert len({run_id(text, 1), run_id(text, 2), run_id(text, 1, "9.9.9"), run_id(text + " ", 1)}) == 4


def test_a_run_id_is_the_same_in_another_process() -> None:
    code = "import sys; from roamcast.campaigns.plan import run_id; print(run_id(sys.argv[1], 5))"
    text = scenario().canonical_json()
    done = subprocess.run([sys.executable, "-c", code, text], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == run_id(text, 5)


def test_the_same_run_in_two_sweeps_is_one_run() -> None:
    one = plan("a", scenario(), {"radio.range_m": [50, 100]}, [1])
    other = plan("b", scenario(name="else"), {"protocol.name": ["flooding"]}, [1], labels={"figure": 3})
    assert one[1].run_id == other[0].run_id
    assert other[0].point == '{"figure":3,"protocol.name":"flooding"}'


def test_what_decides_nothing_does_not_change_a_runs_identity() -> None:
    base = identity(scenario())
    assert identity(scenario(name="another")) == base
    assert identity(scenario(sweep={"radio.range_m": [1, 2]})) == base
    assert identity(scenario(mac={"model": "dcf"})) == base
    assert identity(scenario(protocol={"name": "flooding", "frugal": {"heartbeat_s_max": 3}})) == base
    assert identity(scenario(protocol={"name": "flooding", "flooding": {"period_s": 1}})) == base
    assert identity(Scenario.from_document(city(), "elsewhere/town.toml")) == base
    assert (
        identity(scenario().with_values({"protocol.name": "frugal"}).with_values({"protocol.name": "flooding"})) == base
    )


def leaves(value: Any, above: str = "") -> list[tuple[str, Any]]:
    """List every key of a complete document with its value."""
    if not isinstance(value, dict):
        return [(above, value)]
    return [leaf for key in value for leaf in leaves(value[key], f"{above}.{key}" if above else key)]


def other_values(base: Scenario, key: str, value: Any) -> list[Any]:
    """List values of which at least one should be allowed in place of another."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, (int, float)):
        return [value * 1.5 + 0.25, value + 1, value / 2]
    if isinstance(value, list):
        return [[*value[:-1], value[-1] + 1]]
    try:
        base.with_values({key: "other.topic"})
    except UserError as error:  # which names the words that are known, in quotes or after a colon
        words = re.findall(r'"([\w-]+)"', str(error)) or str(error).rpartition("known: ")[2].split(", ")
        return [500.0, 500, 0.5, 5e6, *(word for word in words if word != value)]
    return ["other.topic"]


@pytest.mark.parametrize("protocol", ["flooding", "frugal"])
def test_every_key_that_decides_changes_a_runs_identity(protocol: str) -> None:
    base = scenario(protocol={"name": protocol})
    # There is one MAC to choose from; the others are tried below, with the values of other keys that they need.
    left_out = {"mac.model", "mac.standard", "radio.range_drawn", "workload.publisher_subscribes"}
    deciding = {key: value for key, value in leaves(base.resolved.deciding) if key not in left_out}
    assert len(deciding) > 30
    seen = {identity(base)}
    for key, value in deciding.items():
        for other in other_values(base, key, value):
            try:
                changed = base.with_values({key: other})
            except UserError:
                continue
            seen.add(identity(changed))
            break
        else:
            pytest.fail(f"no other value found for {key}")
    assert len(seen) == len(deciding) + 1


def test_the_last_deciding_keys_change_a_runs_identity_too() -> None:
    known = {"workload.publisher": 3, "workload.publisher_subscribes": True}
    base = scenario().with_values(known)
    assert identity(base) != identity(base.with_values({"workload.publisher_subscribes": False}))
    fast = scenario().with_values({"radio.bitrate_bps": 6e6})
    assert identity(fast) != identity(fast.with_values({"mac.standard": "802.11a"}))
    drawn = scenario().with_values({"radio.range_m": [100, 200]})
    assert identity(drawn) != identity(drawn.with_values({"radio.range_drawn": "frame"}))
    assert identity(scenario(seed=7)) != identity(scenario(seed=8))


def test_the_seed_is_not_in_the_scenario_of_a_row() -> None:
    assert scenario(seed=1).canonical_json() == scenario(seed=2).canonical_json()
    assert plan("a", scenario(seed=1), {}, [5]) == plan("a", scenario(seed=2), {}, [5])


NUMBERS = st.sampled_from([1, 2, 7, 2.5, 1e3, 40.0, 0.1])
DOCUMENTS = st.fixed_dictionaries(
    {
        "duration_s": NUMBERS,
        "area": st.fixed_dictionaries({"width_m": NUMBERS, "height_m": NUMBERS}),
        "nodes": st.fixed_dictionaries({"count": st.integers(1, 9)}, optional={"processing_s_max": st.just(0)}),
        "mobility": st.fixed_dictionaries({"model": st.just("static")})
        | st.fixed_dictionaries(
            {"model": st.just("random-waypoint"), "speed_mps": st.lists(NUMBERS, min_size=2, max_size=2).map(sorted)},
            optional={"pause_s": NUMBERS},
        ),
        "radio": st.fixed_dictionaries(
            {"model": st.just("range"), "range_m": NUMBERS},
            optional={"bitrate_bps": NUMBERS.map(lambda number: number + 1000)},
        )
        | st.fixed_dictionaries({"model": st.just("two-ray-ground")}),
        "workload": st.fixed_dictionaries(
            {
                "model": st.just("single-topic"),
                "subscriber_fraction": st.sampled_from([0, 0.5, 1]),
                "validity_s": NUMBERS,
            },
            optional={"other_topic": st.sampled_from(["", "x.y"]), "publisher": st.sampled_from([0, "any"])},
        )
        | st.fixed_dictionaries(
            {"model": st.just("script"), "subscriptions": st.lists(st.just({"node": 0, "topic": "a"}), max_size=1)}
        ),
        "protocol": st.fixed_dictionaries(
            {"name": st.sampled_from(["frugal", "flooding"])},
            optional={"events_max": st.integers(1, 9), "flooding": st.fixed_dictionaries({"period_s": NUMBERS})},
        ),
    },
    optional={
        "warmup_s": NUMBERS,
        "settle_s": NUMBERS,
        "mac": st.just({"header_bytes": 28}),
        "seed": st.integers(0, 9),
    },
)


def respelt(value: Any) -> Any:
    """Return a document with the same meaning: keys the other way round, numbers in another type."""
    if isinstance(value, dict):
        return {key: respelt(value[key]) for key in reversed(value)}
    if isinstance(value, list):
        return [respelt(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return float(value) if isinstance(value, int) else value


@unhurried
@given(DOCUMENTS)
def test_a_scenario_survives_its_canonical_json(document: dict[str, Any]) -> None:
    made = Scenario.from_document(document)
    text = made.canonical_json()
    again = Scenario.from_json(text)
    assert again.canonical_json() == text
    assert again.setup() == made.setup()
    assert json.dumps(json.loads(text), sort_keys=True, separators=(",", ":")) == text


@unhurried
@given(DOCUMENTS)
def test_a_scenario_that_is_spelt_differently_is_the_same_run(document: dict[str, Any]) -> None:
    one, other = Scenario.from_document(document), Scenario.from_document(respelt(document))
    assert one.canonical_json() == other.canonical_json()
    assert identity(one) == identity(other)


@unhurried
@given(DOCUMENTS, DOCUMENTS)
def test_two_runs_are_the_same_exactly_if_their_setups_are(one: dict[str, Any], other: dict[str, Any]) -> None:
    first, second = Scenario.from_document(one), Scenario.from_document(other)
    assert (first.canonical_json() == second.canonical_json()) == (first.setup() == second.setup())


def test_labels_look_the_same_whether_or_not_their_component_is_chosen() -> None:
    sweep: dict[str, list[Any]] = {"protocol.name": ["frugal", "flooding"], "protocol.flooding.period_s": [1, 2]}
    rows = plan("a", scenario(), sweep, [1])
    assert [json.loads(row.point)["protocol.flooding.period_s"] for row in rows] == [1.0, 2.0, 1.0, 2.0]
    assert '"protocol.flooding.period_s":1.0' in rows[0].point
    # Frugal does not know the key, so its two points are one run.
    assert rows[0].run_id == rows[1].run_id
    assert rows[2].run_id != rows[3].run_id


def test_more_work_is_estimated_to_cost_more() -> None:
    base = estimated_cost(scenario())
    larger: list[dict[str, Any]] = [
        {"nodes.count": 40},
        {"duration_s": 120},
        {"settle_s": 60},
        {"radio.range_m": 200},
        {"area.width_m": 600},
        {"workload.events": 5},
        {"workload.validity_s": 50},
    ]
    for values in larger:
        assert estimated_cost(scenario().with_values(values)) > base


def test_validity_after_the_end_costs_nothing() -> None:
    within, beyond = (scenario().with_values({"workload.validity_s": validity_s}) for validity_s in (60, 600))
    assert estimated_cost(within) == estimated_cost(beyond)


def test_planning_does_not_load_the_simulators_compiler() -> None:
    code = "import sys; import roamcast.campaigns.plan; print('numba' in sys.modules, 'pyspark' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize(
    ("sweep", "seeds", "line"),
    [
        ({}, [], "city.toml [sweep]: at least one seed is needed"),
        ({}, [-1], "city.toml [sweep] seed = -1: must be a whole number from 0 to 9223372036854775807"),
        ({}, [True], "city.toml [sweep] seed = true: must be a whole number from 0 to 9223372036854775807"),
        ({}, [1, 1], "city.toml [sweep] seeds = [1, 1]: must be different numbers"),
        ({"radio.range_m": []}, [1], "city.toml [sweep] radio.range_m = []: must have at least one value"),
        (
            {"radio.range_m": [5, 5.0]},
            [1],
            'city.toml [sweep]: the point {"radio.range_m":5.0} appears twice; each value must be listed once',
        ),
        ({"radio.range_m": [5, 0]}, [1], "city.toml with [sweep] [radio] range_m = 0: must be greater than 0"),
        (
            {"radio.range": [5]},
            [1],
            "city.toml with [sweep] [radio] range = 5: unknown key; did you mean 'range_m'? "
            "known keys: bitrate_bps, model, range_drawn, range_m, sense_range_m",
        ),
    ],
)
def test_a_plan_that_cannot_be_made_gets_its_line(sweep: dict[str, Any], seeds: list[int], line: str) -> None:
    with pytest.raises(UserError) as caught:
        plan("a", scenario(), sweep, seeds)
    assert str(caught.value) == line


def test_a_combination_that_cannot_be_is_found_when_the_sweep_is_planned() -> None:
    swept = scenario(sweep={"nodes.count": [20, 4], "workload.publisher": [0, 5]})
    with pytest.raises(UserError, match="publisher = 5: must be below 4"):
        plan("a", swept, swept.swept, [1])


def test_a_plan_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_module, "RUNS_MAX", 5)
    assert len(plan("a", scenario(), {"radio.range_m": [1, 2]}, [1, 2])) == 4
    with pytest.raises(UserError, match="more than 5 runs with 3 seeds"):
        plan("a", scenario(), {"radio.range_m": [1, 2]}, [1, 2, 3])


def test_other_code_is_another_run() -> None:
    assert run_id("{}", 1, source="before") != run_id("{}", 1, source="after")
    assert run_id("{}", 1) == run_id("{}", 1, source=code_of("{}"))
