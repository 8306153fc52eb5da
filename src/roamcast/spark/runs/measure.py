"""From a campaign's tables to measurements: every metric at every point, with its interval, handed to plain Python.

First, what each seed adds to each metric at each point is gathered: by Spark in a large campaign, and in this process
in others, where that takes a second and Spark's queries would take ten. Then ``measuring.statistics`` makes values and
intervals of these few numbers.

Some points stand for several runs of one seed (each car publishes in turn). They share their movement, so they are
one sample: their mean is taken first, and the interval is over the seeds. A pooled metric adds up its numerators and
its denominators over all runs of a point instead.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from roamcast.campaigns import seed_samples as samples_here
from roamcast.campaigns.run_files import BY_VALIDITY, METRICS
from roamcast.measuring.measurements import Kind, Measurement, Measurements, point_order
from roamcast.measuring.metrics import Metric, MetricsFunction, known_metrics
from roamcast.measuring.statistics import Bounds, Sample, pooled, ratio
from roamcast.spark.jobs import wait_for_job
from roamcast.spark.runs.campaign_tables import CampaignTables, read_tables
from roamcast.spark.runs.compaction import has_validities
from roamcast.spark.runs.validity_curves import delivery_by_validity
from roamcast.spark.session.session import open_session

ROWS_AT_ONCE = 500
"""Rows that are Python objects at once: a large campaign has more than a million samples."""
ROWS_HERE_MAX = 4_000_000
"""The metrics of about 100,000 runs: up to here they are grouped in this process, which takes 0.4 GB."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Compare the choices of a label with one of them, all else equal."""

    label: str
    reference: str


def measure(
    tables_folder: Path,
    master: str,
    validities_s: Sequence[float] = (),
    comparison: Comparison | None = None,
    *,
    metrics: MetricsFunction = known_metrics,
) -> Measurements:
    """Return the measurements of a campaign.

    ``reliability@90`` is what a metric would be with events valid for 90 s. The rows are in the order of the points,
    numbers by their size.
    """
    known = metrics()
    rows = _rows_here(tables_folder, validities_s, metrics)
    if rows is None:
        rows = _rows_by_spark(tables_folder, master, validities_s, metrics)
    values = sorted(_measurements(rows, known), key=lambda row: (row.sweep, point_order(row.point)))
    measured = Measurements(values)
    return measured if comparison is None else Measurements([*measured, *_ratios(measured, comparison)])


def _rows_here(
    tables: Path, validities_s: Sequence[float], metrics: MetricsFunction
) -> Iterator[Mapping[str, Any]] | None:
    """Return the samples gathered in this process; None if they are too many, or curves have to be computed first."""
    names = (METRICS, BY_VALIDITY) if validities_s else (METRICS,)
    if validities_s and not has_validities(tables, validities_s, metrics):
        return None
    files = [file for name in names for file in (tables / name).glob("*.parquet")]
    if sum(pq.read_metadata(file).num_rows for file in files) > ROWS_HERE_MAX:
        return None
    return samples_here.seed_samples(tables, names[1:])


def _rows_by_spark(
    tables: Path, master: str, validities_s: Sequence[float], metrics: MetricsFunction
) -> Iterator[Mapping[str, Any]]:
    """Return the samples gathered by Spark."""
    spark = open_session(master)

    def act() -> pa.Table:
        return seed_samples(read_tables(spark, tables), validities_s, metrics).toArrow()

    found = wait_for_job(spark, "measure", act)  # in a thread of its own, so that Ctrl-C ends it cleanly
    rows = (row for batch in found.to_batches(ROWS_AT_ONCE) for row in batch.to_pylist())
    return ({**row, "samples": [_one_sample(each) for each in row["samples"]]} for row in rows)


def _one_sample(runs: Mapping[str, Any]) -> dict[str, Any]:
    """Make one sample of the runs of a seed. Spark's own sums would depend on the order of its rows."""
    values = runs["value"]
    mean = samples_here.total(values) / len(values) if values else None
    sums = {name: samples_here.total(runs[name]) for name in ("amount", "base")}
    return {"seed": runs["seed"], "mean": mean, **sums}


def seed_samples(tables: CampaignTables, validities_s: Sequence[float], metrics: MetricsFunction) -> DataFrame:
    """Return, for each metric at each point, the values of each seed's runs: (sweep, point, metric, samples)."""
    values = tables.metrics
    if validities_s:
        values = values.unionByName(delivery_by_validity(tables, validities_s, metrics), allowMissingColumns=True)
    keys = ("sweep", "point", "metric")
    return (
        tables.plan.join(values, on="run_id", how="inner")
        .groupBy(*keys, "seed")
        .agg(*(F.collect_list(name).alias(name) for name in ("value", "amount", "base")))
        .groupBy(*keys)
        .agg(F.sort_array(F.collect_list(F.struct("seed", "value", "amount", "base"))).alias("samples"))
        .orderBy(*keys)
        .select(*keys, "samples")
    )


def _measurements(rows: Iterable[Mapping[str, Any]], metrics: Mapping[str, Metric]) -> Iterator[Measurement]:
    for row in rows:
        sweep, point, name = row["sweep"], json.loads(row["point"]), row["metric"]
        metric = metrics[name.partition("@")[0]]
        means = [Sample(each["seed"], each["mean"]) for each in row["samples"] if each["mean"] is not None]
        sums = [Sample(each["seed"], each["amount"], each["base"]) for each in row["samples"] if metric.is_pooled]
        samples = sums if metric.is_pooled else means
        yield from _measurement(sweep, point, name, samples, metric.bounds)


def _measurement(
    sweep: str, point: Mapping[str, Any], name: str, samples: Sequence[Sample], bounds: Bounds
) -> Iterator[Measurement]:
    """Yield the measurement, or nothing where there is no value."""
    found = pooled(samples, bounds)
    if found is not None:
        yield Measurement.of(sweep, point, name, found, samples)


def _ratios(measured: Measurements, comparison: Comparison) -> Iterator[Measurement]:
    """Yield how many times the reference's value every other choice has, over the seeds that both have."""
    for row in (row for row in measured if row.kind is Kind.VALUE):
        reference = measured.find(row.sweep, row.metric, {**row.point, comparison.label: comparison.reference})
        if reference is None or reference is row:
            continue
        found = ratio(row.samples, reference.samples)
        if found is not None:
            yield Measurement.of(row.sweep, row.point, row.metric, found, kind=Kind.RATIO)
