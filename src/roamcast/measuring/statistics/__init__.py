"""The statistics of everything that is measured over seeds: values, comparisons, and intervals by Student's t."""

from roamcast.measuring.statistics.bounds import NON_NEGATIVE, SHARE, UNBOUNDED, Bounds
from roamcast.measuring.statistics.estimates import Estimate, difference, pooled, ratio
from roamcast.measuring.statistics.intervals import (
    Interval,
    all_or_nothing_interval,
    bounded_interval,
    cut_interval,
    finite_exp,
    trust_in_seeds,
)
from roamcast.measuring.statistics.quantiles import ERROR, t_quantile
from roamcast.measuring.statistics.sampled import (
    Sample,
    Sampled,
    average,
    correlation,
    effective_seeds,
    paired,
    sampled,
    skewness,
    standard_error,
)

__all__ = [
    "ERROR",
    "NON_NEGATIVE",
    "SHARE",
    "UNBOUNDED",
    "Bounds",
    "Estimate",
    "Interval",
    "Sample",
    "Sampled",
    "all_or_nothing_interval",
    "average",
    "bounded_interval",
    "correlation",
    "cut_interval",
    "difference",
    "effective_seeds",
    "finite_exp",
    "paired",
    "pooled",
    "ratio",
    "sampled",
    "skewness",
    "standard_error",
    "t_quantile",
    "trust_in_seeds",
]
