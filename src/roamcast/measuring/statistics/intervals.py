"""Intervals by Student's t that stay where values are possible.

- A value with two bounds, a share say, has two intervals to choose between. One is Student's on the logit scale; it
  trusts the seeds to show how far they vary. The other trusts nothing: it is that of seeds which are all or nothing, as
  wide as any distribution can need. Seeds at a bound do not show how far they vary, nor does a single one off it:
  (1, 1, 1, 1, 0.999) says hardly more than five times 1. For a value ``m`` away from its nearer bound, with the
  standard error ``e``, ``(m / e)^2`` is about the number of seeds off the bound. Up to 4 the interval is the wide one,
  from 16 on it is Student's, and in between its ends pass from one to the other: with less, shares that are mostly 1
  and sometimes far below would look better than they are more often than the interval says. It never exceeds the wide
  one, which Student's would with two or three seeds. So an interval far from a bound can be narrower than one at it:
  there the seeds show their scale, here they do not.
- A value with one bound, a time or a count, has its interval on the log scale, while the plain interval does not touch
  the bound. Where it does, the logarithm of a value that is so uncertain is of no use (two seeds would give a factor of
  hundreds), and the plain interval is cut at the bound instead.
- Any other value has the plain interval, cut where no value can be.

Student's t takes seeds to lie as far above their mean as below it. Times do not: most are a little below, a few far
above, and a campaign that missed these has a mean that is too low and a standard error that is too small. So on the
side of the longer tail, an interval begins not at the value but beyond it, by what the seeds' skewness adds to the
quantile of t: the first two terms of its expansion in Hall (1992), of which the first is the correction of Johnson
(1978). The other side is not shortened, since few seeds may show a skewness that is not there.

Where seeds count unequally, as in a cost that is pooled over deliveries, ``seeds`` is the number of equal ones that
would say as much: Student's t is then that of so many, and so is what skewness adds.

The limit: at the planned looks, claims on log-normal times err in less than 5 % up to a sigma of 1.2 (Student's t alone
errs in 12 % with 1), and so do claims on their ratios and differences and on costs pooled over
log-normal bases, up to a sigma of 1. Of a longer tail ten seeds show too little for any correction.

The same is true of a share that is nearly always the same and sometimes nothing, because a publisher is alone: ten
seeds that all missed such a run look sure. So a caller may ask for an interval that allows for ``unseen`` more seeds at
either bound, as claims do. ``python -m benchmarks.verdicts`` has the figures, of measured shares as well.
"""

from math import exp, hypot, isfinite, sqrt

from roamcast.measuring.statistics.bounds import UNBOUNDED, Bounds
from roamcast.measuring.statistics.quantiles import ERROR, beta_quantile, normal_quantile, t_quantile

Interval = tuple[float, float]

ROOM_MIN = 1e-9
"""A share that is nearer to its bound is at it: the rest is rounding."""
OFF_BOUND_NONE, OFF_BOUND_ENOUGH = 4.0, 16.0
"""With so many seeds off the bound, how far seeds vary is not known at all, and well enough for Student's t."""
SKEWNESS_FACTOR = 2.0
"""How many times their own skewness the seeds are taken to have, since few seeds show too little of it: ten log-normal
ones of sigma 1 have a skewness of 1.2 on average, and their distribution one of 6.2. The price is that the interval of
ten normal seeds is a fifth wider than Student's."""
SKEWNESS_SEEDS_MIN = 5
"""Fewer seeds are not asked for their skewness: allowing for it would prevent a tenth of the misses of log-normal times
of sigma 1 with three seeds and a sixth with four, but two fifths with ten."""
EXPONENT_MAX = 700.0
"""Its power of e is still a number."""


def bounded_interval(
    value: float,
    standard_error: float,
    seeds: float,
    bounds: Bounds = UNBOUNDED,
    error: float = ERROR,
    skewness: float = 0.0,
    unseen: float = 0.0,
) -> Interval:
    """Return the interval of a value on the scale that its bounds ask for.

    ``skewness`` is that of the seeds. A value with two bounds allows for ``unseen`` more seeds at either.
    """
    margin = t_quantile(seeds - 1, error) * standard_error
    if not bounds.low <= value <= bounds.high:  # rounding, or bounds that are not right
        return value - margin, value + margin
    if isfinite(bounds.low) and isfinite(bounds.high):
        shown = _share_interval(value, standard_error, seeds, bounds, error, skewness)
        return shown if unseen == 0 else _with_unseen(shown, value, seeds, bounds, error, unseen)
    below, above = _beyond(value, standard_error, seeds, error, skewness)
    if isfinite(bounds.low) and bounds.low < below - margin:
        factor = exp(margin / (value - bounds.low))
        return bounds.low + (below - bounds.low) / factor, bounds.low + (above - bounds.low) * factor
    return cut_interval(value, standard_error, seeds, bounds, error, skewness)


def cut_interval(
    value: float,
    standard_error: float,
    seeds: float,
    bounds: Bounds = UNBOUNDED,
    error: float = ERROR,
    skewness: float = 0.0,
) -> Interval:
    """Return the plain interval, cut at the bounds; ``skewness`` is that of the value's seeds."""
    margin = t_quantile(seeds - 1, error) * standard_error
    below, above = _beyond(value, standard_error, seeds, error, skewness)
    return min(max(below - margin, bounds.low), value), max(min(above + margin, bounds.high), value)


def _beyond(value: float, standard_error: float, seeds: float, error: float, skewness: float) -> Interval:
    """Return where the two sides of an interval begin: at the value, or beyond it where the longer tail is."""
    known = min(1.0, max(0.0, seeds - SKEWNESS_SEEDS_MIN + 1))
    normal, skew = normal_quantile(error), SKEWNESS_FACTOR * known * abs(skewness) / sqrt(seeds)
    terms = skew * (2 * normal**2 + 1) / 6, 5 * skew**2 * normal * (4 * normal**2 - 1) / 72
    shift = sum(terms) * standard_error
    return (value, value + shift) if skewness > 0 else (value - shift, value)


def _share_interval(
    value: float, standard_error: float, seeds: float, bounds: Bounds, error: float, skewness: float
) -> Interval:
    """Return the interval of a value between two bounds, as this module's docstring says."""
    width = bounds.high - bounds.low
    share, share_error = (value - bounds.low) / width, standard_error / width
    margin = t_quantile(seeds - 1, error) * share_error
    trust = trust_in_seeds(value, standard_error, bounds)
    below, above = _beyond(share, share_error, seeds, error, skewness)
    low, high = 0.0, 1.0
    if trust < 1 or margin + above - below > sqrt(share * (1 - share) / seeds):  # else the wide one is surely wider
        low, high = all_or_nothing_interval(share, seeds, error)
    if trust > 0:
        own_low, own_high = _logit_interval(share, margin)
        own_low, own_high = own_low - (share - below), own_high + (above - share)
        low, high = low + trust * max(0.0, own_low - low), high - trust * max(0.0, high - own_high)
    return max(bounds.low, min(bounds.low + width * low, value)), min(
        bounds.high, max(bounds.low + width * high, value)
    )


def _with_unseen(shown: Interval, value: float, seeds: float, bounds: Bounds, error: float, unseen: float) -> Interval:
    """Return an interval that allows for more seeds at either bound; it is never wider than that of all or nothing.

    Such seeds would move the mean towards the bound by their share of the distance. That pull is one more standard
    error, of a cause of its own: the root of the sum of squares is taken.
    """
    pull, width = t_quantile(seeds - 1, error) * unseen / (seeds + unseen), bounds.high - bounds.low
    low = value - hypot(value - shown[0], pull * (value - bounds.low))
    high = value + hypot(shown[1] - value, pull * (bounds.high - value))
    widest = all_or_nothing_interval((value - bounds.low) / width, seeds, error)
    return max(low, min(shown[0], bounds.low + width * widest[0])), min(
        high, max(shown[1], bounds.low + width * widest[1])
    )


def trust_in_seeds(value: float, standard_error: float, bounds: Bounds) -> float:
    """Tell how far the seeds of a value show how they vary: 1 far from its bounds, 0 at one of them."""
    width = bounds.high - bounds.low
    if not isfinite(width):
        return 1.0
    room = min(value - bounds.low, bounds.high - value) / width
    if room < ROOM_MIN:
        return 0.0
    if room * width >= sqrt(OFF_BOUND_ENOUGH) * standard_error:
        return 1.0
    off_bound = (room * width / standard_error) ** 2
    return max(0.0, (off_bound - OFF_BOUND_NONE) / (OFF_BOUND_ENOUGH - OFF_BOUND_NONE))


def _logit_interval(share: float, margin: float) -> Interval:
    """Return Student's interval of a share on the logit scale, from half of the plain one."""
    factor = finite_exp(margin / (share * (1 - share)))
    return share / (share + (1 - share) * factor), share / (share + (1 - share) / factor)


def finite_exp(exponent: float) -> float:
    """Return e to some power, or the nearest that is neither zero nor infinite."""
    return exp(min(max(exponent, -EXPONENT_MAX), EXPONENT_MAX))


def all_or_nothing_interval(share: float, seeds: float, error: float = ERROR) -> Interval:
    """Return the interval of a mean share of some seeds, whatever their distribution.

    Of all quantities between 0 and 1 with a given mean, the one that is always 0 or 1 varies the most. So the interval
    of Clopper and Pearson (1934) for ``n`` seeds with ``n * share`` successes holds whatever the seeds' distribution
    is: its ends are quantiles of beta distributions, which exist for a fraction of a success as well.

    A truth beyond the near bound is impossible. So the end at that bound needs no part of the error while nothing has
    fallen short, and its usual half once shortfalls add up to a whole seed. With all seeds at the bound, the other end
    is where ``n`` successes have a probability of 5 %: ``0.05^(1/n)``, the rule of three.
    """
    if share > 0.5:
        low, high = all_or_nothing_interval(1 - share, seeds, error)
        return 1 - high, 1 - low
    hits, misses = seeds * share, seeds * (1 - share)
    error_below = error / 2 * min(1.0, hits)
    low = beta_quantile(error_below, hits, misses + 1) if error_below > 0 else 0.0
    return low, beta_quantile(1 - (error - error_below), hits + 1, misses)
