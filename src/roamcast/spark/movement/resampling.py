"""Resampling movement at ticks: each node's position at evenly spaced times, whenever it was recorded."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from roamcast.recordings.recording_layout import Imported
from roamcast.spark.contacts.contact_tasks import Ticks
from roamcast.spark.movement.import_folder import ImportFolder
from roamcast.spark.parquet import read_parquet


def is_even(spark: SparkSession, target: ImportFolder, movement: Imported, ticks: Ticks) -> bool:
    """Tell whether every row of a recording is at a tick, and no node passes a tick without a row."""
    if movement.summary["are_waypoints"] or ticks.step_s != movement.summary["step_s"]:
        return False
    rows = read_parquet(spark, movement.table).select("node", "time_s", "goes_on")
    tick = (F.col("time_s") - F.lit(ticks.first_s)) / F.lit(ticks.step_s)
    off = F.abs(tick - F.round(tick)) > F.lit(ticks.near)
    extent = rows.groupBy("node").agg(
        F.count_if(off).alias("off"),
        F.count("*").alias("rows"),
        # A node that continues from each row to the next tick has as many rows as ticks, apart from gaps.
        (F.round(F.max(tick)) - F.round(F.min(tick)) + 1).alias("ticks"),
        F.count_if(~F.col("goes_on")).alias("ends"),
    )
    uneven = extent.where((F.col("off") > 0) | ((F.col("rows") != F.col("ticks")) | (F.col("ends") != 1)))
    return target.run(spark, "even", lambda: not uneven.limit(1).toArrow().num_rows)


def positions_at_ticks(rows: DataFrame, ticks: Ticks, last: int) -> DataFrame:
    """Return each node's position at each tick at which it is present: (tick, node, x_m, y_m)."""
    by_node = Window.partitionBy("node").orderBy("time_s")

    def tick_from(time: Any) -> Any:
        return F.ceil((time - F.lit(ticks.first_s)) / F.lit(ticks.step_s) - F.lit(ticks.near))

    legs = rows.select(
        "node",
        "time_s",
        "x_m",
        "y_m",
        "goes_on",
        F.lead("time_s").over(by_node).alias("next_s"),
        F.lead("x_m").over(by_node).alias("next_x_m"),
        F.lead("y_m").over(by_node).alias("next_y_m"),
    )
    first = tick_from(F.col("time_s"))
    at_row = F.abs(F.lit(ticks.first_s) + first * F.lit(ticks.step_s) - F.col("time_s")) <= F.lit(
        ticks.near * ticks.step_s
    )
    end = (
        F.when(~F.col("goes_on"), first + at_row.cast("long"))
        .when(F.col("next_s").isNull(), F.lit(last + 1))
        .otherwise(tick_from(F.col("next_s")))
    )
    walked = legs.withColumn("from", first).withColumn("to", F.least(end, F.lit(last + 1))).where("to > from")
    at = walked.withColumn("tick", F.explode(F.sequence(F.col("from"), F.col("to") - 1)))
    passed = F.lit(ticks.first_s) + F.col("tick") * F.lit(ticks.step_s) - F.col("time_s")
    share = F.greatest(F.lit(0.0), F.least(F.lit(1.0), passed / (F.col("next_s") - F.col("time_s"))))
    share = F.when(F.col("goes_on") & F.col("next_s").isNotNull(), share).otherwise(F.lit(0.0))

    def between(here: str, there: str) -> Any:
        return F.col(here) + (F.coalesce(F.col(there), F.col(here)) - F.col(here)) * share

    return at.select(
        "tick",
        F.col("node").cast("long").alias("node"),
        between("x_m", "next_x_m").alias("x_m"),
        between("y_m", "next_y_m").alias("y_m"),
    )
