"""The flat tables of a campaign as Spark sees them."""

from dataclasses import dataclass, fields
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from roamcast.campaigns.run_files import TABLE_SCHEMAS
from roamcast.spark.parquet import read_parquet


@dataclass(frozen=True, slots=True)
class CampaignTables:
    """One DataFrame a table; docs/campaigns.md describes every column."""

    plan: DataFrame
    runs: DataFrame
    timings: DataFrame
    publications: DataFrame
    deliveries: DataFrame
    traffic: DataFrame
    receptions: DataFrame
    nodes: DataFrame
    drops: DataFrame
    subscriptions: DataFrame
    brokers: DataFrame
    false_positives: DataFrame
    first_matches: DataFrame
    metrics: DataFrame


def read_tables(spark: SparkSession, folder: Path) -> CampaignTables:
    """Return the tables in the ``tables`` folder of a campaign."""
    names = [field.name for field in fields(CampaignTables)]
    return CampaignTables(
        **{name: read_parquet(spark, folder / name, from_arrow_schema(TABLE_SCHEMAS[name])) for name in names}
    )
