"""Our index and HEM at the same batch sizes, from one event at a time to 4,096, in one run.

Both are handed batches that exist already, and both are called in the same way: Python code that allocates the counts
and calls compiled code at its entry point, with all arrays as one argument. HEM counts; to compare what says *who*
matched, it can also write the numbers of the subscriptions, to memory that each event overwrites. Ours are then
arrays of their own, one for each event.
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
CPU_S = 0.06
"""A timing takes at least that long."""

Run = Callable[[EventBatch], Any]
OURS = ("bit sets", "counts", "numbers")
PEERS = {"bit sets": "HEM counts", "counts": "HEM counts", "numbers": "HEM numbers"}


@dataclass(frozen=True, slots=True)
class BatchMeasurement:
    """The CPU time per event of our index and of HEM at a batch size, the best of the repeats."""

    workload: str
    batch: int
    result: str
    """The form of the answer: bit sets, counts or numbers."""
    ours_us: float
    hem_us: float
    """That of the better of two numbers of groups. HEM has no bit sets to return; beside ours is its count."""

    @property
    def ratio(self) -> float:
        """Return how many times faster our index is."""
        return self.hem_us / self.ours_us


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
        **{name: [run] for name, run in _ours(index, batch).items()},
        "HEM counts": [hem.match for hem in hems],
        "HEM numbers": [hem.write_numbers for hem in hems],
    }
    best_us = {name: float("inf") for name in engines}
    for _ in range(repeats):  # in turn, so that a busy moment of the machine is shared
        for name, runs in engines.items():
            best_us[name] = min(best_us[name], *(_event_us(run, parts) for run in runs))
    return [BatchMeasurement(workload.name, batch, result, best_us[result], best_us[PEERS[result]]) for result in OURS]


def _ours(index: MatchingIndex[int], batch: int) -> dict[str, Run]:
    """Return the forms of our answers; bit sets use memory again, and as much as a user would give them."""
    step = max(min(batch, BIT_SETS_BYTES // max(8 * index.matches_words(1), 1)), 1)
    memory = np.zeros(index.matches_words(step), np.uint64)

    def bit_sets(events: EventBatch) -> None:
        if step == batch:
            index.match_many(events, memory)
            return
        for at in range(0, len(events), step):
            index.match_many(events[at : at + step], memory)

    def numbers(events: EventBatch) -> None:
        for at in range(0, len(events), step):
            matches = index.match_many(events if step == batch else events[at : at + step], memory)
            for event in range(len(matches)):
                matches.numbers(event)

    return {"bit sets": bit_sets, "counts": index.count_many, "numbers": numbers}


def _event_us(run: Run, parts: list[EventBatch]) -> float:
    done, at, began_s = 0, 0, process_time()
    while process_time() - began_s < CPU_S:
        run(parts[at % len(parts)])
        done += len(parts[at % len(parts)])
        at += 1
    return 1e6 * (process_time() - began_s) / done


def batches_rows(measured: list[BatchMeasurement]) -> list[dict[str, Any]]:
    """Return measurements by the names of their fields."""
    return [asdict(each) | {"ratio": each.ratio} for each in measured]


def show_batches(measured: list[BatchMeasurement]) -> str:
    """Return measurements as a table: CPU time per event, and how many times faster our index is."""
    lines = [f"{'subscriptions, workload':26} {'batch':>6} " + " ".join(f"{name:>26}" for name in OURS)]
    rows: dict[tuple[str, int], dict[str, BatchMeasurement]] = {}
    for each in measured:
        rows.setdefault((each.workload, each.batch), {})[each.result] = each
    for (workload, batch), row in rows.items():
        cells = [f"{each.ours_us:8.2f} us, HEM {each.hem_us:6.1f}: {each.ratio:4.1f}" for each in row.values()]
        lines.append(f"{workload:26} {batch:6,} " + " ".join(f"{cell:>26}" for cell in cells))
    behind = [f"{each.workload} by {each.batch:,}, {each.result}" for each in measured if each.ratio < 1]
    lines.append(f"behind HEM: {'; '.join(behind) if behind else 'nowhere'}")
    return "\n".join(lines)
