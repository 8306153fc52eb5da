"""A path that Spark reads is a name: what looks like a pattern in it stands for itself."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import roamcast.spark
from roamcast.spark.parquet import read_parquet

NAMES = (
    "r1",
    "r?",
    "r[1]",
    "r*",
    "{r1,r2}",
    "r[",
    "[2026] city",
    "x:y",
    "p%20q",
    "#h",
    "k=v",
    "back\\slash",
    "new\nline",
)


def test_a_folder_is_read_by_its_very_name_whatever_its_neighbours_are_called(
    spark: SparkSession, tmp_path: Path
) -> None:
    for number, name in enumerate(NAMES):
        (tmp_path / name / "window=00000").mkdir(parents=True)
        pq.write_table(pa.table({"number": [number]}), tmp_path / name / "window=00000" / "part.parquet")
    frames = [read_parquet(spark, tmp_path / name).select("number") for name in NAMES]
    found = frames[0]
    for frame in frames[1:]:
        found = found.unionAll(frame)
    assert sorted(row["number"] for row in found.collect()) == list(range(len(NAMES)))


def test_nothing_else_reads_paths_with_spark() -> None:
    folder = Path(roamcast.spark.__file__).parent
    readers = [file.name for file in sorted(folder.rglob("*.py")) if "spark.read." in file.read_text()]
    assert readers == ["parquet.py"]
