"""A gate that runs in other processes wait at until the test opens it; nobody sleeps, and nobody waits for the dead."""

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from fake_runs import planned

from roamcast.campaigns.plan import PlannedRun

WAITING, ENDED = "waiting\n", "ended\n"


def gated_plan(folder: Path, gated: int, free: int) -> list[PlannedRun]:
    """Plan runs that wait at the gate, which come first, and runs that do not."""
    keys = {"at_gate": str(folder / "at-gate"), "gate": str(folder / "gate")}
    plan = [planned("gated", seed, cost=100.0 - seed, **keys) for seed in range(gated)]
    return plan + [planned("free", seed, cost=20.0 - seed) for seed in range(free)]


class Gate:
    """Two named pipes: runs tell by one that they wait, and go on when the other is open."""

    def __init__(self, folder: Path) -> None:
        self._gate = folder / "gate"
        os.mkfifo(folder / "at-gate")
        os.mkfifo(self._gate)
        # For both directions: no end of file between two writers, and no writer waits for a reader.
        self._told = os.open(folder / "at-gate", os.O_RDWR)
        self._lines = os.fdopen(os.dup(self._told), "r", encoding="utf-8")
        self._open: int | None = None

    def __enter__(self) -> "Gate":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.open()
        self._lines.close()
        os.close(self._told)
        if self._open is not None:
            os.close(self._open)

    def watch(self, child: subprocess.Popen[str]) -> None:
        """Tell the test if a process ends before its runs have come to the gate."""

        def tell() -> None:
            child.wait()
            os.write(told, ENDED.encode())
            os.close(told)

        told = os.dup(self._told)
        threading.Thread(target=tell, daemon=True).start()

    @contextmanager
    def ending(self) -> Iterator[None]:
        """Tell a thread of the test that waits when this process is done with its own runs."""
        try:
            yield
        finally:
            os.write(self._told, ENDED.encode())

    def wait_for(self, runs: int) -> list[str]:
        """Return what was told when so many runs wait, or a process has ended."""
        said: list[str] = []
        while len(said) < runs and ENDED not in said:
            said.append(self._lines.readline())
        return said

    def open(self) -> None:
        """Let all go on, those that come later, too."""
        if self._open is None:
            self._open = os.open(self._gate, os.O_RDWR)
