"""Events with more attributes than a protocol can carry are refused with the scenario, not in the middle of the run."""

import pytest

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.core.errors import UserError

DOCUMENT = {
    "name": "many",
    "duration_s": 10,
    "area": {"width_m": 100, "height_m": 100},
    "nodes": {"count": 5},
    "mobility": {"model": "static"},
    "radio": {"model": "range", "range_m": 50},
    "workload": {"model": "interests", "validity_s": 5, "attributes_per_interest": [1, 9]},
    "protocol": {"name": "tree-group"},
}


def test_too_many_attributes_are_refused_with_the_key_that_helps() -> None:
    expected = (
        r"\[protocol\] attributes_max = 8: must be at least 9, "
        "the largest number of attributes of an event in the interests"
    )
    with pytest.raises(UserError, match=expected):
        Scenario.from_document(DOCUMENT)


@pytest.mark.parametrize(
    "values",
    [{"protocol.attributes_max": 9}, {"workload.attributes_per_interest": [1, 8]}, {"protocol.name": "flooding"}],
)
def test_as_many_as_the_protocol_can_carry_are_taken(values: dict[str, object]) -> None:
    changed = {table: dict(entries) if isinstance(entries, dict) else entries for table, entries in DOCUMENT.items()}
    for key, value in values.items():
        table, name = key.split(".")
        changed[table] = {**changed[table], name: value}  # type: ignore[dict-item]
    assert Scenario.from_document(changed)
