"""Our index and HEM at the same batch sizes, from one event at a time to 4,096, in one run.

Both are handed batches that exist already, and both are called in the same way: Python code that allocates the counts
and calls compiled code at its entry point, with all arrays as one argument.

Like is compared with like where both do the same. *Counts*: both count. *Numbers* and *identifiers*: HEM writes the
numbers of those who matched, to memory that each event overwrites; ours writes numbers or
identifiers (here integers) to memory that is used again, too. *Bit sets* are what our index returns to be asked later;
HEM has none to return, so beside them is its count, which takes less.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from time import process_time
from typing import Any

import numpy as np

from benchmarks.matching_engines import BIT_SETS_BYTES, index_of
from benchmarks.matching_hem import GROUPS, Hem
from benchmarks.matching_workloads import Workload, make_workload
from roamcast.core.errors import UserError
from roamcast.matching.event_batch import EventBatch
from roamcast.matching.index import MatchingIndex

MATCHING_BATCHES = "matching-batches"
CASES = (
    (10_000, "wide", "all"),
    (10_000, "wide", "few"),
    (100_000, "wide", "all"),
    (100_000, "selective", "all"),
    (100_000, "wide", "few"),
    (1_000_000, "wide", "all"),
    (1_000_000, "selective", "all"),
    (1_000_000, "wide", "few"),
)
"""Subscriptions, and kinds of ranges and events."""
BATCHES = (1, 16, 256, 4096)
EVENTS = 4096
LARGE_BATCH, LARGE_SUBSCRIPTIONS_MIN = 4096, 100_000
TARGET, LARGE_TARGET = 1.0, 4.0
"""How many times faster than HEM the index shall be: everywhere, and for counts of large batches and indexes."""
NUMBERS_TOGETHER = 16_384
"""Numbers are asked for by so many events that they fit a cache."""
CPU_S = 0.06
"""A timing takes at least that long."""

Run = Callable[[EventBatch], Any]
PEERS = {"counts": "HEM counts", "bit sets": "HEM counts", "numbers": "HEM numbers", "identifiers": "HEM numbers"}
"""Our answers, and what HEM's is measured beside each."""


@dataclass(frozen=True, slots=True)
class BatchMeasurement:
    """The CPU time per event of our index and of HEM at a batch size, the best of the repeats."""

    subscriptions: int
    workload: str
    batch: int
    result: str
    """The form of the answer: one of ``PEERS``."""
    ours_us: float
    hem_us: float
    """That of the better of two numbers of groups."""

    @property
    def ratio(self) -> float:
        """Return how many times faster our index is."""
        return self.hem_us / self.ours_us

    @property
    def target(self) -> float:
        """Return how many times faster it shall be."""
        is_large = self.batch >= LARGE_BATCH and self.subscriptions >= LARGE_SUBSCRIPTIONS_MIN
        return LARGE_TARGET if is_large and self.result == "counts" else TARGET

    @property
    def is_reached(self) -> bool:
        """Tell whether it is."""
        return self.ratio >= self.target


def measure_batches(
    repeats: int, seed: int = 1, cases: Sequence[tuple[int, str, str]] = CASES, batches: Sequence[int] = BATCHES
) -> list[BatchMeasurement]:
    """Measure all workloads at all batch sizes."""
    found: list[BatchMeasurement] = []
    for subscriptions, ranges, events in cases:
        workload = make_workload(subscriptions, ranges, events, EVENTS, seed)
        index = index_of(workload)
        hems = [Hem(workload, groups) for groups in GROUPS]
        _check_agreement(workload, index, hems)
        for batch in batches:
            found += _measure(workload, index, hems, batch, repeats)
    return found


def _check_agreement(workload: Workload, index: MatchingIndex[int], hems: list[Hem]) -> None:
    some = workload.batch[:600]
    counts = hems[0].match(some).tolist()
    for ours in (index.count_many(some), index.match_many(some[:50]).counts):
        if ours.tolist() != counts[: len(ours)]:
            raise UserError(f"{workload.name}: our index and HEM find different numbers of matches")


def _measure(
    workload: Workload, index: MatchingIndex[int], hems: list[Hem], batch: int, repeats: int
) -> list[BatchMeasurement]:
    parts = [workload.batch[at : at + batch] for at in range(0, len(workload.batch), batch)]
    engines: dict[str, list[Run]] = {
        **{name: [run] for name, run in _ours(workload, index, batch).items()},
        "HEM counts": [hem.match for hem in hems],
        "HEM numbers": [hem.write_numbers for hem in hems],
    }
    best_us = {name: float("inf") for name in engines}
    for _ in range(repeats):  # in turn, so that a busy moment of the machine is shared
        for name, runs in engines.items():
            best_us[name] = min(best_us[name], *(_event_us(run, parts) for run in runs))
    return [
        BatchMeasurement(workload.subscriptions, workload.name, batch, result, best_us[result], best_us[peer])
        for result, peer in PEERS.items()
    ]


def _ours(workload: Workload, index: MatchingIndex[int], batch: int) -> dict[str, Run]:
    """Return the forms of our answers; memory is used again, and there is as much as a user would give."""
    step = max(min(batch, BIT_SETS_BYTES // max(8 * index.matches_words(1), 1)), 1)
    memory = np.zeros(index.matches_words(step), np.uint64)
    numbers_memory = np.zeros(workload.subscriptions + NUMBERS_TOGETHER, np.int64)
    together = int(max(NUMBERS_TOGETHER // max(index.count_many(workload.batch).mean(), 1), 1))

    def pieces(events: EventBatch) -> Sequence[EventBatch]:
        return (events,) if len(events) <= step else [events[at : at + step] for at in range(0, len(events), step)]

    def bit_sets(events: EventBatch) -> None:
        for piece in pieces(events):
            index.match_many(piece, memory)

    def written(one: str, several: str) -> Run:
        def write(events: EventBatch) -> None:
            for piece in pieces(events):
                matches = index.match_many(piece, memory)
                if together == 1 or len(piece) == 1:
                    write_one = getattr(matches, one)
                    for event in range(len(piece)):
                        write_one(event, numbers_memory)
                else:
                    write_several = getattr(matches, several)
                    for first in range(0, len(piece), together):
                        write_several(first, first + together, numbers_memory)

        return write

    numbers, identifiers = written("numbers", "listed"), written("identifier_array", "listed_identifiers")
    return {"counts": index.count_many, "bit sets": bit_sets, "numbers": numbers, "identifiers": identifiers}


def _event_us(run: Run, parts: list[EventBatch]) -> float:
    done, at, began_s = 0, 0, process_time()
    while process_time() - began_s < CPU_S:
        run(parts[at % len(parts)])
        done += len(parts[at % len(parts)])
        at += 1
    return 1e6 * (process_time() - began_s) / done


def batches_rows(measured: list[BatchMeasurement]) -> list[dict[str, Any]]:
    """Return measurements by the names of their fields, with what they shall reach."""
    return [
        asdict(each) | {"ratio": each.ratio, "target": each.target, "is_reached": each.is_reached} for each in measured
    ]


def show_batches(measured: list[BatchMeasurement]) -> str:
    """Return measurements as a table: CPU time per event, how many times faster our index is, and shall be."""
    heads = f"{'batch':>6} {'result':12} {'ours, us':>9} {'HEM, us':>9} {'ratio':>6} {'target':>6}"
    lines = [f"{'subscriptions, workload':26} {heads}"]
    for each in measured:
        figures = f"{each.ours_us:9.2f} {each.hem_us:9.2f} {each.ratio:6.2f} {each.target:6.1f}"
        verdict = "reached" if each.is_reached else "NOT reached"
        lines.append(f"{each.workload:26} {each.batch:6,} {each.result:12} {figures}  {verdict}")
    missed = [f"{each.workload} by {each.batch:,}, {each.result}" for each in measured if not each.is_reached]
    lines.append(f"{len(measured) - len(missed)} of {len(measured)} targets reached")
    lines.append(f"NOT reached: {'; '.join(missed) if missed else 'none'}")
    return "\n".join(lines)
