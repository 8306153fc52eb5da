"""Figures and claims ask only for metrics that there are: a claim on any other would stay open forever.

The table of metrics says what there is of a run.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from all_measured import AllMeasured, all_measured, sweeps_of

from roamcast.campaigns.paired_messages import METRICS as PAIRED_METRICS
from roamcast.campaigns.paired_messages import PAIRED
from roamcast.measuring.measurements import Kind, Measurement
from roamcast.measuring.metrics import bounds_of, known_metrics
from roamcast.measuring.shorter_validity import BY_VALIDITY
from roamcast.measuring.verdicts import examine
from roamcast.papers import SCALES, Paper, load_paper, paper_names


class Asked(AllMeasured):
    """Measurements of whatever is asked for that remember its name."""

    def __init__(self, rows: Iterable[Measurement]) -> None:
        super().__init__(rows)
        self.names: set[tuple[str, Kind]] = set()

    def where(
        self, sweep: str, metric: str, labels: Mapping[str, Any] | None = None, kind: Kind = Kind.VALUE
    ) -> list[Measurement]:
        """Return the points of a sweep as points of this metric."""
        self.names.add((metric, kind))
        return super().where(sweep, metric, labels, kind)

    def find(self, sweep: str, metric: str, point: Mapping[str, Any], kind: Kind = Kind.VALUE) -> Measurement | None:
        """Return the measurement at a point as one of this metric."""
        return next(iter(self.where(sweep, metric, point, kind)), None)


def asked_by(paper: Paper, scale: str) -> set[tuple[str, Kind]]:
    """Return the metrics that a paper's figures and claims ask for."""
    asked = Asked(all_measured(paper, scale))
    paper.figures(asked)
    examine(paper.claims(), asked)
    return asked.names


def made_for(paper: Paper, scale: str) -> set[tuple[str, Kind]]:
    """Return the names and kinds of all measurements of a paper, which is measured without a reference protocol."""
    validities_s = {validity_s for sweep in sweeps_of(type(paper), scale) for validity_s in sweep.validities_s}
    names = known_metrics().keys() | {f"{name}@{validity_s:g}" for name in BY_VALIDITY for validity_s in validities_s}
    if any(sweep.pair for sweep in sweeps_of(type(paper), scale)):
        names |= {f"{name}{PAIRED}" for name in PAIRED_METRICS}
    return {(name, Kind.VALUE) for name in names}


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", paper_names())
def test_a_paper_asks_only_for_metrics_that_the_pipeline_makes(name: str, scale: str) -> None:
    paper = load_paper(name)
    asked = asked_by(paper, scale)
    assert {name for name, _ in asked} & known_metrics().keys()
    assert asked - made_for(paper, scale) == set()


@pytest.mark.parametrize("name", paper_names())
def test_a_reading_replaces_metrics_that_its_paper_asks_for_by_some_that_the_pipeline_makes(name: str) -> None:
    paper = load_paper(name)
    asked, made = {metric.partition("@") for metric, _ in asked_by(paper, "quick")}, made_for(paper, "quick")
    for reading in paper.readings:
        assert set(reading.metrics) <= {base for base, _, _ in asked}
        for base, counted in reading.metrics.items():
            names = {f"{counted}{at}{validity}" for each, at, validity in asked if each == base}
            assert {(each, Kind.VALUE) for each in names} <= made
            assert bounds_of(counted, Kind.VALUE) == bounds_of(base, Kind.VALUE)


def test_the_broker_and_rendezvous_paper_is_of_delivery_the_average_delay_and_bandwidth() -> None:
    asked = asked_by(load_paper("broker-rendezvous"), "quick")
    assert asked == {(name, Kind.VALUE) for name in ("delivery_ratio", "latency_mean_s", "payload_bytes_per_node_s")}
