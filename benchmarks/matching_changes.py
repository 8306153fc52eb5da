"""Our index next to that of an earlier commit: ``python -m benchmarks.matching_changes [--against COMMIT]``.

The commit is checked out into a temporary folder and measured in a process of its own, alternating with this one's, so
that both see the same disturbances. A ratio is one of the fastest rounds. Both must find the same matches.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.protocols import checked_out
from benchmarks.results import document, save

ROOT = Path(__file__).parent.parent
WORKER = Path(__file__).parent / "matching_worker.py"
MATCHING_CHANGES = "matching-changes"
BEFORE = "7112cb2"
"""The last commit before rows by attribute, sweeps and sets that are looked up."""
SLOWER_MAX = 1.1
"""So many times the earlier commit's time is allowed."""
CHANGES = ("add", "add to a full index", "add many", "remove")
ANSWERS = ("counts", "bit sets")
BATCHES = (1, 16, 256, 4096)
WORKLOADS = (("wide", "all"), ("selective", "all"), ("wide", "few"))


@dataclass(frozen=True, slots=True)
class ChangeCase:
    """An operation on an index with so many subscriptions."""

    operation: str
    subscriptions: int
    ranges: str = "wide"
    events: str = "all"
    batch: int = 1

    @property
    def name(self) -> str:
        """Return what it is called in the table."""
        by = f" by {self.batch:,}" if self.operation in ANSWERS else ""
        return f"{self.operation}, {self.subscriptions:,} {self.ranges}-{self.events}{by}"


CASES = (
    *(ChangeCase(operation, count) for operation in CHANGES for count in (10_000, 100_000)),
    ChangeCase("add many", 1_000_000),
    *(
        ChangeCase(answer, 100_000, ranges, events, batch)
        for ranges, events in WORKLOADS
        for batch in BATCHES
        for answer in ANSWERS
    ),
)


@dataclass(frozen=True, slots=True)
class Change:
    """The CPU time of an operation, now and before: of a subscription, or of an event."""

    operation: str
    subscriptions: int
    workload: str
    batch: int
    now_us: float
    before_us: float

    @property
    def ratio(self) -> float:
        """Return how many times the earlier time it takes."""
        return self.now_us / self.before_us

    @property
    def is_reached(self) -> bool:
        """Tell whether it has not become slower than allowed."""
        return self.ratio <= SLOWER_MAX


class Side:
    """A process that measures the index of one commit."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    @classmethod
    @contextmanager
    def of(cls, sources: Path) -> Iterator["Side"]:
        """Start a process that imports Roamcast from a folder, and end it with the context."""
        environment = {**os.environ, "PYTHONPATH": str(sources)}
        command = [sys.executable, str(WORKER)]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        ) as process:
            side = cls(process)
            for operation in (*CHANGES, *ANSWERS):  # so that nothing measured includes compiling
                side.measure(ChangeCase(operation, 2_000))
            yield side
            assert process.stdin is not None
            process.stdin.close()

    def measure(self, case: ChangeCase) -> tuple[float, int]:
        """Return the CPU time of an operation in microseconds, and a number that both sides must agree on."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asdict(case)) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{case.name}: the worker ended; its message is above")
        taken_us, found = json.loads(line)
        return float(taken_us), int(found)


def measure_change(case: ChangeCase, now: Side, before: Side, repeats: int) -> Change:
    """Measure a case on both sides in turn."""
    rounds = [(now.measure(case), before.measure(case)) for _ in range(repeats)]
    if len({found for each in rounds for _, found in each}) > 1:
        raise SystemExit(f"{case.name}: the two commits find different matches")
    best_us = [min(each[side][0] for each in rounds) for side in range(2)]
    return Change(case.operation, case.subscriptions, f"{case.ranges}-{case.events}", case.batch, *best_us)


def header() -> str:
    """Return the first line of the table."""
    return f"{'CPU time of one':48} {'now, us':>9} {'before':>9} {'ratio':>6} {'target':>6}"


def shown(case: ChangeCase, change: Change) -> str:
    """Return a row of the table."""
    figures = f"{change.now_us:9.2f} {change.before_us:9.2f} {change.ratio:6.2f} {SLOWER_MAX:6.1f}"
    return f"{case.name:48} {figures}  {'reached' if change.is_reached else 'NOT reached'}"


def changes_rows(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """Return changes by the names of their fields, with what they shall reach."""
    return [
        asdict(each) | {"ratio": each.ratio, "target": SLOWER_MAX, "is_reached": each.is_reached} for each in changes
    ]


def main(arguments: list[str] | None = None) -> int:
    """Measure all cases; the exit code is 1 if one has become slower than allowed."""
    options = _options(arguments)
    cases = [case for case in CASES if not options.operations or case.operation in options.operations]
    changes = []
    with ExitStack() as stack:
        folder = options.against_folder or stack.enter_context(checked_out(options.against))
        now, before = (stack.enter_context(Side.of(each / "src")) for each in (ROOT, folder.resolve()))
        print(header(), flush=True)
        for case in cases:
            changes.append(measure_change(case, now, before, options.repeat))
            print(shown(case, changes[-1]), flush=True)
    if options.save:
        result = document([], None) | {"against": options.against, MATCHING_CHANGES: changes_rows(changes)}
        print(f"saved as {save(result, part=MATCHING_CHANGES)}", file=sys.stderr)
    return int(not all(change.is_reached for change in changes))


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.matching_changes", description=__doc__)
    names = [*CHANGES, *ANSWERS]
    parser.add_argument("operations", nargs="*", metavar="OPERATION", help=f"only these of {', '.join(names)}")
    parser.add_argument("--against", default=BEFORE, metavar="COMMIT", help=f"the other side (default: {BEFORE})")
    parser.add_argument("--against-folder", type=Path, metavar="DIR", help="where that commit is checked out already")
    parser.add_argument("--repeat", type=int, default=3, help="rounds of each case (default: 3)")
    parser.add_argument("--save", action="store_true", help=f"write benchmarks/results/VERSION-{MATCHING_CHANGES}.json")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.operations) - set(names))
    if unknown:
        parser.error(f"unknown operation '{unknown[0]}'; known: {', '.join(names)}")
    return options


if __name__ == "__main__":
    sys.exit(main())
