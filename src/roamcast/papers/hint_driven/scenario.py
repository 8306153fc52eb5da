"""Structure-less content-based routing in mobile ad hoc networks: section 5 of the paper as sweeps.

The scenario is that of section 5.1 and figure 5. Our choices where the paper leaves something open (docs/hint-driven.md
shows the effect of some):
- Radio and MAC are the defaults of J-Sim, which the paper used: 900 MHz, 1 Mbit/s, frames sensed down to an eighth of
  the weakest that is received, capture at 10 dB, the timing of ns-2.
- Bit rate, range and who sends beacons can be read in more than one way: ``readings`` has the others.
- Section 5.1 does not mention brokers with neither publisher nor subscriber, yet there must be some (100 brokers, 2
  publishers, 10 subscribers); here they are silent until they forward.
- Publishers publish at equal intervals, starting at random moments. All subscribers want all events. An event has 400
  bytes and is valid for 10 s.
- Random waypoint starts in its steady state, without pauses; twelve beacons come before the measurement of 200 s (60 s
  at quick scale). The paper states neither, nor how many runs it made: 30 here.
- The figures' axes are not in the text. Ours cover the values that it mentions and some around them: densities up to
  five times the default, beacon intervals of half and twice the default and beyond. In figure 10 all nodes have the
  same speed.
- Figure 11 keeps 10 % subscribers and 2 % publishers, as the text says; so do 12 and 13, for which it does not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Claim
from roamcast.papers import Paper, PaperSweep, SeedsUsed
from roamcast.papers.hint_driven.claims import hint_driven_claims
from roamcast.papers.hint_driven.curves import (
    CREDITS,
    GOSSIP,
    NODES,
    PROBABILITY,
    RATE,
    SPEED,
    SUBSCRIBERS,
    SUBSCRIBERS_CREDITS,
    SWEEP_CURVES,
    hints,
)
from roamcast.papers.hint_driven.figures import SERIES_NAMES, hint_driven_figures
from roamcast.papers.hint_driven.readings import READINGS
from roamcast.papers.shared.curves import Axis, over, planned
from roamcast.report.figure import Figure

REFERENCE: Mapping[str, Any] = {
    "name": "hints",
    "duration_s": 200,
    "settle_s": 60,
    "area": {"width_m": 1000, "height_m": 1000},
    "nodes": {"count": 100},
    "mobility": {"model": "random-waypoint", "speed_mps": [10, 20], "pause_s": 0},
    "radio": {
        "model": "two-ray-ground",
        "range_m": [100, 200],
        "frequency_hz": 900e6,
        "antenna_efficiency": 1,
        "sensitivity_dbm": -89,
        "sense_threshold_dbm": -98.03,
        "capture_ratio": 10,
        "bitrate_bps": 1_000_000,
    },
    "mac": {"model": "dcf", "header_bytes": 28},
    "workload": {
        "model": "content",
        "publishers": 2,
        "subscribers": 10,
        "rate_hz": 0.5,
        "validity_s": 10,
        "event_size_bytes": 400,
    },
    "protocol": {"name": "hint-driven"},
}
"""Figure 5: the same as scenarios/hints.toml; a test compares them."""

PUBLISHERS_SHARE, SUBSCRIBERS_SHARE = 0.02, 0.1
"""The shares of all nodes, where their number changes; section 5.2."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The points of the figures at one scale."""

    seeds: int
    duration_s: float
    probabilities: tuple[float, ...]
    credits: tuple[int, ...]
    subscribers: tuple[int, ...]
    subscribers_credits: tuple[int, ...]
    rates_hz: tuple[float, ...]
    speeds_mps: tuple[float, ...]
    sizes: tuple[int, ...]
    densities: tuple[int, ...]


GRIDS: Mapping[str, Grid] = {
    "quick": Grid(
        seeds=10,
        duration_s=60,
        probabilities=(0.1, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0),
        credits=(0, 1, 2, 5, 10),
        subscribers=(2, 5, 10, 30, 90),
        subscribers_credits=(0, 1, 5),
        rates_hz=(0.5, 2, 5, 10),
        speeds_mps=(1, 5, 10, 20, 40),
        sizes=(50, 100, 200),
        densities=(50, 100, 200, 500),
    ),
    "full": Grid(
        seeds=30,
        duration_s=200,
        probabilities=tuple(number / 10 for number in range(1, 11)),
        credits=(0, 1, 2, 3, 4, 5, 6, 8, 10),
        subscribers=(2, 5, 10, 20, 30, 50, 70, 90, 98),
        subscribers_credits=SUBSCRIBERS_CREDITS,
        rates_hz=(0.5, 1, 2, 3, 5, 7, 10),
        speeds_mps=(1, 2, 5, 10, 15, 20, 30, 40),
        sizes=(50, 100, 150, 200, 300, 400),
        densities=(50, 100, 150, 200, 300, 400, 500),
    ),
}

QUICK_FIRST_SEED = 5001
SEEDS_USED = (
    SeedsUsed(
        1, 30, "campaigns with earlier encodings of the claims, an audit, and the figures in docs/hint-driven.md"
    ),
    SeedsUsed(1001, 1270, "the first campaign that judged the bands, by an earlier engine"),
    SeedsUsed(2001, 2270, "a campaign that was broken off"),
    SeedsUsed(3001, 3270, "a campaign by an engine whose shares did not allow for unseen runs"),
    SeedsUsed(4001, 4270, "a campaign that was broken off at its third look, after the verdicts of two had been seen"),
    SeedsUsed(6001, 6270, "a campaign that was broken off; whether its verdicts had been looked at is not known"),
)


class HintDrivenPaper(Paper):
    """Baldoni, Beraldi, Cugola, Migliavacca, Querzoni 2005."""

    title = "Structure-less Content-Based Routing in Mobile Ad Hoc Networks"
    source = "R. Baldoni, R. Beraldi, G. Cugola, M. Migliavacca, L. Querzoni. ICPS 2005"
    setting = (
        "100 nodes move at 10 to 20 m/s on a square kilometre with radios of 100 to 200 m; two of them publish an "
        "event every two seconds each, and ten others want all of them."
    )
    series_names = SERIES_NAMES
    readings = READINGS
    first_seed = 7001
    seeds_used = SEEDS_USED
    next_steps = (
        "roamcast run scenarios/hints.toml               one run, in a second or two",
        "roamcast compare scenarios/hints.toml --protocols hint-driven,gossip,frugal",
    )

    def first_seed_at(self, scale: str) -> int:
        """Return where the seeds of a campaign at a scale begin: a run of 60 s is how a longer one begins."""
        return QUICK_FIRST_SEED if scale == "quick" else self.first_seed

    def sweeps(self, scale: str) -> Sequence[PaperSweep]:
        """Return the runs: 30 seeds of 200 s, or 10 of 60 s at some of the points."""
        grid = GRIDS[scale]
        scenario = Scenario.from_document({**REFERENCE, "duration_s": grid.duration_s}, "hint-driven")
        by_credits = (*map(hints, grid.subscribers_credits), GOSSIP)
        curves_of = {**SWEEP_CURVES, "subscribers": by_credits}
        wanted: Sequence[tuple[str, tuple[int, ...], Axis]] = (
            ("probability", (6, 7), over(PROBABILITY, grid.probabilities)),
            ("credits", (7,), over(CREDITS, grid.credits)),
            ("subscribers", (8,), over(SUBSCRIBERS, grid.subscribers)),
            ("rate", (9,), over(RATE, grid.rates_hz)),
            ("speed", (10,), _speeds(grid.speeds_mps)),
            ("size", (11,), _larger(grid.sizes)),
            ("density", (12, 13), _denser(grid.densities)),
        )
        first = self.first_seed_at(scale)
        seeds = range(first, first + grid.seeds)
        return tuple(
            PaperSweep(name, figures, planned(name, scenario, curves_of[name], axis, seeds))
            for name, figures, axis in wanted
        )

    def figures(self, measured: Measurements) -> Sequence[Figure]:
        """Draw figures 6 to 13, as far as they were measured."""
        return hint_driven_figures(measured)

    def claims(self) -> Sequence[Claim]:
        """Return the claims of section 5.2."""
        return hint_driven_claims()


def _speeds(speeds_mps: Sequence[float]) -> Axis:
    """Return figure 10's axis: all nodes have the same speed."""
    return Axis(SPEED, {each: {SPEED: [each, each]} for each in speeds_mps})


def _denser(counts: Sequence[int]) -> Axis:
    """Return the axis of figures 12 and 13: more nodes, with the same shares of publishers and subscribers."""
    return Axis(
        NODES,
        {
            count: {
                NODES: count,
                "workload.publishers": round(PUBLISHERS_SHARE * count),
                SUBSCRIBERS: round(SUBSCRIBERS_SHARE * count),
            }
            for count in counts
        },
    )


def _larger(counts: Sequence[int]) -> Axis:
    """Return the axis of figure 11: the same in a square that grows with the number of nodes."""
    sides_m = {count: 1000 * sqrt(count / 100) for count in counts}
    values = _denser(counts).values
    return Axis(
        NODES,
        {count: {**values[count], "area.width_m": side, "area.height_m": side} for count, side in sides_m.items()},
    )
