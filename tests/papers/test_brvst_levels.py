"""TAMA is compared at the levels whose false positive rate is next to that of the paper's alpha, without a network."""

from dataclasses import replace
from functools import cache

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.core.events import Event, EventId
from roamcast.core.host import World
from roamcast.papers.brvst.curves import EQUAL_LEVELS
from roamcast.papers.brvst.scenario import REFERENCE
from roamcast.protocols.brvst.description_tables import owner_of, table_for
from roamcast.protocols.brvst.descriptions import describer_for
from roamcast.protocols.brvst.parameters import BrvstParameters
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.workload import Workload
from roamcast.sim.workload.ranges import Ranges

GRIDS = 16


@cache
def messages() -> tuple[World, Workload]:
    """Return section V's attributes, and as many messages as give some hundred matches."""
    model = Scenario.from_document(REFERENCE).setup().workload
    assert isinstance(model, Ranges)
    many = replace(model, subscriptions_per_minute=300, publications_per_minute=600)
    return World(400, 1000.0, 1000.0, attribute_limits=model.attribute_limits()), many.workload(
        400, 60.0, RandomStreams(3)
    )


def false_positive_rate(parameters: BrvstParameters) -> float:
    """Return the share of what grid managers would send to subscribers that these did not ask for."""
    world, workload = messages()
    describer = describer_for(world, parameters)
    asked = [each.interest for each in workload.subscriptions if each.active]
    grids = [table_for(describer) for _ in range(GRIDS)]
    for number, interest in enumerate(asked):
        grids[number % GRIDS].add((number, 0), describer.subscription(interest))
    wanted = unwanted = 0
    for number, each in enumerate(workload.publications):
        event = Event(EventId(each.node, number), each.topic, 0.0, 60.0, 400, each.attributes)
        described = describer.publication(event)
        sent = {owner_of(identifier) for grid in grids for identifier in grid.match(described)}
        meant = {number for number, interest in enumerate(asked) if interest.matches(event)}
        assert meant <= sent  # never a false negative
        wanted += len(meant)
        unwanted += len(sent - meant)
    assert wanted > 300
    return unwanted / (wanted + unwanted)


def test_with_these_levels_tama_has_a_little_more_false_positives_than_the_default_alpha_and_with_one_more_less() -> (
    None
):
    rate = false_positive_rate(BrvstParameters())
    coarse, fine = (
        false_positive_rate(BrvstParameters(summaries="dyadic", dyadic_levels=levels))
        for levels in (EQUAL_LEVELS, EQUAL_LEVELS + 1)
    )
    assert fine < rate < coarse
