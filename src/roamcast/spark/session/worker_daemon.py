"""The process that Spark forks its Python workers from on one machine, with everything loaded that their tasks need.

PySpark's own daemon forks first, so that each worker loads pandas, Arrow and the simulator itself: 1.5 s of CPU time,
again for every worker that replaces one whose run failed. PySpark does so because imports may start threads, which do
not survive a fork. These imports start none of Python's: only the pools of OpenBLAS and Arrow's allocator, which both
restore themselves after a fork. On a cluster, PySpark's daemon stays: there the code arrives after it has started.
"""

import pandas  # noqa: F401
import pyarrow.parquet  # noqa: F401
import pyspark.sql.pandas.serializers
import pyspark.worker  # noqa: F401
from pyspark.daemon import manager

import roamcast.campaigns.plan
import roamcast.sim.simulation
import roamcast.spark.runs.simulate_task  # noqa: F401

if __name__ == "__main__":
    manager()
