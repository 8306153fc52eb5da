"""What is measured: each benchmark is a list of runs."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.beacon import beacons
from roamcast.experiments.scenario import Scenario
from roamcast.protocols import protocol_names
from roamcast.sim.simulation import Setup

PAPER_SCENARIO = Path(__file__).parent.parent / "scenarios" / "frugal.toml"


@dataclass(frozen=True, slots=True)
class Case:
    """One run to be measured."""

    benchmark: str
    label: str
    make: Callable[[], Setup]
    cpu_s_target: float | None = None
    """What the project has promised, where it has."""
    note: str = ""


def heartbeats() -> list[Case]:
    """Return the heartbeats of 150 nodes for 180 s: 27,000 frames."""
    note = "ns-3 on a machine like ours: 2.5 to 5 s, 82,700 to 86,600 receptions (docs/radio.md on the difference)"
    return [Case("heartbeats", "150 nodes", lambda: beacons(150, 180.0), 0.5, note)]


def scale() -> list[Case]:
    """Return heartbeats for 30 s at constant density with more and more nodes."""
    ns3_s = {150: 0.58, 600: 8.1, 2_400: 157}
    return [
        Case(
            "scale",
            f"{nodes:,} nodes",
            lambda nodes=nodes: beacons(nodes, 30.0, "steady-state"),  # type: ignore[misc]
            note=f"ns-3: {ns3_s[nodes]:g} s" if nodes in ns3_s else "",
        )
        for nodes in (150, 600, 2_400, 9_600)
    ]


def protocols() -> list[Case]:
    """Return the Frugal paper's first scenario with every protocol."""
    scenario = Scenario.load(PAPER_SCENARIO)
    return [
        Case("protocols", name, lambda name=name: scenario.with_values({"protocol.name": name}).setup())  # type: ignore[misc]
        for name in protocol_names()
    ]


BENCHMARKS: dict[str, Callable[[], list[Case]]] = {"heartbeats": heartbeats, "protocols": protocols, "scale": scale}
"""The benchmarks by name."""
