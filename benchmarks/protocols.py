"""The cost of protocols that keep trees and brokers, next to an earlier commit: ``python -m benchmarks.protocols``.

Each case is a scenario of ``scenarios/`` with one protocol. With ``--against COMMIT`` that commit
is checked out into a temporary folder and runs the same cases in a process of its own, alternating with this one's, so
that both see the same disturbances. A ratio is one of the fastest runs. Digests must be equal: the same run, faster.
``python -m benchmarks trees-and-brokers`` measures the same next to ``AGAINST`` and stores both sides. The protocols
have been changed for their papers' sake since that commit, so next to it their digests differ; docs/performance.md has
the ratios of equal traces.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SCENARIOS = ROOT / "scenarios"
WORKER = Path(__file__).parent / "protocol_worker.py"
SEED = 1
TREES_AND_BROKERS = "trees-and-brokers"
"""The name of the comparison among the benchmarks."""
AGAINST = "7112cb2"
"""The commit that ``python -m benchmarks`` compares with: half of its time is the target."""
ROUNDS_MAX = 2
"""A round takes a minute or two, so ``python -m benchmarks`` makes no more."""


@dataclass(frozen=True, slots=True)
class ProtocolCase:
    """A protocol in a scenario of ``scenarios/``."""

    protocol: str
    scenario: str
    values: Mapping[str, Any] = field(default_factory=dict)
    """Other keys of the scenario that have values of their own."""

    def request(self, duration_s: float | None) -> dict[str, Any]:
        """Return what a worker needs to run this case, measuring for as long as the scenario says or for less."""
        duration = {} if duration_s is None else {"duration_s": duration_s}
        values = {"protocol.name": self.protocol, **self.values, **duration}
        return {"scenario": str(SCENARIOS / self.scenario), "values": values, "seed": SEED}


ZONES = {"workload.lifetime_s": 60}
"""How long subscriptions lasted there in the commit that is compared with."""
CASES = (
    ProtocolCase("brvst", "zones.toml", ZONES),
    ProtocolCase("drip", "zones.toml", ZONES),
    ProtocolCase("subscription-tree", "communities.toml"),
    ProtocolCase("tree-group", "communities.toml"),
)
WARM_UP = ProtocolCase("flooding", "communities.toml")
"""Run first by every worker, so that nothing measured includes loading or compiling the medium."""


class Worker:
    """A process that runs cases with the sources of one commit."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    @classmethod
    @contextmanager
    def of(cls, sources: Path) -> Iterator["Worker"]:
        """Start a worker that imports Roamcast from a folder, and end it with the context."""
        environment = {**os.environ, "PYTHONPATH": str(sources)}
        command = [sys.executable, str(WORKER)]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        ) as process:
            worker = cls(process)
            worker.run(WARM_UP, 1.0)
            yield worker
            worker.close()

    def run(self, case: ProtocolCase, duration_s: float | None) -> dict[str, Any]:
        """Run a case and return its CPU time, digest and share of the medium."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(case.request(duration_s)) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{case.protocol}: the worker ended; its message is above")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """Let the process end, which it does when there is nothing more to read."""
        assert self._process.stdin is not None
        self._process.stdin.close()


@dataclass(frozen=True, slots=True)
class ProtocolCost:
    """The runs of one case, this tree's and those of another commit."""

    case: ProtocolCase
    against: str | None
    """The other commit; None: only this tree was measured."""
    sides: tuple[tuple[dict[str, Any], ...], ...]
    """The answers of this tree's worker, then of the other's, in the order in which they were made."""

    @property
    def fastest(self) -> list[dict[str, Any]]:
        """Return the fastest run of each side."""
        return [min(runs, key=lambda run: float(run["cpu_s"])) for runs in self.sides]

    @property
    def has_same_digests(self) -> bool:
        """Tell whether all runs were the same run."""
        return len({run["digest"] for runs in self.sides for run in runs}) == 1

    @property
    def ratio(self) -> float | None:
        """Return how many times as long the other side took."""
        fastest = self.fastest
        return fastest[1]["cpu_s"] / fastest[0]["cpu_s"] if len(fastest) > 1 else None

    def as_row(self) -> dict[str, Any]:
        """Return both sides by name, with all their runs."""
        return {
            "protocol": self.case.protocol,
            "scenario": self.case.scenario,
            "seed": SEED,
            "against": self.against,
            "ms_per_simulated_s": [1e3 * run["cpu_s"] / run["simulated_s"] for run in self.fastest],
            "ratio": self.ratio,
            "has_same_digests": self.has_same_digests,
            "runs": [list(runs) for runs in self.sides],
        }


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """Check a commit out into a temporary folder, and remove it afterwards."""
    with tempfile.TemporaryDirectory(prefix="roamcast-") as folder:
        tree = Path(folder) / commit
        git = ("git", "-C", str(ROOT), "worktree")
        subprocess.run([*git, "add", "--quiet", "--detach", str(tree), commit], check=True)
        try:
            yield tree
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def main() -> int:
    """Measure the cases; the exit code is 1 if a digest differs."""
    options = _options()
    cases = [case for case in CASES if not options.protocols or case.protocol in options.protocols]
    folder, against = options.against_folder, options.against
    print(header(folder is not None or against is not None), flush=True)
    differs = False
    for cost in measured_costs(cases, options.repeat, against, folder, options.duration_s):
        print(shown(cost), flush=True)
        differs = differs or not cost.has_same_digests
    return int(differs)


def measured_costs(
    cases: Sequence[ProtocolCase],
    rounds: int,
    against: str | None,
    folder: Path | None = None,
    duration_s: float | None = None,
) -> Iterator[ProtocolCost]:
    """Run cases, alternating with another commit or with one that is checked out in a folder."""
    with ExitStack() as stack:
        sources = [ROOT / "src"]
        if against is not None:
            sources.append(stack.enter_context(checked_out(against)) / "src")
        elif folder is not None:
            sources.append(folder.resolve() / "src")
        workers = [stack.enter_context(Worker.of(each)) for each in sources]
        for case in cases:
            made = [[worker.run(case, duration_s) for worker in workers] for _ in range(rounds)]
            yield ProtocolCost(case, against or (str(folder) if folder else None), tuple(zip(*made, strict=True)))


def measure_protocols(repeats: int) -> list[ProtocolCost]:
    """Measure all cases next to ``AGAINST``, or alone where the history of this tree does not have it."""
    known = ("git", "-C", str(ROOT), "cat-file", "-e", f"{AGAINST}^{{commit}}")
    try:
        has_commit = subprocess.run(known, check=False, stderr=subprocess.DEVNULL).returncode == 0
    except FileNotFoundError:
        has_commit = False
    if not has_commit:
        print(f"{TREES_AND_BROKERS}: there is no commit {AGAINST} here, so only this tree is measured", file=sys.stderr)
    return list(measured_costs(CASES, min(repeats, ROUNDS_MAX), AGAINST if has_commit else None))


def protocol_rows(costs: Sequence[ProtocolCost]) -> list[dict[str, Any]]:
    """Return measurements as they are stored."""
    return [cost.as_row() for cost in costs]


def show_protocols(costs: Sequence[ProtocolCost]) -> str:
    """Return measurements as a table."""
    return "\n".join([header(any(len(cost.sides) > 1 for cost in costs)), *map(shown, costs)])


def header(has_other: bool) -> str:
    """Return the first line of the table."""
    line = f"{'CPU ms per simulated second':28} {'ours':>7} {'medium':>7}"
    return f"{line} {'other':>7} {'medium':>7} {'ratio':>6}  digests" if has_other else line


def shown(cost: ProtocolCost) -> str:
    """Return a row of the table."""
    line = f"{cost.case.protocol:28}"
    for run in cost.fastest:
        line += f" {1e3 * run['cpu_s'] / run['simulated_s']:7.1f} {run['medium_share']:7.0%}"
    if cost.ratio is not None:
        line += f" {cost.ratio:6.2f}  {'same' if cost.has_same_digests else 'DIFFERENT'}"
    return line


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.protocols", description=__doc__)
    names = [case.protocol for case in CASES]
    parser.add_argument("protocols", nargs="*", metavar="PROTOCOL", help=f"only these of {', '.join(names)}")
    other = parser.add_mutually_exclusive_group()
    other.add_argument("--against", metavar="COMMIT", help="run the same with this commit and compare")
    other.add_argument("--against-folder", type=Path, metavar="DIR", help="the same with a checked-out commit")
    parser.add_argument("--duration-s", type=float, help="measured seconds of a run (default: the scenario's)")
    parser.add_argument("--repeat", type=int, default=1, help="rounds of each case (default: 1)")
    options = parser.parse_args()
    unknown = sorted(set(options.protocols) - set(names))
    if unknown:
        parser.error(f"unknown protocol '{unknown[0]}'; known: {', '.join(names)}")
    return options


if __name__ == "__main__":
    sys.exit(main())
