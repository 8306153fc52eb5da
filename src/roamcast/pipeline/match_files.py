"""Parquet files of subscriptions and events in, a Parquet table of their matches out."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from roamcast.core.errors import UserError, one_line
from roamcast.matching.attribute_space import Limits
from roamcast.pipeline.match_tables import match_tables
from roamcast.pipeline.progress import Progress
from roamcast.pipeline.reading import read_parquet
from roamcast.pipeline.session import open_session
from roamcast.pipeline.watching import SPARK_ERRORS, failure, watched

CASE_SENSITIVE = "spark.sql.caseSensitive"


@dataclass(frozen=True, slots=True)
class MatchReport:
    """What was matched and what was left out."""

    table: Path
    matches: int
    subscriptions: int
    events: int
    bad_subscriptions: int
    bad_events: int


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
    """Match two tables and write the result; its folder has its name only when it is whole."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{out.parent}: cannot be written ({error.strerror})") from error
    log_file = out.parent / "spark.log"
    spark = open_session(master, log_file)
    making = out.with_name(f".{out.name}.tmp")

    def write() -> MatchReport:
        asked, published = _read(spark, subscriptions), _read(spark, events)
        found = match_tables(asked, published, limits, counts_only=counts_only, skip_bad=skip_bad)
        found.matches.write.mode("overwrite").parquet(str(making.resolve()))
        written = read_parquet(spark, making.resolve(), found.matches.schema)
        count = written.agg({"matches": "sum"}).toArrow()[0][0].as_py() if counts_only else written.count()
        making.rename(out)
        return MatchReport(
            out, count or 0, found.subscriptions, found.events, found.bad_subscriptions, found.bad_events
        )

    progress = Progress()
    progress.begin(f"match: {events.name} against {subscriptions.name} on Spark")
    try:
        with _case_told_apart(spark):
            return watched(spark, "match", write)
    except SPARK_ERRORS as error:
        raise failure(error, out, log_file) from error
    finally:
        shutil.rmtree(making, ignore_errors=True)
        progress.end()


@contextmanager
def _case_told_apart(spark: SparkSession) -> Iterator[None]:
    """Let Spark read a table with the columns ``age`` and ``Age``; the session may be another's as well."""
    before = spark.conf.get(CASE_SENSITIVE)
    spark.conf.set(CASE_SENSITIVE, "true")
    try:
        yield
    finally:
        spark.conf.set(CASE_SENSITIVE, str(before))


def _read(spark: SparkSession, path: Path) -> DataFrame:
    try:
        return read_parquet(spark, path.resolve())
    except (PySparkException, Py4JError) as error:
        raise UserError(f"{path}: cannot be read as a Parquet table{_reason(path)}") from error


def _reason(path: Path) -> str:
    """Return which column Spark cannot read, if it is one of those; Spark itself does not say it."""
    first = next(iter(sorted(path.glob("*.parquet"))), path) if path.is_dir() else path
    try:
        schema = pq.read_schema(first)
    except (OSError, pa.ArrowException):
        return ""
    for field in schema:
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
            return f": column '{one_line(field.name)}' is {field.type}, which Spark does not read; write timestamp[us]"
        if pa.types.is_time(field.type) or pa.types.is_float16(field.type):
            return f": column '{one_line(field.name)}' is {field.type}, which Spark does not read"
    return ""
