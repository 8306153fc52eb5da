"""Attribute range vectors: the paper's worked examples, and what must hold for all ranges."""

from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from roamcast.core.errors import UserError
from roamcast.matching.attribute_space import AttributeSpace, Limits
from roamcast.matching.range_vectors import Encoder, Filling, RangeVector, matches, merged_all, size_bits

AGES = AttributeSpace({"age": Limits(0, 100, whole=True), "real": Limits(-1.0, 3.0)})
vector = RangeVector.from_text


PAPER = {(1, 48): "10", (26, 47): "0100", (38, 60): "00011000"}


def test_the_paper_s_ages_have_the_paper_s_vectors_by_the_paper_s_rule_which_is_the_default() -> None:
    encoder = Encoder(AGES)
    assert (encoder.alpha, encoder.filling) == (0.9, Filling.EACH)
    assert {ages: str(encoder.subscription_vector("age", ages)) for ages in PAPER} == PAPER


@pytest.mark.parametrize(
    ("filling", "length_max", "alpha", "as_in_the_paper"),
    [
        (Filling.EACH, 4, 0.9, [(1, 48), (26, 47)]),
        *((filling, length, 0.9, list(PAPER)) for filling in Filling for length in (8, 16, 32)),
        (Filling.EACH, 64, 0.9, [(1, 48)]),
        (Filling.TOGETHER, 64, 0.9, [(1, 48), (38, 60)]),  # 23 of 25 together are 92 %
        (Filling.EACH, 64, 0.87, list(PAPER)),  # the segments that are filled by 88 % are enough
        (Filling.TOGETHER, 64, 0.87, list(PAPER)),
    ],
)
def test_which_of_the_paper_s_vectors_come_out_by_which_rule(
    filling: Filling, length_max: int, alpha: float, as_in_the_paper: list[tuple[int, int]]
) -> None:
    encoder = Encoder(AGES, alpha, length_max, filling)
    found = {ages: str(encoder.subscription_vector("age", ages)) for ages in PAPER}
    assert [ages for ages in PAPER if found[ages] == PAPER[ages]] == as_in_the_paper


@pytest.mark.parametrize("filling", Filling)
def test_filled_just_as_far_as_alpha_is_not_beyond_it(filling: Filling) -> None:
    assert str(Encoder(AGES, 0.5, 8, filling).subscription_vector("age", (0, 24))) == "1000"
    assert str(Encoder(AGES, 0.499, 8, filling).subscription_vector("age", (0, 24))) == "10"


def shares(low: int, high: int, length: int) -> list[Fraction]:
    """Return how far ages from 0 to 100 fill each segment that they overlap; an age lasts until the next birthday."""
    width = Fraction(100, length)
    first, last = (min(int(age / width), length - 1) for age in (low, high))
    segments = ((segment * width, (segment + 1) * width) for segment in range(first, last + 1))
    return [(min(Fraction(high + 1), end) - max(Fraction(low), begin)) / width for begin, end in segments]


@given(
    st.lists(st.integers(0, 100), min_size=2, max_size=2).map(sorted),
    st.integers(0, 2**11).map(lambda step: step / 2**11),
    st.integers(0, 7).map(lambda power: 2**power),
    st.sampled_from(Filling),
)
def test_halving_ends_as_soon_as_the_segments_are_filled_beyond_alpha(
    ages: list[int], alpha: float, length_max: int, filling: Filling
) -> None:
    length = 1
    while length < length_max:
        filled = shares(ages[0], ages[1], length)
        if (min(filled) if filling is Filling.EACH else sum(filled) / len(filled)) > Fraction(alpha):
            break
        length *= 2
    low, high = (min(int(age * length / 100), length - 1) for age in ages)
    bits = "".join("1" if low <= segment <= high else "0" for segment in range(length))
    found = Encoder(AGES, alpha, length_max, filling).subscription_vector("age", (ages[0], ages[1]))
    assert found == vector(bits).simplified()


def test_the_paper_s_merge_is_done_at_the_longer_length_and_simplified() -> None:
    assert str(vector("10").extended(4)) == "1100"
    assert str(vector("0100").merged(vector("10"))) == "10"
    encoder = Encoder(AGES)
    asked = [encoder.subscription_vector("age", ages) for ages in ((26, 47), (1, 48))]
    assert str(merged_all(asked)) == "10"


@pytest.mark.parametrize(("text", "simple"), [("1100", "10"), ("0110", "0110"), ("0111", "0111"), ("1111", "1")])
def test_a_vector_is_simplified_only_where_all_pairs_are_alike(text: str, simple: str) -> None:
    assert str(vector(text).simplified()) == simple


def test_figure_3_a_publication_that_sticks_out_in_one_attribute_does_not_match() -> None:
    subscribed = {"Attr.1": vector("1110"), "Attr.2": vector("0100")}
    published = {"Attr.1": vector("10"), "Attr.2": vector("0110"), "Attr.5": vector("01")}
    assert subscribed["Attr.1"].covers(published["Attr.1"])
    assert not subscribed["Attr.2"].covers(published["Attr.2"])
    assert not matches(published, subscribed)
    assert matches(published | {"Attr.2": vector("0100")}, subscribed)
    assert not matches({"Attr.2": vector("0100"), "Attr.5": vector("01")}, subscribed)


def test_a_higher_threshold_gives_the_longer_vector() -> None:
    found = [str(Encoder(AGES, alpha, 8).subscription_vector("age", (26, 47))) for alpha in (0.0, 0.4, 0.85)]
    assert found == ["1", "10", "0100"]


def test_a_length_that_is_reached_without_the_threshold_is_kept() -> None:
    encoder = Encoder(AGES, 0.999, 16)
    assert str(encoder.subscription_vector("real", (0.3, 0.6))) == "0000011000000000"
    assert encoder.publication_vector("real", 0.3).length == 16


def lengths() -> st.SearchStrategy[int]:
    return st.integers(0, 10).map(lambda power: 2**power)


vectors = lengths().flatmap(lambda length: st.integers(0, 2**length - 1).map(lambda bits: RangeVector(length, bits)))
alphas = st.floats(0, 1)
encoders = st.builds(Encoder, st.just(AGES), alphas, lengths(), st.sampled_from(Filling))
ages = st.lists(st.integers(0, 100), min_size=4, max_size=4).map(sorted)
reals = st.lists(st.floats(-1, 3) | st.integers(-16, 48).map(lambda step: step / 16), min_size=4, max_size=4).map(
    sorted
)


@given(encoders, st.tuples(st.just("age"), ages) | st.tuples(st.just("real"), reals))
def test_there_is_never_a_false_negative(encoder: Encoder, drawn: tuple[str, list[float]]) -> None:
    name, (low, begin, end, high) = drawn
    asked = encoder.subscription_vector(name, (low, high))
    for inside in ((begin, end), (low, high), begin, low, high):
        assert asked.covers(encoder.publication_vector(name, inside))


@given(encoders, ages, reals, ages, reals)
def test_a_conjunction_is_never_missed_either(
    encoder: Encoder, age: list[float], real: list[float], other_age: list[float], other_real: list[float]
) -> None:
    asked = encoder.subscription({"age": (age[0], age[3]), "real": (real[0], real[3])})
    assert matches(encoder.publication({"age": (age[1], age[2]), "real": real[1]}), asked)
    assert matches(encoder.publication({"real": (real[1], real[2]), "age": age[3]}), {"age": asked["age"]})
    assert not matches(encoder.publication({"age": age[1]}), asked)
    elsewhere = encoder.publication({"age": other_age[0], "real": other_real[0]})
    alone = [matches(elsewhere, {name: vector}) for name, vector in asked.items()]
    assert matches(elsewhere, asked) == all(alone)


@pytest.mark.parametrize("filling", Filling)
def test_the_false_positive_rate_falls_as_alpha_rises(filling: Filling) -> None:
    draws = Random(5)
    asked = [sorted(draws.uniform(-1, 3) for _ in range(2)) for _ in range(150)]
    said = [draws.uniform(-1, 3) for _ in range(150)]
    rates = []
    for alpha in (0.3, 0.5, 0.7, 0.9, 0.99):
        encoder = Encoder(AGES, alpha, 64, filling)
        published = [(value, encoder.publication_vector("real", value)) for value in said]
        wrong, matched = 0, 0
        for low, high in asked:
            subscribed = encoder.subscription_vector("real", (low, high))
            found = [value for value, each in published if subscribed.covers(each)]
            matched += len(found)
            wrong += sum(not low <= value <= high for value in found)
        rates.append(wrong / matched)
    assert rates == sorted(rates, reverse=True)
    assert len(set(rates)) == len(rates)
    if filling is Filling.TOGETHER:
        assert rates[3] < 0.1


@given(alphas, alphas, lengths(), st.sampled_from(Filling), reals)
def test_what_is_matched_wrongly_shrinks_as_alpha_rises(
    one: float, two: float, length: int, filling: Filling, drawn: list[float]
) -> None:
    low, high = drawn[0], drawn[-1]
    looser, stricter = (
        Encoder(AGES, alpha, length, filling).subscription_vector("real", (low, high)) for alpha in sorted((one, two))
    )
    assert looser.covers(stricter)


@given(st.floats(0.5, 0.99), reals)
def test_filled_together_the_share_of_wrong_matches_is_below_1_minus_alpha(alpha: float, drawn: list[float]) -> None:
    low, high = drawn[0], drawn[-1]
    assume(high - low > 0.1)
    asked = Encoder(AGES, alpha, 2**14, Filling.TOGETHER).subscription_vector("real", (low, high))
    covered = 4 * asked.ones / asked.length
    assert (covered - (high - low)) / covered < 1 - alpha + 1e-9


def covered(one: RangeVector) -> set[int]:
    """Return the segments of length 1,024 that a vector covers."""
    times = 1024 // one.length
    return {at * times + step for at, bit in enumerate(str(one)) if bit == "1" for step in range(times)}


@given(vectors, vectors)
def test_the_operations_are_those_of_the_sets_of_segments(one: RangeVector, two: RangeVector) -> None:
    assert covered(one.merged(two)) == covered(one) | covered(two)
    assert one.overlaps(two) == bool(covered(one) & covered(two))
    assert one.covers(two) == (covered(two) <= covered(one))
    assert covered(merged_all([one, two, one])) == covered(one) | covered(two)


@given(vectors)
def test_simplified_is_the_shortest_and_extended_again_the_same(one: RangeVector) -> None:
    simple = one.simplified()
    assert simple.extended(one.length) == one
    assert simple.length == 1 or any(a != b for a, b in zip(str(simple)[::2], str(simple)[1::2], strict=True))
    assert vector(str(one)) == one


def test_the_size_is_the_sum_of_the_lengths() -> None:
    assert size_bits({"a": vector("10"), "b": vector("0100")}) == 6


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda: Encoder(AGES, 1.5), "alpha = 1.5: must be from 0 to 1"),
        (lambda: Encoder(AGES, length_max=12), "length_max = 12: must be a power of 2"),
        (lambda: vector("012"), 'range vector = "012"'),
        (lambda: vector("011"), 'range vector = "011"'),
        (lambda: vector("01").extended(6), "range vector length = 6"),
        (lambda: Encoder(AGES).subscription({"agge": (1, 2)}), "unknown attribute 'agge'"),
        (lambda: Encoder(AGES).subscription({"age": (3, 2)}), "age = [3.0, 2.0]: the range is reversed"),
        (lambda: Encoder(AGES).publication({"age": float("nan")}), "age = nan: must be a number, not NaN"),
        (lambda: Encoder(AGES).publication({"age": 101}), "age low = 101.0: must be within its limits"),
    ],
)
def test_a_mistake_is_one_line(action: Callable[[], object], words: str) -> None:
    with pytest.raises(UserError) as raised:
        action()
    assert words in str(raised.value)
