"""Matching Parquet files of subscriptions and events, with a Parquet table of their matches as the result."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from roamcast.campaigns.progress import Progress
from roamcast.core.errors import UserError
from roamcast.matching.attribute_space import Limits
from roamcast.spark.jobs import SPARK_ERRORS, failure, wait_for_job
from roamcast.spark.matching.input_columns import EVENT_COLUMNS, SUBSCRIPTION_COLUMNS
from roamcast.spark.matching.input_files import InputTable
from roamcast.spark.matching.match_tables import match_tables
from roamcast.spark.parquet import read_parquet
from roamcast.spark.session.session import open_session

ANY_COLUMNS = ("spark.sql.caseSensitive", "spark.sql.legacy.parquet.nanosAsLong")
"""With these settings ``age`` and ``Age`` are two columns, and times in nanoseconds do not make a table unreadable."""


@dataclass(frozen=True, slots=True)
class MatchReport:
    """The numbers of matched rows, and of those left out."""

    table: Path
    matches: int
    subscriptions: int
    events: int
    bad_subscriptions: int
    bad_events: int
    columns_left_out: tuple[str, ...]
    """Columns of the events that are not numbers and that no subscription uses."""


def match_files(
    subscriptions: Path,
    events: Path,
    out: Path,
    limits: Mapping[str, Limits],
    master: str,
    *,
    counts_only: bool = False,
    skip_bad: bool = False,
) -> MatchReport:
    """Match two tables and write the result; its folder gets its name only when it is complete."""
    subscription_table = InputTable("subscriptions", subscriptions, SUBSCRIPTION_COLUMNS)
    event_table = InputTable("events", events, EVENT_COLUMNS)
    subscription_table.check()
    event_table.check()
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{out.parent}: cannot be written ({error.strerror})") from error
    log_file = out.parent / "spark.log"
    spark = open_session(master, log_file)
    temporary = out.with_name(f".{out.name}.tmp")

    def write() -> MatchReport:
        tables = _read(spark, subscription_table), _read(spark, event_table)
        found = match_tables(*tables, limits, counts_only=counts_only, skip_bad=skip_bad)
        found.matches.write.mode("overwrite").parquet(str(temporary.resolve()))
        written = read_parquet(spark, temporary.resolve(), found.matches.schema)
        count = written.agg({"matches": "sum"}).toArrow()[0][0].as_py() if counts_only else written.count()
        temporary.rename(out)
        return MatchReport(
            out,
            count or 0,
            found.subscriptions,
            found.events,
            found.bad_subscriptions,
            found.bad_events,
            found.columns_left_out,
        )

    progress = Progress()
    progress.begin(f"match: {events.name} against {subscriptions.name} on Spark")
    try:
        with _any_columns(spark):
            return wait_for_job(spark, "match", write)
    except SPARK_ERRORS as error:
        raise subscription_table.damage() or event_table.damage() or failure(error, out, log_file) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        progress.end()


@contextmanager
def _any_columns(spark: SparkSession) -> Iterator[None]:
    """Change settings for a while so that Spark reads any table; others may use the same session."""
    before = {key: spark.conf.get(key) for key in ANY_COLUMNS}
    for key in ANY_COLUMNS:
        spark.conf.set(key, "true")
    try:
        yield
    finally:
        for key, value in before.items():
            spark.conf.set(key, str(value))


def _read(spark: SparkSession, table: InputTable) -> DataFrame:
    try:
        frame = read_parquet(spark, table.path.resolve(), all_columns=True)
    except SPARK_ERRORS as error:
        raise table.unread() from error
    for name in table.nanosecond_columns():  # read as numbers, but must not be used as such
        quoted = "`" + name.replace("`", "``") + "`"
        frame = frame.withColumn(name, F.timestamp_seconds(F.col(quoted) / 1e9))
    return frame
