"""Bands: which verdict an interval gets, on every side of every boundary."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roamcast.measuring.verdicts import Band, Side, Verdict, above, at_least, at_most, below, factor, within

HOLDS, EXCEEDED, WEAKER, CONTRADICTED, UNDECIDED, UNTESTABLE = Verdict
FACTOR = factor(50, 100)

CASES = [
    (FACTOR, (60, 90), HOLDS),
    (FACTOR, (50, 100), HOLDS),
    (FACTOR, (101, 300), EXCEEDED),
    (FACTOR, (80, 120), UNDECIDED),
    (FACTOR, (40, 60), UNDECIDED),
    (FACTOR, (2, 49), WEAKER),
    (FACTOR, (0.5, 3), UNDECIDED),
    (FACTOR, (0.1, 0.9), CONTRADICTED),
    (FACTOR, (0.5, 200), UNDECIDED),
    (above(1), (1.01, 5), HOLDS),
    (above(1), (0.2, 0.99), CONTRADICTED),
    (above(1), (0.9, 1.1), UNDECIDED),
    (below(0), (-3, -1), HOLDS),
    (below(0), (1, 3), CONTRADICTED),
    (at_most(-0.2, no_effect=0), (-0.5, -0.3), HOLDS),
    (at_most(-0.2, no_effect=0), (-0.1, -0.05), WEAKER),
    (at_most(-0.2, no_effect=0), (-0.1, 0.05), UNDECIDED),
    (at_most(-0.2, no_effect=0), (0.1, 0.2), CONTRADICTED),
    (at_least(0.85), (0.86, 0.9), HOLDS),
    (at_least(0.85), (0.7, 0.84), CONTRADICTED),
    (within(-0.1, 0.1), (-0.05, 0.08), HOLDS),
    (within(-0.1, 0.1), (0.11, 0.2), CONTRADICTED),
    (within(-0.1, 0.1), (-0.3, -0.2), CONTRADICTED),
    (within(-0.1, 0.1), (0.05, 0.2), UNDECIDED),
    (Band(-0.1, 0.1, Side.ABOVE, no_effect=-0.22), (0.15, 0.2), EXCEEDED),
    (Band(-0.1, 0.1, Side.ABOVE, no_effect=-0.22), (-0.2, -0.12), WEAKER),
    (Band(3, 6, Side.BELOW, no_effect=10), (1, 2), EXCEEDED),
    (Band(3, 6, Side.BELOW, no_effect=10), (7, 9), WEAKER),
    (Band(3, 6, Side.BELOW, no_effect=10), (11, 12), CONTRADICTED),
    (Band(3, 6, Side.BELOW), (7, 9), CONTRADICTED),
]


@pytest.mark.parametrize(("band", "interval", "verdict"), CASES, ids=str)
def test_an_interval_gets_its_verdict(band: Band, interval: tuple[float, float], verdict: Verdict) -> None:
    assert band.verdict(interval) is verdict


numbers = st.floats(-100, 100)


@st.composite
def drawn_bands(draw: st.DrawFn) -> Band:
    """Draw a band with one or two ends, a favourable side or none, and no effect short of the band or none."""
    low, high = sorted((draw(numbers), draw(numbers)))
    favours = draw(st.sampled_from([None, *Side]))
    short = draw(st.one_of(st.none(), st.floats(0, 50)))
    no_effect = None if favours is None or short is None else (low - short if favours is Side.ABOVE else high + short)
    open_end = draw(st.booleans())
    return Band(
        -inf if open_end and favours is Side.BELOW else low,
        inf if open_end and favours is not Side.BELOW else high,
        favours,
        no_effect,
    )


bands = drawn_bands()


@given(bands, numbers, st.floats(0, 5), st.floats(0, 5), st.floats(0, 5))
def test_a_narrower_interval_never_changes_a_verdict_that_was_given(
    band: Band, value: float, less: float, more: float, wider: float
) -> None:
    wide, narrow = (value - less - wider, value + more + wider), (value - less, value + more)
    if band.verdict(wide) is not UNDECIDED:
        assert band.verdict(narrow) is band.verdict(wide)


@given(bands, numbers, st.floats(0, 5))
def test_what_holds_or_exceeds_passes_and_what_passes_does_not_fall_short(
    band: Band, value: float, width: float
) -> None:
    interval = value - width, value + width
    if band.verdict(interval) in (HOLDS, EXCEEDED):
        assert band.passes(interval)
    if band.passes(interval):
        assert not band.falls_short(interval)
        assert band.verdict(interval) in (HOLDS, EXCEEDED, UNDECIDED)


def test_no_effect_lies_short_of_the_band() -> None:
    for favours, no_effect in ((Side.ABOVE, 60.0), (Side.ABOVE, 150.0), (Side.BELOW, 60.0), (Side.BELOW, 1.0)):
        with pytest.raises(ValueError, match="inside the band or beyond"):
            Band(50, 100, favours, no_effect)


def test_the_boundaries_that_an_interval_crosses_are_named() -> None:
    assert FACTOR.crossed((0.5, 70)) == [1, 50]
    assert FACTOR.crossed((60, 90)) == []
    assert within(-0.1, 0.1).crossed((-0.2, 0.2)) == [-0.1, 0.1]


def test_near_a_boundary_is_within_the_declared_margin_of_it() -> None:
    band = Band(0.85, inf, Side.ABOVE, margin=0.01)
    assert band.is_on_the_line(0.841)
    assert not band.is_on_the_line(0.839)
    ratio = Band(50, 100, Side.ABOVE, 1.0, margin=0.05, is_log=True)
    assert ratio.is_on_the_line(104)
    assert ratio.is_on_the_line(0.96)
    assert not ratio.is_on_the_line(106)


@pytest.mark.parametrize(
    ("band", "text"),
    [
        (FACTOR, "50 to 100"),
        (above(1), "above 1"),
        (below(0), "below 0"),
        (at_least(0.85), "at least 0.85"),
        (at_most(4), "at most 4"),
        (Band(), "anything"),
    ],
)
def test_a_band_is_written_in_a_few_characters(band: Band, text: str) -> None:
    assert str(band) == text


def test_every_verdict_has_a_definition_and_a_sign_of_its_own() -> None:
    assert len({verdict.definition for verdict in Verdict}) == len(Verdict)
    assert len({verdict.symbol for verdict in Verdict}) == len(Verdict)
