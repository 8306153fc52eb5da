"""The cost of a release next to an earlier commit, case by case: ``python -m benchmarks releases``.

That commit is checked out into a temporary folder, where its own ``python -m benchmarks`` runs, alternating with ours,
so that both see the same disturbances. The broker paper's six systems follow, by workers as in
``benchmarks.protocols``, with AODV compiled on both sides. Of each case the fastest run counts, and the last line names
what is more than 10 % slower. Every run of both sides is kept: with ``--save`` in
``benchmarks/results/VERSION-releases.json``.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.comparing import THRESHOLD_PERCENT
from benchmarks.homes import PLACES, SYSTEMS
from benchmarks.protocols import ROOT, ProtocolCase, Worker, checked_out

RELEASES = "releases"
"""The name of the comparison among the benchmarks."""
NAMES = ("heartbeats", "dense", "flood", "scale", "protocols")
"""The benchmarks that both sides have."""
HOME_S = 120.0
"""Simulated seconds of the broker paper's systems."""
RUNS = 3
"""How often each side runs a case in one turn."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The CPU seconds of one case on both sides, ours first, a figure for each turn."""

    name: str
    cpu_s: tuple[tuple[float, ...], tuple[float, ...]]
    has_same_digests: bool

    @property
    def ratio(self) -> float:
        """Return how many times the other's fastest run ours takes."""
        ours, other = map(min, self.cpu_s)
        return ours / other

    @property
    def is_slower(self) -> bool:
        """Tell whether ours takes more than the threshold allows."""
        return self.ratio > 1 + THRESHOLD_PERCENT / 100

    def as_row(self) -> dict[str, Any]:
        """Return the fields by name."""
        ours, other = self.cpu_s
        return {
            "name": self.name,
            "cpu_s": list(ours),
            "other_cpu_s": list(other),
            "ratio": self.ratio,
            "has_same_digests": self.has_same_digests,
        }


def measure_releases(rounds: int, against: str) -> list[Cost]:
    """Measure all cases that both commits have, each side in turn."""
    with checked_out(against) as tree:
        trees = (ROOT, tree)
        for each in trees:
            compile_native(each)
        return [*_benchmarks(trees, rounds), *_homes(trees, rounds)]


def compile_native(tree: Path) -> None:
    """Compile AODV in a tree, whichever of the two modules does it there."""
    modules = ("roamcast.routing.native", "roamcast.core.native")
    module = next(each for each in modules if list((tree / "src").glob(each.replace(".", "/") + "*")))
    subprocess.run([sys.executable, "-m", module], check=True, cwd=tree, env=environment(tree))


def environment(tree: Path) -> dict[str, str]:
    """Return the variables with which Python imports a tree's own Roamcast and benchmarks."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(tree / "src"), str(tree)))}


def _benchmarks(trees: Sequence[Path], rounds: int) -> Iterator[Cost]:
    for name in NAMES:
        made = [[measured_rows(tree, name) for tree in trees] for _ in range(rounds)]
        yield from costs_of(made)


def measured_rows(tree: Path, name: str) -> dict[str, dict[str, Any]]:
    """Run one of a tree's own benchmarks, and return its rows by their names."""
    command = [sys.executable, "-m", "benchmarks", name, "--json", "--no-ns3", "--repeat", str(RUNS)]
    answer = subprocess.run(command, check=True, cwd=tree, env=environment(tree), stdout=subprocess.PIPE, text=True)
    return {f"{row['benchmark']} {row['label']}": row for row in json.loads(answer.stdout)["measurements"]}


def costs_of(rounds: Sequence[Sequence[dict[str, dict[str, Any]]]]) -> Iterator[Cost]:
    """Return the cases that both sides have; a round has the rows of ours and of the other."""
    ours, other = rounds[0]
    for name in ours:
        if name in other:
            sides = [[made[side][name] for made in rounds] for side in (0, 1)]
            first, second = (tuple(row["cpu_s_best"] for row in rows) for rows in sides)
            yield Cost(name, (first, second), len({row["digest"] for rows in sides for row in rows}) == 1)


def _homes(trees: Sequence[Path], rounds: int) -> Iterator[Cost]:
    with Worker.of(trees[0] / "src") as ours, Worker.of(trees[1] / "src") as other:
        for place, speeds_mps in PLACES.items():
            speed_mps = speeds_mps[1]
            for system in SYSTEMS:
                case = ProtocolCase(system, f"{place}.toml", {"mobility.speed_mps": [0.9 * speed_mps, speed_mps]})
                made = [(ours.run(case, HOME_S), other.run(case, HOME_S)) for _ in range(rounds)]
                first, second = (tuple(pair[side]["cpu_s"] for pair in made) for side in (0, 1))
                same = len({run["digest"] for pair in made for run in pair}) == 1
                yield Cost(f"{place} {system}", (first, second), same)


def release_rows(costs: Sequence[Cost]) -> list[dict[str, Any]]:
    """Return measurements as they are stored."""
    return [cost.as_row() for cost in costs]


def show_releases(costs: Sequence[Cost]) -> str:
    """Return measurements as a table, and say what is slower."""
    lines = [f"{'CPU seconds, fastest run':36} {'ours':>8} {'other':>8} {'ours/other':>10}  runs"]
    for cost in costs:
        ours, other = map(min, cost.cpu_s)
        word = "SLOWER" if cost.is_slower else ""
        same = "same" if cost.has_same_digests else "other frames"
        lines.append(f"{cost.name:36} {ours:8.3f} {other:8.3f} {cost.ratio:10.2f}  {same}  {word}".rstrip())
    slower = [cost.name for cost in costs if cost.is_slower]
    lines.append(f"more than {THRESHOLD_PERCENT:g} % slower: {', '.join(slower) or 'nothing'}")
    return "\n".join(lines)
