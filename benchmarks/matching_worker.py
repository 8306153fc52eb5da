"""One side of ``benchmarks.matching_changes``: measures an index for each line it reads, with the Roamcast on its path.

It is a program of its own because two commits cannot be imported into one process. It uses only what both have.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).parent.parent))

from benchmarks.matching_workloads import ATTRIBUTES, Workload, make_workload, space
from roamcast.matching.index import MatchingIndex

SEED = 1
EVENTS = 4096
ALONE = 20_000
"""So many subscriptions come and go one by one, in an index that has others already."""
CPU_S = 0.05
"""Matching is repeated until it has taken that long."""

Result = tuple[float, int]
"""The CPU time of one operation in microseconds, and a number that must be the same on both sides."""


class Side:
    """The workloads and indexes that have been asked for, made once."""

    def __init__(self) -> None:
        self._workloads: dict[tuple[int, str, str], Workload] = {}
        self._indexes: dict[tuple[int, str, str], MatchingIndex[int]] = {}

    def measure(self, request: dict[str, Any]) -> Result:
        """Measure an operation."""
        key = int(request["subscriptions"]), str(request["ranges"]), str(request["events"])
        if key not in self._workloads:
            self._workloads[key] = make_workload(*key, EVENTS, SEED)
        workload, batch = self._workloads[key], int(request["batch"])
        changes: dict[str, Callable[[Workload], Result]] = {
            "add many": _add_many, "add": _add, "remove": _remove, "add to a full index": _add_more,
        }  # fmt: skip
        if request["operation"] in changes:
            return changes[request["operation"]](workload)
        if key not in self._indexes:
            self._indexes.clear()
            self._indexes[key] = _filled(workload)
        return _match(self._indexes[key], workload, request["operation"], batch)


def _filled(workload: Workload) -> MatchingIndex[int]:
    index: MatchingIndex[int] = MatchingIndex(space())
    index.add_many(range(workload.subscriptions), workload.table)
    return index


def _subscriptions(workload: Workload, count: int) -> list[dict[str, tuple[float, float]]]:
    listed: list[dict[str, tuple[float, float]]] = [{} for _ in range(count)]
    table = workload.table
    columns = (table.subscription.tolist(), table.attribute.tolist(), table.low.tolist(), table.high.tolist())
    for owner, attribute, low, high in zip(*columns, strict=True):
        if owner < count:
            listed[owner][f"a{attribute}"] = (low, high)
    return listed


def _matched(index: MatchingIndex[int], workload: Workload) -> int:
    return int(index.count_many(workload.batch[:64]).sum())


def _add_many(workload: Workload) -> Result:
    began_s = process_time()
    index = _filled(workload)
    return 1e6 * (process_time() - began_s) / workload.subscriptions, _matched(index, workload)


def _add(workload: Workload) -> Result:
    asked = _subscriptions(workload, workload.subscriptions)
    index: MatchingIndex[int] = MatchingIndex(space())
    began_s = process_time()
    for number, ranges in enumerate(asked):
        index.add(number, ranges)
    return 1e6 * (process_time() - began_s) / len(asked), _matched(index, workload)


def _add_more(workload: Workload) -> Result:
    asked, index = _subscriptions(workload, ALONE), _filled(workload)
    began_s = process_time()
    for number, ranges in enumerate(asked):
        index.add(-1 - number, ranges)
    return 1e6 * (process_time() - began_s) / len(asked), _matched(index, workload)


def _remove(workload: Workload) -> Result:
    """Remove nine tenths one by one, in random order, so that shelves are built anew."""
    index = _filled(workload)
    random = np.random.Generator(np.random.PCG64(SEED))
    gone = random.permutation(workload.subscriptions)[: workload.subscriptions * 9 // 10].tolist()
    began_s = process_time()
    for number in gone:
        index.remove(number)
    return 1e6 * (process_time() - began_s) / len(gone), _matched(index, workload)


def _match(index: MatchingIndex[int], workload: Workload, operation: str, batch: int) -> Result:
    parts = [workload.batch[at : at + batch] for at in range(0, EVENTS, batch)]
    memory = np.zeros(index.matches_words(batch), np.uint64)
    run: Callable[[Any], Any] = {
        "counts": index.count_many,
        "bit sets": lambda events: index.match_many(events, memory),
        "numbers": lambda events: index.match_many(events, memory).numbers(0),
        "identifiers": lambda events: index.match_many(events, memory).identifiers(0),
    }[operation]
    done, at, began_s = 0, 0, process_time()
    while process_time() - began_s < CPU_S or at < 2:
        run(parts[at % len(parts)])
        done += batch
        at += 1
    return 1e6 * (process_time() - began_s) / done, _matched(index, workload) + ATTRIBUTES


def main() -> None:
    """Answer each line with a line, until there are no more."""
    side = Side()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(side.measure(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
