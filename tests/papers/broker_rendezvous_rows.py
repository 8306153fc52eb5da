"""Measurements as they would be if all were as the broker and rendezvous paper says."""

import json
from collections.abc import Mapping, Sequence

from all_measured import sweeps_of

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.statistics import Sample
from roamcast.measuring.verdicts import Finding, Verdict, examine
from roamcast.papers import PaperSweep, load_paper

PAPER = load_paper("broker-rendezvous")
SEEDS = (1, 2, 3)
SPEED = "mobility.speed_mps"
DELIVERY, DELAY, BANDWIDTH = "delivery_ratio", "latency_mean_s", "payload_bytes_per_node_s"
"""Figures 4 and 5, a to c: the reliability, the average delay, the bandwidth of a node. Written out, since names that
come from the paper's module would change along with it."""
B_AODV, B_GPSR, B_MAP = "B-AODV", "B-GPSR (no map)", "B-GPSR (with map)"
R_AODV, R_GPSR, R_MAP = "R-AODV", "R-GPSR (no map)", "R-GPSR (with map)"
TOP_MPS = {"highway": 60.0, "city": 20.0}

Line = tuple[float, float]
"""A value at rest and at the highest speed; between, it changes evenly."""
Values = Mapping[str, Mapping[str, Line]]
"""By metric and system."""

AS_IN_THE_PAPER: Values = {
    DELIVERY: {
        B_AODV: (0.9, 0.8),
        B_GPSR: (0.3, 0.25),
        B_MAP: (0.95, 0.9),
        R_AODV: (0.9, 0.7),
        R_GPSR: (0.32, 0.04),
        R_MAP: (0.9, 0.4),
    },
    DELAY: {
        B_AODV: (0.7, 0.8),
        B_GPSR: (0.0, 3.0),
        B_MAP: (0.0, 1.0),
        R_AODV: (0.75, 0.9),
        R_GPSR: (0.0, 4.0),
        R_MAP: (0.0, 2.0),
    },
    BANDWIDTH: {
        B_AODV: (90, 110),
        B_GPSR: (300, 300),
        B_MAP: (300, 300),
        R_AODV: (390, 410),
        R_GPSR: (500, 500),
        R_MAP: (500, 500),
    },
}
"""At the lowest speed all over GPSR are quicker than those over AODV: what the paper says of delays when mobility is
high holds at the highest speed and not there."""


def altered(metric: str, lines: Mapping[str, Line]) -> Values:
    """Return the paper's values with others for some systems."""
    return {**AS_IN_THE_PAPER, metric: {**AS_IN_THE_PAPER[metric], **lines}}


def sweeps(scale: str) -> Sequence[PaperSweep]:
    """Return the paper's sweeps, which take a while to plan."""
    return sweeps_of(type(PAPER), scale)


def measured(values: Values, spread: float = 0.001) -> Measurements:
    """Return measurements at every point of the quick scale, with seeds that differ by a share of the value."""
    rows = []
    for sweep in sweeps("quick"):
        for point in map(json.loads, dict.fromkeys(run.point for run in sweep.runs)):
            for metric, lines in values.items():
                rest, top = lines[point["curve"]]
                mean = rest + (top - rest) * point[SPEED] / TOP_MPS[sweep.name]
                samples = tuple(Sample(seed, mean * (1 + spread * (seed - 2))) for seed in SEEDS)
                low, high = (mean * (1 + side * spread) for side in (-1, 1))
                rows.append(Measurement(sweep.name, point, metric, mean, low, high, len(SEEDS), samples))
    return Measurements(rows)


def findings(found: Measurements) -> dict[str, Finding]:
    """Return what becomes of each claim."""
    return {each.claim.name: each for each in examine(PAPER.claims(), found)}


def verdicts(found: Measurements) -> dict[str, Verdict]:
    """Return the verdict of each claim."""
    return {name: finding.verdict for name, finding in findings(found).items()}
