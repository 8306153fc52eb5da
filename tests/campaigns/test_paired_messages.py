"""Two protocols are compared over the messages that both matched, computed by hand from small tables."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from roamcast.campaigns.paired_messages import MessagePair, paired_measurements
from roamcast.campaigns.run_files import OK, TABLE_SCHEMAS, RunOutcome, flat_tables, run_row
from roamcast.campaigns.whole_files import write_parquet
from roamcast.measuring.measurements import Measurement
from roamcast.measuring.statistics import Sample
from roamcast.sim.facts import Facts, FirstMatchFact

FACTS = Facts(2, 10.0, (), (), (), (), (), (), 0, 0, 0)
PAIR = MessagePair("curve", "A", "B")
RUNS: Mapping[tuple[str, int, int], Sequence[FirstMatchFact]] = {
    ("A", 5, 1): (
        FirstMatchFact(True, 0, 0.0, True, 1.0),
        FirstMatchFact(True, 1, 4.0, True, 7.0),
        FirstMatchFact(True, 2, 0.0, True, 9.0),  # the other one lost it
        FirstMatchFact(False, 0, 2.0, True, 2.5),
    ),
    ("B", 5, 1): (
        FirstMatchFact(True, 0, 0.0, True, 3.0),
        FirstMatchFact(True, 1, 4.0, True, 5.0),
        FirstMatchFact(True, 2, 0.0, False, 0.0),
        FirstMatchFact(False, 0, 2.0, True, 6.0),
    ),
    ("A", 5, 2): (FirstMatchFact(True, 0, 0.0, True, 0.5),),
    ("B", 5, 2): (FirstMatchFact(True, 0, 0.0, True, 0.75),),
    ("A", 5, 3): (FirstMatchFact(True, 0, 0.0, True, 100.0),),  # with this seed there is no run of the other one
    ("A", 9, 1): (FirstMatchFact(True, 0, 0.0, True, 100.0),),  # nor at this point
    ("C", 5, 1): (FirstMatchFact(True, 0, 0.0, True, 100.0),),
}
"""The matches of each curve at each load and with each seed."""


@pytest.fixture
def measured(tmp_path: Path) -> Mapping[tuple[str, str], Measurement]:
    """Return the paired measurements by metric and curve."""
    names = {key: f"run-{number}" for number, key in enumerate(RUNS)}
    rows = [
        run_row(names[key], key[2], "{}", RunOutcome(OK, facts=replace(FACTS, first_matches=tuple(matches))))
        for key, matches in RUNS.items()
    ]
    plan = [
        {"sweep": sweep, "point": json.dumps({"curve": curve, "protocol.name": curve.lower(), "load": load}), **ids}
        for sweep in ("load", "other")
        for curve, load, seed in RUNS
        for ids in [{"run_id": names[curve, load, seed], "seed": seed}]
    ]
    tables = {**flat_tables(rows), "plan": pa.Table.from_pylist(plan, TABLE_SCHEMAS["plan"])}
    for name, table in tables.items():
        (tmp_path / name).mkdir()
        write_parquet(table, tmp_path / name / "part-00000.parquet")
    found = list(paired_measurements(tmp_path, {"load": PAIR}))
    assert {each.sweep for each in found} == {"load"}
    return {(each.metric, str(each.point["curve"])): each for each in found}


def test_both_means_are_over_the_messages_that_both_matched_from_the_first_counterpart_on(
    measured: Mapping[tuple[str, str], Measurement],
) -> None:
    first, second = (measured["publication_delay_s@paired", curve] for curve in "AB")
    assert list(first.samples) == [Sample(1, 1.0 + 3.0, 2), Sample(2, 0.5, 1)]
    assert list(second.samples) == [Sample(1, 3.0 + 1.0, 2), Sample(2, 0.75, 1)]
    assert first.mean == pytest.approx(4.5 / 3)
    assert first.point == {"curve": "A", "protocol.name": "a", "load": 5}


def test_publications_and_subscriptions_are_paired_apart_and_together(
    measured: Mapping[tuple[str, str], Measurement],
) -> None:
    assert list(measured["subscription_delay_s@paired", "B"].samples) == [Sample(1, 4.0, 1)]
    assert list(measured["match_delay_s@paired", "A"].samples) == [Sample(1, 1.0 + 3.0 + 0.5, 3), Sample(2, 0.5, 1)]
    assert {curve for _, curve in measured} == {"A", "B"}
