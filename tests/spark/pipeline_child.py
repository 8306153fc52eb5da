"""The whole pipeline in a process of its own: ``pipeline_child.py OUT`` plans, simulates, measures and prints."""

import json
import shutil
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.plan import plan
from roamcast.spark.runs.campaign import run_campaign
from roamcast.spark.runs.campaign_tables import read_tables

SCENARIO = {
    "name": "square",
    "duration_s": 20,
    "area": {"width_m": 300, "height_m": 300},
    "nodes": {"count": 8},
    "mobility": {"model": "random-waypoint", "speed_mps": [1, 5], "pause_s": 1},
    "radio": {"model": "range", "range_m": 200},
    "workload": {"model": "single-topic", "subscriber_fraction": 0.5, "validity_s": 15},
    "protocol": {"name": "flooding"},
}

if __name__ == "__main__":
    runs = plan("square", Scenario.from_document(SCENARIO), {"nodes.count": [8, 10]}, [1, 2])
    result = run_campaign(runs, Path(sys.argv[1]), "local[1,4]")
    spark = SparkSession.active()
    tables = read_tables(spark, result.tables)
    print(  # noqa: T201 - the test reads it
        json.dumps(
            {
                "java_on_path": shutil.which("java"),
                "java_home": spark.sparkContext._jvm.System.getProperty("java.home"),  # type: ignore[union-attr]
                "failed": [failed.reason for failed in result.failed],
                "digests": {row.run_id: row.digest for row in tables.runs.collect()},
                "metrics": {f"{row.run_id} {row.metric}": row.value for row in tables.metrics.collect()},
            }
        )
    )
