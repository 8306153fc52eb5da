"""The lines of ``roamcast compare`` about differences: judged seed by seed, on the same movement."""

import math
from pathlib import Path

import pytest

from roamcast.api.compare import is_significant
from roamcast.api.comparison_figure import SHOWN, SWEEP, comparison_figure
from roamcast.cli.compare import _text
from roamcast.core.plugins import load_plugin_file
from roamcast.measuring.measurements import Kind, Measurement, Measurements
from roamcast.measuring.metrics import axis_label, bounds_of, known_metrics
from roamcast.measuring.statistics import Estimate, Sample, pooled
from roamcast.report.axis_scale import scale_of

REFERENCE = (0.1, 0.5, 0.9, 0.3)
"""Far apart from seed to seed, as movement makes them."""


def row(
    protocol: str, values: tuple[float, ...], metric: str = "delivery_ratio", kind: Kind = Kind.VALUE
) -> Measurement:
    samples = [Sample(seed, value) for seed, value in enumerate(values)]
    found = pooled(samples, bounds_of(metric, kind))
    assert found is not None
    point = {"protocol.name": protocol}
    return Measurement.of(SWEEP, point, metric, found, samples, kind)


def line_of(text: str, protocol: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(f"{protocol} "))


def test_a_small_difference_on_every_seed_is_marked_and_a_large_one_here_and_there_is_not() -> None:
    always = tuple(value + shift for value, shift in zip(REFERENCE, (0.02, 0.03, 0.02, 0.03), strict=True))
    erratic = (0.9, 0.5, 0.1, 0.7)
    text = _text(
        "square", "first", Measurements([row("first", REFERENCE), row("always", always), row("erratic", erratic)])
    )
    assert "*" in line_of(text, "always")
    assert "*" not in line_of(text, "erratic")
    assert "*" not in line_of(text, "first")
    assert "values over 4 seeds" in text


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.1, 0.3, True),
        (-0.3, -0.1, True),
        (-0.1, 0.3, False),
        (None, None, False),
        (0.0, 0.0, False),
        (0.1, 0.1, True),
    ],
)
def test_a_difference_counts_if_its_interval_leaves_out_zero(
    low: float | None, high: float | None, expected: bool
) -> None:
    assert is_significant(Estimate(0.2, low, high, 5)) is expected


def wide() -> list[Measurement]:
    """Return every metric of two protocols, and how many times another's it is, with wide intervals."""
    rows = []
    for metric in SHOWN:
        size = 1.0 if metric == "delivery_ratio" else 20_173.0
        rows.append(row("rendezvous-gpsr-map", tuple(size * each for each in REFERENCE), metric))
        rows.append(row("broker", (0.0, 0.0, size / 500, 0.0), metric))
        rows += [row(name, (1.5, 1.7), metric, Kind.RATIO) for name in ("rendezvous-gpsr-map", "broker")]
    return rows


def test_no_line_of_the_table_ends_within_a_ratio_or_an_interval_and_none_is_too_wide() -> None:
    lines = _text("square", "first", Measurements(wide())).splitlines()[2:]
    body = lines[: lines.index("")]
    assert max(map(len, body)) <= 110
    whole, ends = (sum(line.count(text) for line in body) for text in ("(1.60 x)", "x)"))
    assert whole == ends == 2 * len(SHOWN)
    assert all(line.count("[") == line.count("]") for line in body)
    assert sum(line.count("[") for line in body) == 2 * len(SHOWN)


def test_columns_and_panels_are_called_as_the_table_of_metrics_says_and_the_text_explains_them() -> None:
    measured = Measurements(wide())
    text = _text("square", "first", measured)
    for metric in SHOWN:
        assert f"{metric}: {known_metrics()[metric].description}" in text
    panels = comparison_figure("square", measured).panels
    assert [panel.y_label for panel in panels] == [axis_label(metric) for metric in SHOWN]
    assert panels[1].y_label == "Latency, mean (s)"


@pytest.mark.usefixtures("fresh_plugins")
def test_metrics_of_plug_ins_have_tables_of_their_own_below(tmp_path: Path) -> None:
    own = [f"own_{number}" for number in range(len(SHOWN) + 1)]
    metric = "Metric('{0}', unit='1', group='events', description='What {0} is.', higher_is_better=None, "
    lines = (f"{name} = {metric.format(name)}function=lambda run: 1.0)" for name in own)
    (tmp_path / "own.py").write_text("from roamcast.plugin import Metric\n" + "\n".join(lines))
    load_plugin_file(tmp_path / "own.py")
    rows = [row(name, (3.0, 4.0), metric) for metric in ("delivery_ratio", *own[1:]) for name in ("first", "other")]
    text = _text("square", "first", Measurements(rows))
    tables = [part.splitlines() for part in text.split("\n\n") if "----" in part]
    assert [line.split()[0] for table in tables for line in table[-2:]] == ["first", "other"] * 3
    assert tables[1][2].split()[1] == "-"  # nobody has measured it
    assert tables[2][2].split()[1] == "3.5"
    assert text.endswith("own_6: What own_6 is.")
    assert max(len(line) for table in tables for line in table) <= 110


def test_no_interval_is_below_zero_and_no_share_above_one() -> None:
    for metric, panel in zip(SHOWN, comparison_figure("square", Measurements(wide())).panels, strict=True):
        for point in panel.series[0].points:
            assert point.low is not None
            assert point.high is not None
            assert 0 <= point.low < point.y < point.high
            assert point.high <= (1 if metric == "delivery_ratio" else math.inf)
        assert scale_of([panel]).low == 0
