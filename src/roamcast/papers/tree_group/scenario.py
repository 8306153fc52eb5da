"""An efficient event delivery scheme in mobile ad hoc communities: section 4 of the paper as sweeps.

The scenario is that of table 1. Our choices where the paper leaves something open (docs/tree-group-paper.md shows their
effect):
- Its radio is a range of 150 m and nothing else. Ours is a disc of that radius with the MAC of 802.11b at 11 Mbit/s,
  which the laptops and phones of its first sentence had; an event has 100 bytes, a few short strings, and is valid for
  10 s.
- All nodes have the same speed, and pauses of the same length. Random waypoint starts in its steady state.
- How its 50 interests overlap: they are drawn from 10 attributes with 5 values (``sim/workload/interests``).
- A local event is for nodes within 4 hops, the number of levels that the paper prefers for a group. Flooding sends it
  that far; the subscription tree lets it go ten times as far along its branches.
- Figure 5 has no axis in the text; ours is at 2 m/s with 500 nodes, like figure 4.
- Length and number of runs: 5 runs of 30 s at full scale, 3 in figure 6, after 20 s in which trees and groups form; two
  cores do that in an afternoon. Nothing is published in the last 3 s, so that late deliveries are counted too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.plan import PlannedRun, plan
from roamcast.campaigns.scenario_choices import PROTOCOL_KEY
from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Claim
from roamcast.papers import Paper, PaperSweep
from roamcast.papers.shared.curves import Axis, Curve, planned
from roamcast.papers.tree_group.claims import tree_group_claims
from roamcast.papers.tree_group.curves import (
    COMPARED,
    FAR_FLOODING,
    GLOBAL_SHARE,
    LEVELS,
    LOCAL,
    LOCAL_SHARE,
    NODES,
    SPEED,
)
from roamcast.papers.tree_group.figures import SERIES_NAMES, tree_group_figures
from roamcast.report.figure import Figure

REFERENCE: Mapping[str, Any] = {
    "name": "communities",
    "duration_s": 30,
    "settle_s": 20,
    "area": {"width_m": 2000, "height_m": 2000},
    "nodes": {"count": 500},
    "mobility": {"model": "random-waypoint", "speed_mps": [2, 2], "pause_s": 10},
    "radio": {"model": "range", "range_m": 150, "bitrate_bps": 11_000_000},
    "mac": {"model": "dcf", "header_bytes": 28},
    "workload": {
        "model": "interests",
        "distinct": 50,
        "subscriptions_per_node": [1, 3],
        "attributes_per_interest": [1, 4],
        "publication_probability": 0.05,
        "local_fraction": 0.5,
        "local_hops_max": 4,
        "validity_s": 10,
        "event_size_bytes": 100,
    },
    "protocol": {"name": "tree-group"},
}
"""Table 1: the same as scenarios/communities.toml; a test compares them."""


DRAIN_S = 3.0
"""How long before the end publishing stops, in seconds: longer than nearly any event takes. Our choice."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The points of the figures at one scale."""

    seeds: int
    duration_s: float
    settle_s: float
    speeds_mps: tuple[float, ...]
    sizes: tuple[int, ...]
    size_seeds: int
    """The seeds of figure 6, fewer than elsewhere, since runs with many nodes cost the most."""
    size_duration_s: float
    """The length of figure 6's runs, in seconds; shorter at quick scale."""


GRIDS: Mapping[str, Grid] = {
    "quick": Grid(
        seeds=4,
        duration_s=13,
        settle_s=15,
        speeds_mps=(2, 10, 25),
        sizes=(500, 700),
        size_seeds=3,
        size_duration_s=8,
    ),
    "full": Grid(
        seeds=5,
        duration_s=30,
        settle_s=20,
        speeds_mps=(0, 2, 5, 10, 15, 20, 25),
        sizes=(500, 600, 700, 800, 900, 1000),
        size_seeds=3,
        size_duration_s=30,
    ),
}


class TreeGroupPaper(Paper):
    """J. Li and others; our copy gives neither venue nor year."""

    title = "An Efficient Event Delivery Scheme in Mobile Ad Hoc Communities"
    source = "J. Li and others"
    series_names = SERIES_NAMES
    next_steps = (
        "roamcast run scenarios/communities.toml                one run, in ten seconds",
        "roamcast compare scenarios/communities.toml --protocols tree-group,subscription-tree,ttl-flooding --seeds 2",
    )

    def sweeps(self, scale: str) -> Sequence[PaperSweep]:
        """Return the runs: 5 seeds of 30 s, or a few of 13 s at some of the points."""
        grid = GRIDS[scale]
        reference = Scenario.from_document({**REFERENCE, "settle_s": grid.settle_s}, "tree-group")
        scenario, brief = _lasting(reference, grid.duration_s), _lasting(reference, grid.size_duration_s)
        seeds, size_seeds = range(1, grid.seeds + 1), range(1, grid.size_seeds + 1)
        speeds = Axis(SPEED, {each: {SPEED: [each, each]} for each in grid.speeds_mps})
        return (
            PaperSweep("speed", (2, 3), planned("speed", scenario, (*COMPARED, FAR_FLOODING), speeds, seeds)),
            PaperSweep("levels", (4, 5), _at_default(scenario, LEVELS, seeds)),
            PaperSweep("size", (6,), _by_size(brief, grid.sizes, size_seeds)),
        )

    def figures(self, measured: Measurements) -> Sequence[Figure]:
        """Draw figures 2 to 6, as far as they were measured."""
        return tree_group_figures(measured)

    def claims(self) -> Sequence[Claim]:
        """Return the claims of section 4.2."""
        return tree_group_claims()


def _lasting(scenario: Scenario, duration_s: float) -> Scenario:
    """Return the scenario with a given duration, at the end of which nothing new is published."""
    return scenario.with_values({"duration_s": duration_s, "workload.until_s": duration_s - DRAIN_S})


def _at_default(scenario: Scenario, curves: Sequence[Curve], seeds: Sequence[int]) -> tuple[PlannedRun, ...]:
    """Return the runs of figures 4 and 5: the paper's defaults, one point per curve."""
    return tuple(
        run
        for curve in curves
        for run in plan(
            "levels", scenario.with_values({PROTOCOL_KEY: curve.protocol, **curve.values}), {}, seeds, curve.labels
        )
    )


def _by_size(scenario: Scenario, sizes: Sequence[int], seeds: Sequence[int]) -> tuple[PlannedRun, ...]:
    """Return the runs of figure 6: more nodes in the same area, for both shares of local events."""
    return tuple(
        run
        for share in (GLOBAL_SHARE, LOCAL_SHARE)
        for curve in COMPARED
        for size in sizes
        for run in plan(
            "size",
            scenario.with_values({PROTOCOL_KEY: curve.protocol, NODES: size, LOCAL: share, **curve.values}),
            {},
            seeds,
            {**curve.labels, NODES: size, LOCAL: share},
        )
    )
