"""The Frugal paper's claims about costs in its abstract and in section 5.2 (figures 17 to 20), each with its tolerance.

A factor that the paper gives as a range ("50 to 100 times fewer") is two claims: that Frugal is at least that much
thriftier, and that it is no more so than the paper found.
"""

from collections.abc import Callable, Sequence
from math import inf

from roamcast.campaigns.scenario_choices import PROTOCOL_KEY
from roamcast.measuring.claim_verdicts import Claim, Part
from roamcast.measuring.measurements import Kind, Measurement, Measurements
from roamcast.papers.frugal.figures import EVENTS, FRACTION
from roamcast.papers.shared.claim_parts import value_part

FIGURES = (17, 18, 19, 20)
FRUGAL, INTEREST, NEIGHBOUR, SIMPLE = "frugal", "interest-flooding", "neighbour-flooding", "flooding"
EVERYONE = (INTEREST, NEIGHBOUR, SIMPLE)
BANDWIDTH = "payload_bytes_sent_per_node"
"""The paper's sizes (50, 16 and 400 bytes) are those of messages, without the MAC's header."""
EVENT_BYTES = 400
EXCEPTION_BYTES = 1500
"""Below this sum of event sizes, at up to 20 % of subscribers, interests-aware flooding may be cheaper."""
EXCEPTION_FRACTION = 0.2

Limits = Callable[[Measurement], tuple[float, float]]


def cost_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (
        _bandwidth_claim(),
        *_factor_claims("events-sent", 18, "events sent", "events_sent_per_node", EVERYONE, 50, 100),
        *_factor_claims("duplicates-interests", 19, "duplicates", "duplicates_per_node", (INTEREST,), 50, 80),
        *_factor_claims("duplicates-others", 19, "duplicates", "duplicates_per_node", (SIMPLE, NEIGHBOUR), 80, 700),
        *_factor_claims(
            "parasites", 20, "parasites", "parasites_per_node", (INTEREST, NEIGHBOUR), 20, 50, fraction=0.6
        ),
        _one_event_bandwidth_claim(),
        *_one_event_claims("one-event-duplicates", "duplicates", "duplicates_per_node", 70, 100),
        *_one_event_claims("one-event-parasites", "parasites", "parasites_per_node", 50, 90),
        _receptions_claim(),
    )


def _setting(protocol: str, row: Measurement) -> str:
    return f"{protocol}, {row.point[FRACTION]:.0%}, {row.point[EVENTS]:g} events"


def _ratios(
    measured: Measurements, sweep: str, metric: str, alternatives: Sequence[str], limits: Limits
) -> Sequence[Part]:
    """Return the ratio of each alternative's value to Frugal's, wherever Frugal was measured."""
    parts = []
    for alternative in alternatives:
        for own in measured.where(sweep, metric, {PROTOCOL_KEY: FRUGAL}):
            row = measured.find(sweep, metric, {**own.point, PROTOCOL_KEY: alternative}, Kind.RATIO)
            label = _setting(alternative, own)
            parts.append(Part.missing(label) if row is None else value_part(label, row, *limits(row)))
    return parts


def _factor_claims(
    name: str,
    figure: int,
    what: str,
    metric: str,
    alternatives: Sequence[str],
    low: float,
    high: float,
    fraction: float | None = None,
) -> Sequence[Claim]:
    """Return the two claims in a factor that the paper gives as a range."""

    def measure(lowest: float, highest: float) -> Callable[[Measurements], Sequence[Part]]:
        def parts(measured: Measurements) -> Sequence[Part]:
            found = _ratios(measured, "frugality", metric, alternatives, lambda _: (lowest, highest))
            return [part for part in found if fraction is None or f", {fraction:.0%}, " in part.label]

        return parts

    where = f"5.2, figure {figure}"
    against = " and ".join(alternatives)
    at = "" if fraction is None else f" at {fraction:.0%} subscribers"
    subject = f"{what.capitalize()}{at}"
    return (
        Claim(
            name,
            where,
            f"{subject}: at least {low:g} times fewer than with {against} (paper: {low:g} to {high:g})",
            f"their number over Frugal's: at least {low:g} at every point",
            FIGURES,
            measure(low, inf),
        ),
        Claim(
            f"{name}-most",
            where,
            f"{subject}: at most {high:g} times fewer than with {against}",
            f"their number over Frugal's: at most {high:g} at every point",
            FIGURES,
            measure(-inf, high),
            "Where it is more, Frugal is thriftier here than in the paper.",
        ),
    )


def _one_event_claims(name: str, what: str, metric: str, low: float, high: float) -> Sequence[Claim]:
    def measure(lowest: float, highest: float) -> Callable[[Measurements], Sequence[Part]]:
        return lambda measured: _ratios(measured, "one-event", metric, EVERYONE, lambda _: (lowest, highest))

    subject = f"{what.capitalize()} of one event with 80 % subscribers"
    return (
        Claim(
            name,
            "abstract",
            f"{subject}: at least {low:g} times fewer than with flooding (paper: {low:g} to {high:g})",
            f"their number over Frugal's: at least {low:g}",
            FIGURES,
            measure(low, inf),
        ),
        Claim(
            f"{name}-most",
            "abstract",
            f"{subject}: at most {high:g} times fewer than with flooding",
            f"their number over Frugal's: at most {high:g}",
            FIGURES,
            measure(-inf, high),
            "Where it is more, Frugal is thriftier here than in the paper.",
        ),
    )


def _bandwidth_claim() -> Claim:
    def limits(row: Measurement) -> tuple[float, float]:
        small = row.point[EVENTS] * EVENT_BYTES < EXCEPTION_BYTES
        few = row.point[FRACTION] <= EXCEPTION_FRACTION
        return (-inf, 1.0) if row.point[PROTOCOL_KEY] == INTEREST and small and few else (1.0, inf)

    return Claim(
        "bandwidth",
        "5.2, figure 17",
        "Frugal uses less bandwidth than every alternative, except interests-aware flooding when the events sum to "
        "under 1.5 kB and at most 20 % are interested",
        "the alternative's bytes over Frugal's: above 1, below 1 in the exception",
        FIGURES,
        lambda measured: _ratios(measured, "frugality", BANDWIDTH, EVERYONE, limits),
    )


def _one_event_bandwidth_claim() -> Claim:
    return Claim(
        "one-event-bandwidth",
        "abstract",
        "For one event with 80 % subscribers, Frugal saves 300 to 450 % of the bandwidth",
        "the alternative's bytes over Frugal's: 3 to 5.5, since a saving of 300 to 450 % can mean 3 to 4.5 times as "
        "much or that much more",
        FIGURES,
        lambda measured: _ratios(measured, "one-event", BANDWIDTH, EVERYONE, lambda _: (3.0, 5.5)),
    )


def _receptions_claim() -> Claim:
    return Claim(
        "receptions",
        "5.2, figure 19",
        "A subscriber receives an event at most 4 times in 180 s, even when all subscribe",
        "receptions over first receptions, on average over subscribers: at most 4 at every point",
        FIGURES,
        lambda measured: [
            value_part(_setting(FRUGAL, row), row, -inf, 4.0)
            for row in measured.where("frugality", "receptions_per_event_received", {PROTOCOL_KEY: FRUGAL})
        ],
        "The back-off shrinks with the number of events to send (figure 8), so with several events at once less is "
        "overheard in time; docs/frugal.md shows what happens if it does not.",
    )
