"""The widest interval that a mean share can need: the one of seeds each of which is all or nothing.

Of all quantities between 0 and 1 with a given mean, the one that is always 0 or 1 varies the most. So the interval of
Clopper and Pearson (1934) for ``n`` seeds with ``n * share`` successes holds whatever the seeds' distribution is: its
ends are quantiles of beta distributions, which exist for a fraction of a success as well.

A truth beyond the near bound is impossible. So the end at that bound needs no part of the error while nothing has
fallen short, and its usual half once shortfalls add up to a whole seed. With all seeds at the bound, the other end is
where ``n`` successes have a probability of 5 %: ``0.05^(1/n)``, the rule of three.
"""

from math import exp, lgamma, log, log1p

ERROR = 0.05
"""How often an interval may miss the truth."""
STEPS_MAX = 100
"""Newton's steps, or halvings of the range where such a step would leave it; mostly ten are enough."""
EXACT = 1e-13
TERMS_MAX = 1000
TINY = 1e-300


def all_or_nothing_interval(share: float, seeds: int) -> tuple[float, float]:
    """Return the 95 % interval of a mean share of some seeds, whatever their distribution."""
    if share > 0.5:
        low, high = all_or_nothing_interval(1 - share, seeds)
        return 1 - high, 1 - low
    hits, misses = seeds * share, seeds * (1 - share)
    error_below = ERROR / 2 * min(1.0, hits)
    low = beta_quantile(error_below, hits, misses + 1) if error_below > 0 else 0.0
    return low, beta_quantile(1 - (ERROR - error_below), hits + 1, misses)


def beta_quantile(probability: float, a: float, b: float) -> float:
    """Return the value that a variable with the beta distribution stays below with some probability."""
    low, high, value = 0.0, 1.0, 0.5
    for _ in range(STEPS_MAX):
        excess = beta_probability(value, a, b) - probability
        low, high = (value, high) if excess < 0 else (low, value)
        newton = value - excess * value * (1 - value) / max(_density_scale(value, a, b), TINY)
        step, value = value, newton if low < newton < high else (low + high) / 2
        if abs(value - step) < EXACT:
            break
    return value


def beta_probability(value: float, a: float, b: float) -> float:
    """Return the probability that a variable with the beta distribution stays below a value between 0 and 1."""
    scale = _density_scale(value, a, b)
    if value < (a + 1) / (a + b + 2):  # where the fraction converges quickly; elsewhere its mirror image does
        return scale * _continued_fraction(value, a, b) / a
    return 1 - scale * _continued_fraction(1 - value, b, a) / b


def _density_scale(value: float, a: float, b: float) -> float:
    """Return the density times ``value * (1 - value)``."""
    return exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(value) + b * log1p(-value))


def _continued_fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the incomplete beta function (Abramowitz and Stegun, 26.5.8), by Lentz."""
    above, below = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    value = below
    for m in range(1, TERMS_MAX):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            below = 1 / _not_zero(1 + term * below)
            above = _not_zero(1 + term / above)
            value *= above * below
        if abs(above * below - 1) < 1e-13:
            break
    return value


def _not_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY
