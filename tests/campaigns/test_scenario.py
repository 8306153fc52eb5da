"""A scenario from file to setup, and changes of single keys."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from scenario_documents import CITY_TOML, city, write

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.scenario_choices import CHOICES
from roamcast.core.errors import UserError
from roamcast.core.parameters import parameter_names
from roamcast.core.topics import Topic
from roamcast.protocols import load_protocol
from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.mobility.random_waypoint import RandomWaypoint
from roamcast.sim.radio.range import Range
from roamcast.sim.trajectories import Area
from roamcast.sim.workload.script import Script, ScriptedPublication, ScriptedSubscription
from roamcast.sim.workload.single_topic import SingleTopic


def scenario(**changes: Any) -> Scenario:
    """Return the city with some tables replaced."""
    return Scenario.from_document({**city(), **changes}, "city.toml")


def protocol_keys(changed: Scenario) -> Any:
    """Return the parameters with which the protocol would run."""
    return changed.resolved.deciding["protocol"]


def test_a_file_becomes_the_simulators_setup(tmp_path: Path) -> None:
    loaded = Scenario.load(write(tmp_path))
    setup = loaded.setup()
    assert (setup.nodes, setup.area, setup.duration_s) == (20, Area(1200.0, 900.0), 60.0)
    assert (setup.warmup_s, setup.settle_s, setup.processing_s_max) == (0.0, 5.0, 0.001)
    assert setup.mobility == RandomWaypoint(speed_mps=(1.0, 5.0), pause_s=1.0)
    assert setup.radio == Range(range_m=100.0)
    assert setup.mac == Dcf()
    assert setup.workload == SingleTopic(subscriber_fraction=0.5, validity_s=30.0)
    assert setup.protocol is load_protocol("flooding")
    assert setup.parameters == setup.protocol.Parameters()
    assert loaded.seed == 7


def test_every_key_reaches_the_setup() -> None:
    changed = scenario(
        warmup_s=600,
        settle_s=0,
        nodes={"count": 3, "processing_s_max": 0},
        mac={"model": "dcf", "header_bytes": 28},
        protocol={"name": "flooding", "period_s": 2},
    ).setup()
    assert (changed.warmup_s, changed.settle_s, changed.nodes, changed.processing_s_max) == (600.0, 0.0, 3, 0.0)
    assert changed.mac == Dcf(header_bytes=28)
    assert changed.parameters == load_protocol("flooding").Parameters(period_s=2.0)


def test_nested_tables_reach_the_workload() -> None:
    changed = scenario(
        workload={
            "model": "script",
            "subscriptions": [{"nodes": "all", "topic": "a"}],
            "publications": [{"node": 1, "topic": "a.b", "at_s": 2, "validity_s": 3}],
        }
    )
    assert changed.setup().workload == Script(
        (ScriptedSubscription(Topic("a"), nodes="all"),), (ScriptedPublication(1, Topic("a.b"), 2.0, 3.0),)
    )


def test_a_scenario_without_a_name_is_called_what_its_file_is_called(tmp_path: Path) -> None:
    assert Scenario.load(write(tmp_path)).name == "city"
    assert Scenario.load(write(tmp_path, "duration_s", 'name = "other"\nduration_s')).name == "other"
    assert Scenario.load(str(write(tmp_path))).name == "city"


def test_a_byte_order_mark_is_read_over(tmp_path: Path) -> None:
    path = tmp_path / "city.toml"
    path.write_text(CITY_TOML, encoding="utf-8-sig")
    assert Scenario.load(path).seed == 7


def test_a_scenario_does_not_change_with_the_document_it_was_made_of() -> None:
    document = city()
    made = Scenario.from_document(document)
    document["radio"]["range_m"] = 5
    assert made == Scenario.from_document(city())


def test_changing_keys_leaves_the_original_alone() -> None:
    original = scenario()
    before = deepcopy(dict(original.document))
    changed = original.with_values(
        {"radio.range_m": 200, "duration_s": 9, "mac.header_bytes": 28, "workload.events": 3}
    )
    assert original.document == before
    setup = changed.setup()
    assert setup.radio == Range(range_m=200.0)
    assert setup.duration_s == 9.0
    assert setup.mac == Dcf(header_bytes=28)
    assert setup.workload == SingleTopic(subscriber_fraction=0.5, validity_s=30.0, events=3)


def test_an_empty_value_takes_an_optional_key_back() -> None:
    sensing = scenario(radio={"model": "range", "range_m": 100, "sense_range_m": 150})
    assert sensing.with_values({"radio.sense_range_m": ""}).setup().radio == Range(range_m=100.0)


def test_choosing_another_protocol_keeps_the_keys_that_it_knows_too() -> None:
    base = scenario(protocol={"name": "flooding", "period_s": 2, "events_max": 9})
    frugal = base.with_values({"protocol.name": "frugal"})
    assert protocol_keys(frugal)["name"] == "frugal"
    assert protocol_keys(frugal)["events_max"] == 9
    assert protocol_keys(base.with_values({"protocol.name": "interest-flooding"}))["period_s"] == 2.0


def test_choosing_the_old_protocol_again_finds_its_keys() -> None:
    base = scenario(protocol={"name": "flooding", "period_s": 2})
    there = base.with_values({"protocol.name": "interest-flooding"}).with_values({"protocol.name": "frugal"})
    assert protocol_keys(there.with_values({"protocol.name": "flooding"})) == protocol_keys(base)


def test_a_protocols_own_table_is_for_it_alone_and_wins() -> None:
    base = scenario(protocol={"name": "flooding", "period_s": 2, "interest-flooding": {"period_s": 5}})
    assert protocol_keys(base)["period_s"] == 2.0
    assert protocol_keys(base.with_values({"protocol.name": "interest-flooding"}))["period_s"] == 5.0
    own = scenario(protocol={"name": "flooding", "period_s": 2, "flooding": {"period_s": 3}})
    assert protocol_keys(own)["period_s"] == 3.0


def test_setting_a_key_of_the_chosen_protocol_overrules_its_own_table() -> None:
    base = scenario(protocol={"name": "flooding", "flooding": {"period_s": 3, "events_max": 4}})
    changed = base.with_values({"protocol.period_s": 8})
    assert (protocol_keys(changed)["period_s"], protocol_keys(changed)["events_max"]) == (8.0, 4)


@pytest.mark.parametrize("own", [{}, {"router": {"beacon_s": 2}}, {"router": {"beacon_s": 2, "hops_max": 32}}])
def test_setting_a_key_of_a_parameter_that_is_a_table_changes_it_where_it_counts(own: dict[str, Any]) -> None:
    base = scenario(protocol={"name": "broker-gpsr", "router": {"hops_max": 16}, "broker-gpsr": own})
    router = protocol_keys(base.with_values({"protocol.router.hops_max": 64}))["router"]
    assert (router["hops_max"], router["beacon_s"]) == (64, 2.0 if own else 1.0)


def test_the_choice_comes_first_in_whatever_order_values_are_set() -> None:
    values = {"protocol.heartbeat_s_max": 2, "protocol.name": "frugal"}
    for ordered in (values, dict(reversed(values.items()))):
        assert protocol_keys(scenario().with_values(ordered))["heartbeat_s_max"] == 2.0


def test_a_key_of_another_protocol_is_set_in_its_own_table() -> None:
    base = scenario().with_values({"protocol.frugal.heartbeat_s_max": 3})
    assert protocol_keys(base) == protocol_keys(scenario())
    assert protocol_keys(base.with_values({"protocol.name": "frugal"}))["heartbeat_s_max"] == 3.0


def test_models_are_switched_like_protocols_even_where_a_key_has_another_type() -> None:
    driving = scenario().with_values({"mobility.model": "city-section"})  # whose pause_s is a range, not a number
    assert driving.resolved.deciding["mobility"]["pause_s"] == [10.0, 60.0]
    assert driving.with_values({"mobility.model": "random-waypoint"}).setup() == scenario().setup()
    far = scenario(radio={"model": "range", "range_m": 100, "bitrate_bps": 1e6}).with_values(
        {"radio.model": "two-ray-ground"}
    )
    assert far.resolved.deciding["radio"]["bitrate_bps"] == 1e6


def test_changing_keys_keeps_the_sweep_even_if_it_no_longer_fits() -> None:
    swept = scenario(protocol={"name": "frugal"}, sweep={"protocol.heartbeat_s_max": [1, 2]})
    assert swept.with_values({"protocol.name": "flooding"}).swept == swept.swept


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("radio.range_m", 100.0),
        ("nodes.count", 20),
        ("mac.header_bytes", 36),
        ("duration_s", 60.0),
        ("seed", 7),
        ("workload.topic", "news.local"),
        ("protocol.frugal.heartbeat_s_max", 3.0),
        ("protocol.frugal", {"heartbeat_s_max": 3.0}),
    ],
)
def test_a_value_is_looked_up_in_the_form_that_equal_values_share(key: str, expected: Any) -> None:
    base = scenario(protocol={"name": "flooding", "frugal": {"heartbeat_s_max": 3}})
    assert repr(base.value(key)) == repr(expected)


def test_a_topic_in_a_table_that_is_not_chosen_is_looked_up_as_text() -> None:
    base = scenario(workload={"model": "script", "single-topic": {"topic": "a.b"}})
    assert base.value("workload.single-topic.topic") == "a.b"


@pytest.mark.parametrize("choice", CHOICES.values(), ids=list(CHOICES))
def test_no_component_has_a_key_that_chooses_or_that_names_a_component(choice: Any) -> None:
    for name in choice.names():
        assert not {choice.chooser, *choice.names()} & set(parameter_names(choice.parameters_class(name)))


def test_json_that_is_no_scenario_gets_one_line() -> None:
    for text, expected in (("{", "is not valid JSON"), ("[1]", "must be a JSON object"), ("{}", "duration_s: missing")):
        with pytest.raises(UserError, match=expected):
            Scenario.from_json(text, "row 3")
