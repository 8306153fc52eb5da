"""How often the verdict engine errs: claims of every kind, simulated with a known truth and judged at planned looks.

    python -m benchmarks.verdicts [COUNT]

The truth lies where an error is most likely: exactly on a boundary. There a claim is as little true as it is false, so
each *holds* and each *contradicted* is an error, and either may happen in 5 % of all claims at the most. Samples are
normal, log-normal and beta distributed, skewed as delivery ratios near 1 and times are. For how skewed times may be,
see ``roamcast.measuring.statistics.intervals``; the last line of the output says it as well.

The share of *untestable* claims is shown as well. It is an error only where unlimited seeds of ours would decide a
claim; where the truth of a printed number lies on a boundary, they would not.
"""

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

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
from roamcast.measuring.verdicts.looks import LOOKS, look_at
from roamcast.papers.hint_driven.equal_delivery import interpolated
from roamcast.papers.shared.claim_parts import (
    Row,
    difference_part,
    formula_part,
    pooled_ratio_part,
    printed_part,
    ratio_part,
    value_part,
)

COUNT = 10_000
ERROR_MAX = 0.05
SIGMA_MAX = 1.2
"""The sigma of the most skewed log-normal times for which the promise is kept; with 1.5, about 6 % err."""
SEEDS = LOOKS.seeds[-1]
PAPER_RUNS = 30
"""How many runs a printed number is the mean of."""
SHARE, TIME, COST = "delivery_ratio", "latency_mean_s", "frames_per_delivery"
PASSES, FAILS = (Verdict.HOLDS, Verdict.EXCEEDED), (Verdict.CONTRADICTED,)

Draws = Mapping[str, NDArray[np.float64]]
Rng = np.random.Generator


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


def correlated(rng: Rng, scale: float = 1.0) -> Draws:
    """Draw two positive values per seed that go up and down together, one ``scale`` times the other."""
    shared = rng.normal(0, 0.4, SEEDS)
    return {
        "one": scale * np.exp(shared + rng.normal(0, 0.3, SEEDS)),
        "other": np.exp(shared + rng.normal(0, 0.3, SEEDS)),
    }


def pooled(rng: Rng, scale: float, points: int = 6) -> Draws:
    """Draw such pairs at several points, half of them a good deal above and half below."""
    found: dict[str, NDArray[np.float64]] = {}
    for point in range(points):
        pair = correlated(rng, scale * (1.5 if point % 2 else 1 / 1.5))
        found[f"one {point}"], found[f"other {point}"] = pair["one"], pair["other"]
    return found


def beta(rng: Rng, mean: float, concentration: float) -> Draws:
    """Draw shares with a mean; the lower the concentration, the more of them are nearly 0 or 1."""
    return {"one": rng.beta(mean * concentration, (1 - mean) * concentration, SEEDS)}


def paired_shares(rng: Rng) -> Draws:
    """Draw two shares far from their bounds that go up and down together and are equal on average."""
    shared = rng.normal(0, 0.1, SEEDS)
    return {name: np.clip(0.6 + shared + rng.normal(0, 0.05, SEEDS), 0, 1) for name in ("one", "other")}


def several(rng: Rng, means: Sequence[float]) -> Draws:
    """Draw differences with these means and a standard deviation of 1, and a value to subtract."""
    drawn = {f"one {index}": 50 + rng.normal(mean, 1, SEEDS) for index, mean in enumerate(means)}
    return {**drawn, "other": np.full(SEEDS, 50.0)}


def printed_number(rng: Rng) -> Draws:
    """Draw our seeds and the paper's thirty runs of a value that is five points away from ours."""
    return {"one": rng.normal(0.70, 0.1, SEEDS), "paper": np.full(SEEDS, rng.normal(0.65, 0.1, PAPER_RUNS).mean())}


def printed_share(rng: Rng, paper: float, own: float) -> Draws:
    """Draw our seeds of a share and the mean of the paper's thirty runs of it, skewed alike; its truth may be all."""
    runs = rng.beta(paper * 8, (1 - paper) * 8, PAPER_RUNS) if paper < 1 else np.ones(PAPER_RUNS)
    return {**beta(rng, own, 8), "paper": np.full(SEEDS, runs.mean())}


def barely_testable(rng: Rng) -> Draws:
    """Draw our seeds of a value so far from the end of its band, 0.10, as the error of the paper's runs alone reaches.

    Unlimited seeds would just decide it, whatever the paper printed; ours seem to be nearer to the end now and then.
    """
    reach = NormalDist().inv_cdf(1 - LOOKS.errors[-1] / 2) * 0.1 / sqrt(PAPER_RUNS)
    return {"one": rng.normal(0.65 + 0.10 - reach, 0.1, SEEDS), "paper": np.full(SEEDS, 0.65)}


def single_run(rng: Rng) -> Draws:
    """Draw our seeds of a value and a single run of the paper's, which is ten points away on average."""
    return {"one": rng.normal(0.70, 0.03, SEEDS), "paper": np.full(SEEDS, rng.normal(0.60, 0.03))}


TABLE = (0.55, 0.60, 0.65, 0.70, 0.75)
"""The truth of a table that the paper printed; our value of the first one is ten points higher."""


def printed_table(rng: Rng) -> Draws:
    """Draw our seeds of five values, the first at the end of its band, and the means of the paper's thirty runs."""
    found: dict[str, NDArray[np.float64]] = {}
    for index, truth in enumerate(TABLE):
        found[f"one {index}"] = rng.normal(truth + (0 if index else 0.10), 0.1, SEEDS)
        found[f"paper {index}"] = np.full(SEEDS, rng.normal(truth, 0.1, PAPER_RUNS).mean())
    return found


def skewed(rng: Rng, sigma: float, other_sigma: float | None = None, shared: float = 0.8) -> Draws:
    """Draw two log-normal times with a mean of 1 that go up and down together."""
    together, alone = rng.normal(0, shared, SEEDS), sqrt(1 - shared**2)
    return {
        name: np.exp(each * (together + rng.normal(0, alone, SEEDS)) - each**2 / 2)
        for name, each in (("one", sigma), ("other", sigma if other_sigma is None else other_sigma))
    }


def costs(rng: Rng, names: Sequence[str] = ("one",), sigma: float = 0.5) -> Draws:
    """Draw frames and deliveries: seeds with more of these have more of those, about one for each, in every network."""
    deliveries = np.exp(rng.normal(0, sigma, SEEDS))
    return {
        name: np.stack(
            [deliveries * np.exp(rng.normal(0, 0.4, SEEDS) - 0.08), deliveries * rng.uniform(0.9, 1.1, SEEDS)]
        )
        for name in names
    }


GOSSIP = {"low": (0.5, 3.0), "middle": (0.7, 4.0), "high": (0.85, 5.5)}
"""The delivery and the cost of a gossip with three probabilities; it costs 4.8 where it delivers 0.78."""


def gossip(rng: Rng) -> Draws:
    """Draw a gossip's deliveries and costs, and those of something that is as dear where it delivers as much."""
    luck = rng.normal(0, 1, SEEDS)
    found: dict[str, NDArray[np.float64]] = {}
    for name, (delivery, cost) in {**GOSSIP, "own": (0.78, 4.8)}.items():
        found[f"{name} delivery"] = np.clip(delivery + 0.05 * luck + rng.normal(0, 0.03, SEEDS), 0, 1)
        found[f"{name} cost"] = cost * np.exp(rng.normal(0, 0.4, SEEDS) - 0.2 * luck - 0.1)
    return found


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
    "a number that the paper printed": Kind(SHARE, printed_number, _printed(within(-0.05, 0.05))),
    "a printed share near 1": Kind(SHARE, lambda rng: printed_share(rng, 0.95, 0.90), _printed(within(-0.05, 0.05))),
    "a printed share of all": Kind(SHARE, lambda rng: printed_share(rng, 1.00, 0.95), _printed(at_least(-0.05))),
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


def main(arguments: Sequence[str]) -> int:
    """Simulate all kinds and print how often each was judged wrongly."""
    count = int(arguments[0]) if arguments else COUNT
    worst = 0.0
    print(f"{'of ' + format(count, ',') + ' claims each':45} false holds  false contradicted  untestable")
    for seed, (name, kind) in enumerate(KINDS.items()):
        rates = error_rates(kind, count, seed)
        holds, contradicted, _ = false = false_rates(rates, kind)
        worst = max(worst, *false)
        print(f"{name:45} {holds:11.2%}  {contradicted:18.2%}  {rates[Verdict.UNTESTABLE]:10.2%}", flush=True)
    print(f"The worst is {worst:.2%}; at most {ERROR_MAX:.0%} are allowed.")
    print(f"This holds for log-normal times up to a sigma of {SIGMA_MAX:g}; more skewed ones err more often.")
    return int(worst > ERROR_MAX)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
