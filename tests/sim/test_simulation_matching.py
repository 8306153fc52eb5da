"""A whole run of the workload of ranges: what nodes know beforehand, and the facts on matching in both directions."""

import pytest

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.core.attribute_ranges import range_attributes
from roamcast.core.errors import UserError
from roamcast.core.topics import Topic
from roamcast.measuring.metrics import run_metrics
from roamcast.sim.facts import Facts
from roamcast.sim.simulation import Simulation
from roamcast.sim.workload import Publication, Workload
from roamcast.sim.workload.ranges import Ranges

DOCUMENT = {
    "duration_s": 30,
    "settle_s": 5,
    "area": {"width_m": 300, "height_m": 300},
    "nodes": {"count": 20},
    "mobility": {"model": "static"},
    "radio": {"model": "range", "range_m": 150},
    "workload": {"model": "ranges", "attributes": 3, "limits": [0, 10], "lifetime_s": 20, "validity_s": 20},
    "protocol": {"name": "drip"},
}


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    return Simulation(Scenario.from_document(DOCUMENT).setup(), seed=3)


@pytest.fixture(scope="module")
def facts(simulation: Simulation) -> Facts:
    return simulation.run()


def test_every_node_knows_the_limits_of_the_attributes(simulation: Simulation) -> None:
    assert simulation.world.attribute_limits == {"a0": (0.0, 10.0), "a1": (0.0, 10.0), "a2": (0.0, 10.0)}


def test_an_event_that_leaves_the_limits_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    says = range_attributes({"a0": (1.0, 2.0), "a1": (5.0, 11.0)})
    wrong = Workload((), (Publication(2.5, 4, Topic("ranges"), 10.0, 400, says),))
    monkeypatch.setattr(Ranges, "workload", lambda *_: wrong)
    with pytest.raises(UserError) as raised:
        Simulation(Scenario.from_document(DOCUMENT).setup(), seed=3).run()
    said = "[workload] node 4 at 2.5 s: a1 = [5.0, 11.0]: must be within its limits 0 to 10"
    assert str(raised.value) == said


def test_subscriptions_of_the_measurement_are_recorded_with_what_became_of_them(facts: Facts) -> None:
    assert len(facts.subscriptions) == pytest.approx(100, rel=0.3)
    assert all(0 <= each.subscribed_at_s < 30 for each in facts.subscriptions)
    matched = [each for each in facts.subscriptions if each.matches]
    assert len(matched) > 20
    assert all(0 <= each.matched_after_s <= 20 for each in matched)
    assert all(each.waiting_delivered <= each.waiting for each in facts.subscriptions)
    assert sum(each.waiting_delivered for each in facts.subscriptions) > 0.8 * sum(
        each.waiting for each in facts.subscriptions
    )


def test_events_from_before_the_measurement_are_found_in_it_and_not_counted(facts: Facts) -> None:
    scenario = Scenario.from_document(DOCUMENT).with_values({"settle_s": 25, "workload.lead_s": 20})
    led = Simulation(scenario.setup(), seed=3).run()
    assert min(each.published_at_s for each in led.publications) >= 0
    assert {each.event for each in led.deliveries} <= {each.event for each in led.publications}
    at_once, later = ([each.waiting for each in run.subscriptions if each.subscribed_at_s < 5] for run in (facts, led))
    assert sum(later) / len(later) > 3 * sum(at_once) / len(at_once)
    assert sum(each.waiting_delivered for each in led.subscriptions) > 0.8 * sum(
        each.waiting for each in led.subscriptions
    )


def test_what_protocols_say_of_brokers_is_recorded(facts: Facts) -> None:
    assert 1 <= len(facts.brokers) <= 5
    assert all(0 < each.share <= 1 and each.storage_bytes > 0 for each in facts.brokers)
    metrics = run_metrics(facts)
    broker, member = metrics["broker_storage_bytes"], metrics["member_storage_bytes"]
    assert broker is not None
    assert member is not None
    assert broker > member > 0


def test_deliveries_beyond_those_who_asked_before_come_from_waiting_events(facts: Facts) -> None:
    publisher = {each.event: each.publisher for each in facts.publications}
    late = sum(not each.counted and each.node != publisher[each.event] for each in facts.deliveries)
    assert late == sum(each.waiting_delivered for each in facts.subscriptions) > 0
