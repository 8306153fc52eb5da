"""The readings of the Frugal paper: each changes what it says it changes, and nothing else."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from all_measured import sweeps_of
from frugal_rows import (
    BANDWIDTH,
    CURVE,
    FAIR,
    FRACTION,
    FRUGAL,
    INTEREST,
    NEIGHBOUR,
    RELIABILITY,
    SIMPLE,
    Change,
    changed,
    rows,
    times,
    verdicts,
)

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.verdicts import Deviation, Finding, Verdict, examine
from roamcast.papers import PaperSweep, Reading
from roamcast.papers.frugal.scenario import FrugalPaper
from roamcast.papers.shared.readings import claims_under, measured_under, own_name, sweeps_under
from roamcast.sim.simulation import simulate

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
                runs=tuple(
                    run for run in sweep.runs if run.seed == self.first_seed_at(scale) and _is_kept(run.scenario_json)
                ),
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
    "only-subscribers-beat": (
        (*FIELD, "subscribers"),
        {"workload.other_topic": ("other", None)},
        {"frugal", *FLOODINGS},
    ),
    "one-frame": (COSTS, {"protocol.per_neighbour": (True, False)}, {"neighbour-flooding"}),
}
"""Each reading with the sweeps, the keys (before and after) and the protocols that it changes."""
COUNTED = {
    "with-headers": {BANDWIDTH: "bytes_sent_per_node"},
    "publisher-apart": {RELIABILITY: "delivery_ratio"},
}
"""The readings that count another metric in runs that are the default's."""
MOVEMENTS = {"thirty-movements": 30}
"""The readings that give the paper's printed numbers of the city another number of runs; no others do."""
AS_BEFORE = {"one-frame": FAIR}
"""The curve whose runs are already as a reading has them."""


def test_these_are_the_readings_and_the_default_changes_nothing() -> None:
    first, *others = PAPER.readings
    assert replace(first, differs="", support="") == Reading("default", "", "")
    assert {each.name for each in others if each.values} == set(CHANGED)
    assert {each.name: each.metrics for each in others if each.metrics} == COUNTED
    assert {each.name: each.runs for each in others if each.runs is not None} == MOVEMENTS
    assert len(others) == len(CHANGED) + len(COUNTED) + len(MOVEMENTS)
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
            if was["protocol.name"] in protocols and json.loads(before.point).get(CURVE) != AS_BEFORE.get(name, ""):
                assert different == keys
                assert after.run_id != before.run_id
                touched.add(was["protocol.name"])
            else:  # it is the default's run, and is made once
                assert different == {}
                assert after.run_id == before.run_id
        assert touched == {flat(run.scenario_json)["protocol.name"] for run in sweep.runs} & protocols != set()


def test_under_one_frame_the_third_flooding_is_made_of_the_runs_of_the_fair_one() -> None:
    def runs_of(sweep: PaperSweep, curve: str) -> set[str]:
        return {run.run_id for run in sweep.runs if json.loads(run.point)[CURVE] == curve}

    fair = runs_of(default("one-event"), FAIR)
    assert fair
    assert runs_of(under("one-frame")["one-event"], NEIGHBOUR) == fair
    assert runs_of(default("one-event"), NEIGHBOUR).isdisjoint(fair)


def test_without_another_topic_just_the_subscribers_send_heartbeats() -> None:
    """Three of fifteen cars subscribe; the publisher is one of them."""
    senders = []
    for sweep in (default("subscribers"), under("only-subscribers-beat")["subscribers"]):
        run = next(each for each in sweep.runs if json.loads(each.point)[FRACTION] == 0.2)
        facts = simulate(Scenario.from_json(run.scenario_json).setup(), run.seed)
        senders.append({each.node for each in facts.traffic if each.kind == "heartbeat" and each.frames_sent})
    everyone, subscribers = senders
    assert everyone == set(range(15))
    assert len(subscribers) == 3
    assert PUBLISHERS[0] in subscribers


@pytest.mark.parametrize("name", [*COUNTED, *MOVEMENTS])
def test_a_reading_that_counts_otherwise_makes_no_runs(name: str) -> None:
    assert (dict(reading(name).values), under(name)) == ({}, {})


def counted_otherwise(metrics: Mapping[str, str], *changes: Change) -> list[Measurement]:
    """Return the paper's own table, and the same again with some changes under the names of other metrics."""
    other = []
    for row in rows(*changes):
        base, at, validity = row.metric.partition("@")
        if base in metrics:
            other.append(replace(row, metric=f"{metrics[base]}{at}{validity}"))
    return [*rows(), *other]


@pytest.mark.parametrize(
    ("name", "change", "expected"),
    [
        (
            "with-headers",
            changed("frugality", BANDWIDTH, times(1.5), curve=INTEREST, share=0.2, events=3),
            {"bandwidth-exception"},
        ),
        ("with-headers", changed("one-event", BANDWIDTH, times(0.2), curve=SIMPLE), {"one-event-bandwidth"}),
        ("publisher-apart", changed("heartbeat", RELIABILITY, 0.6, heartbeat=4), {"city-heartbeat-dip"}),
        ("publisher-apart", changed("heartbeat", "reliability@75", 0.2, heartbeat=1), {"city-validity"}),
        (
            "publisher-apart",
            changed("subscribers", RELIABILITY, lambda value: value - 0.15, share=0.6),
            {"city-subscribers"},
        ),
        ("publisher-apart", changed("one-event", RELIABILITY, 0.9, curve=FRUGAL), {"same-reliability"}),
    ],
)
def test_claims_see_the_metric_that_a_reading_counts_and_the_default_does_not(
    name: str, change: Change, expected: set[str]
) -> None:
    measured = Measurements(counted_otherwise(COUNTED[name], change))
    found = {
        each.name: {
            claim
            for claim, word in verdicts(iter(measured_under(PAPER, measured, each))).items()
            if word is Verdict.CONTRADICTED
        }
        for each in PAPER.readings
    }
    assert found == {each.name: expected if each.name == name else set() for each in PAPER.readings}


def test_a_claim_whose_other_metric_was_not_measured_is_open_under_the_reading() -> None:
    latencies = (replace(row, metric="latency_mean_s") for row in rows() if row.metric == RELIABILITY)
    measured = Measurements([*rows(), *latencies])
    bytes_of = {"bandwidth", "bandwidth-exception", "large-event", "one-event-bandwidth", "size-sensitivity"}
    of_city = {"city-subscribers", "city-spread", "city-spread-huge", "city-validity", "city-validity-crucial"}
    for name, claims, another in (
        ("with-headers", bytes_of, of_city),
        ("publisher-apart", of_city, bytes_of),
    ):
        found = verdicts(iter(measured_under(PAPER, measured, reading(name))))
        assert {found[claim] for claim in claims} == {Verdict.UNDECIDED}
        assert {found[claim] for claim in another} == {Verdict.HOLDS}


def found_under(name: str, measured: Measurements) -> dict[str, Finding]:
    """Return what becomes of each claim as a reading has it."""
    return {each.claim.name: each for each in examine(claims_under(PAPER.claims(), reading(name)), measured)}


def test_under_thirty_movements_the_printed_numbers_of_the_city_are_means_of_thirty_and_else_of_one() -> None:
    city = {"city-heartbeat", "city-heartbeat-long", "city-subscribers", "city-spread", "city-validity"}
    field = {"reliability-10-mps", "reliability-30-mps", "mixed-all"}
    measured = Measurements(rows())
    for each in PAPER.readings:
        runs = {
            (name, part.quantity.runs)
            for name, finding in found_under(each.name, measured).items()
            for part in finding.parts
            if isinstance(part.quantity, Deviation)
        }
        expected = MOVEMENTS.get(each.name, 1)
        assert runs == {(name, 30) for name in field} | {(name, expected) for name in city}, each.name


def test_a_number_of_one_movement_is_untestable_where_a_mean_of_thirty_holds() -> None:
    """Movements scatter by a fifth of the value; those of a mean over fifteen publishers, by less."""
    measured = Measurements(rows(noise=0.35, seeds=range(1, 271)))
    one, thirty = (found_under(name, measured) for name in ("default", "thirty-movements"))
    words = {name: (each.verdict, thirty[name].verdict) for name, each in one.items()}
    assert words.pop("city-spread")[1] is Verdict.CONTRADICTED  # noise alone sets publishers apart
    assert {name: both for name, both in words.items() if both[0] is not both[1]} == dict.fromkeys(
        ("city-heartbeat", "city-heartbeat-long", "city-validity"), (Verdict.UNTESTABLE, Verdict.HOLDS)
    )


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
