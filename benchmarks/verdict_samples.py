"""Samples with a known truth, for claims that the verdict engine is tried on: ``python -m benchmarks.verdicts``."""

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from roamcast.measuring.verdicts.looks import LOOKS

SEEDS = LOOKS.seeds[-1]
PAPER_RUNS = 30
"""How many runs a printed number is the mean of."""

Draws = Mapping[str, NDArray[np.float64]]
"""The value of each seed at each point; for a pooled metric, a row of amounts and a row of bases."""
Rng = np.random.Generator


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


def printed_with_failures(rng: Rng, paper: float, own: float, probability: float) -> Draws:
    """Draw two shares, our seeds of one and the mean of the paper's thirty runs of the other, that may be nothing."""
    runs = with_failures(rng, paper, 0.02, probability)["one"][:PAPER_RUNS]
    return {**with_failures(rng, own, 0.02, probability), "paper": np.full(SEEDS, runs.mean())}


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


def with_failures(rng: Rng, share: float, spread: float, probability: float) -> Draws:
    """Draw shares round a value, of which some runs reach nobody at all."""
    usual = np.clip(rng.normal(share, spread, SEEDS), 0, 1)
    return {"one": np.where(rng.random(SEEDS) < probability, 0.0, usual)}


FLOODING_SHARES = (
    (0.008, 1), (0.731, 1), (0.832, 1), (0.858, 1), (0.924, 1), (0.942, 1), (0.958, 2), (0.967, 2), (0.973, 1),
    (0.975, 5), (0.983, 6), (0.988, 1), (0.992, 15), (1.0, 17),
)  # fmt: skip
"""The reliability of simple flooding in the Frugal paper's scenario, as measured: each value and how often."""
FRUGAL_SHARES = (
    (0.008, 1), (0.158, 1), (0.232, 1), (0.397, 1), (0.633, 1), (0.675, 1), (0.740, 1), (0.774, 1), (0.800, 1),
    (0.807, 1), (0.817, 1), (0.840, 1), (0.863, 1), (0.883, 1), (0.898, 1), (0.908, 1), (0.917, 1), (0.925, 2),
    (0.933, 2), (0.942, 2), (0.950, 5), (0.958, 3), (0.967, 5), (0.975, 5), (0.983, 7), (0.992, 5), (1.0, 2),
)  # fmt: skip
"""Likewise, that of Frugal."""


def measured_mean(shares: Sequence[tuple[float, int]]) -> float:
    """Return the mean of measured shares."""
    return sum(share * count for share, count in shares) / sum(count for _, count in shares)


def measured(rng: Rng, shares: Sequence[tuple[float, int]]) -> NDArray[np.float64]:
    """Draw seeds from measured shares."""
    values, counts = zip(*shares, strict=True)
    return rng.choice(values, SEEDS, p=np.array(counts) / sum(counts))


def all_or_nothing(rng: Rng, probability: float) -> Draws:
    """Draw shares that are all or nothing."""
    return {"one": (rng.random(SEEDS) < probability).astype(float)}


def parts_of_a_whole(rng: Rng) -> Draws:
    """Draw costs and what they are a part of: three tenths, more or less in every seed."""
    whole = np.exp(rng.normal(0, 0.4, SEEDS))
    return {"one": whole * rng.beta(6, 14, SEEDS), "other": whole}
