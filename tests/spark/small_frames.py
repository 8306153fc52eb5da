"""Small frames of rows: Spark keeps what comes by Arrow in Java, and a list of rows costs a job in Python each time."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType


def small_frame(spark: SparkSession, rows: Sequence[tuple[Any, ...]], schema: str) -> DataFrame:
    """Return a frame of rows, with a schema as Spark writes it."""
    types: Any = StructType.fromDDL(schema)
    arrow = to_arrow_schema(types)
    columns = zip(*rows, strict=True) if rows else [()] * len(arrow)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, arrow, strict=True)]
    return spark.createDataFrame(pa.Table.from_arrays(arrays, names=arrow.names), types)
