"""The metrics of a campaign's runs as a table on disk, beside the facts that they come from (docs/tables.md)."""

from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame

from roamcast.campaigns.whole_files import write_parquet

METRICS = "metrics"
METRICS_SCHEMA = pa.schema(
    [
        pa.field("run_id", pa.string(), nullable=False),
        pa.field("metric", pa.string(), nullable=False),
        pa.field("value", pa.float64()),
    ]
)


def write_metrics(metrics: DataFrame, tables_folder: Path) -> None:
    """Write (run_id, metric, value) of every run: one file, in order, the same for the same runs."""
    table = metrics.select(*METRICS_SCHEMA.names).orderBy("run_id", "metric").toArrow()
    folder = tables_folder / METRICS
    folder.mkdir(exist_ok=True)
    write_parquet(table.cast(METRICS_SCHEMA), folder / "part-00000.parquet")
