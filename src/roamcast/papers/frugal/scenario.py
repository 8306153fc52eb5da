"""Frugal event dissemination in a mobile environment: section 5 of the paper as sweeps.

The scenarios are those of section 5.1. Our choices where it leaves something open (``readings`` has the alternatives
that the text allows as well):
- Every process subscribes to something: those without the event's topic to another one, so that all send heartbeats.
- The publisher is a subscriber, and its own delivery counts as a reception (``reliability``): figure 9 delivers at
  publication.
- Carrier sense reaches as far as the PLCP header, sent at 1 Mbit/s, is heard: 442 m. Messages are carried directly by
  the MAC: 28 bytes of header. The radio is a disc of the stated 339 m: the stated sensitivities would give another
  range (``radio/two_ray_ground``), and without capture an overlap always costs both frames.
- Bandwidth is that of messages, without the MAC's header: the paper gives the sizes of messages.
- The third flooding sends a copy for each interested neighbour, since it could not cost what the paper reports
  otherwise; a fair one with one frame for all is run beside it.
- The events of figures 17 to 20 are published at the same time, each by a subscriber drawn anew. The paper says "from 1
  to 20"; the numbers in between are ours, and so are the steps of 30 s in figures 11 and 12.
- The campus map is ours (``sim/maps/campus.toml``), not EPFL's; movement runs for 600 s before both kinds of runs.
- In the city the cars' movement is one thing ("a specific mobility model for 15 processes was created") and the draw of
  subscribers another: for figures 14 and 15 the draw is made anew thirty times on each movement, as the paper made
  30 runs for each publisher. A seed is a movement; with all cars subscribed there is nothing to draw.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.plan import PlannedRun, plan
from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Claim
from roamcast.papers import Paper, PaperSweep, SeedsUsed
from roamcast.papers.frugal.claims import frugal_claims
from roamcast.papers.frugal.curves import (
    ALTERNATIVES,
    CURVES,
    EVENTS,
    FRACTION,
    FRUGAL,
    HEARTBEAT,
    PUBLISHER,
    SPEED,
)
from roamcast.papers.frugal.figures import (
    CITY_VALIDITIES_S,
    FIELD_VALIDITIES_S,
    FRACTIONS,
    SERIES_NAMES,
    SPEEDS_MPS,
    frugal_figures,
)
from roamcast.papers.frugal.readings import READINGS
from roamcast.papers.shared.curves import Curve
from roamcast.report.figure import Figure

FIRST_SEED = 8001
QUICK_FIRST_SEED = 9001
"""The quick scale has seeds of its own. It judges once: with 30 from 4001 on, one of the claims on what one event costs
had been open, so there are 60."""
SEEDS_USED = (
    SeedsUsed(1, 30, "campaigns with earlier encodings of the claims, and an audit"),
    SeedsUsed(1001, 1030, "work on the bands"),
    SeedsUsed(2001, 2270, "the first campaign that judged the bands"),
    SeedsUsed(3001, 3270, "a campaign during which some bands still changed"),
    SeedsUsed(4001, 4270, "a campaign that was broken off, and the quick scale with 30 seeds for one event"),
    SeedsUsed(5001, 5060, "the quick scale, with the intervals of an earlier engine"),
    SeedsUsed(6001, 6270, "a campaign by an engine whose shares did not allow for unseen runs"),
    SeedsUsed(7001, 7270, "the quick scale and its readings, by an engine whose shares did not allow for unseen runs"),
)
CITY_NODES = 15

RANDOM_WAYPOINT: Mapping[str, Any] = {
    "name": "frugal-random-waypoint",
    "duration_s": 180,
    "warmup_s": 600,
    "area": {"width_m": 5000, "height_m": 5000},
    "nodes": {"count": 150},
    "mobility": {"model": "random-waypoint", "speed_mps": [10, 10], "pause_s": 1, "start": "cold"},
    "radio": {"model": "range", "range_m": 339, "sense_range_m": 442, "bitrate_bps": 2_000_000},
    "mac": {"model": "dcf", "header_bytes": 28},
    "workload": {
        "model": "single-topic",
        "topic": "news.local",
        "other_topic": "other",
        "subscriber_fraction": 0.8,
        "event_size_bytes": 400,
        "validity_s": 180,
    },
    "protocol": {"name": "frugal"},
}
"""Section 5.1: 150 processes on 25 square kilometres, 2 Mbit/s."""

CITY: Mapping[str, Any] = {
    **RANDOM_WAYPOINT,
    "name": "frugal-city",
    "duration_s": 150,
    "settle_s": 10,
    "area": {"width_m": 1200, "height_m": 900},
    "nodes": {"count": CITY_NODES},
    "mobility": {"model": "city-section", "map": "campus"},
    "radio": {"model": "range", "range_m": 44, "bitrate_bps": 2_000_000},
    "workload": {**RANDOM_WAYPOINT["workload"], "subscriber_fraction": 1.0, "validity_s": 150},
}
"""Section 5.1: 15 cars on a campus, with a range of 44 m."""


class FrugalPaper(Paper):
    """Baehni, Chhabra, Guerraoui 2005."""

    title = "Frugal Event Dissemination in a Mobile Environment"
    source = "S. Baehni, C. S. Chhabra, R. Guerraoui. Middleware 2005"
    setting = (
        "The paper's experiments, simulated anew: 150 processes with radios of 339 m move at random over 25 km² "
        "(figures 11, 12 and 17 to 20), or 15 cars with radios of 44 m drive round a campus (figures 13 to 16). "
        "Figures 17 to 20 compare what Frugal and three kinds of flooding send and receive."
    )
    series_names = SERIES_NAMES
    readings = READINGS
    first_seed = FIRST_SEED
    seeds_used = SEEDS_USED
    next_steps = (
        "roamcast run scenarios/frugal.toml             one run, in a second or two",
        "roamcast compare scenarios/campus.toml --protocols frugal,flooding",
    )

    def first_seed_at(self, scale: str) -> int:
        """Return where the seeds of a campaign at a scale begin."""
        return GRIDS[scale].first_seed

    def sweeps(self, scale: str) -> Sequence[PaperSweep]:
        """Return the runs: the paper's grid with 30 seeds, or part of it with fewer."""
        grid = GRIDS[scale]
        field, city = Scenario.from_document(RANDOM_WAYPOINT, "frugal"), Scenario.from_document(CITY, "frugal")
        seeds = grid.range_of(grid.seeds)
        speeds = [[speed_mps, speed_mps] for speed_mps in grid.speeds_mps]
        by_speed = plan("speed", field, {SPEED: speeds, FRACTION: [0.2, 0.8]}, seeds)
        mixed = plan("mixed", field.with_values({SPEED: [1, 40]}), {FRACTION: grid.fractions}, seeds)
        same_average = plan("same-average", field.with_values({SPEED: [20, 20]}), {FRACTION: [0.6]}, seeds)
        return (
            PaperSweep("speed", (11, 14), tuple(by_speed), FIELD_VALIDITIES_S),
            PaperSweep("mixed", (12,), tuple(mixed), FIELD_VALIDITIES_S),
            PaperSweep("same-average", (12,), tuple(same_average), FIELD_VALIDITIES_S),
            PaperSweep("heartbeat", (13, 16), _heartbeat_runs(city, seeds), CITY_VALIDITIES_S),
            PaperSweep("subscribers", (14, 15), _subscriber_runs(city, grid, seeds)),
            *_cost_sweeps(field, grid),
        )

    def figures(self, measured: Measurements) -> Sequence[Figure]:
        """Draw figures 11 to 20, as far as they were measured."""
        return frugal_figures(measured)

    def claims(self) -> Sequence[Claim]:
        """Return the claims of the abstract and of section 5.2."""
        return frugal_claims()


def _heartbeat_runs(city: Scenario, seeds: Sequence[int]) -> tuple[PlannedRun, ...]:
    """Return the runs with each car in turn as the publisher; a point's value is the mean over them."""
    return tuple(
        run
        for publisher in range(CITY_NODES)
        for run in plan("heartbeat", city.with_values({PUBLISHER: publisher}), {HEARTBEAT: (1, 2, 3, 4, 5)}, seeds)
    )


def _subscriber_runs(city: Scenario, grid: "Grid", seeds: Sequence[int]) -> tuple[PlannedRun, ...]:
    """Return the runs with each car in turn as the publisher, a point for each; its value is the mean over draws."""
    over = {PUBLISHER: tuple(range(CITY_NODES))}
    return tuple(
        run
        for fraction in grid.city_fractions
        for draw in range(grid.draws if fraction < 1 else 1)
        for run in plan(
            "subscribers",
            city.with_values({FRACTION: fraction, "workload.draw": draw}),
            over,
            seeds,
            {FRACTION: fraction},
        )
    )


def _cost_sweeps(field: Scenario, grid: "Grid") -> Sequence[PaperSweep]:
    figures = (17, 18, 19, 20)
    cost_seeds, large_seeds = grid.range_of(grid.cost_seeds), grid.range_of(grid.large_event_seeds)
    large = field.with_values({"workload.event_size_bytes": 1600})
    by_events = {FRACTION: grid.fractions, EVENTS: grid.events}
    return (
        PaperSweep("frugality", figures, _by_curve("frugality", field, grid.curves, by_events, cost_seeds)),
        PaperSweep(
            "one-event",
            figures,
            _by_curve("one-event", field, CURVES, {FRACTION: [0.8], EVENTS: [1]}, grid.range_of(grid.one_event_seeds)),
        ),
        PaperSweep(
            "large-event",
            figures,
            _by_curve("large-event", large, grid.curves, {FRACTION: [0.2], EVENTS: [1]}, large_seeds),
        ),
    )


def _by_curve(
    name: str,
    scenario: Scenario,
    curves: Sequence[Curve],
    over: Mapping[str, Sequence[Any]],
    seeds: Sequence[int],
) -> tuple[PlannedRun, ...]:
    return tuple(
        run
        for curve in curves
        for run in plan(
            name,
            scenario.with_values({"protocol.name": curve.protocol, **curve.values}),
            over,
            seeds,
            curve.labels,
        )
    )


@dataclass(frozen=True, slots=True)
class Grid:
    """The points of the figures at one scale, and the seeds of each."""

    first_seed: int
    seeds: int
    cost_seeds: int
    """Those of figures 17 to 20."""
    one_event_seeds: int
    """Those of the claims about one event, as many as it takes to decide them."""
    large_event_seeds: int
    """Those of the claim about one event of 1.6 kB."""
    speeds_mps: tuple[float, ...]
    fractions: tuple[float, ...]
    events: tuple[int, ...]
    curves: tuple[Curve, ...]
    city_fractions: tuple[float, ...]
    draws: int
    """How often subscribers are drawn on one movement of the cars."""

    def range_of(self, count: int) -> range:
        """Return so many seeds."""
        return range(self.first_seed, self.first_seed + count)


GRIDS: Mapping[str, Grid] = {
    "quick": Grid(
        first_seed=QUICK_FIRST_SEED,
        seeds=7,
        cost_seeds=5,
        one_event_seeds=60,
        large_event_seeds=30,
        speeds_mps=(1, 10, 20, 30, 40),
        fractions=(0.2, 0.6, 1.0),
        events=(1, 3, 5),
        curves=(FRUGAL, *ALTERNATIVES),
        city_fractions=(0.2, 0.6, 1.0),
        draws=10,
    ),
    "full": Grid(
        first_seed=FIRST_SEED,
        seeds=30,
        cost_seeds=30,
        one_event_seeds=30,
        large_event_seeds=30,
        speeds_mps=SPEEDS_MPS,
        fractions=FRACTIONS,
        events=(1, 2, 3, 4, 5, 10, 15, 20),
        curves=CURVES,
        city_fractions=FRACTIONS,
        draws=30,
    ),
}
