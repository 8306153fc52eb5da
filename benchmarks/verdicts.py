"""How often the verdict engine errs: claims of every kind, simulated with a known truth and judged at planned looks.

    python -m benchmarks.verdicts [COUNT] [--save]

The truth lies where an error is most likely: exactly on a boundary. There a claim is as little true as it is false, so
each *holds* and each *contradicted* is an error, and either may happen in 5 % of all claims at the most. Samples are
normal, log-normal and beta distributed, skewed as delivery ratios near 1 and times are. For how skewed times may be,
see ``roamcast.measuring.statistics.intervals``; the last line of the output says it as well.

The random numbers are not those of the tests, with which rules were tried. ``--save`` writes the table to
``benchmarks/results/VERSION-verdicts.json``.

The share of *untestable* claims is shown as well. It is an error only where unlimited seeds of ours would decide a
claim; where the truth of a printed number lies on a boundary, they would not.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version

import numpy as np
from numpy.typing import NDArray

from benchmarks.results import save
from benchmarks.verdict_samples import (
    FLOODING_SHARES,
    FRUGAL_SHARES,
    GOSSIP,
    PAPER_RUNS,
    SEEDS,
    TABLE,
    Draws,
    Rng,
    all_or_nothing,
    barely_testable,
    beta,
    correlated,
    costs,
    gossip,
    measured,
    measured_mean,
    paired_shares,
    parts_of_a_whole,
    pooled,
    printed_number,
    printed_share,
    printed_table,
    printed_with_failures,
    several,
    single_run,
    skewed,
    with_failures,
)
from roamcast.campaigns.cores import core_count
from roamcast.cli.options import positive
from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.statistics import Sample, Sampled
from roamcast.measuring.verdicts import (
    Band,
    Claim,
    Part,
    Ratio,
    Value,
    Verdict,
    above,
    at_least,
    at_most,
    below,
    factor,
    within,
)
from roamcast.measuring.verdicts.looks import look_at
from roamcast.papers.shared.claim_parts import (
    Row,
    combined_part,
    difference_part,
    formula_part,
    pooled_ratio_part,
    printed_part,
    ratio_part,
    share_part,
    value_part,
)
from roamcast.papers.shared.interpolation import interpolated

COUNT = 10_000
FIRST_SEED = 1_000
ERROR_MAX = 0.05
SIGMA_MAX = 1.2
"""The sigma of the most skewed log-normal times for which the promise is kept."""
SHARE, TIME, COST = "delivery_ratio", "latency_mean_s", "frames_per_delivery"
PASSES, FAILS = (Verdict.HOLDS, Verdict.EXCEEDED), (Verdict.CONTRADICTED,)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of claim whose truth lies on a boundary."""

    metric: str
    draw: Callable[[Rng], Draws]
    """The value of each seed at each point; for a pooled metric, a row of amounts and a row of bases."""
    parts: Callable[[Callable[[str], Row]], Sequence[Part]]
    """The numbers of the claim, from what was measured at each point."""
    errors: tuple[Verdict, ...] = (*PASSES, *FAILS)
    """The verdicts that are wrong."""


def _gossip_cost(values: Sequence[Sampled], delivery: Sampled | float) -> Sampled:
    return interpolated(values[:3], values[3:6], delivery)


def _gossip_rows(row: Callable[[str], Row]) -> list[Row]:
    return [row(f"{name} {what}") for what in ("delivery", "cost") for name in (*GOSSIP,)]


def _value(band: Band) -> Callable[[Callable[[str], Row]], Sequence[Part]]:
    return lambda row: [value_part("x", row("one"), band)]


def _difference(band: Band) -> Callable[[Callable[[str], Row]], Sequence[Part]]:
    return lambda row: [difference_part("x", row("one"), row("other"), band)]


def _ratio(band: Band) -> Callable[[Callable[[str], Row]], Sequence[Part]]:
    return lambda row: [ratio_part("x", row("one"), row("other"), band)]


def _each(count: int, band_of: Callable[[], object]) -> Callable[[Callable[[str], Row]], Sequence[Part]]:
    return lambda row: [
        difference_part(f"number {index}", row(f"one {index}"), row("other"), band_of())  # type: ignore[arg-type]
        for index in range(count)
    ]


def _pairs(row: Callable[[str], Row], points: int = 6) -> Sequence[tuple[Row, Row]]:
    return [(row(f"one {point}"), row(f"other {point}")) for point in range(points)]


def _printed(band: Band, number: str = "", runs: int = PAPER_RUNS) -> Callable[[Callable[[str], Row]], Sequence[Part]]:
    def parts(row: Callable[[str], Row]) -> Sequence[Part]:
        paper = row(f"paper{number}")
        return [] if paper is None else [printed_part(f"x{number}", row(f"one{number}"), paper.mean, runs, band)]

    return parts


def _table(row: Callable[[str], Row]) -> Sequence[Part]:
    return [part for index in range(len(TABLE)) for part in _printed(within(-0.10, 0.10), f" {index}")(row)]


KINDS: Mapping[str, Kind] = {
    "a factor at the lower end of its band": Kind(
        TIME, lambda rng: correlated(rng, 50), lambda row: [ratio_part("x", row("one"), row("other"), factor(50, 100))]
    ),
    "a factor of 1 that is said to be 50": Kind(
        TIME, lambda rng: correlated(rng, 1), lambda row: [ratio_part("x", row("one"), row("other"), factor(50, 100))]
    ),
    "a comparison of equals": Kind(
        TIME, lambda rng: correlated(rng, 1), lambda row: [ratio_part("x", row("one"), row("other"), below(1))]
    ),
    "a factor pooled over points": Kind(
        TIME, lambda rng: pooled(rng, 50), lambda row: [pooled_ratio_part("x", _pairs(row), factor(50, 100))]
    ),
    "a share": Kind(SHARE, lambda rng: beta(rng, 0.85, 8), lambda row: [value_part("x", row("one"), at_least(0.85))]),
    "a share near 1": Kind(
        SHARE, lambda rng: beta(rng, 0.97, 8), lambda row: [value_part("x", row("one"), at_least(0.97))]
    ),
    "a share that is mostly all": Kind(
        SHARE, lambda rng: beta(rng, 0.95, 2), lambda row: [value_part("x", row("one"), at_least(0.95))]
    ),
    "a share of all or nothing": Kind(SHARE, lambda rng: all_or_nothing(rng, 0.9), _value(at_least(0.9))),
    "a share, one run in twenty reaches nobody": Kind(
        SHARE, lambda rng: with_failures(rng, 0.6, 0.1, 0.05), _value(at_least(0.57))
    ),
    "a share, one run in ten reaches nobody": Kind(
        SHARE, lambda rng: with_failures(rng, 0.6, 0.1, 0.10), _value(at_least(0.54))
    ),
    "a share near 1, one run in 33 reaches nobody": Kind(
        SHARE, lambda rng: with_failures(rng, 0.96, 0.02, 1 / 33), _value(at_least(0.96 * 32 / 33))
    ),
    "a share near 1, one run in 100 reaches nobody": Kind(
        SHARE, lambda rng: with_failures(rng, 0.96, 0.02, 1 / 100), _value(at_least(0.96 * 0.99))
    ),
    "simple flooding's reliability, as measured": Kind(
        SHARE,
        lambda rng: {"one": measured(rng, FLOODING_SHARES)},
        _value(at_least(measured_mean(FLOODING_SHARES))),
    ),
    "Frugal's reliability, as measured": Kind(
        SHARE, lambda rng: {"one": measured(rng, FRUGAL_SHARES)}, _value(at_least(measured_mean(FRUGAL_SHARES)))
    ),
    "Frugal's below flooding's, as measured": Kind(
        SHARE,
        lambda rng: {"one": measured(rng, FRUGAL_SHARES), "other": measured(rng, FLOODING_SHARES)},
        _difference(at_least(measured_mean(FRUGAL_SHARES) - measured_mean(FLOODING_SHARES))),
    ),
    "a difference of shares, either may reach nobody": Kind(
        SHARE,
        lambda rng: {name: with_failures(rng, 0.96, 0.02, 1 / 33)["one"] for name in ("one", "other")},
        _difference(above(0.0)),
    ),
    "a difference of shares, one may reach nobody": Kind(
        SHARE,
        lambda rng: {
            "one": with_failures(rng, 0.96, 0.02, 1 / 33)["one"],
            "other": with_failures(rng, 0.90, 0.02, 0)["one"],
        },
        _difference(at_least(0.96 * 32 / 33 - 0.90)),
    ),
    "a share that one value is of another": Kind(
        COST, parts_of_a_whole, lambda row: [share_part("x", row("one"), row("other"), at_least(0.3))]
    ),
    "a number that the paper printed": Kind(SHARE, printed_number, _printed(within(-0.05, 0.05))),
    "a printed share near 1": Kind(SHARE, lambda rng: printed_share(rng, 0.95, 0.90), _printed(within(-0.05, 0.05))),
    "a printed share of all": Kind(SHARE, lambda rng: printed_share(rng, 1.00, 0.95), _printed(at_least(-0.05))),
    "a printed share, one run in 33 reaches nobody": Kind(
        SHARE, lambda rng: printed_with_failures(rng, 0.90, 0.96, 1 / 33), _printed(at_most(0.06 * 32 / 33))
    ),
    "the same, the paper's share is higher": Kind(
        SHARE, lambda rng: printed_with_failures(rng, 0.96, 0.90, 1 / 33), _printed(at_least(-0.06 * 32 / 33))
    ),
    "a printed number of a single run": Kind(SHARE, single_run, _printed(within(-0.10, 0.10), runs=1)),
    "a printed number that can just be tested": Kind(
        SHARE, barely_testable, _printed(within(-0.10, 0.10)), errors=(Verdict.UNTESTABLE,)
    ),
    "a table of printed numbers": Kind(SHARE, printed_table, _table),
    "a difference of shares near 1": Kind(
        SHARE,
        lambda rng: {"one": beta(rng, 0.94, 5)["one"], "other": beta(rng, 0.99, 20)["one"]},
        lambda row: [difference_part("x", row("one"), row("other"), within(-0.05, 0.05))],
    ),
    "a difference of shares that are mostly all": Kind(
        SHARE,
        lambda rng: {"one": beta(rng, 0.95, 2)["one"], "other": np.ones(SEEDS)},
        lambda row: [difference_part("x", row("one"), row("other"), within(-0.05, 0.05))],
    ),
    "a difference of shares, paired": Kind(
        SHARE, paired_shares, lambda row: [difference_part("x", row("one"), row("other"), above(0.0))]
    ),
    "a sum of four numbers": Kind(
        TIME,
        lambda rng: several(rng, [0.0] * 4),
        lambda row: [combined_part("x", [((-1.0) ** index, row(f"one {index}")) for index in range(4)], above(0))],
    ),
    "no difference, at the end of the band": Kind(
        TIME, lambda rng: several(rng, [0.2]), _each(1, lambda: within(-0.2, 0.2))
    ),
    "ten numbers, all without an effect": Kind(TIME, lambda rng: several(rng, [0.0] * 10), _each(10, lambda: above(0))),
    "ten numbers, one without an effect": Kind(
        TIME, lambda rng: several(rng, [0.0, *[2.0] * 9]), _each(10, lambda: above(0))
    ),
    "ten numbers that are all right": Kind(
        TIME, lambda rng: several(rng, [0.3] * 10), _each(10, lambda: above(0)), errors=FAILS
    ),
    "a time, sigma 0.5, at least": Kind(TIME, lambda rng: skewed(rng, 0.5), _value(at_least(1))),
    "a time, sigma 0.5, at most": Kind(TIME, lambda rng: skewed(rng, 0.5), _value(at_most(1))),
    "a time, sigma 1.0, at least": Kind(TIME, lambda rng: skewed(rng, 1), _value(at_least(1))),
    "a time, sigma 1.0, at most": Kind(TIME, lambda rng: skewed(rng, 1), _value(at_most(1))),
    "a time, sigma 1.2, at least": Kind(TIME, lambda rng: skewed(rng, SIGMA_MAX), _value(at_least(1))),
    "a time, sigma 1.2, at most": Kind(TIME, lambda rng: skewed(rng, SIGMA_MAX), _value(at_most(1))),
    "a ratio of times, sigma 1 each": Kind(TIME, lambda rng: skewed(rng, 1), _ratio(below(1))),
    "a ratio of times, sigma 1, correlation 0.8": Kind(
        TIME, lambda rng: skewed(rng, 1, shared=0.8**0.5), _ratio(below(1))
    ),
    "a time over an even one, sigma 1 and 0.3": Kind(TIME, lambda rng: skewed(rng, 1, 0.3), _ratio(below(1))),
    "a difference of times, sigma 0.5 and 0.3": Kind(TIME, lambda rng: skewed(rng, 0.5, 0.3), _difference(above(0))),
    "a difference of times, sigma 0.8 and 0.5": Kind(TIME, lambda rng: skewed(rng, 0.8, 0.5), _difference(above(0))),
    "a difference of times, sigma 1 and 0.5": Kind(TIME, lambda rng: skewed(rng, 1, 0.5), _difference(above(0))),
    "a cost pooled over seeds": Kind(COST, costs, _value(at_most(1))),
    "a cost pooled over uneven seeds": Kind(COST, lambda rng: costs(rng, sigma=1), _value(at_most(1))),
    "a ratio of pooled costs": Kind(COST, lambda rng: costs(rng, ("one", "other")), _ratio(below(1))),
    "a ratio of costs of uneven seeds": Kind(COST, lambda rng: costs(rng, ("one", "other"), 1), _ratio(below(1))),
    "an interpolated cost": Kind(
        COST,
        gossip,
        lambda row: [
            formula_part("x", _gossip_rows(row), lambda values: Value.of(_gossip_cost(values, 0.78)), at_least(4.8))
        ],
    ),
    "a cost over an interpolated one": Kind(
        COST,
        gossip,
        lambda row: [
            formula_part(
                "x",
                [*_gossip_rows(row), row("own delivery"), row("own cost")],
                lambda values: Ratio.of(values[7].log() - _gossip_cost(values, values[6]).log()),
                below(1),
            )
        ],
    ),
    "a formula: what is saved of a time": Kind(
        TIME,
        lambda rng: skewed(rng, 0.5),
        lambda row: [
            formula_part(
                "x", [row("one"), row("other")], lambda values: Value.of((values[1] - values[0]) / values[1]), above(0)
            )
        ],
    ),
}


def judge(kind: Kind, rng: Rng) -> Verdict:
    """Draw a claim of a kind and return its verdict after the planned looks."""
    rows = {name: _row(kind.metric, name, values) for name, values in kind.draw(rng).items()}

    def parts(measured: Measurements) -> Sequence[Part]:
        return kind.parts(lambda name: measured.find("simulated", kind.metric, {"point": name}))

    claim = Claim("simulated", "", "", "", (1,), parts)
    made = {row.place: range(1, SEEDS + 1) for row in rows.values()}
    return look_at([claim], Measurements(rows.values()), made, first_seed=1)[0].finding.verdict


def _row(metric: str, point: str, values: NDArray[np.float64]) -> Measurement:
    amounts, bases = values if values.ndim == 2 else (values, np.ones(SEEDS))
    columns = zip(amounts.tolist(), bases.tolist(), strict=True)
    samples = tuple(Sample(seed, *column) for seed, column in enumerate(columns, start=1))
    mean = float(amounts.sum() / bases.sum())
    return Measurement("simulated", {"point": point}, metric, mean, None, None, SEEDS, samples)


def error_rates(kind: Kind, count: int, seed: int) -> Mapping[Verdict, float]:
    """Return how often each verdict was given to claims of a kind."""
    rng = np.random.default_rng(seed)
    found = Counter(judge(kind, rng) for _ in range(count))
    return {verdict: found[verdict] / count for verdict in Verdict}


def false_rates(rates: Mapping[Verdict, float], kind: Kind) -> tuple[float, float, float]:
    """Return the shares of false *holds* (or exceeded), of false *contradicted* and of false *untestable*."""
    holds, contradicted, untestable = (
        sum(rates[verdict] for verdict in some if verdict in kind.errors)
        for some in (PASSES, FAILS, (Verdict.UNTESTABLE,))
    )
    return holds, contradicted, untestable


def _rates_of(name: str, count: int) -> Mapping[Verdict, float]:
    return error_rates(KINDS[name], count, seed=FIRST_SEED + list(KINDS).index(name))


def main(arguments: Sequence[str]) -> int:
    """Simulate all kinds, one process for each core, and print how often each was judged wrongly."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verdicts", description=main.__doc__)
    parser.add_argument("count", nargs="?", type=positive, default=COUNT, help="claims of each kind")
    parser.add_argument("--save", action="store_true", help="keep the table in benchmarks/results")
    options = parser.parse_args(arguments)
    count, worst, rows = options.count, 0.0, []
    print(f"{'of ' + format(count, ',') + ' claims each':45} false holds  false contradicted  untestable")
    with ProcessPoolExecutor(core_count()) as processes:
        found = processes.map(_rates_of, KINDS, [count] * len(KINDS))
        for (name, kind), rates in zip(KINDS.items(), found, strict=True):
            holds, contradicted, _ = false = false_rates(rates, kind)
            worst = max(worst, *false)
            untestable = rates[Verdict.UNTESTABLE]
            rows.append({"name": name, "holds": holds, "contradicted": contradicted, "untestable": untestable})
            print(f"{name:45} {holds:11.2%}  {contradicted:18.2%}  {untestable:10.2%}", flush=True)
    print(f"The worst is {worst:.2%}; at most {ERROR_MAX:.0%} are allowed.")
    print(f"This holds for log-normal times up to a sigma of {SIGMA_MAX:g}; more skewed ones err more often.")
    if options.save:
        head = {"version": version("roamcast"), "date": datetime.now(UTC).date().isoformat(), "claims_of_each": count}
        print(save({**head, "kinds": rows}, part="verdicts"))
    return int(worst > ERROR_MAX)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
