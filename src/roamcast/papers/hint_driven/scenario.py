"""Structure-less content-based routing in mobile ad hoc networks: section 5 of the paper as sweeps.

The scenario is that of section 5.1 and figure 5. Our choices where the paper leaves something open (docs/hint-driven.md
shows the effect of some):
- Radio and MAC are the defaults of J-Sim, which the paper used: 900 MHz, 2 Mbit/s, frames sensed down to an eighth of
  the weakest that is received, capture at 10 dB, the timing of ns-2. A node's range is drawn once, so that links
  between unequal nodes are one-way.
- Only subscribers send beacons (``protocols/hint_driven``): if all nodes did, beacons alone would cost more than
  everything the paper counts. Section 5.1 does not mention brokers with neither publisher nor subscriber, yet there
  must be some (100 brokers, 2 publishers, 10 subscribers); here they are silent until they forward. In section 4 every
  broker sends beacons; figure 7 has a curve of that too.
- Publishers publish at equal intervals, starting at random moments. All subscribers want all events. An event has 400
  bytes and is valid for 10 s.
- Random waypoint starts in its steady state, without pauses; twelve beacons come before the measurement of 200 s (60 s
  at quick scale). The paper states neither, nor how many runs it made: 30 here.
- The figures' axes are not in the text. Ours cover the values that it mentions and some around them. In figure 10 all
  nodes have the same speed.
- Figure 11 keeps 10 % subscribers and 2 % publishers, as the text says; so do 12 and 13, for which it does not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Claim
from roamcast.papers import Paper, PaperSweep
from roamcast.papers.hint_driven.claims import hint_driven_claims
from roamcast.papers.hint_driven.curves import (
    BEACON_INTERVALS_S,
    CREDITS,
    GOSSIP,
    NODES,
    PROBABILITY,
    RATE,
    SPEED,
    SUBSCRIBERS,
    SUBSCRIBERS_CREDITS,
    SWEEP_CURVES,
    beaconing,
    hints,
)
from roamcast.papers.hint_driven.figures import SERIES_NAMES, hint_driven_figures
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
        "bitrate_bps": 2_000_000,
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
    rate_seeds: int
    """The seeds of figure 9, fewer at quick scale, since runs with many events cost the most."""
    density_seeds: int
    """The seeds of figures 12 and 13, fewer at quick scale for the same reason."""
    duration_s: float
    probabilities: tuple[float, ...]
    credits: tuple[int, ...]
    subscribers: tuple[int, ...]
    subscribers_credits: tuple[int, ...]
    rates_hz: tuple[float, ...]
    beacon_intervals_s: tuple[float, ...]
    speeds_mps: tuple[float, ...]
    sizes: tuple[int, ...]
    densities: tuple[int, ...]


GRIDS: Mapping[str, Grid] = {
    "quick": Grid(
        seeds=20,
        rate_seeds=10,
        density_seeds=6,
        duration_s=60,
        probabilities=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 1.0),
        credits=(0, 1, 2, 5),
        subscribers=(2, 5, 10, 30, 90),
        subscribers_credits=(0, 1, 5),
        rates_hz=(0.5, 2, 5, 10),
        beacon_intervals_s=(1, 5, 20),
        speeds_mps=(1, 5, 10, 20, 40),
        sizes=(50, 100, 200),
        densities=(50, 100, 200, 400),
    ),
    "full": Grid(
        seeds=30,
        rate_seeds=30,
        density_seeds=30,
        duration_s=200,
        probabilities=tuple(number / 10 for number in range(1, 11)),
        credits=(0, 1, 2, 3, 4, 5, 6, 8, 10),
        subscribers=(2, 5, 10, 20, 30, 40, 60, 80, 98),
        subscribers_credits=SUBSCRIBERS_CREDITS,
        rates_hz=(0.5, 1, 2, 3, 5, 7, 10),
        beacon_intervals_s=BEACON_INTERVALS_S,
        speeds_mps=(1, 2, 5, 10, 15, 20, 30, 40),
        sizes=(50, 100, 150, 200, 300, 400),
        densities=(50, 100, 150, 200, 300, 400),
    ),
}


class HintDrivenPaper(Paper):
    """Baldoni, Beraldi, Cugola, Migliavacca, Querzoni 2005."""

    title = "Structure-less Content-Based Routing in Mobile Ad Hoc Networks"
    source = "R. Baldoni, R. Beraldi, G. Cugola, M. Migliavacca, L. Querzoni. ICPS 2005"
    series_names = SERIES_NAMES
    next_steps = (
        "roamcast run scenarios/hints.toml               one run, in a second or two",
        "roamcast compare scenarios/hints.toml --protocols hint-driven,gossip,frugal",
    )

    def sweeps(self, scale: str) -> Sequence[PaperSweep]:
        """Return the runs: 30 seeds of 200 s, or a few of 60 s at some of the points."""
        grid = GRIDS[scale]
        scenario = Scenario.from_document({**REFERENCE, "duration_s": grid.duration_s}, "hint-driven")
        by_credits = (*map(hints, grid.subscribers_credits), GOSSIP)
        by_interval = tuple(map(beaconing, grid.beacon_intervals_s))
        curves_of = {**SWEEP_CURVES, "subscribers": by_credits, "speed": by_interval}
        wanted: Sequence[tuple[str, tuple[int, ...], Axis]] = (
            ("probability", (6, 7), over(PROBABILITY, grid.probabilities)),
            ("credits", (7,), over(CREDITS, grid.credits)),
            ("subscribers", (8,), over(SUBSCRIBERS, grid.subscribers)),
            ("rate", (9,), over(RATE, grid.rates_hz)),
            ("speed", (10,), _speeds(grid.speeds_mps)),
            ("size", (11,), _larger(grid.sizes)),
            ("density", (12, 13), _denser(grid.densities)),
        )
        fewer = {"rate": grid.rate_seeds, "density": grid.density_seeds}
        return tuple(
            PaperSweep(
                name,
                figures,
                planned(name, scenario, curves_of[name], axis, range(1, fewer.get(name, grid.seeds) + 1)),
            )
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
