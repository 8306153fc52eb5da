"""The workload of the BRVST paper: who asks for which ranges and publishes what, and when."""

from dataclasses import replace
from math import inf

import pytest

from roamcast.core.attribute_ranges import event_ranges, interest_ranges
from roamcast.core.parameters import ParameterError
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.workload import Workload
from roamcast.sim.workload.ranges import Ranges

MODEL = Ranges()
LIMITS = MODEL.attribute_limits()


def drawn(model: Ranges = MODEL, duration_s: float = 600.0, seed: int = 1, count: int = 50) -> Workload:
    return model.workload(count, duration_s, RandomStreams(seed))


def test_subscriptions_and_publications_come_at_their_rates_all_the_time() -> None:
    workload = drawn(Ranges(subscriptions_per_minute=300, publications_per_minute=60))
    begins = [each.at_s for each in workload.subscriptions if each.active and each.at_s >= 0]
    published = [each.at_s for each in workload.publications]
    assert len(begins) == pytest.approx(3000, rel=0.1)
    assert len(published) == pytest.approx(600, rel=0.15)
    assert sum(at_s < 300 for at_s in published) == pytest.approx(300, rel=0.2)
    assert published == sorted(published)
    assert max(begins + published) < 600


def test_a_subscription_lasts_its_lifetime_and_as_many_begin_as_end() -> None:
    workload = drawn(Ranges(lifetime_s=40))
    began = {(each.node, each.interest): each.at_s for each in workload.subscriptions if each.active}
    ended = {(each.node, each.interest): each.at_s for each in workload.subscriptions if not each.active}
    for key, at_s in ended.items():
        assert at_s == pytest.approx(began[key] + 40) if began[key] >= 0 else 0 < at_s < 40
    assert {key for key, at_s in began.items() if at_s < 560} == set(ended)
    assert sum(at_s == -inf for at_s in began.values()) == round(200 * 40 / 60)


@pytest.mark.parametrize("duration_s", [14, 200])
def test_a_lead_moves_everything_to_before_the_measurement_and_nothing_else(duration_s: float) -> None:
    early, plain = drawn(Ranges(lead_s=100), duration_s=duration_s), drawn(duration_s=duration_s + 100)
    assert [replace(each, at_s=0) for each in early.publications] == [
        replace(each, at_s=0) for each in plain.publications
    ]
    assert [replace(each, at_s=0) for each in early.subscriptions] == [
        replace(each, at_s=0) for each in plain.subscriptions
    ]
    for moved, kept in ((early.publications, plain.publications), (early.subscriptions, plain.subscriptions)):
        assert [each.at_s + 100 for each in moved] == pytest.approx([each.at_s for each in kept])


def test_as_many_attributes_and_values_as_the_paper_has() -> None:
    workload = drawn()
    asked = [interest_ranges(each.interest, LIMITS) for each in workload.subscriptions if each.active]
    said = [event_ranges(each.attributes, LIMITS) for each in workload.publications]
    assert len(LIMITS) == 15
    for messages in (asked, said):
        counts = [sum(len(each) == size for each in messages) / len(messages) for size in (1, 2, 3)]
        assert counts == pytest.approx([1 / 3] * 3, abs=0.05)
        assert {name for each in messages for name in each} == set(LIMITS)
    widths = [high - low for each in asked for low, high in each.values()]
    assert 100 <= min(widths) < 110
    assert 490 < max(widths) <= 500.001
    points = [low == high for each in said for low, high in each.values()]
    assert sum(points) / len(points) == pytest.approx(0.5, abs=0.05)
    assert 90 < max(high - low for each in said for low, high in each.values()) <= 100.001


def test_another_rate_changes_only_the_moments() -> None:
    slow, fast = drawn(), drawn(Ranges(publications_per_minute=400))
    assert slow.subscriptions == fast.subscriptions
    many = [(each.node, each.attributes) for each in fast.publications]
    assert [(each.node, each.attributes) for each in slow.publications] == many[: len(slow.publications)]
    assert fast.publications[3].at_s == pytest.approx(slow.publications[3].at_s / 2)


def test_the_same_seed_gives_the_same_and_another_seed_another() -> None:
    assert drawn(duration_s=20) == drawn(duration_s=20)
    assert drawn(duration_s=20) != drawn(duration_s=20, seed=2)


def test_a_rate_of_zero_is_nobody() -> None:
    assert drawn(Ranges(subscriptions_per_minute=0, publications_per_minute=0)) == Workload((), ())


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("attributes_each", {"attributes_each": (3, 1)}),
        ("attributes_each", {"attributes": 2, "attributes_each": (1, 3)}),
        ("limits", {"limits": (5.0, 5.0)}),
        ("subscription_width", {"subscription_width": (0.5, 0.1)}),
    ],
)
def test_what_does_not_fit_together_is_named(key: str, values: dict[str, object]) -> None:
    with pytest.raises(ParameterError) as error:
        Ranges(**values)  # type: ignore[arg-type]
    assert error.value.key == key


def test_more_than_a_million_messages_are_refused() -> None:
    with pytest.raises(ParameterError, match="publications_per_minute"):
        drawn(Ranges(publications_per_minute=1e6), duration_s=1e4)
    with pytest.raises(
        ParameterError, match="subscriptions_per_minute: yields more than 1,000,000 in total, over lead_s"
    ):
        drawn(Ranges(subscriptions_per_minute=1e6, lead_s=1e4), duration_s=1)
