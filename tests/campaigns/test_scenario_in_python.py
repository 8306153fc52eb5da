"""A scenario as a Python value: read, changed, swept and shown."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.core.errors import UserError

RESCUE = Scenario.load(Path(__file__).parents[2] / "scenarios" / "rescue.toml")


def test_a_sweep_is_the_scenario_at_every_combination_the_last_key_changing_fastest() -> None:
    swept = RESCUE.sweep({"protocol.name": ["frugal", "flooding"], "radio.range_m": [40, 60]})
    assert [(each.value("protocol.name"), each.value("radio.range_m")) for each in swept] == [
        ("frugal", 40.0),
        ("frugal", 60.0),
        ("flooding", 40.0),
        ("flooding", 60.0),
    ]
    assert all(not each.swept for each in swept)
    assert RESCUE.value("radio.range_m") == 80.0


def test_without_keys_it_is_the_scenarios_own_sweep() -> None:
    assert len(RESCUE.sweep()) == len(RESCUE.swept["protocol.name"]) * len(RESCUE.swept["radio.range_m"])


def test_values_may_be_tuples_paths_and_numbers_of_numpy() -> None:
    written = RESCUE.with_values({"radio.range_m": 60, "mobility.speed_mps": [1, 2]})
    given = RESCUE.with_values({"radio.range_m": np.float64(60), "mobility.speed_mps": (np.int64(1), 2)})
    assert given.canonical_json() == written.canonical_json()
    swept = RESCUE.sweep({"radio.range_m": np.arange(40, 80, 20)})
    assert [each.value("radio.range_m") for each in swept] == [40.0, 60.0]
    with pytest.raises(UserError, match="elsewhere/city"):
        RESCUE.with_values({"mobility.model": "trace", "mobility.path": Path("elsewhere") / "city"})


def test_changing_what_a_document_was_made_of_does_not_change_the_scenario() -> None:
    document = RESCUE.as_dict()
    scenario = Scenario.from_document(document)
    document["radio"]["range_m"] = 1
    assert scenario.value("radio.range_m") == 80.0


def test_the_complete_dictionary_has_the_defaults_and_makes_the_same_scenario() -> None:
    document = RESCUE.as_dict()
    assert document["mac"]["model"] == "dcf"
    again = Scenario.from_document(document)
    assert (again.canonical_json(), again.name, again.seed) == (RESCUE.canonical_json(), RESCUE.name, RESCUE.seed)
    assert {key: list(values) for key, values in again.swept.items()} == document["sweep"]


def test_a_scenario_shows_its_size_and_components_in_a_line() -> None:
    assert repr(RESCUE).startswith("<Scenario rescue: 12 nodes, 240 s, mobility random-waypoint, radio range, ")
    assert repr(RESCUE).endswith(", protocol frugal, sweep over protocol.name, radio.range_m>")


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (
            lambda: RESCUE.value("radio.rnage_m"),
            "unknown key; did you mean 'range_m'? known keys of radio: bitrate_bps, model",
        ),
        (lambda: RESCUE.value("radio.rnage_m"), "did you mean 'range_m'?"),
        (lambda: RESCUE.value("raido"), "raido: unknown key; did you mean 'radio'? known keys: area, "),
        (lambda: RESCUE.value("seed.x"), "seed.x: unknown key; seed has no keys"),
        (lambda: RESCUE.value("protocol.gossip.probability"), "unknown key; protocol.gossip has no keys"),
        (lambda: RESCUE.sweep({"radio.range_m": "40"}), 'sweep radio.range_m = "40": must be a list of values'),
        (lambda: RESCUE.sweep({"seed": [1, 2]}), "cannot be swept"),
    ],
)
def test_a_mistake_is_a_user_error_of_one_line(call: Callable[[], object], line: str) -> None:
    with pytest.raises(UserError) as caught:
        call()
    assert line in str(caught.value)
