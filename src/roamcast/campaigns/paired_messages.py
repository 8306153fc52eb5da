"""How long two protocols take to match the same messages: paired by message, not only by seed.

Runs of two protocols with one seed have the same workload, so their publications and subscriptions have the same
numbers (``FirstMatchFact``). Each protocol also loses messages that the other matches, and hard ones are both slow and
easily lost; means over what each has matched would therefore be of different messages. Here both means are over the
messages that *both* matched, from the moment at which there was a counterpart. The result has a row for each of the two
at each point, under the metric's name with ``@paired``; what a seed adds to both is over the same messages.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

from roamcast.campaigns.run_files import PLAN
from roamcast.campaigns.scenario_choices import PROTOCOL_KEY
from roamcast.campaigns.seed_samples import total
from roamcast.measuring.measurements import Measurement, point_key
from roamcast.measuring.metrics.run_summary import delay_s
from roamcast.measuring.statistics import NON_NEGATIVE, Sample, pooled
from roamcast.sim.facts import FirstMatchFact

FIRST_MATCHES = "first_matches"
PAIRED = "@paired"
METRICS: Mapping[str, tuple[bool, ...]] = {
    "publication_delay_s": (True,),
    "subscription_delay_s": (False,),
    "match_delay_s": (True, False),
}
"""The metrics that are paired, and whether each is over publications, subscriptions or both."""
Delays = dict[tuple[bool, int], float]
"""How long each message that was matched took: by its kind and number."""
Place = tuple[str, str]
"""A sweep, and what the points of two choices have in common."""


@dataclass(frozen=True, slots=True)
class MessagePair:
    """Two choices of one label, whose runs are paired wherever they differ in nothing else."""

    label: str
    first: str
    second: str


def paired_measurements(tables: Path, pairs: Mapping[str, MessagePair]) -> Iterator[Measurement]:
    """Yield the paired measurements of the sweeps that have a pair; only seeds that both choices have count."""
    found = _points(tables, pairs)
    delays = _delays(tables, {run_id for runs in found.values() for run_id in runs.values()})
    samples: dict[tuple[Place, str, str], list[Sample]] = defaultdict(list)
    for (place, seed), runs in sorted(found.items()):
        pair = pairs[place[0]]
        mine, theirs = (delays.get(runs.get(choice, ""), {}) for choice in (pair.first, pair.second))
        for metric, kinds in METRICS.items():
            common = sorted(each for each in mine.keys() & theirs.keys() if each[0] in kinds)
            for choice, values in ((pair.first, mine), (pair.second, theirs)):
                if common:
                    sample = Sample(seed, total([values[each] for each in common]), len(common))
                    samples[place, choice, metric].append(sample)
    points = _labels(tables, pairs)
    for (place, choice, metric), each in samples.items():
        estimate = pooled(each, NON_NEGATIVE)
        if estimate is not None:
            yield Measurement.of(place[0], points[place, choice], metric + PAIRED, estimate, each)


def _rows(tables: Path, pairs: Mapping[str, MessagePair]) -> Iterator[tuple[Place, str, dict[str, object], str, int]]:
    """Yield the place, the choice, the labels, the run and the seed of every run of a sweep that has a pair."""
    for row in pq.read_table(tables / PLAN).to_pylist():
        pair = pairs.get(row["sweep"])
        labels = json.loads(row["point"])
        if pair is not None and labels.get(pair.label) in (pair.first, pair.second):
            others = {key: value for key, value in labels.items() if key not in (pair.label, PROTOCOL_KEY)}
            yield (row["sweep"], point_key(others)), labels[pair.label], labels, row["run_id"], row["seed"]


def _points(tables: Path, pairs: Mapping[str, MessagePair]) -> dict[tuple[Place, int], dict[str, str]]:
    """Return, for each place and seed, the run of each choice."""
    found: dict[tuple[Place, int], dict[str, str]] = defaultdict(dict)
    for place, choice, _, run_id, seed in _rows(tables, pairs):
        found[place, seed][choice] = run_id
    return found


def _labels(tables: Path, pairs: Mapping[str, MessagePair]) -> dict[tuple[Place, str], dict[str, object]]:
    return {(place, choice): labels for place, choice, labels, _, _ in _rows(tables, pairs)}


def _delays(tables: Path, run_ids: Collection[str]) -> dict[str, Delays]:
    """Return the delays of all matched messages of some runs."""
    found: dict[str, Delays] = defaultdict(dict)
    for file in sorted((tables / FIRST_MATCHES).glob("*.parquet")):
        table = pq.read_table(file, filters=pc.field("is_matched"))
        columns = [table.column(name).to_pylist() for name in ("run_id", *FirstMatchFact._fields)]
        for run_id, *values in zip(*columns, strict=True):
            if run_id in run_ids:
                row = FirstMatchFact(*values)
                found[run_id][row.is_publication, row.number] = delay_s(row)
    return found
