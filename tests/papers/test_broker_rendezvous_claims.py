"""The broker and rendezvous paper's claims, on values that are as it says and on values that are not."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from broker_rendezvous_rows import (
    AS_IN_THE_PAPER,
    B_AODV,
    B_GPSR,
    B_MAP,
    BANDWIDTH,
    DELAY,
    DELIVERY,
    PAPER,
    R_AODV,
    R_GPSR,
    R_MAP,
    SPEED,
    Line,
    altered,
    findings,
    measured,
    verdicts,
)

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.verdicts import Verdict, examine, part_verdict

PLACES = ("highway", "city")


def in_both(*names: str) -> set[str]:
    return {f"{name}-{place}" for name in names for place in PLACES}


AGAINST = (Verdict.CONTRADICTED, Verdict.WEAKER)
WEAKER = {"map"}
"""The claims that state how much; with a smaller effect they are weaker."""


def fallen(found: Measurements) -> set[str]:
    return {name for name, verdict in verdicts(found).items() if verdict in AGAINST}


def test_every_claim_holds_on_values_that_are_as_the_paper_says() -> None:
    found = verdicts(measured(AS_IN_THE_PAPER))
    assert len(found) == 16
    assert set(found.values()) == {Verdict.HOLDS}


ONE_PAIR: list[tuple[str, str, str, Mapping[str, Line]]] = [
    ("map", f"{B_MAP} less {B_GPSR}", DELIVERY, {B_MAP: (0.4, 0.4)}),
    ("map", f"{R_MAP} less {R_GPSR}", DELIVERY, {R_MAP: (0.4, 0.1)}),
    (
        "rendezvous-sensitive",
        f"{R_MAP} falls more than {B_AODV} by",
        DELIVERY,
        {B_AODV: (0.9, 0.65), R_MAP: (0.9, 0.67)},
    ),
    ("rendezvous-sensitive", f"{R_MAP} falls more than {B_MAP} by", DELIVERY, {B_MAP: (0.95, 0.4)}),
    ("rendezvous-sensitive", f"{R_MAP} falls more than {R_AODV} by", DELIVERY, {R_MAP: (0.9, 0.75)}),
    ("rendezvous-sensitive", f"{R_GPSR} falls more than {B_AODV} by", DELIVERY, {B_AODV: (0.9, 0.6)}),
    ("rendezvous-sensitive", f"{R_GPSR} falls more than {B_GPSR} by", DELIVERY, {B_GPSR: (0.31, 0.01)}),
    ("rendezvous-sensitive", f"{R_GPSR} falls more than {R_AODV} by", DELIVERY, {R_AODV: (0.9, 0.6)}),
    ("rendezvous-delay", f"{R_MAP} over {B_AODV}", DELAY, {B_AODV: (2.1, 2.1)}),
    ("rendezvous-delay", f"{R_MAP} over {B_MAP}", DELAY, {B_MAP: (0.0, 2.1)}),
    ("rendezvous-delay", f"{R_MAP} over {R_AODV}", DELAY, {R_AODV: (2.1, 2.1)}),
    ("aodv-delay", f"{B_AODV} over {B_MAP}", DELAY, {B_AODV: (0.7, 1.1)}),
    ("aodv-delay", f"{R_AODV} over {R_MAP}", DELAY, {R_AODV: (0.7, 2.1)}),
    ("gpsr-bandwidth", f"{B_GPSR} less {B_AODV}", BANDWIDTH, {B_GPSR: (90, 90)}),
    ("gpsr-bandwidth", f"{B_MAP} less {B_AODV}", BANDWIDTH, {B_MAP: (90, 90)}),
    ("gpsr-bandwidth", f"{R_GPSR} less {R_AODV}", BANDWIDTH, {R_GPSR: (350, 350)}),
    ("gpsr-bandwidth", f"{R_MAP} less {R_AODV}", BANDWIDTH, {R_MAP: (350, 350)}),
    ("broker-bandwidth", f"{R_AODV} less {B_AODV}", BANDWIDTH, {R_AODV: (80, 80)}),
    ("broker-bandwidth", f"{R_GPSR} less {B_GPSR}", BANDWIDTH, {B_GPSR: (510, 510)}),
    ("broker-bandwidth", f"{R_MAP} less {B_MAP}", BANDWIDTH, {B_MAP: (510, 510)}),
]
"""A claim, a pair that it rests on, and values with which this pair alone is not as the claim says."""
ONE_PAIR_IN_THE_CITY: list[tuple[str, str, str, Mapping[str, Line]]] = [
    ("rendezvous-delay", f"{R_GPSR} over {B_AODV}", DELAY, {B_AODV: (4.5, 4.5), R_MAP: (0.0, 5.0)}),
    ("rendezvous-delay", f"{R_GPSR} over {B_GPSR}", DELAY, {B_GPSR: (0.0, 4.1)}),
    ("rendezvous-delay", f"{R_GPSR} over {R_AODV}", DELAY, {R_AODV: (4.5, 4.5), R_MAP: (0.0, 5.0)}),
    ("aodv-delay", f"{B_AODV} over {B_GPSR}", DELAY, {B_GPSR: (0.0, 0.7)}),
    ("aodv-delay", f"{R_AODV} over {R_GPSR}", DELAY, {R_GPSR: (0.0, 0.85)}),
]
"""The same, of delays without a map, which are not judged on the highway."""


def failing(name: str, found: Measurements) -> list[str]:
    """Return the parts of a claim that are surely not as it says."""
    return [part.label for part in findings(found)[name].judged if part_verdict(part) in AGAINST]


@pytest.mark.parametrize(("name", "pair", "metric", "lines"), ONE_PAIR)
@pytest.mark.parametrize("place", PLACES)
def test_one_pair_that_is_not_so_is_enough(
    place: str, name: str, pair: str, metric: str, lines: Mapping[str, Line]
) -> None:
    assert failing(f"{name}-{place}", measured(altered(metric, lines))) == [pair]


@pytest.mark.parametrize(("name", "pair", "metric", "lines"), ONE_PAIR_IN_THE_CITY)
def test_a_delay_without_a_map_is_judged_in_the_city_and_stands_beside_on_the_highway(
    name: str, pair: str, metric: str, lines: Mapping[str, Line]
) -> None:
    found = measured(altered(metric, lines))
    assert failing(f"{name}-city", found) == [pair]
    on_the_highway = findings(found)[f"{name}-highway"]
    assert on_the_highway.verdict == Verdict.HOLDS
    assert f"not judged: {pair}" in [part.label for part in on_the_highway.parts if not part.is_judged]


def test_every_judged_pair_has_values_that_break_it_alone() -> None:
    found = findings(measured(AS_IN_THE_PAPER))
    for place, cases in (("highway", ONE_PAIR), ("city", ONE_PAIR + ONE_PAIR_IN_THE_CITY)):
        for name in {case[0] for case in cases}:
            judged = {part.label for part in found[f"{name}-{place}"].parts if part.is_judged}
            assert judged == {case[1] for case in cases if case[0] == name}


def test_without_a_map_no_delay_at_all_leaves_the_claims_open_in_the_city_alone() -> None:
    lacking = [
        row for row in measured(AS_IN_THE_PAPER) if row.metric != DELAY or row.point["curve"] not in (B_GPSR, R_GPSR)
    ]
    found = verdicts(Measurements(lacking))
    assert {name for name, verdict in found.items() if verdict == Verdict.UNDECIDED} == {
        "rendezvous-delay-city",
        "aodv-delay-city",
    }


@pytest.mark.parametrize(
    ("metric", "lines", "broken"),
    [
        (DELIVERY, {B_GPSR: (0.5, 0.5)}, {"no-map"}),
        (DELIVERY, {R_GPSR: (0.5, 0.1)}, {"no-map"}),
        (DELIVERY, {B_MAP: (0.32, 0.27)}, {"map", "broker-map-best"}),
        (DELIVERY, {R_MAP: (0.3, 0.25)}, {"map", "rendezvous-sensitive"}),
        (DELIVERY, {B_AODV: (0.99, 0.95)}, {"broker-map-best"}),
        (DELIVERY, {R_AODV: (0.99, 0.95)}, {"broker-map-best"}),
        (DELIVERY, {B_AODV: (0.9, 0.2)}, {"rendezvous-sensitive"}),
        (DELIVERY, {R_AODV: (0.9, 0.3)}, {"rendezvous-sensitive"}),
        (DELAY, {R_MAP: (0.0, 0.95)}, {"rendezvous-delay"}),
        (DELAY, {B_AODV: (1.5, 1.5)}, {"aodv-delay"}),
        (DELAY, {R_AODV: (3.0, 3.0)}, {"aodv-delay", "rendezvous-delay"}),
        (BANDWIDTH, {B_AODV: (550, 550), R_AODV: (600, 600)}, {"gpsr-bandwidth"}),
        (BANDWIDTH, {B_AODV: (450, 450)}, {"gpsr-bandwidth", "broker-bandwidth"}),
        (BANDWIDTH, {B_GPSR: (600, 600)}, {"broker-bandwidth"}),
        (BANDWIDTH, {B_MAP: (600, 600)}, {"broker-bandwidth"}),
    ],
)
def test_a_claim_that_is_not_so_falls_in_both_scenarios_and_no_other_falls_with_it(
    metric: str, lines: Mapping[str, Line], broken: set[str]
) -> None:
    found = verdicts(measured(altered(metric, lines)))
    assert {name for name, verdict in found.items() if verdict in AGAINST} == in_both(*broken)
    weaker = {name for name, verdict in found.items() if verdict == Verdict.WEAKER}
    assert weaker <= in_both(*WEAKER & broken)


@pytest.mark.parametrize(
    ("with_map", "verdict"), [(0.51, Verdict.HOLDS), (0.49, Verdict.WEAKER), (0.2, Verdict.CONTRADICTED)]
)
def test_a_map_that_raises_delivery_a_little_makes_the_claim_weaker_and_one_that_lowers_it_contradicts_it(
    with_map: float, verdict: Verdict
) -> None:
    found = verdicts(measured(altered(DELIVERY, {B_GPSR: (0.3, 0.3), B_MAP: (with_map, with_map)})))
    assert {found[name] for name in in_both("map")} == {verdict}


@pytest.mark.parametrize(
    ("lines", "broken"),
    [
        ({B_GPSR: (0.332, 0.332)}, set()),
        ({R_GPSR: (0.332, 0.05)}, set()),
        ({B_GPSR: (0.3, 0.336)}, {"no-map"}),  # at the highest speed alone
        ({B_GPSR: (0.37, 0.2)}, {"no-map"}),  # at the lowest
        ({R_GPSR: (0.39, 0.1)}, {"no-map"}),
        ({B_MAP: (0.51, 0.46)}, {"broker-map-best"}),
        ({B_MAP: (0.49, 0.44)}, {"broker-map-best", "map"}),
        ({B_MAP: (0.87, 0.87)}, set()),  # not the best at the lowest of three speeds
        ({B_MAP: (0.82, 0.82)}, {"broker-map-best"}),  # the best at the highest alone
    ],
)
def test_very_low_is_a_third_significantly_a_fifth_and_most_more_than_half(
    lines: Mapping[str, Line], broken: set[str]
) -> None:
    found = measured(altered(DELIVERY, lines))
    assert Verdict.UNDECIDED not in verdicts(found).values()
    assert fallen(found) == in_both(*broken)


def at_one_speed(metric: str, system: str, which: int, factor: float) -> Measurements:
    """Return the paper's values but for one system at the lowest (0), the middle (1) or the highest speed (2)."""
    speeds = {"highway": (10, 30, 60), "city": (1, 10, 20)}

    def changed(row: Measurement) -> Measurement:
        here = (row.metric, row.point["curve"], row.point[SPEED]) == (metric, system, speeds[row.sweep][which])
        samples = tuple(each._replace(amount=each.amount * factor) for each in row.samples)
        return replace(row, mean=row.mean * factor, samples=samples) if here else row

    return Measurements(changed(row) for row in measured(AS_IN_THE_PAPER))


@pytest.mark.parametrize(
    ("metric", "system", "factor", "name", "counts"),
    [
        (DELIVERY, R_MAP, 0.6, "rendezvous-sensitive", {0}),
        (DELIVERY, R_MAP, 2.1, "rendezvous-sensitive", {2}),
        (DELIVERY, R_AODV, 0.1, "rendezvous-sensitive", {2}),
        (DELAY, R_MAP, 0.1, "rendezvous-delay", {2}),
        (DELAY, B_AODV, 5.0, "aodv-delay", {2}),
    ],
)
def test_a_fall_is_from_the_lowest_speed_to_the_highest_and_mobility_is_high_at_the_highest(
    metric: str, system: str, factor: float, name: str, counts: set[int]
) -> None:
    breaking = {which for which in range(3) if fallen(at_one_speed(metric, system, which, factor)) & in_both(name)}
    assert breaking == counts


def test_bandwidth_is_compared_as_a_mean_over_the_speeds() -> None:
    assert fallen(measured(altered(BANDWIDTH, {B_GPSR: (300, 90)}))) == set()
    assert fallen(measured(altered(BANDWIDTH, {B_GPSR: (100, 90)}))) == in_both("gpsr-bandwidth")


def test_a_point_that_is_missing_leaves_claims_open_and_moves_no_other_into_its_place() -> None:
    complete = measured(AS_IN_THE_PAPER)
    lacking = [row for row in complete if (row.point["curve"], row.point[SPEED]) != (B_AODV, 10)]
    found = findings(Measurements(lacking))
    for name in ("broker-map-best-highway", "rendezvous-sensitive-highway", "gpsr-bandwidth-highway"):
        assert found[name].verdict in (Verdict.UNDECIDED, Verdict.HOLDS)
    assert found["rendezvous-sensitive-highway"].verdict == Verdict.UNDECIDED
    assert found["gpsr-bandwidth-highway"].verdict == Verdict.UNDECIDED
    beside = {part.label: part.quantity for part in findings(complete)["broker-map-best-highway"].parts}
    for part in found["broker-map-best-highway"].parts[1:]:
        assert part.quantity == beside.get(part.label, part.quantity)


@pytest.mark.parametrize("kept", [lambda row: row.point[SPEED] == 10, lambda row: row.metric == DELAY])
def test_one_speed_alone_or_no_delivery_at_all_leaves_a_fall_open(kept: Callable[[Measurement], bool]) -> None:
    found = verdicts(Measurements(row for row in measured(AS_IN_THE_PAPER) if kept(row)))
    assert {found[name] for name in in_both("rendezvous-sensitive")} == {Verdict.UNDECIDED}


def test_wide_intervals_leave_the_claims_open() -> None:
    found = verdicts(measured(AS_IN_THE_PAPER, spread=0.9))
    assert not set(AGAINST) & set(found.values())
    assert Verdict.UNDECIDED in found.values()


def test_no_label_of_a_judged_number_depends_on_what_was_measured() -> None:
    one, other = (findings(measured(AS_IN_THE_PAPER, spread)) for spread in (0.001, 0.9))
    assert {name: [part.label for part in each.judged] for name, each in one.items()} == {
        name: [part.label for part in each.judged] for name, each in other.items()
    }


def test_nothing_measured_gives_no_findings() -> None:
    assert examine(PAPER.claims(), Measurements([])) == []
