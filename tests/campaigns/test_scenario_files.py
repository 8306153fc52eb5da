"""Every scenario that is shipped can be used, with every protocol."""

from pathlib import Path

import pytest

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.plan import plan
from roamcast.core.events import Event, EventId
from roamcast.protocols import protocol_names
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.simulation import simulate

FOLDER = Path(__file__).parents[2] / "scenarios"
FILES = sorted(FOLDER.glob("*.toml"))
SMALLER: dict[str, dict[str, float]] = {
    "zones": {"nodes.count": 100, "area.width_m": 500, "area.height_m": 500, "duration_s": 5},
    "communities": {"nodes.count": 125, "area.width_m": 1000, "area.height_m": 1000, "duration_s": 5},
}
"""A quarter of the area with a quarter of the nodes, where every second of the whole takes long."""


def test_the_folder_holds_scenarios() -> None:
    assert {"frugal.toml", "campus.toml", "hints.toml", "rescue.toml", "traffic.toml"} <= {path.name for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_shipped_scenario_loads_and_is_called_like_its_file(path: Path) -> None:
    assert Scenario.load(path).name == path.stem


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("protocol", protocol_names())
def test_a_shipped_scenario_can_be_planned_with_every_protocol(path: Path, protocol: str) -> None:
    scenario = Scenario.load(path)
    for run in plan("all", scenario, {**scenario.swept, "protocol.name": [protocol]}, [1]):
        assert Scenario.from_json(run.scenario_json).canonical_json() == run.scenario_json


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_in_a_shipped_scenario_someone_receives_an_event(path: Path) -> None:
    scenario = Scenario.load(path)
    if scenario.document["duration_s"] > 300:
        scenario = scenario.with_values({"duration_s": 60})
    scenario = scenario.with_values(SMALLER.get(path.stem, {}))
    facts = simulate(scenario.setup(), scenario.seed)
    assert any(delivery.counted for delivery in facts.deliveries)


@pytest.mark.parametrize("protocol", protocol_names())
def test_in_the_traffic_scenario_every_protocol_delivers_by_content(protocol: str) -> None:
    values = {"protocol.name": protocol, "duration_s": 25, "settle_s": 15}
    if protocol.endswith("gpsr-map"):
        # Where cars seldom pass by a topic's home, subscriptions go round and round, and fill the air.
        values[f"protocol.{protocol}.router.hops_max"] = 32
    scenario = Scenario.load(FOLDER / "traffic.toml").with_values(values)
    facts = simulate(scenario.setup(), scenario.seed)
    interested = sum(each.interested for each in facts.publications)
    # What is wanted depends on what events say: some by nobody, some by a third of the subscribers, some by more.
    assert {0, 8, 16} <= {each.interested for each in facts.publications}
    enough = 0 if protocol.endswith("gpsr-map") else 0.3 * interested
    assert sum(each.counted for each in facts.deliveries) > enough


def test_the_traffic_scenario_asks_by_several_predicates_of_which_each_finds_events() -> None:
    scenario = Scenario.load(FOLDER / "traffic.toml")
    setup = scenario.setup()
    workload = setup.workload.workload(setup.nodes, setup.duration_s, RandomStreams(scenario.seed))
    wishes = {each.interest for each in workload.subscriptions}
    events = [
        Event(EventId(each.node, at), each.topic, each.at_s, each.validity_s, each.size_bytes, each.attributes)
        for at, each in enumerate(workload.publications)
    ]
    assert len(wishes) == 3
    for wish in wishes:
        assert 0.02 < sum(map(wish.matches, events)) / len(events) < 0.3


def test_the_frugal_scenario_is_the_papers() -> None:
    setup = Scenario.load(FOLDER / "frugal.toml").setup()
    assert (setup.nodes, setup.area.width_m * setup.area.height_m, setup.warmup_s) == (150, 25e6, 600.0)
    assert setup.radio.propagation().range_m == 339.0
    assert setup.mac.timing(2e6).header_bytes == 28
