"""The process that Spark forks its Python workers from while it imports movement: with Arrow, without the simulator.

Loading the simulator takes a second of CPU time (``session.worker_daemon``), and tasks that read and write files do not
need it. A task that does, in the same session, loads it itself.
"""

import pyarrow.parquet  # noqa: F401
import pyspark.worker  # noqa: F401
from pyspark.daemon import manager

import roamcast.spark.movement.movement_tasks  # noqa: F401

if __name__ == "__main__":
    manager()
