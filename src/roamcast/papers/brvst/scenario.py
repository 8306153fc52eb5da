"""BRVST, an information matching overlay in wireless networks: section V of the paper as sweeps.

The scenario is that of section V. Our choices where the paper leaves something open (docs/brvst-paper.md):
- Radio: two-ray ground as in ns-2, at 5.18 GHz with 6 Mbit/s, received up to 80 m and sensed up to 176 m; no RTS.
- Random waypoint with one speed for all, no pauses, in its steady state: that is the paper's "improved" model.
- Subscriptions last for 60 s and publications are valid for 30 s; the widths of ranges are ours
  (``sim/workload/ranges``).
- The axes of the figures are not in the text: rates from 50 to 400 a minute.
- A match is the first delivery that a publication or a subscription causes.
- Length and number of runs: 4 of 30 s at full scale, after 10 s in which brokers and managers are elected and 30 s in
  which caches fill; two cores do that in an hour.
- DRIP has about 16 brokers, as the paper's 16 regions, and fewer where nodes are fast, which is better for it.
- TAMA has no dissemination of its own: its tables and its rounding replace vectors and summaries in BRVST's zones. Its
  trees have as many levels as give the false positive rate of alpha = 90 %; for comparison, and not judged, it also
  runs with the 13 levels of a public implementation.
- Grids from 64 down to 1: sides of 125, 250, 500 and 1000 m, four to a zone, and finally a single one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Claim
from roamcast.papers import Paper, PaperSweep, SeedsUsed
from roamcast.papers.brvst.claims import brvst_claims
from roamcast.papers.brvst.curves import (
    ALPHA,
    BRVST,
    DRIP,
    GRID,
    LEVELS,
    LOAD,
    PAIR,
    PUBLICATIONS,
    SLOW,
    SPEED,
    SUBSCRIPTIONS,
    TAMA,
)
from roamcast.papers.brvst.figures import SERIES_NAMES, brvst_figures
from roamcast.papers.brvst.readings import READINGS
from roamcast.papers.shared.curves import Axis, Curve, over, planned
from roamcast.report.figure import Figure

REFERENCE: Mapping[str, Any] = {
    "name": "zones",
    "duration_s": 60,
    "settle_s": 40,
    "area": {"width_m": 1000, "height_m": 1000},
    "nodes": {"count": 400},
    "mobility": {"model": "random-waypoint", "speed_mps": [5, 5], "pause_s": 0},
    "radio": {
        "model": "two-ray-ground",
        "transmit_power_dbm": 15,
        "frequency_hz": 5_180_000_000,
        "antenna_efficiency": 1,
        "sensitivity_dbm": -69.797,
        "sense_threshold_dbm": -76.645,
        "bitrate_bps": 6_000_000,
    },
    "mac": {"model": "dcf", "standard": "802.11a"},
    "workload": {
        "model": "ranges",
        "subscriptions_per_minute": 200,
        "publications_per_minute": 200,
        "lifetime_s": 300,
        "validity_s": 30,
        "lead_s": 30,
        "attributes": 15,
        "attributes_each": [1, 3],
        "event_size_bytes": 400,
    },
    "protocol": {"name": "brvst"},
}
"""Section V: the same as scenarios/zones.toml; a test compares them."""

SIDE_M = 1000
GRIDS_MAX = 8
"""The most grids per side, of 125 m each."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The points of the figures at one scale."""

    seeds: int
    duration_s: float
    settle_s: float
    rates: tuple[int, ...]
    speeds_mps: tuple[float, ...]
    loads: tuple[int, ...]
    alphas: tuple[float, ...]
    levels: tuple[int, ...]
    """The levels of TAMA's trees, for false positive rates like those of the alphas."""


GRIDS: Mapping[str, Grid] = {
    "quick": Grid(
        seeds=4,
        duration_s=14,
        settle_s=40,
        rates=(100, 200, 400),
        speeds_mps=(0, 5, 10, 20),
        loads=(100, 200, 400),
        alphas=(0.6, 0.75, 0.9),
        levels=(5, 6, 7),
    ),
    "full": Grid(
        seeds=10,
        duration_s=30,
        settle_s=40,
        rates=(50, 100, 200, 400),
        speeds_mps=(0, 5, 10, 20),
        loads=(50, 100, 200, 400),
        alphas=(0.5, 0.7, 0.9, 0.95),
        levels=(5, 6, 7),
    ),
}

QUICK_FIRST_SEED = 2001
SEEDS_USED = (SeedsUsed(1, 40, "campaigns with earlier encodings of the claims, an audit, and runs to estimate costs"),)


class BrvstPaper(Paper):
    """Y. Li and X. Wang, MASS 2014."""

    title = "BRVST: Efficient and Content-Expressive Information Matching Overlay in Wireless Networks"
    source = "Y. Li and X. Wang, MASS 2014"
    setting = (
        "400 nodes with a range of 80 m move at 5 m/s on a square kilometre of four zones with four grids each; in a "
        "minute there are 200 subscriptions to ranges of 15 attributes, and 200 publications."
    )
    series_names = SERIES_NAMES
    readings = READINGS
    first_seed = 1001
    seeds_used = SEEDS_USED
    next_steps = (
        "roamcast run scenarios/zones.toml                one run, in half a minute",
        "roamcast compare scenarios/zones.toml --protocols brvst,drip --seeds 2",
    )

    def first_seed_at(self, scale: str) -> int:
        """Return where the seeds of a campaign at a scale begin: a run of 14 s is how a longer one begins."""
        return QUICK_FIRST_SEED if scale == "quick" else self.first_seed

    def sweeps(self, scale: str) -> Sequence[PaperSweep]:
        """Return the runs: 10 seeds of 30 s, or 4 of 14 s at some of the points."""
        grid = GRIDS[scale]
        lasting = {"duration_s": grid.duration_s, "settle_s": grid.settle_s}
        scenario = Scenario.from_document({**REFERENCE, **lasting}, "brvst")
        first, both = self.first_seed_at(scale), (BRVST, DRIP)
        speeds = Axis(SPEED, {each: {SPEED: [each, each]} for each in grid.speeds_mps})
        loads = Axis(LOAD, {each: {SUBSCRIPTIONS: each, PUBLICATIONS: each} for each in grid.loads})
        wanted: Sequence[tuple[str, int, tuple[Curve, ...], Axis]] = (
            ("subscriptions", 6, both, over(SUBSCRIPTIONS, grid.rates)),
            ("publications", 6, both, over(PUBLICATIONS, grid.rates)),
            ("speed", 7, both, speeds),
            ("grids", 7, (BRVST, SLOW), _grid_sizes()),
            ("load", 8, (BRVST, TAMA, DRIP), loads),
            ("alpha", 9, (BRVST,), over(ALPHA, grid.alphas)),
            ("levels", 9, (TAMA,), over(LEVELS, grid.levels)),
        )
        seeds = range(first, first + grid.seeds)
        return tuple(
            PaperSweep(
                name,
                (figure,),
                planned(name, scenario, curves, axis, seeds),
                pair=PAIR if curves == both else None,
            )
            for name, figure, curves, axis in wanted
        )

    def figures(self, measured: Measurements) -> Sequence[Figure]:
        """Draw figures 6 to 9, as far as they were measured."""
        return brvst_figures(measured)

    def claims(self) -> Sequence[Claim]:
        """Return the claims of section V."""
        return brvst_claims()


def _grid_sizes() -> Axis:
    """Return the axis of grid sizes, from 64 grids down to one; four make a zone where there are enough."""
    counts = [GRIDS_MAX, GRIDS_MAX // 2, GRIDS_MAX // 4, 1]
    return Axis(
        GRID,
        {
            SIDE_M / count: {"protocol.grids_per_side": count, "protocol.zones_per_side": max(1, count // 2)}
            for count in counts
        },
    )
