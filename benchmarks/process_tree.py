"""The CPU time and memory of a command and of everything it starts, by looking at the processes while they run."""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
TICK_S = 1 / os.sysconf("SC_CLK_TCK")
PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 1e6
LOOK_PERIOD_S = 0.05
"""How often a tree is looked at: what a process does between the last look and its end is not counted."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process at one look."""

    parent: int
    name: str
    cpu_s: float
    memory_mb: float


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a command."""

    cpu_s: float
    wall_s: float
    peak_mb: float
    """The most that all processes had in memory together; pages that they share count for each."""
    peak_worker_mb: float
    """The most that a Python process had."""


class ProcessTree:
    """The processes below one, with the CPU time of each as of the last look at it.

    The kernel would add up the times of ended children, but not of those whose parent never asked how they ended. A
    process that loses its parent stays known.
    """

    def __init__(self, root: int) -> None:
        self._cpu_s: dict[int, float] = {root: 0.0}
        self.peak_mb = self.peak_worker_mb = 0.0

    def cpu_s(self) -> float:
        """Look at the tree, and return the CPU time of all processes that were ever seen in it."""
        tree = below(_processes(), self._cpu_s.keys())
        self._cpu_s |= {number: process.cpu_s for number, process in tree.items()}
        workers = [process.memory_mb for process in tree.values() if process.name.startswith("python")]
        self.peak_mb = max(self.peak_mb, sum(process.memory_mb for process in tree.values()))
        self.peak_worker_mb = max(self.peak_worker_mb, *workers, 0.0)
        return sum(self._cpu_s.values())


def measured_command(command: Sequence[str], environment: Mapping[str, str]) -> Cost:
    """Run a command, without its output, and return its cost; it must succeed."""
    began_s = time.monotonic()
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=errors) as process,
    ):
        tree = ProcessTree(process.pid)
        cpu_s = tree.cpu_s()
        while process.poll() is None:
            cpu_s = tree.cpu_s()
            time.sleep(LOOK_PERIOD_S)
        wall_s = time.monotonic() - began_s
        if process.returncode:
            errors.seek(0)
            said = errors.read().decode("utf-8", "replace").strip()
            raise SystemExit(f"{' '.join(command[-6:])}: failed with exit code {process.returncode}\n{said}".strip())
    return Cost(cpu_s, wall_s, tree.peak_mb, tree.peak_worker_mb)


def with_sources(sources: Path) -> Mapping[str, str]:
    """Return an environment in which Python finds the Roamcast of a folder."""
    return {**os.environ, "PYTHONPATH": str(sources)}


def below(processes: Mapping[int, Process], known: Iterable[int]) -> dict[int, Process]:
    """Return the processes that are known, and those that they have started."""
    found = {number: processes[number] for number in known if number in processes}
    while more := {n: process for n, process in processes.items() if process.parent in found and n not in found}:
        found |= more
    return found


def _processes() -> dict[int, Process]:
    found = {}
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            try:
                before, _, after = (entry / "stat").read_text("utf-8", "replace").rpartition(")")
            except OSError:  # it has just ended
                continue
            fields = after.split()
            cpu_s = TICK_S * (int(fields[11]) + int(fields[12]))
            memory_mb = int(fields[21]) * PAGE_MB
            found[int(entry.name)] = Process(int(fields[1]), before.partition("(")[2], cpu_s, memory_mb)
    return found
