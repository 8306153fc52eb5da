"""Arithmetic with values over seeds: against plain arithmetic, and against leaving out one seed at a time."""

from collections.abc import Callable, Sequence
from math import exp, log, sqrt
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roamcast.measuring.statistics import Sample, Sampled, average, correlation, paired, sampled, standard_error

Formula = Callable[[Sequence[Sampled]], Sampled]

FORMULAS: dict[str, tuple[Formula, Callable[[Sequence[float]], float]]] = {
    "difference": (lambda v: v[0] - v[1], lambda v: v[0] - v[1]),
    "weighted sum": (lambda v: v[0] * 2.0 + v[1] * -0.5 + 1.0, lambda v: 2 * v[0] - v[1] / 2 + 1),
    "product": (lambda v: v[0] * v[1], lambda v: v[0] * v[1]),
    "quotient": (lambda v: v[0] / v[1] / 4.0, lambda v: v[0] / v[1] / 4),
    "log ratio": (lambda v: v[0].log() - v[1].log(), lambda v: log(v[0] / v[1])),
    "geometric mean": (
        lambda v: average([v[0].log(), v[1].log(), v[2].log()]).exp(),
        lambda v: (v[0] * v[1] * v[2]) ** (1 / 3),
    ),
    "interpolation": (
        lambda v: v[0] + (v[1] - v[0]) * ((v[2] * -1.0 + 7.0) / (v[1] + 3.0)),
        lambda v: v[0] + (v[1] - v[0]) * (7 - v[2]) / (v[1] + 3),
    ),
}


def drawn(seeds: int, random: Random) -> list[list[Sample]]:
    """Draw three values whose seeds go up and down together."""
    shared = [random.gauss(0, 1) for _ in range(seeds)]
    return [
        [Sample(seed, (center + width * (shared[seed] + random.gauss(0, 1))) * base, base) for seed in range(seeds)]
        for center, width, base in ((5.0, 0.3, 1.0), (4.0, 0.2, 2.0), (6.0, 0.3, 1.0))
    ]


def values_of(groups: Sequence[Sequence[Sample]], without: int | None = None) -> list[float]:
    kept = [[sample for sample in group if sample.seed != without] for group in groups]
    return [sum(sample.amount for sample in group) / sum(sample.base for sample in group) for group in kept]


def test_where_bases_differ_the_error_is_that_of_leaving_out_one_seed_at_a_time() -> None:
    random = Random(8)
    bases = [random.lognormvariate(0, 1.5) for _ in range(12)]
    samples = [Sample(seed, base * random.lognormvariate(0, 0.5), base) for seed, base in enumerate(bases)]
    found = sampled(samples)
    assert found is not None
    (value,) = values_of([samples])
    left_out = [values_of([samples], seed)[0] for seed in range(len(bases))]
    assert found.pulls == pytest.approx([len(bases) * (value - without) * 11 / 12 for without in left_out])


def test_a_seed_that_has_all_of_the_bases_leaves_the_error_unknown() -> None:
    found = sampled([Sample(1, 6.0, 2.0), Sample(2, 0.0, 0.0), Sample(3, 0.0, 0.0)])
    assert found is not None
    assert (found.value, found.pulls) == (3.0, (0.0, 0.0, 0.0))
    assert found.evenness == pytest.approx(1 / 3)
    assert found.standard_error is None
    with_frames = sampled([Sample(1, 6.0, 2.0), Sample(2, 3.0, 0.0), Sample(3, 0.0, 0.0)])
    assert with_frames is not None
    assert with_frames.standard_error is not None
    assert with_frames.standard_error > 0


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_has_the_value_of_plain_arithmetic_and_the_error_of_the_jackknife(name: str) -> None:
    formula, plain = FORMULAS[name]
    seeds = 60
    groups = drawn(seeds, Random(4))
    values = paired(groups)
    assert values is not None
    found = formula(values)
    assert found.value == pytest.approx(plain(values_of(groups)))
    left_out = [plain(values_of(groups, seed)) for seed in range(seeds)]
    jackknife = standard_error(left_out)
    assert jackknife is not None
    assert found.standard_error == pytest.approx(jackknife * (seeds - 1), rel=0.03)


def test_what_all_seeds_share_cancels_out() -> None:
    one = [Sample(seed, 10.0 * seed + 5) for seed in range(1, 9)]
    values = paired([one, [Sample(seed, 2 * amount) for seed, amount, _ in one]])
    assert values is not None
    assert (values[1] / values[0]).value == pytest.approx(2)
    assert (values[1] / values[0]).standard_error == pytest.approx(0, abs=1e-12)
    assert (values[0] - values[0]).standard_error == 0


def test_only_seeds_that_all_groups_have_count() -> None:
    values = paired([[Sample(1, 1.0), Sample(2, 3.0)], [Sample(2, 5.0), Sample(3, 9.0)]])
    assert values == [Sampled(3.0, (0.0,)), Sampled(5.0, (0.0,))]
    assert values[0].standard_error is None
    assert paired([[Sample(1, 1.0)], [Sample(2, 1.0)]]) is None
    assert paired([]) is None


def test_values_over_different_seeds_are_never_mixed() -> None:
    with pytest.raises(ValueError, match=r"shorter|longer"):
        Sampled(1.0, (0.1, -0.1)) + Sampled(1.0, (0.1, 0.0, -0.1))


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=12))
def test_with_bases_of_one_the_error_is_that_of_the_mean(values: list[float]) -> None:
    found = sampled([Sample(seed, value) for seed, value in enumerate(values)])
    assert found is not None
    mean = sum(values) / len(values)
    spread = sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
    assert found.value == pytest.approx(mean)
    assert found.standard_error == pytest.approx(spread / sqrt(len(values)), abs=1e-9)


@given(st.floats(0.1, 50), st.lists(st.floats(-0.05, 0.05), min_size=2, max_size=5))
def test_the_exponential_undoes_the_logarithm(value: float, pulls: list[float]) -> None:
    there_and_back = Sampled(value, tuple(pulls)).log().exp()
    assert there_and_back.value == pytest.approx(value)
    assert there_and_back.pulls == pytest.approx(pulls)
    assert exp(log(value)) == pytest.approx(value)


def test_seeds_with_hardly_any_base_hardly_count() -> None:
    """Ten equal bases say as much as ten seeds, one that has nearly everything little more than itself."""
    even = sampled([Sample(seed, 1.0 + seed % 2, 3.0) for seed in range(10)])
    uneven = sampled([Sample(0, 90.0, 100.0), *(Sample(seed, 1.0, 0.01) for seed in range(1, 10))])
    both = [paired([[Sample(seed, 1.0, 3.0) for seed in range(10)], [Sample(seed, 1.0, seed) for seed in range(10)]])]
    assert even is not None
    assert uneven is not None
    assert both[0] is not None
    assert even.effective_seeds == pytest.approx(10)
    assert uneven.effective_seeds == 2  # the fewest that have an interval
    together = both[0][0] / both[0][1]
    assert together.effective_seeds == both[0][1].effective_seeds == pytest.approx(45**2 / 285)


@given(st.lists(st.tuples(st.floats(-100, 100), st.floats(-100, 100)), min_size=3, max_size=20))
def test_a_correlation_is_that_of_numpy_and_none_where_nothing_varies(pairs: list[tuple[float, float]]) -> None:
    values, others = ([round(pair[index], 3) for pair in pairs] for index in (0, 1))
    if len(set(values)) == 1 or len(set(others)) == 1:
        assert correlation(values, others) == pytest.approx(0, abs=1e-6)
    else:
        assert correlation(values, others) == pytest.approx(float(np.corrcoef(values, others)[0, 1]), abs=1e-6)
