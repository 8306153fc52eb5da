"""A paper whose runs are never made: a campaign that makes up what was measured, to test how claims are judged."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from roamcast.api.measured_campaign import CampaignOptions, MeasuredCampaign
from roamcast.api.paper_points import place_of
from roamcast.api.paper_request import PaperRequest
from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.paired_messages import MessagePair
from roamcast.campaigns.plan import PlannedRun, plan
from roamcast.measuring.measurements import Measurement, Measurements, PointName, point_key
from roamcast.measuring.statistics import NON_NEGATIVE, Sample, pooled
from roamcast.measuring.verdicts import Band, Claim, Part, at_least
from roamcast.measuring.verdicts.record import Record
from roamcast.papers import Paper, PaperSweep, Reading
from roamcast.papers.shared.claim_parts import value_part
from roamcast.report.figure import Figure, Panel, Point, Series
from roamcast.spark.runs.campaign import CampaignResult

RANGE, METRIC = "radio.range_m", "bytes_sent_per_node"
SCENARIO: dict[str, Any] = {
    "name": "small",
    "duration_s": 10,
    "area": {"width_m": 300, "height_m": 200},
    "nodes": {"count": 4},
    "mobility": {"model": "random-waypoint", "speed_mps": [1, 2]},
    "radio": {"model": "range", "range_m": 50},
    "workload": {"model": "single-topic", "subscriber_fraction": 1, "validity_s": 10},
    "protocol": {"name": "flooding"},
}
FIRST_SEED = 1001
SURE, CLOSE, LINE = 50, 60, 70
"""The points: far from the band's boundary, near it, and on it."""
MEANS = {SURE: 20.0, CLOSE: 11.0, LINE: 10.0}
SPREAD = 3.0
BAND = at_least(10.0)
APART = ("sure", "close", "line")
"""The sweeps of the paper whose points are apart."""


def place(range_m: float, sweep: str = "ranges") -> PointName:
    """Return the name of a point."""
    return sweep, point_key({RANGE: range_m})


class MadeUpPaper(Paper):
    """Three points with a claim each, and a second reading of all of them."""

    title, source, next_steps = "Made up", "Nobody. Nowhere, 2026", ()
    series_names: ClassVar[Mapping[int, tuple[str, ...]]] = {1: ("all",), 2: ("all",)}
    first_seed = FIRST_SEED
    readings: ClassVar[tuple[Reading, ...]] = (
        Reading("default", "as it is", "section 1"),
        Reading("other", "another phase", "section 2", {"protocol.phase": "reception"}),
    )

    def __init__(self, bands: Mapping[int, Band] | None = None) -> None:
        self._bands = dict.fromkeys(MEANS, BAND) | dict(bands or {})

    def sweeps(self, scale: str) -> Sequence[PaperSweep]:  # noqa: ARG002 - it has one scale
        """Return the three points with two seeds."""
        seeds = range(FIRST_SEED, FIRST_SEED + 2)
        runs = plan("ranges", Scenario.from_document(SCENARIO), {RANGE: list(MEANS)}, seeds)
        return (PaperSweep("ranges", (1, 2), tuple(runs)),)

    def figures(self, measured: Measurements) -> Sequence[Figure]:
        """Draw all points."""
        points = tuple(Point(row.point[RANGE], row.mean) for row in measured.where("ranges", METRIC))
        return [Figure("figure-1", "Figure 1: all", "A caption.", (Panel("", "x", "y", (Series("all", points),)),))]

    def claims(self) -> Sequence[Claim]:
        """Return a claim for each point."""
        names = {SURE: "sure", CLOSE: "close", LINE: "line"}
        return [
            Claim(names[each], "section 1", f"It is {names[each]}", str(band), (1,), self._measure(each, band))
            for each, band in self._bands.items()
        ]

    def _measure(self, range_m: int, band: Band, sweep: str = "ranges") -> Any:
        def measure(measured: Measurements) -> Sequence[Part]:
            rows = measured.where(sweep, METRIC, {RANGE: range_m})
            return [value_part(f"{range_m} m", row, band) for row in rows]

        return measure


class ApartPaper(MadeUpPaper):
    """The same claims, each with a sweep and a figure of its own."""

    series_names: ClassVar[Mapping[int, tuple[str, ...]]] = {1: ("all",), 2: ("all",), 3: ("all",)}

    def sweeps(self, scale: str) -> Sequence[PaperSweep]:
        """Return a sweep for each point."""
        runs = [run for sweep in super().sweeps(scale) for run in sweep.runs]
        return [
            PaperSweep(name, (number,), tuple(replace(run, sweep=name) for run in runs if place_of(run) == place(each)))
            for number, (each, name) in enumerate(zip(MEANS, APART, strict=True), 1)
        ]

    def claims(self) -> Sequence[Claim]:
        """Return a claim for each sweep."""
        return [
            replace(claim, figures=(number,), measure=self._measure(each, BAND, name))
            for number, (claim, each, name) in enumerate(zip(super().claims(), MEANS, APART, strict=True), 1)
        ]


@dataclass
class MadeUpCampaign:
    """Takes the place of Spark: it writes a file with the cost of each run and draws its value."""

    costs_s: Mapping[int, float] = field(default_factory=lambda: dict.fromkeys(MEANS, 1.0))
    """The CPU seconds of a seed at each point."""
    calls: list[dict[PointName, set[int]]] = field(default_factory=list)
    """The seeds of each point in each call."""
    elapsed_s: float = 0.0

    def install(self, monkeypatch: pytest.MonkeyPatch, cores: int = 1) -> "MadeUpCampaign":
        """Let papers be judged with this campaign, on a machine with so many cores whose clock is ours."""
        for module in ("paper_campaign", "claim_decision"):
            monkeypatch.setattr(f"roamcast.api.{module}.measured_campaign", self)
            monkeypatch.setattr(f"roamcast.api.{module}.seed_costs", self.seed_costs)
        monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(cores)))
        monkeypatch.setattr("roamcast.api.claim_decision.time.monotonic", lambda: self.elapsed_s)
        return self

    def __call__(
        self,
        runs: Sequence[PlannedRun],
        out: Path,
        options: CampaignOptions,  # noqa: ARG002 - as the real one has it
        validities_s: Sequence[float] = (),  # noqa: ARG002
        pairs: Mapping[str, MessagePair] = MappingProxyType({}),  # noqa: ARG002
    ) -> MeasuredCampaign:
        """Make up the measurements of some runs."""
        (out / "runs").mkdir(parents=True, exist_ok=True)
        seeds: dict[PointName, set[int]] = {}
        for run in runs:
            file = out / "runs" / f"{run.run_id}.parquet"
            if not file.exists():
                cpu_s = self.costs_s[json.loads(run.point)[RANGE]]
                self.elapsed_s += cpu_s
                pq.write_table(pa.table({"cpu_s": [cpu_s]}), file)
            seeds.setdefault((run.sweep, point_key(json.loads(run.point))), set()).add(run.seed)
        self.calls.append(seeds)
        rows = [_row(*name, sorted(found)) for name, found in seeds.items()]
        return MeasuredCampaign(Measurements(rows), CampaignResult(out / "tables", len(runs), 0, 0, ()), runs, ())

    def seed_costs(self, tables: Path) -> dict[PointName, float]:  # noqa: ARG002 - as the real one has it
        """Return the cost of a seed at each point."""
        return {name: self.costs_s[json.loads(name[1])[RANGE]] for name in self.calls[-1]}

    def counts(self, call: int) -> dict[PointName, int]:
        """Return how many seeds each point had in a call."""
        return {name: len(seeds) for name, seeds in self.calls[call].items()}


def _row(sweep: str, point: str, seeds: Sequence[int]) -> Measurement:
    range_m = json.loads(point)[RANGE]
    samples = [Sample(seed, MEANS[range_m] + SPREAD * _noise(seed)) for seed in seeds]
    found = pooled(samples, NON_NEGATIVE)
    assert found is not None
    return Measurement.of(sweep, json.loads(point), METRIC, found, samples)


@cache
def _noise(seed: int) -> float:
    """Return noise with a mean of zero over ten seeds, so that a test knows where a value is at each look."""
    block, number = divmod(seed - FIRST_SEED, 10)
    drawn = [Random(f"{block} {each}").gauss(0.0, 1.0) for each in range(10)]
    return drawn[number] - sum(drawn) / 10


def request(
    folder: Path, paper: Paper | None = None, readings: int = 1, numbers: tuple[int, ...] = (1, 2)
) -> PaperRequest:
    """Ask for some figures of the paper under some readings."""
    paper = paper or MadeUpPaper()
    options = CampaignOptions(progress=False)
    return PaperRequest(paper, "quick", numbers, paper.readings[:readings], folder, options)


def record_of(folder: Path) -> Record:
    """Return the record of a campaign's folder."""
    found: Record = json.loads((folder / "verdicts.json").read_text(encoding="utf-8"))
    return found
