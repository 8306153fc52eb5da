"""Our cases in ns-2: one run with a trace, from which frames and deliveries are counted, then timed runs without.

A trace takes ns-2 a third of its time, so what is timed writes none; the same seed makes the same run.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.ns2_program import Ns2
from benchmarks.ns2_scenario import trace_file, write_scenario
from roamcast.sim.setup import Setup

REPEATED_CPU_S = 10.0
"""ns-2's runs are repeated until they have taken this long together."""


@dataclass(frozen=True, slots=True)
class Ns2Measurement:
    """The cost of a case in ns-2."""

    frames: int
    receptions: int
    """Of broadcast frames and of unicast ones by the node they are for, as ns-2 traces them: not of ACK."""
    packets: int
    """That an application sent."""
    delivered: int
    """Pairs of a packet and a node whose application got it."""
    repeats: int
    cpu_s_best: float
    """The run alone: without the start of the process, reading the scenario and making the nodes."""
    cpu_s_median: float
    peak_memory_mb: float


def measure_in_ns2(ns2: Ns2, setup: Setup, seed: int, repeats: int) -> Ns2Measurement:
    """Run a setup in ns-2 once with a trace and then, timed, at most ``repeats`` times without."""
    with TemporaryDirectory(prefix="roamcast-ns2-") as name:
        folder = Path(name)
        ns2.run(*write_scenario(setup, seed, folder, is_traced=True))
        with trace_file(folder).open(encoding="utf-8", errors="replace") as lines:
            counts = count_trace(lines)
        timed = write_scenario(setup, seed, folder, is_traced=False)
        runs: list[tuple[float, float]] = []
        while len(runs) < repeats and sum(cpu_s for cpu_s, _ in runs) < REPEATED_CPU_S:
            runs.append(ns2.run(*timed))
    return Ns2Measurement(
        *counts,
        repeats=len(runs),
        cpu_s_best=min(cpu_s for cpu_s, _ in runs),
        cpu_s_median=median(cpu_s for cpu_s, _ in runs),
        peak_memory_mb=max(peak_mb for _, peak_mb in runs),
    )


def count_trace(lines: Iterable[str]) -> tuple[int, int, int, int]:
    """Return frames, receptions, packets and deliveries from ns-2's lines: what, when, node, layer, flags, packet."""
    frames = receptions = 0
    packets: set[str] = set()
    delivered: set[tuple[str, str]] = set()
    for line in lines:
        words = line.split(maxsplit=6)
        what, node, layer, packet = (words[0], words[2], words[3], words[5]) if len(words) > 6 else ("", "", "", "")
        if layer == "MAC":
            frames += what == "s"
            receptions += what == "r"
        elif layer == "AGT" and what == "s":
            packets.add(packet)
        elif layer == "AGT" and what == "r":
            delivered.add((packet, node))
    return frames, receptions, len(packets), len(delivered)
