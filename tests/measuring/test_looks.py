"""Planned looks: all together err as often as they say, settled numbers stay, and seeds go where something is open."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from roamcast.measuring.measurements import Measurement, Measurements, PointName
from roamcast.measuring.statistics import Sample
from roamcast.measuring.verdicts import Claim, Part, Verdict, above, at_least, within
from roamcast.measuring.verdicts.looks import LOOKS, Looks, forecast, look_at
from roamcast.papers.shared.claim_parts import printed_part, value_part

TWO = Looks((4, 8), (0.03, 0.03))
METRIC = "latency_mean_s"


def test_some_look_misses_the_truth_in_four_per_cent_of_the_cases() -> None:
    seeds = np.array(LOOKS.seeds)
    correlation = np.sqrt(np.minimum.outer(seeds, seeds) / np.maximum.outer(seeds, seeds))
    limit = norm.ppf(1 - np.array(LOOKS.errors) / 2)
    inside = multivariate_normal.cdf(
        limit, cov=correlation, lower_limit=-limit, abseps=1e-6, rng=np.random.default_rng(1)
    )
    assert 1 - inside == pytest.approx(0.04, abs=0.001)


def row(point: str, values: list[float]) -> Measurement:
    samples = [Sample(seed, value) for seed, value in enumerate(values, start=101)]
    return Measurement("sweep", {"at": point}, METRIC, 0.0, None, None, len(values), samples)


def claim(*points: str) -> Claim:
    def parts(measured: Measurements) -> list[Part]:
        return [value_part(point, measured.find("sweep", METRIC, {"at": point}), at_least(10)) for point in points]

    return Claim("claim", "", "", "", (1,), parts)


def made(rows: list[Measurement], seeds: int) -> dict[PointName, range]:
    return {each.place: range(101, 101 + seeds) for each in rows}


CLEAR = [20.0, 21.0, 19.0, 20.5, 20.0, 20.0, 20.0, 20.0]
LATER = [9.0, 12.0, 10.0, 11.0, 10.6, 10.5, 10.4, 10.5]


def test_a_claim_that_is_decided_at_the_first_look_wants_no_more_seeds() -> None:
    rows = [row("clear", CLEAR)]
    (found,) = look_at([claim("clear")], Measurements(rows), made(rows, 8), 101, TWO)
    assert (found.finding.verdict, found.look, found.wants) == (Verdict.HOLDS, 1, frozenset())
    assert found.finding.parts[0].quantity is not None
    assert found.finding.parts[0].quantity.seeds == 4  # the seeds of the look that decided it, not all there are


def test_only_the_points_of_numbers_that_are_open_want_the_seeds_of_the_next_look() -> None:
    rows = [row("clear", CLEAR), row("later", LATER)]
    (found,) = look_at([claim("clear", "later")], Measurements(rows), made(rows, 4), 101, TWO)
    assert (found.finding.verdict, found.look) == (Verdict.UNDECIDED, 1)
    assert found.wants == {rows[1].place}


def test_at_the_next_look_what_was_settled_stays_and_the_rest_is_looked_at_again() -> None:
    rows = [row("clear", CLEAR), row("later", [12.0, 9.0, 13.0, 10.0, 12.0, 14.5, 12.0, 13.0])]
    everything = {**made(rows[:1], 4), **made(rows[1:], 8)}
    (found,) = look_at([claim("clear", "later")], Measurements(rows), everything, 101, TWO)
    assert (found.finding.verdict, found.look, found.wants) == (Verdict.HOLDS, 2, frozenset())
    assert [part.quantity and part.quantity.seeds for part in found.finding.parts] == [4, 8]


def test_what_was_settled_keeps_the_error_of_its_look_when_a_later_look_may_err_more_often() -> None:
    rows = [row("clear", CLEAR), row("later", [12.0, 9.0, 13.0, 10.0, 12.0, 14.5, 12.0, 13.0])]
    everything = {**made(rows[:1], 4), **made(rows[1:], 8)}
    looks = Looks((4, 8), (0.01, 0.04))
    (first,) = look_at([claim("clear", "later")], Measurements(rows), made(rows, 4), 101, looks)
    (found,) = look_at([claim("clear", "later")], Measurements(rows), everything, 101, looks)
    assert (first.finding.error, found.finding.error) == (0.01, 0.04)
    settled, later = found.finding.parts
    assert settled.interval(0.04) == pytest.approx(first.finding.parts[0].interval(0.01))
    assert later.quantity is not None
    assert later.interval(0.04) == later.quantity.interval(0.04)


def test_the_forecast_is_the_look_whose_error_and_seeds_decide_with_what_is_settled_as_it_is() -> None:
    rows = [row("settled", [10.4, 11.2, 10.6, 11.0]), row("later", LATER)]
    looks = Looks((4, 8, 400, 40_000), (0.1, 0.01, 0.01, 0.01))
    everything = {**made(rows[:1], 4), **made(rows[1:], 8)}
    (found,) = look_at([claim("settled", "later")], Measurements(rows), everything, 101, looks)
    settled, later = found.finding.parts
    assert (found.look, later.passes(0.01), settled.passes(0.01)) == (2, False, True)
    assert settled.quantity is not None
    assert (settled.quantity.interval(0.01) or (0.0,))[0] < 10  # at a later look's error it would be open again
    needed = next(seeds for seeds in looks.seeds[2:] if later.with_seeds(seeds).passes(0.01))
    assert forecast(found.finding, 2, looks) == (needed, Verdict.HOLDS)
    assert forecast(found.finding, 2, Looks((4, 8, 9), (0.01, 0.01, 0.01))) is None


def test_two_numbers_of_one_name_are_refused() -> None:
    rows = [row("clear", CLEAR)]
    with pytest.raises(ValueError, match="claim: two numbers are called 'clear'"):
        look_at([claim("clear", "clear")], Measurements(rows), made(rows, 8), 101, TWO)


def test_there_is_one_error_for_each_look() -> None:
    with pytest.raises(ValueError, match="1 errors: must be one for each of the 2 looks"):
        Looks((4, 8), (0.05,))


def test_after_the_last_look_nothing_is_wanted_even_if_the_claim_is_open() -> None:
    rows = [row("later", LATER)]
    (found,) = look_at([claim("later")], Measurements(rows), made(rows, 8), 101, TWO)
    assert (found.finding.verdict, found.look, found.wants) == (Verdict.UNDECIDED, 2, frozenset())


def test_without_the_seeds_of_the_first_look_nothing_has_been_looked_at() -> None:
    rows = [row("clear", CLEAR[:3])]
    (found,) = look_at([claim("clear")], Measurements(rows), made(rows, 3), 101, TWO)
    assert found.look == 0
    assert found.wants == {rows[0].place}


def test_seeds_beyond_those_of_a_look_do_not_count_at_it() -> None:
    rows = [row("clear", [*CLEAR[:4], -500.0, -500.0, -500.0, -500.0])]
    (found,) = look_at([claim("clear")], Measurements(rows), made(rows, 8), 101, TWO)
    assert found.finding.verdict is Verdict.HOLDS


def test_an_untestable_claim_wants_nothing() -> None:
    rows = [row("later", LATER)]
    untestable = Claim("claim", "", "", "", (1,), claim("later").measure, untestable="it names no point")
    (found,) = look_at([untestable], Measurements(rows), made(rows, 4), 101, TWO)
    assert (found.finding.verdict, found.wants) == (Verdict.UNTESTABLE, frozenset())


def test_a_number_that_speaks_against_a_claim_only_without_correction_is_looked_at_again() -> None:
    barely = [-1.0, -2.4, -0.2, -1.4]
    points = ["barely", *(f"good {number}" for number in range(9))]
    rows = [row("barely", barely), *(row(point, [30.0, 31.0, 29.0, 30.0]) for point in points[1:])]

    def parts(measured: Measurements) -> list[Part]:
        return [value_part(point, measured.find("sweep", METRIC, {"at": point}), above(0)) for point in points]

    alone = Claim("alone", "", "", "", (1,), lambda measured: parts(measured)[:1])
    looks = Looks((4, 8), (0.10, 0.10))
    found = look_at([alone, Claim("all", "", "", "", (1,), parts)], Measurements(rows), made(rows, 4), 101, looks)
    assert [each.finding.verdict for each in found] == [Verdict.CONTRADICTED, Verdict.UNDECIDED]
    assert found[1].wants == {rows[0].place}


FOUR = Looks((4, 8, 16, 32), (0.03,) * 4)


def about(point: str, middle: float, distance: float) -> Measurement:
    """Return a row whose seeds are in turns below and above a value."""
    return row(point, [middle - distance, middle + distance] * 16)


def printed_claim(*points: str) -> Claim:
    """Return the claim that each value is within 10 of the 100 that the paper printed from 8 runs."""

    def parts(measured: Measurements) -> list[Part]:
        rows = [(point, measured.find("sweep", METRIC, {"at": point})) for point in points]
        return [printed_part(point, found, 100.0, 8, within(-10, 10)) for point, found in rows]

    return Claim("claim", "", "", "", (1,), parts)


def test_a_number_that_the_paper_s_error_leaves_open_wants_no_seeds_once_ours_is_clearly_the_smaller_error() -> None:
    """With 8 seeds, as many as the paper had runs, its true value may still be one that can be tested."""
    rows = [about("hopeless", 110, 5)]
    measured, itself = Measurements(rows), frozenset({rows[0].place})
    for seeds, expected in (
        (4, (Verdict.UNDECIDED, 1, itself)),
        (8, (Verdict.UNDECIDED, 2, itself)),
        (16, (Verdict.UNTESTABLE, 3, frozenset())),
        (32, (Verdict.UNTESTABLE, 3, frozenset())),
    ):
        (found,) = look_at([printed_claim("hopeless")], measured, made(rows, seeds), 101, FOUR)
        assert (found.finding.verdict, found.look, found.wants) == expected


def test_a_claim_with_an_untestable_number_is_looked_at_until_its_other_numbers_are_settled() -> None:
    rows = [about("clear", 100, 1), about("hopeless", 110, 5), about("later", 107.2, 2.8)]
    clear, hopeless, later = (made([each], 32) for each in rows)
    three = printed_claim("clear", "hopeless", "later")

    def looked(seeds: dict[PointName, range]) -> tuple[Verdict, int, frozenset[PointName]]:
        (found,) = look_at([three], Measurements(rows), seeds, 101, FOUR)
        return found.finding.verdict, found.look, found.wants

    assert looked(made(rows, 4)) == (Verdict.UNDECIDED, 1, frozenset({rows[1].place, rows[2].place}))
    assert looked(clear | made(rows[1:], 16)) == (Verdict.UNDECIDED, 3, frozenset({rows[2].place}))
    assert looked(clear | made(rows[1:2], 16) | later) == (Verdict.UNTESTABLE, 4, frozenset())
    (found,) = look_at([three], Measurements(rows), clear | hopeless | later, 101, FOUR)
    assert [part.quantity and part.quantity.seeds for part in found.finding.parts] == [4, 16, 32]


@pytest.mark.parametrize("first_seed", [0, 1001])
def test_the_seeds_of_the_looks_begin_where_they_are_told_to(first_seed: int) -> None:
    assert TWO.ranges(first_seed) == [range(first_seed, first_seed + 4), range(first_seed, first_seed + 8)]
