"""The BRVST paper's claims about the nodes' speed and the size of grids: sections V-A and V-B, figure 7."""

from collections.abc import Sequence
from itertools import pairwise

from roamcast.campaigns.paired_messages import PAIRED
from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Claim, Part, above, at_least, at_most, below
from roamcast.papers.brvst.curves import (
    BRVST,
    DELAY,
    DRIP,
    GRID,
    MUCH_LESS,
    NODE_STORAGE,
    PER_MATCH,
    RISES,
    SLOW,
    SPEED,
    ends_of,
)
from roamcast.papers.brvst.shapes import ever_faster, growth_ratio
from roamcast.papers.brvst.time_claims import BEYOND, KNOWN, MUCH_SHORTER, PAIRED_MEANS, Sweep, over_drip
from roamcast.papers.shared.claim_parts import difference_part, if_measured, ratio_part
from roamcast.papers.shared.curves import Curve, rows_along

BY_SPEED = Sweep("speed", SPEED, "m/s")
FAST_MPS = 10.0
"""Section V-A: "when the average moving speed is higher than 10m/s"."""
ALL_EQUAL = 'All nodes have the speed that the paper calls "average".'


def mobility_claims() -> Sequence[Claim]:
    """Return the claims of figure 7(a) in the paper's order."""
    return (
        Claim(
            "speed-time",
            "V-A, figure 7(a)",
            "A message is matched in a much shorter time than with DRIP at every speed",
            "at most half of DRIP's time at every speed",
            (7,),
            if_measured("speed", lambda measured: over_drip(measured, BY_SPEED, DELAY, MUCH_SHORTER)),
            choice=f'The sentence, "under all test scenarios", stands before figure 7. {PAIRED_MEANS} {ALL_EQUAL}',
            sweeps=("speed",),
            replaces=("speed-time",),
            after_results=KNOWN,
        ),
        Claim(
            "mobility-drip",
            "V-A, figure 7(a)",
            "DRIP's matching time increases significantly with the speed",
            "at 20 m/s at least half as much again as at rest",
            (7,),
            if_measured("speed", _drip_rises),
            choice=f"{BEYOND} {ALL_EQUAL}",
            sweeps=("speed",),
            replaces=("mobility-drip",),
            after_results=KNOWN,
        ),
        Claim(
            "mobility-drip-fast",
            "V-A, figure 7(a)",
            "DRIP's delay becomes more severe above 10 m/s",
            "it rises by more for each m/s from 10 to 20 than from 0 to 10 m/s",
            (7,),
            if_measured("speed", lambda measured: [ever_faster(measured, "speed", DELAY, DRIP, SPEED, FAST_MPS)]),
            choice=f"{BEYOND} {ALL_EQUAL}",
            sweeps=("speed",),
        ),
        Claim(
            "mobility-stable",
            "V-A, figure 7(a)",
            "BRVST's performance is much more stable than DRIP's as the speed rises",
            "from rest to 20 m/s its time grows by at most half of DRIP's factor",
            (7,),
            if_measured("speed", _more_stable),
            choice=f"{PAIRED_MEANS} {ALL_EQUAL}",
            sweeps=("speed",),
            replaces=("mobility-stable",),
            after_results="An earlier encoding asked for 1.2 times BRVST's time at rest, which the text does not say.",
        ),
    )


def _drip_rises(measured: Measurements) -> Sequence[Part]:
    first, last = ends_of(measured, "speed", DELAY, DRIP, SPEED)
    own_first, own_last = ends_of(measured, "speed", DELAY, BRVST, SPEED)
    return [
        ratio_part("DRIP, highest over lowest speed", last, first, at_least(RISES, no_effect=1.0)),
        ratio_part("not judged: BRVST, highest over lowest speed", own_last, own_first),
    ]


def _more_stable(measured: Measurements) -> Sequence[Part]:
    band = at_most(MUCH_LESS, no_effect=1.0)
    return [growth_ratio(measured, "speed", DELAY + PAIRED, (BRVST, DRIP), SPEED, band)]


def grid_claims() -> Sequence[Claim]:
    """Return the claims of figure 7(b) in the paper's order."""
    return (
        Claim(
            "grid-time",
            "V-A, figure 7(b)",
            "The matching time first falls with the grid size and then rises",
            "longer with the smallest grids than with the next size, and with the largest than with the size before",
            (7,),
            if_measured("grids", _first_falls_then_rises),
            choice=f"{BEYOND} The paper names the comparison of filters as one cause of the rise; it is shown beside "
            "with 0.1 ms for each, and judged so under the reading filter-time.",
            sweeps=("grids",),
            replaces=("grid-time",),
        ),
        Claim(
            "grid-costs",
            "V-B, figure 7(b)",
            "The larger the grids, the less a node stores on average, and the less traffic a match takes",
            "less with each larger size; by how much, the paper does not say",
            (7,),
            if_measured(
                "grids",
                lambda measured: [
                    *_steps_down(measured, NODE_STORAGE, "storage"),
                    *_steps_down(measured, PER_MATCH, "traffic for a match"),
                ],
            ),
            choice="Traffic is all that was sent, as the text counts the overhead of nodes that change their grid.",
            sweeps=("grids",),
            replaces=("grid-costs",),
        ),
    )


def _first_falls_then_rises(measured: Measurements) -> Sequence[Part]:
    """Return how much longer the smallest and the largest grids take than the next size."""
    if len(rows_along(measured, "grids", DELAY, BRVST, GRID)) < 3:
        return [Part.missing("grid sizes")]
    return [*_turns(measured, BRVST, is_judged=True), *_turns(measured, SLOW, is_judged=False)]


def _turns(measured: Measurements, curve: Curve, *, is_judged: bool) -> Sequence[Part]:
    rows = rows_along(measured, "grids", DELAY, curve, GRID)
    note, band = ("", above(0)) if is_judged else ("not judged: ", None)
    return [
        difference_part(
            f"{note}{curve.label}, time at {float(row.point[GRID]):g} m less {float(near.point[GRID]):g} m",
            row,
            near,
            band,
        )
        for row, near in ([(rows[0], rows[1]), (rows[-1], rows[-2])] if len(rows) > 1 else ())
    ]


def _steps_down(measured: Measurements, metric: str, word: str) -> Sequence[Part]:
    rows = rows_along(measured, "grids", metric, BRVST, GRID)
    return [
        ratio_part(f"{word}, {float(larger.point[GRID]):g} over {float(row.point[GRID]):g} m", larger, row, below(1))
        for row, larger in pairwise(rows)
    ] or [Part.missing(word)]
