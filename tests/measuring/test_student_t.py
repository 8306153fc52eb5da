from math import gamma, pi, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roamcast.measuring.statistics import t_quantile

NORMAL_975 = 1.959963984540054  # what Student's quantile approaches
# The column for a two-sided 95 % interval in the tables of the NIST/SEMATECH e-Handbook of Statistical Methods.
PUBLISHED = {1: 12.706, 2: 4.303, 4: 2.776, 9: 2.262, 29: 2.045, 30: 2.042, 31: 2.040, 40: 2.021, 60: 2.000, 100: 1.984}


@pytest.mark.parametrize(("degrees", "quantile"), PUBLISHED.items())
def test_quantiles_are_those_of_published_tables(degrees: int, quantile: float) -> None:
    assert round(t_quantile(degrees), 3) == quantile


@pytest.mark.parametrize("degrees", [1, 2, 3, 7, 15, 22, 30, 31, 45, 90])
def test_97_5_percent_of_the_distribution_lie_below_the_quantile(degrees: int) -> None:
    scale = gamma((degrees + 1) / 2) / (sqrt(degrees * pi) * gamma(degrees / 2))
    steps, upper = 2000, t_quantile(degrees)
    weights = [1, *(4 if step % 2 else 2 for step in range(1, steps)), 1]
    points = (upper * step / steps for step in range(steps + 1))
    total = sum(
        weight * (1 + point * point / degrees) ** (-(degrees + 1) / 2)
        for weight, point in zip(weights, points, strict=True)
    )
    assert 0.5 + scale * total * upper / steps / 3 == pytest.approx(0.975, abs=1e-8)


@given(st.integers(1, 10_000))
def test_more_seeds_never_widen_the_interval(degrees: int) -> None:
    assert NORMAL_975 < t_quantile(degrees + 1) < t_quantile(degrees)


@given(st.integers(1, 100), st.floats(0.001, 0.5))
def test_a_smaller_error_needs_a_wider_interval(degrees: int, error: float) -> None:
    assert t_quantile(degrees, error / 2) > t_quantile(degrees, error)


def test_no_degree_of_freedom_has_no_quantile() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        t_quantile(0)
