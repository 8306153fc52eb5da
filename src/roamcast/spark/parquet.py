"""Reading Parquet files with Spark such that a path is always a name, never a pattern."""

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

NO_GLOBBING = {"__globPaths__": "false"}
"""Without this, Spark would take ``r?`` as a pattern and read all matching folders as one table."""


def read_parquet(
    spark: SparkSession, path: Path, schema: StructType | None = None, *, all_columns: bool = False
) -> DataFrame:
    """Read a file or a folder; if the schema is given, Spark need not open a file to find it.

    ``all_columns`` is for files with different columns: otherwise Spark uses those of an arbitrary file.
    """
    reader = spark.read.options(mergeSchema=all_columns, **NO_GLOBBING)
    return (reader if schema is None else reader.schema(schema)).parquet(str(path))
