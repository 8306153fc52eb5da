"""Preparing rows of recorded movement: number the nodes, convert degrees to metres, and check the order of times."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Observation, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from roamcast.recordings.projection import Projection
from roamcast.spark.movement.movement_tasks import STAGED

FAULTS = {"twice": "the node already has a row at this time", "back": "time runs backwards"}
"""The ways in which a row can conflict with others of its node."""
_STAGED_SQL = "name string, time_s double, x double, y double, line long, file int, piece int, rank long"


def located_rows(
    spark: SparkSession, staged: DataFrame, names: Sequence[str], projection: Projection | None
) -> DataFrame:
    """Return rows with node numbers instead of names and, if there is a projection, metres instead of degrees."""
    numbers = pa.table({"name": names, "node": pa.array(range(len(names)), pa.int32())})
    staged = staged.join(F.broadcast(spark.createDataFrame(numbers)), on="name", how="inner")
    if projection is not None:
        staged = staged.mapInArrow(_Project(projection), f"{_STAGED_SQL}, node int")
    return staged.select(
        "node", "time_s", F.col("x").alias("x_m"), F.col("y").alias("y_m"), "file", "piece", "rank", "line"
    )


@dataclass(frozen=True, slots=True)
class _Project:
    """The function for ``mapInArrow``: degrees in, metres out."""

    projection: Projection

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            names = [*STAGED.names, "node"]
            batch = batch.select(names)
            x_m, y_m = self.projection.metres(batch.column("x").to_numpy(), batch.column("y").to_numpy())
            columns = {name: batch.column(name) for name in names} | {"x": pa.array(x_m), "y": pa.array(y_m)}
            yield pa.RecordBatch.from_arrays(list(columns.values()), names=names)


def in_order(rows: DataFrame, parts: int, gap_s: float | None, stays: bool, seen: Observation) -> DataFrame:
    """Drop rows that go back in time, count them, and mark the rows after which a node goes on.

    ``stays``: a node stays after its last row.
    """
    by_node = Window.partitionBy("node").orderBy("file", "piece", "rank")
    latest = F.max("time_s").over(by_node.rowsBetween(Window.unboundedPreceding, -1))
    location = F.struct("file", "piece", "line")
    found = {"twice": F.col("time_s") == F.col("latest"), "back": F.col("time_s") < F.col("latest")}
    counts: list[Column] = []
    for name in FAULTS:
        counts.append(F.count_if(found[name]).alias(name))
        counts.append(F.to_json(F.min(F.when(found[name], location))).alias(f"{name}_first"))
    kept = (
        rows.repartition(parts, "node")
        .withColumn("latest", latest)
        .observe(seen, *counts)
        .where(F.col("latest").isNull() | (F.col("time_s") > F.col("latest")))
    )
    following = F.lead("time_s").over(by_node)
    goes_on = F.lit(True)
    if gap_s is not None:
        goes_on = F.coalesce(following - F.col("time_s") <= F.lit(gap_s), F.lit(stays))
    return kept.withColumn("goes_on", goes_on).select("node", "time_s", "x_m", "y_m", "goes_on")
