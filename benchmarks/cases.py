"""The benchmarks: each is a list of runs, with what the project has promised of them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.setups import dense, disc_flows, flood, flows, heartbeats
from roamcast.campaigns.checked_scenario import Scenario
from roamcast.protocols import protocol_names
from roamcast.sim.setup import Setup

PAPER_SCENARIO = Path(__file__).parent.parent / "scenarios" / "frugal.toml"
COMMUNITY_SCENARIO = PAPER_SCENARIO.with_name("communities.toml")
SCALE = "scale"
SCALE_NODES = (150, 600, 2_400, 9_600, 38_400)


@dataclass(frozen=True, slots=True)
class Case:
    """One run to be measured."""

    benchmark: str
    label: str
    make: Callable[[], Setup]
    beside_ns3: bool = True
    """ns-3 can run it, too."""
    ns3_ratio_target: float | None = None
    """How many times less CPU time than ns-3 was promised, where it was; twice this is the goal."""
    beside_ns2: bool = False
    """ns-2 runs it, too."""
    ns2_ratio_target: float | None = None
    """How many times less CPU time than ns-2 is wanted, where it is."""


def heartbeats_cases() -> list[Case]:
    """Return the heartbeats of 150 nodes for 180 s: 27,000 frames."""
    return [Case("heartbeats", "150 nodes", heartbeats, ns3_ratio_target=10, beside_ns2=True)]


def dense_cases() -> list[Case]:
    """Return 100 nodes close together for 60 s: 30,000 frames."""
    return [Case("dense", "100 nodes", dense, ns3_ratio_target=5, beside_ns2=True)]


def flows_cases() -> list[Case]:
    """Return ten flows over AODV, with ns-2's radio and with discs; ns-3's AODV has a command of its own."""
    return [
        Case("flows", "60 nodes", flows, beside_ns3=False, beside_ns2=True, ns2_ratio_target=5),
        Case("flows", "60 nodes, disc", disc_flows, beside_ns3=False, beside_ns2=True),
    ]


def flood_cases() -> list[Case]:
    """Return the flood of 750 publications over 500 nodes for 30 s; and such a one with the project's own protocol."""
    return [
        Case("flood", "500 nodes", flood, ns3_ratio_target=15),
        Case("flood", "500 nodes, ttl-flooding", _community_flood, beside_ns3=False),
    ]


def _community_flood() -> Setup:
    """Return the tree group paper's scenario with its flooding: subscriptions, content and local events, too."""
    values = {"protocol.name": "ttl-flooding", "duration_s": 30, "settle_s": 0}
    return Scenario.load(COMMUNITY_SCENARIO).with_values(values).setup()


def scale_cases() -> list[Case]:
    """Return heartbeats for 30 s at constant density with more and more nodes."""
    return [
        Case(
            SCALE,
            f"{nodes:,} nodes",
            lambda nodes=nodes: heartbeats(nodes, 30.0),  # type: ignore[misc]
            ns3_ratio_target=100 if nodes == 2_400 else None,
        )
        for nodes in SCALE_NODES
    ]


def protocols_cases() -> list[Case]:
    """Return the Frugal paper's first scenario with every protocol."""
    scenario = Scenario.load(PAPER_SCENARIO)
    return [
        Case(
            "protocols",
            name,
            lambda name=name: scenario.with_values({"protocol.name": name}).setup(),  # type: ignore[misc]
            beside_ns3=False,
        )
        for name in protocol_names()
    ]


BENCHMARKS: dict[str, Callable[[], list[Case]]] = {
    "heartbeats": heartbeats_cases,
    "dense": dense_cases,
    "flood": flood_cases,
    "flows": flows_cases,
    SCALE: scale_cases,
    "protocols": protocols_cases,
}
"""The benchmarks by name."""
