"""From a campaign's tables to measurements: every metric at every point, with its interval, handed to plain Python.

Some points stand for several runs of one seed (each car publishes in turn). They share their movement, so they are
one sample: their mean, or the difference between the best and the worst, is taken first, and the interval is over
the seeds. A pooled metric (``metrics.POOLED``) adds up its two sums over all runs of a point instead.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.statistics import Estimate, Sample, pooled, ratio
from roamcast.spark.jobs import watched
from roamcast.spark.runs.campaign_tables import CampaignTables, read_tables
from roamcast.spark.runs.metrics import POOLED, as_values, delivery_by_validity, run_metrics, run_totals
from roamcast.spark.runs.metrics_files import write_metrics
from roamcast.spark.runs.spark_intervals import paired_ratio, summarise
from roamcast.spark.session.session import open_session


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
) -> Measurements:
    """Return the measurements of a campaign.

    ``reliability@90`` is what a metric would be with events valid for 90 s, ``..._spread`` the difference between the
    runs of one seed, ``..._ratio`` how many times the reference's value a choice has.
    """
    spark = open_session(master)

    def act() -> Measurements:
        tables = read_tables(spark, tables_folder)
        metrics = run_metrics(tables).persist()
        try:
            write_metrics(metrics, tables_folder)
            return _measured(tables, metrics, validities_s, comparison)
        finally:
            metrics.unpersist()

    return watched(spark, "measure", act)  # in a thread of its own, so that Ctrl-C ends it cleanly


def _measured(
    tables: CampaignTables, metrics: DataFrame, validities_s: Sequence[float], comparison: Comparison | None
) -> Measurements:
    values = _values(tables, metrics, validities_s).persist()
    try:
        plan, means = _by_seed(tables.plan, values, F.avg("value"))
        rows = list(_measurements(summarise(plan, means), "mean", "", _samples(plan, means)))
        rows += _pooled(tables, comparison)
        _, spreads = _by_seed(tables.plan, values, F.when(F.count("value") > 1, F.max("value") - F.min("value")))
        rows += _measurements(summarise(plan, spreads.where(F.col("value").isNotNull())), "mean", "_spread")
        if comparison is not None:
            ratios = paired_ratio(plan, means, comparison.label, comparison.reference)
            rows += _measurements(ratios, "ratio", "_ratio")
    finally:
        values.unpersist()
    return Measurements(rows)


def _values(tables: CampaignTables, metrics: DataFrame, validities_s: Sequence[float]) -> DataFrame:
    """Return all metrics of all runs that are averaged: (run_id, metric, value)."""
    values = metrics.where(~F.col("metric").isin(*POOLED))
    if not validities_s:
        return values
    by_validity = as_values(delivery_by_validity(tables, validities_s)).select(
        "run_id",
        F.concat("metric", F.lit("@"), F.regexp_replace(F.col("validity_s").cast("string"), r"\.0$", "")).alias(
            "metric"
        ),
        "value",
    )
    return values.unionByName(by_validity)


def _by_seed(plan: DataFrame, values: DataFrame, value: Column) -> tuple[DataFrame, DataFrame]:
    """Make one run of all runs of a point with one seed, and one value of theirs."""
    sample = F.concat_ws("/", "sweep", "point", F.col("seed").cast("string"))
    samples = plan.withColumn("sample", sample)
    joined = samples.select("sample", "run_id").join(values, on="run_id", how="inner")
    return (
        samples.groupBy("sweep", "point", "seed", "sample")
        .agg(F.count("run_id").alias("runs"))
        .select("sweep", "point", "seed", F.col("sample").alias("run_id")),
        joined.groupBy("sample", "metric")
        .agg(value.alias("value"))
        .select(F.col("sample").alias("run_id"), "metric", "value"),
    )


Place = tuple[str, str, str]
"""A sweep, a point as JSON and a metric."""


def _samples(plan: DataFrame, means: DataFrame) -> Mapping[Place, Sequence[Sample]]:
    """Return each seed's value, by where it belongs."""
    found = plan.join(means, on="run_id", how="inner").where(F.col("value").isNotNull())
    return _by_place(
        found.select("sweep", "point", "metric", "seed", F.col("value").alias("amount"), F.lit(1.0).alias("base"))
    )


def _by_place(samples: DataFrame) -> Mapping[Place, Sequence[Sample]]:
    places: dict[Place, list[Sample]] = {}
    rows: Iterable[Any] = samples.orderBy("sweep", "point", "metric", "seed").toArrow().to_pylist()
    for row in rows:
        place = (row["sweep"], row["point"], row["metric"])
        places.setdefault(place, []).append(Sample(row["seed"], row["amount"], row["base"]))
    return places


def _pooled(tables: CampaignTables, comparison: Comparison | None) -> Sequence[Measurement]:
    """Return the metrics that are one sum over another, and how many times the reference's they are."""
    totals = (
        tables.plan.join(run_totals(tables), on="run_id", how="inner")
        .groupBy("sweep", "point", "metric", "seed")
        .agg(F.sum("amount").alias("amount"), F.sum("base").alias("base"))
    )
    rows: list[Measurement] = []
    for (sweep, point, metric), samples in _by_place(totals).items():
        rows += _measurement(sweep, json.loads(point), metric, pooled(samples), samples)
    return rows if comparison is None else [*rows, *_pooled_ratios(Measurements(rows), comparison)]


def _pooled_ratios(rows: Measurements, comparison: Comparison) -> Iterator[Measurement]:
    for row in rows:
        reference = rows.find(row.sweep, row.metric, {**row.point, comparison.label: comparison.reference})
        if reference is not None and reference is not row:
            yield from _measurement(row.sweep, row.point, f"{row.metric}_ratio", ratio(row.samples, reference.samples))


def _measurement(
    sweep: str, point: Mapping[str, Any], metric: str, found: Estimate | None, samples: Sequence[Sample] = ()
) -> Iterator[Measurement]:
    """Return the measurement, or nothing where there is no value."""
    if found is not None:
        yield Measurement(sweep, point, metric, found.mean, found.half_width_95, found.seeds, tuple(samples))


def _measurements(
    frame: DataFrame, column: str, ending: str, samples: Mapping[Place, Sequence[Sample]] | None = None
) -> Iterator[Measurement]:
    rows: Iterable[Any] = (
        frame.where(F.col(column).isNotNull()).orderBy("sweep", "point", "metric").toArrow().to_pylist()
    )
    for row in rows:
        yield Measurement(
            sweep=row["sweep"],
            point=json.loads(row["point"]),
            metric=row["metric"] + ending,
            mean=row[column],
            half_width_95=row["half_width_95"],
            seeds=row["seeds"],
            samples=tuple((samples or {}).get((row["sweep"], row["point"], row["metric"]), ())),
        )
