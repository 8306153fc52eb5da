"""What ``roamcast compare`` says about differences: judged seed by seed, on the same movement."""

from pathlib import Path

import pytest

from roamcast.cli.compare import SWEEP, _text, is_significant
from roamcast.experiments.estimates import Estimate, Sample, pooled
from roamcast.experiments.measurements import Measurement, Measurements
from roamcast.experiments.scenario import Scenario

SCENARIO = Scenario.load(str(Path(__file__).parents[2] / "scenarios" / "frugal.toml"))
REFERENCE = (0.1, 0.5, 0.9, 0.3)
"""Far apart from seed to seed, as movement makes them."""


def row(protocol: str, values: tuple[float, ...]) -> Measurement:
    samples = [Sample(seed, value) for seed, value in enumerate(values)]
    found = pooled(samples)
    assert found is not None
    point = {"protocol.name": protocol}
    return Measurement(SWEEP, point, "delivery_ratio", found.mean, found.half_width_95, found.seeds, samples)


def line_of(text: str, protocol: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(f"{protocol} "))


def test_a_small_difference_on_every_seed_is_marked_and_a_large_one_here_and_there_is_not() -> None:
    always = tuple(value + shift for value, shift in zip(REFERENCE, (0.02, 0.03, 0.02, 0.03), strict=True))
    erratic = (0.9, 0.5, 0.1, 0.7)
    text = _text(
        SCENARIO, "first", Measurements([row("first", REFERENCE), row("always", always), row("erratic", erratic)])
    )
    assert "*" in line_of(text, "always")
    assert "*" not in line_of(text, "erratic")
    assert "*" not in line_of(text, "first")
    assert "means over 4 seeds" in text


@pytest.mark.parametrize(
    ("mean", "half_width", "expected"),
    [(0.2, 0.1, True), (-0.2, 0.1, True), (0.1, 0.2, False), (0.2, None, False), (0.0, 0.0, False), (0.1, 0.0, True)],
)
def test_a_difference_counts_if_its_interval_leaves_out_zero(
    mean: float, half_width: float | None, expected: bool
) -> None:
    assert is_significant(Estimate(mean, half_width, 5)) is expected
