"""The metrics of matching on Spark (BRVST paper, section V): facts as columns to add up, and what the sums become."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from roamcast.core.host import FALSE_POSITIVE
from roamcast.sim.facts import MAC_PREFIX
from roamcast.spark.runs.campaign_tables import CampaignTables

MATCHING_SUMS = (
    *("first_s", "firsts", "asked_s", "askers", "waiting", "waiting_delivered"),
    *("brokers", "broker_bytes", "control_bytes", "false_positives", "wasted_bytes", "stored_bytes"),
)
"""What is added up over the facts of a run, beside what ``metrics`` has already."""


def matching_facts(tables: CampaignTables) -> tuple[DataFrame, ...]:
    """Return what the metrics of matching need of each kind of fact."""
    matched = F.col("matches") > 0
    is_control = ~F.col("kind").startswith(MAC_PREFIX) & (F.col("events_sent") == 0)
    at_subscribers = F.col("reason") == FALSE_POSITIVE
    return (
        _firsts(tables),
        tables.subscriptions.select(
            "run_id",
            "waiting",
            "waiting_delivered",
            F.when(matched, F.col("matched_after_s")).alias("asked_s"),
            matched.cast("bigint").alias("askers"),
        ),
        tables.brokers.select("run_id", F.col("share").alias("brokers"), F.col("storage_bytes").alias("broker_bytes")),
        tables.nodes.select("run_id", F.col("storage_bytes_mean").alias("stored_bytes")),
        tables.traffic.where(is_control).select("run_id", F.col("bytes_sent").alias("control_bytes")),
        tables.false_positives.select(
            "run_id",
            F.when(at_subscribers, F.col("times")).alias("false_positives"),
            F.col("size_bytes").alias("wasted_bytes"),
        ),
    )


def _firsts(tables: CampaignTables) -> DataFrame:
    """Return how long each event that was delivered in time to another than its publisher waited for that."""
    events = tables.publications.select("run_id", "event", "publisher", "validity_s")
    to_others = (F.col("node") != F.col("publisher")) & (F.col("latency_s") < F.col("validity_s"))
    return (
        tables.deliveries.join(events, on=["run_id", "event"], how="inner")
        .where(to_others)
        .groupBy("run_id", "event")
        .agg(F.min("latency_s").alias("first_s"))
        .select("run_id", "first_s", F.lit(1).cast("bigint").alias("firsts"))
    )


def matching_definitions() -> dict[str, Column]:
    """Say what each metric is, in terms of the sums of a run."""
    node_seconds = F.col("nodes") * F.col("duration_s")
    ordinary_bytes, ordinary = F.col("stored_bytes") - F.col("broker_bytes"), F.col("nodes") - F.col("brokers")
    false, matches = F.col("false_positives"), F.col("counted") + F.col("waiting_delivered")
    return {
        "publication_match_s": ratio(F.col("first_s"), F.col("firsts")),
        "subscription_match_s": ratio(F.col("asked_s"), F.col("askers")),
        "match_s": ratio(F.col("first_s") + F.col("asked_s"), F.col("firsts") + F.col("askers")),
        "match_ratio": ratio(matches, F.col("interested") + F.col("waiting")),
        "broker_storage_bytes": ratio(F.col("broker_bytes"), F.col("brokers")),
        "member_storage_bytes": ratio(ordinary_bytes, ordinary),
        "control_bytes_per_node_s": ratio(F.col("control_bytes"), node_seconds),
        "bytes_per_match": ratio(F.col("bytes_sent"), matches),
        "false_positive_rate": ratio(false, false + matches),
        "wasted_bytes_per_match": ratio(F.col("wasted_bytes"), matches),
    }


def ratio(above: Column, below: Column) -> Column:
    """Return a quotient; null where there is nothing to divide by."""
    return F.try_divide(above.cast("double"), below.cast("double"))
