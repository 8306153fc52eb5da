"""The cost of importing movement and finding contacts, next to an earlier commit: ``python -m benchmarks.recordings``.

Each case is a command that is run in a process of its own, by today's sources and by those of the commit, in turns. The
cost is the CPU time of the process and of everything it starts (Java, Python workers), start-up included. The first
round of each side also compiles what is not compiled yet; it is reported on its own. The tables must be the same.
"""

import argparse
import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.process_tree import Cost, measured_command, with_sources
from benchmarks.protocols import ROOT, checked_out
from benchmarks.recorded import NODES, write_csv
from benchmarks.results import machine, save

RECORDINGS = "recordings"
ROWS_MAX = 10_000_000
AGAINST = "7112cb2"
RANGE_M = 282.09479
"""About ten neighbours among the thousand nodes of the generated file."""
COMMAND = "import sys; from roamcast.cli import main; sys.exit(main(sys.argv[1:]))"
"""How both commits are started."""
DUCKDB = """
import duckdb, sys
duckdb.execute("set threads = 2")
duckdb.execute(f'''
    copy (
        select dense_rank() over (order by node) - 1 as number, time, x, y,
               coalesce(lead(time) over (partition by node order by time) - time <= 3, false) as goes_on
        from read_csv('{sys.argv[1]}')
        where isfinite(time) and isfinite(x) and isfinite(y) order by time, number
    ) to '{sys.argv[2]}' (format parquet, compression zstd)
''')
"""
"""The same table by a query, for comparison: no broken lines, names in the order of text, one file."""
TABLES = ("movement", "contacts", "degrees", "components")


@dataclass(frozen=True, slots=True)
class RecordingCase:
    """A command on generated movement."""

    name: str
    rows: int
    target_cpu_s: float
    finds_contacts: bool = False
    rounds_max: int = 10

    def arguments(self, file: Path, movement: Path, out: Path) -> list[str]:
        """Return the arguments of the command."""
        if self.finds_contacts:
            return ["contacts", str(movement), "--range-m", str(RANGE_M), "--out", str(out)]
        return ["movement", "import", str(file), "--out", str(out)]


CASES = (
    RecordingCase("import 600,000 rows", 600_000, 8.0),
    RecordingCase("contacts of 1,000 nodes in 600 s", 600_000, 8.0, finds_contacts=True),
    RecordingCase("import 10,000,000 rows", 10_000_000, 30.0, rounds_max=1),
)


@dataclass(frozen=True, slots=True)
class RecordingMeasurement:
    """The cost of a case, by the best of the rounds of each side."""

    case: str
    ours: Cost
    ours_first_cpu_s: float
    """That of the first round."""
    other: Cost
    other_first_cpu_s: float
    peer_cpu_s: float | None
    """That of DuckDB, which does less; None: not installed, or not the same task."""
    are_same: bool
    """Both sides wrote the same tables, byte for byte."""
    target_cpu_s: float

    @property
    def ratio(self) -> float:
        """Return how many times less CPU time ours takes."""
        return self.other.cpu_s / self.ours.cpu_s


def main(arguments: Sequence[str]) -> int:
    """Measure the cases; the exit code is 1 if the two sides wrote different tables."""
    options = _options(arguments)
    found: list[RecordingMeasurement] = []
    for each in measure_recordings(options.repeat, options.against, options.rows_max):
        found.append(each)
        if not options.json:
            print(shown(each), flush=True)
        if options.save:  # after each case: they take long, and somebody may lose patience
            save(_document(found, options.against), part=RECORDINGS)
    if options.json:
        print(json.dumps(_document(found, options.against), indent=2))
    return int(not all(each.are_same for each in found))


def measure_recordings(
    repeats: int, against: str = AGAINST, rows_max: int = ROWS_MAX
) -> Iterator[RecordingMeasurement]:
    """Measure the cases with up to so many rows, one after the other."""
    with checked_out(against) as other, tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            if case.rows <= rows_max:
                rounds = min(repeats, case.rounds_max)
                yield measure(case, Path(folder), (ROOT / "src", other / "src"), rounds)


def recording_rows(found: Sequence[RecordingMeasurement]) -> list[dict[str, Any]]:
    """Return the fields by name."""
    return [asdict(each) | {"ratio": each.ratio} for each in found]


def _document(found: Sequence[RecordingMeasurement], against: str) -> dict[str, Any]:
    rows = recording_rows(found)
    return {"version": version("roamcast"), "against": against, "machine": machine(), RECORDINGS: rows}


def measure(case: RecordingCase, folder: Path, sides: Sequence[Path], rounds: int) -> RecordingMeasurement:
    """Run a case by both sides, in turns."""
    file, movement = folder / f"{case.rows}.csv", folder / f"{case.rows}"
    if not file.exists():
        write_csv(file, case.rows // NODES)
    if case.finds_contacts and not movement.exists():
        _run(sides[0], ["movement", "import", str(file), "--out", str(movement)])
    costs: list[list[Cost]] = [[] for _ in sides]
    digests = set()
    for _ in range(rounds):
        for side, sources in enumerate(sides):
            out = folder / f"out-{time.monotonic_ns()}"
            costs[side].append(_run(sources, case.arguments(file, movement, out)))
            digests.add(_digest(out))
            shutil.rmtree(out)
    ours, other = (min(each, key=lambda cost: cost.cpu_s) for each in costs)
    peer = None if case.finds_contacts else _duckdb(file, folder / "duckdb.parquet", rounds)
    return RecordingMeasurement(
        case.name, ours, costs[0][0].cpu_s, other, costs[1][0].cpu_s, peer, len(digests) == 1, case.target_cpu_s
    )


def _run(sources: Path, arguments: Sequence[str]) -> Cost:
    return measured_command([sys.executable, "-c", COMMAND, *arguments], with_sources(sources))


def _duckdb(file: Path, out: Path, rounds: int) -> float | None:
    if find_spec("duckdb") is None:
        return None
    command = [sys.executable, "-c", DUCKDB, str(file), str(out)]
    return min(measured_command(command, dict(os.environ)).cpu_s for _ in range(rounds))


def _digest(out: Path) -> str:
    """Return the digest of all tables that a command wrote."""
    digest = hashlib.blake2b(digest_size=8)
    for file in sorted([out / "nodes.parquet", *(each for name in TABLES for each in (out / name).rglob("*.parquet"))]):
        digest.update(str(file.relative_to(out)).encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def shown(found: RecordingMeasurement) -> str:
    """Return a measurement as a line."""
    peer = "" if found.peer_cpu_s is None else f", DuckDB {found.peer_cpu_s:.1f} s"
    reached = "reached" if found.ours.cpu_s <= found.target_cpu_s else "NOT reached"
    return (
        f"{found.case:34} {found.ours.cpu_s:6.1f} s of CPU (first {found.ours_first_cpu_s:.1f} s), "
        f"{found.ours.wall_s:.1f} s on the clock, {found.ours.peak_worker_mb:,.0f} MB in a worker; "
        f"{found.other.cpu_s:.1f} s (first {found.other_first_cpu_s:.1f} s), {found.other.wall_s:.1f} s, "
        f"{found.other.peak_worker_mb:,.0f} MB there: ratio {found.ratio:.2f}{peer}; "
        f"target {found.target_cpu_s:g} s {reached}; tables {'same' if found.are_same else 'DIFFERENT'}"
    )


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{RECORDINGS}", description=__doc__)
    parser.add_argument("--against", default=AGAINST, metavar="COMMIT", help=f"the other side (default: {AGAINST})")
    parser.add_argument("--repeat", type=int, default=2, metavar="N", help="rounds of each case (default: 2)")
    parser.add_argument("--rows-max", type=int, default=ROWS_MAX, metavar="N", help="leave larger cases out")
    parser.add_argument("--save", action="store_true", help=f"write benchmarks/results/VERSION-{RECORDINGS}.json")
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
    options = parser.parse_args(arguments)
    if options.repeat < 1:
        parser.error(f"--repeat {options.repeat}: must be at least 1")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
