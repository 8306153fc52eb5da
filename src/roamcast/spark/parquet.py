"""Parquet files as Spark reads them: a path is a name and never a pattern."""

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

LITERALLY = {"__globPaths__": "false"}
"""Spark takes ``r?`` for every folder with such a name, and reads their tables as one, unless this is said."""


def read_parquet(
    spark: SparkSession, path: Path, schema: StructType | None = None, *, all_columns: bool = False
) -> DataFrame:
    """Return what is in a file or a folder; with the schema given, Spark need not open a file to see what is in it.

    ``all_columns`` is for files that need not have the same ones: else Spark takes those of any one file.
    """
    reader = spark.read.options(mergeSchema=all_columns, **LITERALLY)
    return (reader if schema is None else reader.schema(schema)).parquet(str(path))
