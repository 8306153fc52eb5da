"""CPU time of a process and of everything that works for it: Java, its Python workers, and those that have ended."""

import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
TICK_S = 1 / os.sysconf("SC_CLK_TCK")
LOOK_PERIOD_S = 0.1
"""How often a tree is looked at: what a process does between the last look and its end is not counted."""


class ProcessTree:
    """The CPU time of each process below one, as of the last look at it.

    The kernel would add up the times of ended children, but not of those whose parent never asked how they ended.
    """

    def __init__(self, root: int) -> None:
        self._root = root
        self._cpu_s: dict[int, float] = {}

    def cpu_s(self) -> float:
        """Look at the tree, and return the CPU time of all processes that were ever seen in it."""
        rows = {int(entry.name): found for entry in PROC.iterdir() if entry.name.isdigit() and (found := _stat(entry))}
        tree = {self._root}
        while more := {process for process, (parent, _) in rows.items() if parent in tree} - tree:
            tree |= more
        self._cpu_s.update((process, rows[process][1]) for process in tree if process in rows)
        return sum(self._cpu_s.values())


def _stat(entry: Path) -> tuple[int, float] | None:
    """Return a process's parent and its own CPU time; None if it has just ended."""
    try:
        fields = (entry / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[1]), TICK_S * (int(fields[11]) + int(fields[12]))


@dataclass(frozen=True, slots=True)
class CommandCost:
    """The cost of a command."""

    cpu_s: float
    wall_s: float


def cost_of_command(command: Sequence[str], sources: Path) -> CommandCost:
    """Run a Python command with the Roamcast of a folder and return its cost; fail if it fails."""
    environment = {**os.environ, "PYTHONPATH": str(sources)}
    began_s = time.monotonic()
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        tree = ProcessTree(process.pid)
        cpu_s = tree.cpu_s()
        while process.poll() is None:
            cpu_s = tree.cpu_s()
            time.sleep(LOOK_PERIOD_S)
        wall_s = time.monotonic() - began_s
        if process.returncode:
            assert process.stderr is not None
            raise SystemExit(f"{' '.join(command)}: {process.stderr.read().decode()}")
    return CommandCost(cpu_s, wall_s)
