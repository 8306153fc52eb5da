"""The cases as data: names, and what a person may ask for."""

import pickle

import pytest

from roamcast.core.errors import UserError
from roamcast.validation.case_groups import GROUPS, choose
from roamcast.validation.cases import Case

CASES = [case for group in GROUPS for case in group.cases]


def test_no_two_cases_or_groups_share_a_name() -> None:
    names = [*(case.name for case in CASES), *(group.name for group in GROUPS)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_measures_what_it_expects_and_can_be_sent_to_another_process(case: Case) -> None:
    outcome = pickle.loads(pickle.dumps(case.run))(1, 1.0)
    assert {each.quantity.name for each in case.expectations} <= set(outcome)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_reference_is_a_mean_inside_its_range(case: Case) -> None:
    for each in case.expectations:
        mean, low, high = each.reference.mean, each.reference.low, each.reference.high
        assert (low is None) == (high is None)
        assert mean is not None or low is not None
        if mean is not None and low is not None and high is not None:
            assert low <= mean <= high


def test_cases_are_chosen_by_their_own_name_or_their_groups() -> None:
    def names(*wanted: str) -> list[str]:
        return [case.name for group in choose(wanted) for case in group.cases]

    assert names() == [case.name for case in CASES]
    assert names("hidden-50", "saturated-2") == ["saturated-2", "hidden-50"]
    assert names("heartbeats", "heartbeats-150") == ["heartbeats-150"]
    assert names("hidden") == [f"hidden-{rate}" for rate in (20, 50, 100, 150)]
    assert names("unicast", "hidden-unicast") == [name for name in names() if "unicast" in name]


def test_an_unknown_case_is_answered_with_the_known_ones() -> None:
    with pytest.raises(
        UserError,
        match=r"unknown case 'hiden'; did you mean '[a-z0-9-]+'\? known: aodv, aodv-1, aodv-10, aodv-20, heartbeats",
    ):
        choose(["saturated", "hiden"])
