"""Frugal event dissemination in a mobile environment: section 5 of the paper as sweeps.

The scenarios are those of section 5.1. Our choices where it leaves something open:
- Every process subscribes to something: those without the event's topic to another one, so that all send heartbeats.
  The paper's own exception (interest-aware flooding is cheaper below 1.5 kB of events and 20 % of subscribers) holds
  only if all do: with heartbeats from subscribers alone, Frugal would be cheaper there too.
- The publisher is a subscriber, and its own delivery counts as a reception (``reliability``): figure 9 delivers at
  publication, and three subscribers of fifteen reach 58 % in figure 14 only if the publisher is one of them.
- Carrier sense reaches as far as the PLCP header, sent at 1 Mbit/s, is heard: 442 m. Messages are carried directly by
  the MAC: 28 bytes of header. The radio is a disc of the stated 339 m: the stated sensitivities would give another
  range (``radio/two_ray_ground``), and without capture an overlap always costs both frames.
- Bandwidth is that of messages, without the MAC's header: counted this way, interest-aware flooding and Frugal cross at
  1.5 kB of events, as the paper says; with headers, well above 2 kB.
- The events of figures 17 to 20 are published at the same time, each by a subscriber drawn anew. The paper says "from 1
  to 20"; the numbers in between are ours, and so are the steps of 30 s in figures 11 and 12.
- The campus map is ours (``sim/maps/campus.toml``), not EPFL's; movement runs for 600 s before both kinds of runs.
- Figure 12's processes "randomly move between 1 and 40 m/s". Section 2 draws a speed for each trip; the text compares
  the result with a network at 20 m/s, which makes sense only if each process keeps a speed (slow trips last longer, so
  the mean over time would be 11 m/s). Both readings are run.
- Figure 15's spread is taken between publishers that saw the same movement, and averaged over the movements.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.plan import PlannedRun, plan
from roamcast.campaigns.scenario_choices import PROTOCOL_KEY
from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Claim
from roamcast.papers import Paper, PaperSweep
from roamcast.papers.frugal.claims import frugal_claims
from roamcast.papers.frugal.figures import (
    CITY_VALIDITIES_S,
    DRAWN,
    EVENTS,
    FIELD_VALIDITIES_S,
    FRACTION,
    FRACTIONS,
    HEARTBEAT,
    SERIES_NAMES,
    SPEED,
    SPEEDS_MPS,
    frugal_figures,
)
from roamcast.report.figure import Figure

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
    reference_protocol = "frugal"
    next_steps = (
        "roamcast run scenarios/frugal.toml             one run, in a second or two",
        "roamcast compare scenarios/campus.toml --protocols frugal,flooding",
    )

    def sweeps(self, scale: str) -> Sequence[PaperSweep]:
        """Return the runs: 30 seeds on the paper's grid, or a few on part of it."""
        full = scale == "full"
        seeds = range(1, 31 if full else 8)
        cost_seeds = range(1, 31 if full else 5)
        speeds = SPEEDS_MPS if full else (1, 10, 20, 30, 40)
        some_fractions = FRACTIONS if full else (0.2, 0.6, 1.0)
        events = (1, 2, 3, 4, 5, 10, 15, 20) if full else (1, 3, 8)
        protocols = ("frugal", "flooding", "interest-flooding", "neighbour-flooding")

        field, city = Scenario.from_document(RANDOM_WAYPOINT, "frugal"), Scenario.from_document(CITY, "frugal")
        by_speed = plan("speed", field, {SPEED: [[each, each] for each in speeds], FRACTION: [0.2, 0.8]}, seeds)
        mixed_field = field.with_values({SPEED: [1, 40]})
        mixed = plan("mixed", mixed_field, {DRAWN: ["trip", "node"], FRACTION: some_fractions}, seeds)
        heartbeat = _city_plan("heartbeat", city, {HEARTBEAT: (1, 2, 3, 4, 5)}, seeds)
        subscribers = _city_plan("subscribers", city, {FRACTION: FRACTIONS}, seeds)
        over = {PROTOCOL_KEY: protocols, FRACTION: some_fractions, EVENTS: events}
        frugality = plan("frugality", field, over, cost_seeds)
        one_event = plan("one-event", field, {PROTOCOL_KEY: protocols, FRACTION: [0.8], EVENTS: [1]}, cost_seeds)
        return (
            PaperSweep("speed", (11,), tuple(by_speed), FIELD_VALIDITIES_S),
            PaperSweep("mixed", (12,), tuple(mixed), FIELD_VALIDITIES_S),
            PaperSweep("heartbeat", (13, 16), heartbeat, CITY_VALIDITIES_S),
            PaperSweep("subscribers", (14, 15), subscribers),
            PaperSweep("frugality", (17, 18, 19, 20), tuple(frugality)),
            PaperSweep("one-event", (17, 18, 19, 20), tuple(one_event)),
        )

    def figures(self, measured: Measurements) -> Sequence[Figure]:
        """Draw figures 11 to 20, as far as they were measured."""
        return frugal_figures(measured)

    def claims(self) -> Sequence[Claim]:
        """Return the claims of the abstract and of section 5.2."""
        return frugal_claims()


def _city_plan(
    name: str, scenario: Scenario, over: Mapping[str, Sequence[Any]], seeds: Sequence[int]
) -> tuple[PlannedRun, ...]:
    """Return the runs with each car in turn as the publisher; a point's value is the mean over them."""
    return tuple(
        run
        for publisher in range(CITY_NODES)
        for run in plan(name, scenario.with_values({"workload.publisher": publisher}), over, seeds)
    )
