"""The readings of the Frugal paper: each changes what it says it changes, and nothing else."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from all_measured import sweeps_of

from roamcast.papers import PaperSweep, Reading
from roamcast.papers.frugal.scenario import FrugalPaper
from roamcast.papers.shared.readings import own_name, sweeps_under

FIELD = ("speed", "mixed", "same-average", "frugality", "one-event", "large-event")
CITY = ("heartbeat", "subscribers")
COSTS = ("frugality", "one-event", "large-event")
FLOODINGS = {"flooding", "interest-flooding", "neighbour-flooding"}
PUBLISHERS, DRAWS = (0, 7), (0, 3)


class FewRuns(FrugalPaper):
    """The paper with one seed, and in the city with few publishers and draws: enough to have every kind of run."""

    def sweeps(self, scale: str) -> Sequence[PaperSweep]:
        """Return the sweeps with some of their runs."""
        return [
            replace(
                sweep,
                runs=tuple(run for run in sweep.runs if run.seed == self.first_seed and _is_kept(run.scenario_json)),
            )
            for sweep in sweeps_of(FrugalPaper, scale)
        ]


def _is_kept(scenario_json: str) -> bool:
    workload = json.loads(scenario_json)["workload"]
    return workload["publisher"] in ("subscriber", *PUBLISHERS) and workload["draw"] in DRAWS


PAPER = FewRuns()


@cache
def default(name: str) -> PaperSweep:
    """Return a sweep as the default has it."""
    (found,) = (sweep for sweep in PAPER.sweeps("quick") if sweep.name == name)
    return found


def reading(name: str) -> Reading:
    (found,) = (each for each in PAPER.readings if each.name == name)
    return found


@cache
def under(name: str) -> Mapping[str, PaperSweep]:
    """Return the sweeps that a reading changes, by the names that the paper gives them."""
    found = {own_name(PAPER, sweep.name, reading(name)): sweep for sweep in sweeps_under(PAPER, "quick", reading(name))}
    assert None not in found
    return {str(own): sweep for own, sweep in found.items()}


def flat(scenario_json: str) -> dict[str, Any]:
    """Return the keys of a scenario with their values."""
    tables = json.loads(scenario_json)
    nested = {
        f"{table}.{key}": value
        for table, keys in tables.items()
        if isinstance(keys, dict)
        for key, value in keys.items()
    }
    return {**{key: value for key, value in tables.items() if not isinstance(value, dict)}, **nested}


CHANGED = {
    "heartbeat-exchange": (FIELD + CITY, {"protocol.exchange": ("detection", "heartbeat")}, {"frugal"}),
    "reception-phase": (COSTS, {"protocol.phase": ("random", "reception")}, FLOODINGS),
    "1-mbit": (
        FIELD,
        {"radio.range_m": (339, 442), "radio.bitrate_bps": (2e6, 1e6)},
        {"frugal", *FLOODINGS},
    ),
    "node-speeds": (("mixed",), {"mobility.speed_drawn": ("trip", "node")}, {"frugal"}),
    "no-stops": (CITY, {"mobility.stop_probability": (0.2, 0.0)}, {"frugal"}),
    "no-parking": (CITY, {"mobility.pause_s": ([10.0, 60.0], [0.0, 0.0])}, {"frugal"}),
}
"""Each reading with the sweeps, the keys (before and after) and the protocols that it changes."""


def test_these_are_the_readings_and_the_default_changes_nothing() -> None:
    first, *others = PAPER.readings
    assert (first.name, dict(first.values), first.sweeps) == ("default", {}, ())
    assert [each.name for each in others] == list(CHANGED)
    assert sweeps_under(PAPER, "quick", first) == PAPER.sweeps("quick")


@pytest.mark.parametrize("name", CHANGED)
def test_a_reading_changes_its_keys_in_its_sweeps_and_leaves_the_others_out(name: str) -> None:
    sweeps, keys, protocols = CHANGED[name]
    assert set(under(name)) == set(sweeps)
    for own, sweep in under(name).items():
        assert sweep.name == f"{own}@{name}"
        assert (sweep.figures, sweep.validities_s) == (default(own).figures, default(own).validities_s)
        touched = set()
        for before, after in zip(default(own).runs, sweep.runs, strict=True):
            assert (after.sweep, after.point, after.seed) == (sweep.name, before.point, before.seed)
            was, now = flat(before.scenario_json), flat(after.scenario_json)
            assert was.keys() == now.keys()
            different = {key: (was[key], now[key]) for key in was if was[key] != now[key]}
            if was["protocol.name"] in protocols:
                assert different == keys
                assert after.run_id != before.run_id
                touched.add(was["protocol.name"])
            else:  # it is the default's run, and is made once
                assert different == {}
                assert after.run_id == before.run_id
        assert touched == {flat(run.scenario_json)["protocol.name"] for run in sweep.runs} & protocols != set()


def test_the_1_mbit_reading_does_not_touch_the_city() -> None:
    assert not {"heartbeat", "subscribers"} & set(under("1-mbit"))
    ranges = {own: {flat(run.scenario_json)["radio.range_m"] for run in default(own).runs} for own in CITY}
    assert ranges == {"heartbeat": {44}, "subscribers": {44}}


def test_parking_is_a_matter_of_the_city_although_processes_pause_in_the_field_too() -> None:
    assert {flat(run.scenario_json)["mobility.pause_s"] for run in default("speed").runs} == {1}
    assert set(under("no-parking")) == set(CITY)


@pytest.mark.parametrize("each", PAPER.readings, ids=lambda each: each.name)
def test_a_reading_says_what_differs_and_which_sentence_supports_it(each: Reading) -> None:
    assert each.differs
    assert not each.differs.endswith(".")
    assert "section" in each.support or "figure" in each.support
