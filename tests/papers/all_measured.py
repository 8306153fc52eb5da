"""Measurements as if every point of a paper had been measured, whatever is asked of them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from roamcast.measuring.measurements import Kind, Measurement, Measurements
from roamcast.measuring.statistics import Sample
from roamcast.papers import Paper, PaperSweep


@cache
def sweeps_of(paper: type[Paper], scale: str) -> Sequence[PaperSweep]:
    """Return the sweeps of a paper; planning some takes seconds, so all tests share one plan."""
    return paper().sweeps(scale)


class AllMeasured(Measurements):
    """Measurements of every metric at every planned point of some figures."""

    def where(
        self, sweep: str, metric: str, labels: Mapping[str, Any] | None = None, kind: Kind = Kind.VALUE
    ) -> list[Measurement]:
        """Return the points of a sweep with these labels, as points of this metric."""
        return [replace(row, metric=metric, kind=kind) for row in super().where(sweep, "any", labels)]


def all_measured(paper: Paper, scale: str, *figures: int) -> AllMeasured:
    """Return everything that these figures are drawn from, or all."""
    return AllMeasured(_rows(paper, scale, set(figures or paper.figure_numbers)))


def _rows(paper: Paper, scale: str, figures: set[int]) -> Iterator[Measurement]:
    for sweep in sweeps_of(type(paper), scale):
        if figures & set(sweep.figures):
            for at, point in enumerate(dict.fromkeys(run.point for run in sweep.runs)):
                value = 0.5 + 0.3 * (at * 0.618 % 1)
                samples = tuple(Sample(seed, value) for seed in (1, 2))
                yield Measurement(sweep.name, json.loads(point), "any", value, value - 0.1, value + 0.1, 2, samples)
