"""The cost of protocols that keep trees and brokers, next to an earlier commit: ``python -m benchmarks.protocols``.

Each case is a scenario of ``scenarios/`` with one protocol. With ``--against COMMIT`` that commit
is checked out into a temporary folder and runs the same cases in a process of its own, alternating with this one's, so
that both see the same disturbances. A ratio is one of the fastest runs. Digests must be equal: the same run, faster.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SCENARIOS = ROOT / "scenarios"
WORKER = Path(__file__).parent / "protocol_worker.py"
SEED = 1


@dataclass(frozen=True, slots=True)
class ProtocolCase:
    """A protocol in a scenario of ``scenarios/``."""

    protocol: str
    scenario: str

    def request(self, duration_s: float | None) -> dict[str, Any]:
        """Return what a worker needs to run this case, measuring for as long as the scenario says or for less."""
        values = {"protocol.name": self.protocol, **({} if duration_s is None else {"duration_s": duration_s})}
        return {"scenario": str(SCENARIOS / self.scenario), "values": values, "seed": SEED}


CASES = (
    ProtocolCase("brvst", "zones.toml"),
    ProtocolCase("drip", "zones.toml"),
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
    differs = False
    with ExitStack() as stack:
        sources = [ROOT / "src"]
        if options.against is not None:
            sources.append(stack.enter_context(checked_out(options.against)) / "src")
        elif options.against_folder is not None:
            sources.append(options.against_folder.resolve() / "src")
        workers = [stack.enter_context(Worker.of(each)) for each in sources]
        print(header(len(workers) > 1), flush=True)
        for case in cases:
            rounds = [[worker.run(case, options.duration_s) for worker in workers] for _ in range(options.repeat)]
            row, same = shown(case, list(zip(*rounds, strict=True)))
            differs = differs or not same
            print(row, flush=True)
    return int(differs)


def header(has_other: bool) -> str:
    """Return the first line of the table."""
    line = f"{'CPU ms per simulated second':28} {'ours':>7} {'medium':>7}"
    return f"{line} {'other':>7} {'medium':>7} {'ratio':>6}  digests" if has_other else line


def shown(case: ProtocolCase, sides: Sequence[Sequence[dict[str, Any]]]) -> tuple[str, bool]:
    """Return a row of the table, and whether all digests are equal."""
    fastest = [min(runs, key=lambda run: float(run["cpu_s"])) for runs in sides]
    line = f"{case.protocol:28}"
    for run in fastest:
        line += f" {1e3 * run['cpu_s'] / run['simulated_s']:7.1f} {run['medium_share']:7.0%}"
    same = len({run["digest"] for runs in sides for run in runs}) == 1
    if len(fastest) > 1:
        line += f" {fastest[1]['cpu_s'] / fastest[0]['cpu_s']:6.2f}  {'same' if same else 'DIFFERENT'}"
    return line, same


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
