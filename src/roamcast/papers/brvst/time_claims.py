"""The BRVST paper's claims about matching times and the grid size (figures 6 and 7), with tolerances."""

from collections.abc import Sequence
from itertools import pairwise
from math import inf

from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Claim, Part, above, at_least, below
from roamcast.papers.brvst.curves import (
    BRVST,
    DRIP,
    GRID,
    MATCHED,
    NODE_STORAGE,
    PER_MATCH,
    PUBLICATION_TIME,
    PUBLICATIONS,
    RISES,
    SIMILAR,
    SPEED,
    SUBSCRIPTION_TIME,
    SUBSCRIPTIONS,
    TIME,
    ends_of,
    values_of,
)
from roamcast.papers.shared.claim_parts import (
    combined_part,
    difference_part,
    if_measured,
    limits,
    ratio_part,
    value_part,
)
from roamcast.papers.shared.curves import Curve, row_at, rows_along

Sweep = tuple[str, str, str]
"""A sweep, its axis, and the words for its points."""
BY_SUBSCRIPTIONS: Sweep = ("subscriptions", SUBSCRIPTIONS, "subscriptions a minute")
BY_PUBLICATIONS: Sweep = ("publications", PUBLICATIONS, "publications a minute")
BY_SPEED: Sweep = ("speed", SPEED, "m/s")
DEFINITION = (
    "Time is measured to the first delivery, so only what found a match has one; therefore at least four fifths of "
    "what DRIP delivers must be delivered as well."
)


def time_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (*_load_claims(), *_speed_claims(), *_grid_claims())


def _both(measured: Measurements, *parts: Sequence[Part]) -> Sequence[Part]:
    """Return the parts of both sweeps of figure 6, if one of them was run."""
    is_measured = measured.has("subscriptions") or measured.has("publications")
    return [part for some in parts for part in some] if is_measured else []


def _below_drip(measured: Measurements, sweep: Sweep, metric: str) -> Sequence[Part]:
    """Return the ratio of BRVST's time to DRIP's at every point, and a check that it delivers as much."""
    name, axis, words = sweep
    values = values_of(measured, name, axis)
    judged = [
        ratio_part(
            f"{value:g} {words}: BRVST over DRIP",
            row_at(measured, name, metric, BRVST, axis, value),
            row_at(measured, name, metric, DRIP, axis, value),
            below(1),
        )
        for value in values
    ]
    return [*judged, *_delivers(measured, sweep)] or [Part.missing(words)]


def _delivers(measured: Measurements, sweep: Sweep) -> Sequence[Part]:
    """Return the share of DRIP's pairs that BRVST delivers, since a protocol that delivers little can be fast."""
    name, axis, words = sweep
    return [
        ratio_part(
            f"{value:g} {words}: delivered, BRVST over DRIP",
            row_at(measured, name, MATCHED, BRVST, axis, value),
            row_at(measured, name, MATCHED, DRIP, axis, value),
            at_least(1 - SIMILAR),
        )
        for value in values_of(measured, name, axis)
    ]


def _grows_less(measured: Measurements, sweep: Sweep, metric: str) -> Sequence[Part]:
    """Return how much more BRVST's time grows than DRIP's, and that it grows, by less than the rate does."""
    name, axis, words = sweep
    first, last = ends_of(measured, name, metric, BRVST, axis)
    other_first, other_last = ends_of(measured, name, metric, DRIP, axis)
    terms = [(1.0, last), (-1.0, first), (-1.0, other_last), (1.0, other_first)]
    values = values_of(measured, name, axis)
    rate = values[-1] / values[0] if len(values) > 1 and values[0] else inf
    return [
        combined_part(f"{words}: BRVST's rise less DRIP's", terms, below(0)),
        ratio_part(f"{words}: BRVST, highest over lowest rate", last, first, limits(1, rate)),
    ]


def _falls(measured: Measurements, sweep: Sweep, metric: str) -> Sequence[Part]:
    name, axis, words = sweep
    return [
        ratio_part(f"{words}: {curve.label}, highest over lowest rate", last, first, below(1))
        for curve in (BRVST, DRIP)
        for first, last in [ends_of(measured, name, metric, curve, axis)]
    ]


def _load_claims() -> Sequence[Claim]:
    return (
        Claim(
            "publication-time",
            "V-A, figure 6-i",
            "A publication is matched sooner than with DRIP under all settings",
            "sooner at every rate of subscriptions and of publications",
            (6,),
            lambda measured: _both(
                measured,
                _below_drip(measured, BY_SUBSCRIPTIONS, PUBLICATION_TIME),
                _below_drip(measured, BY_PUBLICATIONS, PUBLICATION_TIME),
            ),
            choice=DEFINITION,
        ),
        Claim(
            "subscription-time",
            "V-A, figure 6-ii",
            "A subscription is matched sooner than with DRIP under all settings",
            "sooner at every rate of publications and of subscriptions",
            (6,),
            lambda measured: _both(
                measured,
                _below_drip(measured, BY_PUBLICATIONS, SUBSCRIPTION_TIME),
                _below_drip(measured, BY_SUBSCRIPTIONS, SUBSCRIPTION_TIME),
            ),
            choice=DEFINITION,
        ),
        Claim(
            "time-falls",
            "V-A, figures 6-i(a), ii(a)",
            "The more subscriptions, the sooner a publication is matched, and the other way round",
            "sooner at the highest rate than at the lowest, with both schemes",
            (6,),
            lambda measured: _both(
                measured,
                _falls(measured, BY_SUBSCRIPTIONS, PUBLICATION_TIME),
                _falls(measured, BY_PUBLICATIONS, SUBSCRIPTION_TIME),
            ),
        ),
        Claim(
            "time-grows",
            "V-A, figures 6-i(b), ii(b)",
            "With more of its own kind a message is matched later: sub-linearly with BRVST, much more so with DRIP",
            "longer at the highest rate than at the lowest, by less than the rate's factor and by less than DRIP's",
            (6,),
            lambda measured: _both(
                measured,
                _grows_less(measured, BY_PUBLICATIONS, PUBLICATION_TIME),
                _grows_less(measured, BY_SUBSCRIPTIONS, SUBSCRIPTION_TIME),
            ),
        ),
    )


def _change(measured: Measurements, curve: Curve, low: float = -inf, high: float = inf) -> Part:
    first, last = ends_of(measured, "speed", TIME, curve, SPEED)
    return ratio_part(f"{curve.label}, highest over lowest speed", last, first, limits(low, high))


def _beside(measured: Measurements, curve: Curve) -> Sequence[Part]:
    """Return the deliveries, and the time of publications alone: the time of all is mostly that of subscriptions."""
    return [
        value_part(f"not judged: {curve.label} {word}, {float(row.point[SPEED]):g} m/s", row)
        for word, metric in (("delivered", MATCHED), ("publications' time", PUBLICATION_TIME))
        for row in rows_along(measured, "speed", metric, curve, SPEED)
    ]


def _speed_claims() -> Sequence[Claim]:
    return (
        Claim(
            "speed-time",
            "V-A, figure 7(a)",
            "A message is matched sooner than with DRIP at every speed",
            "sooner at every speed",
            (7,),
            if_measured("speed", lambda measured: _below_drip(measured, BY_SPEED, TIME)),
            choice=DEFINITION,
        ),
        Claim(
            "mobility-stable",
            "V-A, figure 7(a)",
            "BRVST's matching time is stable up to 20 m/s",
            "at the highest speed at most a fifth above that at the lowest",
            (7,),
            if_measured(
                "speed",
                lambda measured: [_change(measured, BRVST, high=1 + SIMILAR), *_beside(measured, BRVST)],
            ),
        ),
        Claim(
            "mobility-drip",
            "V-A, figure 7(a)",
            "DRIP's matching time increases significantly with the speed",
            "at the highest speed more than half as much again as at the lowest",
            (7,),
            if_measured("speed", lambda measured: [_change(measured, DRIP, low=RISES), *_beside(measured, DRIP)]),
        ),
    )


def _first_falls_then_rises(measured: Measurements) -> Sequence[Part]:
    """Return how much longer the smallest and the largest grids take than the next size."""
    rows = rows_along(measured, "grids", TIME, BRVST, GRID)
    if len(rows) < 3:
        return [Part.missing("grid sizes")]
    return [
        difference_part(f"time at {float(row.point[GRID]):g} m less {float(near.point[GRID]):g} m", row, near, above(0))
        for row, near in ((rows[0], rows[1]), (rows[-1], rows[-2]))
    ]


def _steps_down(measured: Measurements, metric: str, word: str) -> Sequence[Part]:
    rows = rows_along(measured, "grids", metric, BRVST, GRID)
    return [
        ratio_part(f"{word}, {float(larger.point[GRID]):g} over {float(row.point[GRID]):g} m", larger, row, below(1))
        for row, larger in pairwise(rows)
    ] or [Part.missing(word)]


def _grid_claims() -> Sequence[Claim]:
    return (
        Claim(
            "grid-time",
            "V-A, figure 7(b)",
            "The matching time first falls with the grid size and then rises",
            "longer with the smallest grids than with the next size, and with the largest than with the size before",
            (7,),
            if_measured("grids", _first_falls_then_rises),
        ),
        Claim(
            "grid-costs",
            "V-B, figure 7(b)",
            "The larger the grids, the less a node stores on average, and the less traffic a match takes",
            "less with each larger size",
            (7,),
            if_measured(
                "grids",
                lambda measured: [
                    *_steps_down(measured, NODE_STORAGE, "storage"),
                    *_steps_down(measured, PER_MATCH, "traffic for a match"),
                ],
            ),
        ),
    )
