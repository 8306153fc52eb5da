"""Quantiles of Student's t, of the normal and of the beta distribution, by SciPy.

SciPy is imported when a quantile is first needed: a single run, which has no intervals, starts without it. Those of a
campaign are asked for thousands of times with a few degrees of freedom and errors, so they are remembered.
"""

from functools import lru_cache

REMEMBERED = 4096
"""So many quantiles of each kind are remembered."""
ERROR = 0.05
"""How often an interval may miss the truth, unless the caller says otherwise: intervals are of 95 %."""


@lru_cache(REMEMBERED)
def t_quantile(degrees: float, error: float = ERROR) -> float:
    """Return how many standard errors half of an interval is that may miss the truth with this probability."""
    if degrees < 1:
        raise ValueError(f"{degrees} degrees of freedom: must be at least 1")
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 1 - error / 2))


@lru_cache(REMEMBERED)
def normal_quantile(error: float = ERROR) -> float:
    """Return what Student's quantile approaches with more and more seeds."""
    from scipy.special import ndtri

    return float(ndtri(1 - error / 2))


def beta_quantile(probability: float, a: float, b: float) -> float:
    """Return the value that a variable with the beta distribution stays below with some probability."""
    from scipy.special import betaincinv

    return float(betaincinv(a, b, probability))
