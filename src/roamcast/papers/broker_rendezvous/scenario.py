"""The analysis of publish/subscribe systems over mobile wireless ad hoc networks: section 5 of the paper as sweeps.

The scenarios are those of Table 1: a highway and a city, with six systems in each. Our choices where the paper leaves
something open (docs/broker-rendezvous.md shows the effect of some):
- Radio and MAC are the defaults of ns-2, which the paper used: two-ray ground, 250 m, sensed to 550 m, capture at 10
  dB, 1 Mbit/s, RTS before every unicast. GPSR's packets make at most 32 hops, the limit of ns-2's agents.
- The maps are ours, of about a square kilometre (docs/mobility.md); the paper prints its own without coordinates.
- Speed is one number on the axes of figures 4 and 5, while Table 1 has ranges: all cars of a run drive at nine tenths
  of it up to it. Behind a slow car they are as slow as it, since nobody overtakes.
- Where a hash puts a topic matters a lot, and there are few topics: they have different names for each seed.
- Where no node is within half a range of a place, a packet for it is lost: section 5 speaks of topics that are hashed
  to void regions. In section 3.3 the nearest node is the home, however far away. docs/broker-rendezvous.md has both.
- Events are valid for 60 s. Messages other than events have the size of their contents. A publisher asks for its list
  of subscriptions every second, as often as subscriptions are sent.
- Bandwidth is that of packets with their routing and IP headers in data frames on the air, without the MAC's own:
  "routing-level", except that MAC retransmissions count again, and frames that get no CTS do not count.
- Movement runs for 60 s before the measurement, the systems for 10 s.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.plan import PlannedRun
from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Claim
from roamcast.papers import Paper, PaperSweep
from roamcast.papers.broker_rendezvous.claims import broker_rendezvous_claims
from roamcast.papers.broker_rendezvous.curves import CITY, DURATION, HIGHWAY, SLOWEST, SPEED, SYSTEMS
from roamcast.papers.broker_rendezvous.figures import SERIES_NAMES, broker_rendezvous_figures
from roamcast.papers.shared.curves import Axis, planned
from roamcast.report.figure import Figure

NS2_RADIO: Mapping[str, Any] = {
    "model": "two-ray-ground",
    "transmit_power_dbm": 24.5,
    "frequency_hz": 914e6,
    "antenna_efficiency": 1,
    "sensitivity_dbm": -64.3747,
    "sense_threshold_dbm": -78.0715,
    "capture_ratio": 10,
    "bitrate_bps": 1_000_000,
}
"""ns-2's defaults: 0.28183815 W, received from 3.652e-10 W on (250 m), sensed from 1.559e-11 W on (550 m)."""

HIGHWAY_SCENARIO: Mapping[str, Any] = {
    "name": "highway",
    "duration_s": 900,
    "warmup_s": 60,
    "settle_s": 10,
    "area": {"width_m": 1000, "height_m": 900},
    "nodes": {"count": 60},
    "mobility": {"model": "freeway", "speed_mps": [SLOWEST * 30, 30]},
    "radio": NS2_RADIO,
    "mac": {"model": "dcf", "rts_threshold_bytes": 0},
    "workload": {
        "model": "groups",
        "topics": 2,
        "publishers": 1,
        "subscribers": 9,
        "interval_s": 10,
        "validity_s": 60,
        "event_size_bytes": 512,
    },
    "protocol": {
        "name": "broker-gpsr-map",
        "root_home": False,
        **{
            f"{family}-{variant}": {"capture_m": 125, "far_home": "drops", "router": {"hops_max": 32}}
            for family in ("broker", "rendezvous")
            for variant in ("gpsr", "gpsr-map")
        },
    },
}
"""Table 1, highway traffic report: the same as scenarios/highway.toml; a test compares them."""

CITY_SCENARIO: Mapping[str, Any] = {
    **HIGHWAY_SCENARIO,
    "name": "police",
    "mobility": {"model": "manhattan", "speed_mps": [SLOWEST * 10, 10]},
    "workload": {
        **HIGHWAY_SCENARIO["workload"],
        "topics": 6,
        "publishers": 2,
        "subscribers": 5,
        "event_size_bytes": 1024,
    },
}
"""Table 1, police surveillance: the same as scenarios/police.toml; a test compares them."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The points of the figures at one scale."""

    seeds: int
    duration_s: float
    highway_speeds_mps: tuple[float, ...]
    city_speeds_mps: tuple[float, ...]


GRIDS: Mapping[str, Grid] = {
    "quick": Grid(seeds=6, duration_s=60, highway_speeds_mps=(10, 30, 60), city_speeds_mps=(1, 10, 20)),
    "full": Grid(
        seeds=3, duration_s=900, highway_speeds_mps=(10, 20, 30, 40, 50, 60), city_speeds_mps=(1, 5, 10, 15, 20)
    ),
}
"""At full scale, three seeds and 900 s are the paper's. The steps within the speeds of its Table 1 are ours."""


class BrokerRendezvousPaper(Paper):
    """Pongthawornkamol, Nahrstedt, Wang 2007."""

    title = "The Analysis of Publish/Subscribe Systems over Mobile Wireless Ad Hoc Networks"
    source = "T. Pongthawornkamol, K. Nahrstedt, G. Wang. MobiQuitous 2007"
    series_names = SERIES_NAMES
    next_steps = (
        "roamcast run scenarios/highway.toml             one run, in some seconds",
        "roamcast compare scenarios/police.toml --protocols broker-aodv,broker-gpsr-map,rendezvous-gpsr-map",
    )

    def sweeps(self, scale: str) -> Sequence[PaperSweep]:
        """Return the runs: 900 s, or 60 s at some of the speeds."""
        grid = GRIDS[scale]
        seeds = range(1, grid.seeds + 1)
        places = (
            (HIGHWAY, 4, HIGHWAY_SCENARIO, grid.highway_speeds_mps),
            (CITY, 5, CITY_SCENARIO, grid.city_speeds_mps),
        )
        return tuple(
            PaperSweep(name, (figure,), _runs(name, _scenario(document, grid), speeds, seeds))
            for name, figure, document, speeds in places
        )

    def figures(self, measured: Measurements) -> Sequence[Figure]:
        """Draw figures 4 and 5, as far as they were measured."""
        return broker_rendezvous_figures(measured)

    def claims(self) -> Sequence[Claim]:
        """Return the claims of section 5."""
        return broker_rendezvous_claims()


def _scenario(document: Mapping[str, Any], grid: Grid) -> Scenario:
    return Scenario.from_document({**document, "duration_s": grid.duration_s}, "broker-rendezvous")


def _runs(name: str, scenario: Scenario, speeds_mps: Sequence[float], seeds: Sequence[int]) -> tuple[PlannedRun, ...]:
    """Return the runs of one figure; their duration is among their labels, for its caption."""
    return planned(name, scenario, SYSTEMS, _speeds(speeds_mps), seeds, {DURATION: scenario.value(DURATION)})


def _speeds(speeds_mps: Sequence[float]) -> Axis:
    """Return the axis of both figures: all cars have nearly one speed."""
    return Axis(SPEED, {each: {SPEED: [SLOWEST * each, each]} for each in speeds_mps})
