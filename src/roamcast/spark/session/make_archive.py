"""Makes the class-data archive (``class_archive``) for the Java and the Spark of this environment.

Part of the set-up: ``python -m roamcast.spark.session.make_archive``. It measures a small campaign once, so that the
archive contains the classes that later sessions load, and takes about 20 s. Nothing depends on it: if it cannot be
made, sessions start without it.
"""

import tempfile
from contextlib import suppress
from pathlib import Path

from pyspark.sql import SparkSession

from roamcast.campaigns.run_files import OK, TABLE_SCHEMAS, RunOutcome, flat_tables, run_row
from roamcast.campaigns.whole_files import LEFTOVERS, whole_file, write_parquet
from roamcast.measuring.metrics import known_metrics
from roamcast.spark.runs.campaign_tables import read_tables
from roamcast.spark.runs.measure import seed_samples
from roamcast.spark.session.class_archive import archive_path
from roamcast.spark.session.java import find_java
from roamcast.spark.session.master import DEFAULT_MASTER
from roamcast.spark.session.session import close_session, open_session


def make_archive() -> Path | None:
    """Make the archive if it does not exist; return its path, or None if no folder is writable."""
    path = archive_path(find_java())
    if path is None or path.is_file():
        return path
    for leftover in [*path.parent.glob("spark-*.jsa"), *path.parent.glob(LEFTOVERS)]:
        leftover.unlink(missing_ok=True)  # of another Java or Spark, or of a set-up that was killed
    with suppress(FileNotFoundError), tempfile.TemporaryDirectory() as folder, whole_file(path) as temporary:
        spark = open_session(DEFAULT_MASTER, java_options=(f"-XX:ArchiveClassesAtExit={temporary}",))
        _exercise(spark, Path(folder))
        close_session(spark)  # now Java writes the archive, or cannot
    return path if path.is_file() else None


def _exercise(spark: SparkSession, folder: Path) -> None:
    """Do what commands do: run Python in a task, read tables, compute metrics."""
    spark.range(4, numPartitions=2).repartition(2).mapInArrow(lambda batches: batches, "id long").toArrow()
    tables = {"plan": TABLE_SCHEMAS["plan"].empty_table(), **flat_tables([run_row("0", 0, "{}", RunOutcome(OK))])}
    for name, table in tables.items():
        (folder / name).mkdir()
        write_parquet(table, folder / name / "part-00000.parquet")
    read = read_tables(spark, folder)
    seed_samples(read, [1.0], known_metrics).toArrow()


if __name__ == "__main__":
    make_archive()
