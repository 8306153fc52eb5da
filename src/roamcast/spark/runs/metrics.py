"""The metrics of runs, computed from their facts on Spark; one definition for all protocols (DESIGN: metrics).

Only runs that ended well have metrics. A metric that a run cannot have (the latency where nothing was delivered) is
null. A delivery counts if its node had asked for the event before it was published and got it within its validity.
"""

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from roamcast.campaigns.run_files import OK
from roamcast.sim.facts import MAC_PREFIX
from roamcast.spark.runs.campaign_tables import CampaignTables
from roamcast.spark.runs.spark_matching_metrics import (
    MATCHING_SUMS,
    matching_definitions,
    matching_facts,
    ratio,
)

NODE_SUMS = ("frames_lost", "queue_drops", "transmit_s", "receive_s", "energy_j")
SUMS = (
    *(
        "nodes",
        "duration_s",
        "frame_receptions",
        "counted",
        "own",
        "interested",
        "frames_sent",
        "bytes_sent",
        "payload_bytes_sent",
        "events_sent",
        "event_frames",
        "control_frames",
    ),
    *("first", "duplicates", "parasites", "echoes", *NODE_SUMS),
    *MATCHING_SUMS,
)
"""What is added up over all facts of a run; a run without such facts has zero."""
PER_NODE = {
    "duplicates_per_node": "duplicates",
    "parasites_per_node": "parasites",
    "events_sent_per_node": "events_sent",
    "bytes_sent_per_node": "bytes_sent",
    "payload_bytes_sent_per_node": "payload_bytes_sent",
    "frames_sent_per_node": "frames_sent",
    "event_frames_per_node": "event_frames",
    "control_frames_per_node": "control_frames",
    "queue_drops_per_node": "queue_drops",
    "transmit_s_per_node": "transmit_s",
    "receive_s_per_node": "receive_s",
    "energy_j_per_node": "energy_j",
}
"""Metrics that are a sum over the nodes divided by their number."""
POOLED = {
    "frames_per_delivery": ("frames_sent", "counted"),
    "bytes_per_match": ("bytes_sent", "matches"),
    "wasted_bytes_per_match": ("wasted_bytes", "matches"),
}
"""Metrics that a point has of all its runs together, as one sum over another: a run that delivered nothing has no
value of its own, and still sent frames."""


def run_metrics(tables: CampaignTables) -> DataFrame:
    """Return the metrics of every run: (run_id, metric, value)."""
    return (
        _stacked(
            _ended_well(tables).select("run_id", "nodes", "duration_s", "frame_receptions"),
            _in_time(tables).select("run_id", "counted", "own", "counted_latency_s"),
            tables.publications.select("run_id", "interested"),
            _traffic(tables),
            tables.receptions.select("run_id", "first", "duplicates", "parasites", "echoes"),
            tables.nodes.withColumn("energy_j", F.col("transmit_j") + F.col("receive_j") + F.col("idle_j")).select(
                "run_id", *NODE_SUMS, "storage_bytes_mean", "storage_bytes_max"
            ),
            *matching_facts(tables),
        )
        .groupBy("run_id")
        .agg(
            *(F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in SUMS),
            F.avg("counted_latency_s").alias("latency_mean_s"),
            F.percentile("counted_latency_s", F.array(F.lit(0.5), F.lit(0.95))).alias("latency_quantiles_s"),
            F.avg("storage_bytes_mean").alias("storage_bytes_mean"),
            F.max("storage_bytes_max").alias("storage_bytes_max"),
        )
        .select("run_id", *(column.cast("double").alias(name) for name, column in _definitions().items()))
        .transform(as_values)
    )


def run_totals(tables: CampaignTables) -> DataFrame:
    """Return what every run adds to the pooled metrics: (run_id, metric, amount, base)."""
    names = sorted({name for pair in POOLED.values() for name in pair})
    sums = (
        _stacked(
            _ended_well(tables).select("run_id"),
            _in_time(tables).select("run_id", "counted", F.col("counted").alias("matches")),
            tables.traffic.select("run_id", "frames_sent", "bytes_sent"),
            tables.subscriptions.select("run_id", F.col("waiting_delivered").alias("matches")),
            tables.false_positives.select("run_id", F.col("size_bytes").alias("wasted_bytes")),
        )
        .groupBy("run_id")
        .agg(*(F.coalesce(F.sum(name), F.lit(0)).cast("double").alias(name) for name in names))
    )
    return _stacked(
        *(
            sums.select(
                "run_id", F.lit(metric).alias("metric"), F.col(amount).alias("amount"), F.col(base).alias("base")
            )
            for metric, (amount, base) in POOLED.items()
        )
    )


def delivery_by_validity(tables: CampaignTables, validities_s: Sequence[float]) -> DataFrame:
    """Return what would have been delivered had every event been valid for a shorter time.

    An event's reception by some time does not depend on how long it stays valid after that, so a run gives the whole
    curve. A validity longer than that of an event of the run cannot be known from it and is null.
    """
    periods = F.explode(F.array(*(F.lit(float(each)) for each in validities_s))).alias("period_s")
    delivered = _own_or_counted(tables).select("run_id", "counted", "own", "latency_s", periods)
    known = F.col("validity_s").isNull() | (F.col("period_s") <= F.col("validity_s"))
    return (
        _stacked(
            _ended_well(tables).select("run_id", periods),
            tables.publications.select("run_id", "interested", "validity_s", periods),
            delivered.where(F.col("latency_s") < F.col("period_s")).drop("latency_s"),
        )
        .groupBy("run_id", "period_s")
        .agg(
            *(F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in ("interested", "counted", "own")),
            F.min("validity_s").alias("validity_s"),
        )
        .select(
            "run_id",
            F.col("period_s").alias("validity_s"),
            F.when(known, _delivery_ratio()).alias("delivery_ratio"),
            F.when(known, _reliability()).alias("reliability"),
        )
    )


def as_values(wide: DataFrame) -> DataFrame:
    """Return a table with a column a metric as one with a row a metric, as ``summarise`` wants it."""
    keys = tuple(name for name in wide.columns if name in ("run_id", "validity_s"))
    metrics = tuple(name for name in wide.columns if name not in keys)
    return wide.unpivot(keys, metrics, "metric", "value").select(*keys, "metric", "value")


def _definitions() -> dict[str, Column]:
    """Say what each metric is, in terms of the sums of a run."""
    frames_in_reach = F.col("frames_lost") + F.col("frame_receptions")
    return {
        "delivery_ratio": _delivery_ratio(),
        "reliability": _reliability(),
        **{name: ratio(F.col(total), F.col("nodes")) for name, total in PER_NODE.items()},
        "payload_bytes_per_node_s": ratio(F.col("payload_bytes_sent"), F.col("nodes") * F.col("duration_s")),
        "frames_per_delivery": ratio(F.col("frames_sent"), F.col("counted")),
        "receptions_per_event_received": ratio(F.col("first") + F.col("duplicates") - F.col("echoes"), F.col("first")),
        "latency_mean_s": F.col("latency_mean_s"),
        "latency_median_s": F.col("latency_quantiles_s")[0],
        "latency_p95_s": F.col("latency_quantiles_s")[1],
        "storage_bytes_mean": F.col("storage_bytes_mean"),
        "storage_bytes_max": F.col("storage_bytes_max"),
        "frames_lost_ratio": ratio(F.col("frames_lost"), frames_in_reach),
        **matching_definitions(),
    }


def _delivery_ratio() -> Column:
    return ratio(F.col("counted"), F.col("interested"))


def _reliability() -> Column:
    """Return the delivery ratio with the publisher as one of those who receive, where it had asked for the event."""
    return ratio(F.col("counted") + F.col("own"), F.col("interested") + F.col("own"))


def _ended_well(tables: CampaignTables) -> DataFrame:
    return tables.runs.where(F.col("status") == OK)


def _traffic(tables: CampaignTables) -> DataFrame:
    """Return what was sent, with the frames of messages with events and those of all others, the MAC's own left out."""
    frames, carries_events = F.col("frames_sent"), F.col("events_sent") > 0
    is_message = ~F.col("kind").startswith(MAC_PREFIX)
    return tables.traffic.select(
        "run_id",
        "frames_sent",
        "bytes_sent",
        "payload_bytes_sent",
        "events_sent",
        F.when(carries_events, frames).alias("event_frames"),
        F.when(is_message & ~carries_events, frames).alias("control_frames"),
    )


def _own_or_counted(tables: CampaignTables) -> DataFrame:
    """Return the deliveries that matter, with what has to be known of their events."""
    events = tables.publications.select("run_id", "event", "publisher", "validity_s")
    own = ~F.col("counted") & (F.col("node") == F.col("publisher"))
    return (
        tables.deliveries.join(events, on=["run_id", "event"], how="inner")
        .where(F.col("counted") | own)
        .select(
            "run_id",
            F.col("counted").cast("bigint").alias("counted"),
            own.cast("bigint").alias("own"),
            "latency_s",
            F.when(F.col("counted"), F.col("latency_s")).alias("counted_latency_s"),
            "validity_s",
        )
    )


def _in_time(tables: CampaignTables) -> DataFrame:
    return _own_or_counted(tables).where(F.col("latency_s") < F.col("validity_s"))


def _stacked(*facts: DataFrame) -> DataFrame:
    """Put facts of all kinds under each other, so that one grouping by run does for all, without a join."""
    return reduce(lambda above, below: above.unionByName(below, allowMissingColumns=True), facts)
