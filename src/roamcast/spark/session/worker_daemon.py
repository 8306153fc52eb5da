"""The process that Spark forks its Python workers from on one machine, with everything loaded that their tasks need.

PySpark's own daemon forks first, so that each worker loads pandas, Arrow and the simulator itself: 1.5 s of CPU time,
again for every worker that replaces one whose run failed. PySpark does so because imports may start threads, which do
not survive a fork. These imports start none of Python's: only the pools of OpenBLAS and Arrow's allocator, which both
restore themselves after a fork. On a cluster, PySpark's daemon stays: there the code arrives after it has started.

In a session that makes runs, the daemon makes a small one first. So the compiled simulator is loaded once, and not in
each worker, where it takes 0.4 s of CPU time.
"""

import os
from contextlib import suppress

import pandas  # noqa: F401
import pyarrow.parquet  # noqa: F401
import pyspark.sql.pandas.serializers
import pyspark.worker  # noqa: F401
from pyspark.daemon import manager

import roamcast.campaigns.plan
import roamcast.sim.simulation  # noqa: F401
from roamcast.spark.runs.simulate_task import load_simulator
from roamcast.spark.session import MAKES_RUNS

if __name__ == "__main__":
    if os.environ.get(MAKES_RUNS):
        with suppress(Exception):  # what is wrong with the simulator, a worker says better
            load_simulator()
    manager()
