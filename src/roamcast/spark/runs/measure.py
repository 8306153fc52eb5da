"""From a campaign's tables to measurements: every metric at every point, with its interval, handed to plain Python.

Spark groups: it gathers what each seed adds to each metric at each point. ``measuring.statistics`` makes values and
intervals of these few numbers, here on the driver.

Some points stand for several runs of one seed (each car publishes in turn). They share their movement, so they are
one sample: their mean is taken first, and the interval is over the seeds. A pooled metric adds up its numerators and
its denominators over all runs of a point instead.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from roamcast.measuring.measurements import Kind, Measurement, Measurements, point_order
from roamcast.measuring.metrics import Metric, MetricsFunction, known_metrics
from roamcast.measuring.statistics import Bounds, Sample, pooled, ratio
from roamcast.spark.jobs import wait_for_job
from roamcast.spark.runs.campaign_tables import CampaignTables, read_tables
from roamcast.spark.runs.validity_curves import delivery_by_validity
from roamcast.spark.session.session import open_session

ROWS_AT_ONCE = 500
"""Rows that are Python objects at once: a large campaign has more than a million samples."""


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
    spark = open_session(master)

    def act() -> Measurements:
        tables = read_tables(spark, tables_folder)
        found = seed_samples(tables, validities_s, metrics).toArrow()
        rows = (row for batch in found.to_batches(ROWS_AT_ONCE) for row in batch.to_pylist())
        values = sorted(_measurements(rows, metrics()), key=lambda row: (row.sweep, point_order(row.point)))
        measured = Measurements(values)
        return measured if comparison is None else Measurements([*measured, *_ratios(measured, comparison)])

    return wait_for_job(spark, "measure", act)  # in a thread of its own, so that Ctrl-C ends it cleanly


def seed_samples(tables: CampaignTables, validities_s: Sequence[float], metrics: MetricsFunction) -> DataFrame:
    """Return, for each metric at each point, what each seed adds to it: (sweep, point, metric, samples)."""
    values = tables.metrics
    if validities_s:
        values = values.unionByName(delivery_by_validity(tables, validities_s, metrics), allowMissingColumns=True)
    keys = ("sweep", "point", "metric")
    return (
        tables.plan.join(values, on="run_id", how="inner")
        .groupBy(*keys, "seed")
        .agg(
            F.avg("value").alias("mean"),
            F.sum("amount").alias("amount"),
            F.sum("base").alias("base"),
        )
        .groupBy(*keys)
        .agg(F.sort_array(F.collect_list(F.struct("seed", "mean", "amount", "base"))).alias("samples"))
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
