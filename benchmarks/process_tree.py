"""The CPU time and memory of a command and of everything it starts, by looking at the processes while they run."""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

LOOK_S = 0.05
"""Time between two looks; what a process does after the last look at it is missed."""
TICK_S = 1 / os.sysconf("SC_CLK_TCK")
PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 1e6


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a command."""

    cpu_s: float
    wall_s: float
    peak_mb: float
    """The most that all processes had in memory together; pages that they share count for each."""
    peak_worker_mb: float
    """The most that a Python process had."""


@dataclass(frozen=True, slots=True)
class _Look:
    parent: int
    name: str
    cpu_s: float
    memory_mb: float


def measured_command(command: Sequence[str], environment: Mapping[str, str]) -> Cost:
    """Run a command, without its output, and return its cost; it must succeed."""
    began_s = time.monotonic()
    cpu_s: dict[int, float] = {}
    peak_mb = peak_worker_mb = 0.0
    known: set[int] = set()
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            looks = _processes()
            known.add(process.pid)
            tree = _below(looks, known)
            known |= tree.keys()  # whoever loses its parent stays known
            cpu_s |= {number: look.cpu_s for number, look in tree.items()}
            peak_mb = max(peak_mb, sum(look.memory_mb for look in tree.values()))
            workers = [look.memory_mb for look in tree.values() if look.name.startswith("python")]
            peak_worker_mb = max(peak_worker_mb, *workers, 0.0)
            time.sleep(LOOK_S)
    if process.returncode:
        raise SystemExit(f"{' '.join(command[-6:])}: failed with exit code {process.returncode}")
    return Cost(sum(cpu_s.values()), time.monotonic() - began_s, peak_mb, peak_worker_mb)


def _below(looks: Mapping[int, _Look], roots: set[int]) -> dict[int, _Look]:
    """Return the processes that are known, and those that they have started."""
    found = {number: looks[number] for number in roots if number in looks}
    while more := {number: look for number, look in looks.items() if look.parent in found and number not in found}:
        found |= more
    return found


def _processes() -> dict[int, _Look]:
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                before, _, after = (entry / "stat").read_text("utf-8", "replace").rpartition(")")
            except OSError:  # it has just ended
                continue
            fields = after.split()
            cpu_s = TICK_S * (int(fields[11]) + int(fields[12]))
            found[int(entry.name)] = _Look(int(fields[1]), before.partition("(")[2], cpu_s, int(fields[21]) * PAGE_MB)
    return found
