"""Assigning rows to Spark tasks exactly, and runs to tasks such that no core is idle for long at the end.

Spark's ``repartition`` is uneven for few rows (25 of 200 tasks got none); here a column gives the task of each row.

Runs are distributed as in guided self-scheduling: long runs first, and each task gets a fixed share of the remaining
work, down to single runs. So there are few tasks (each costs 30 to 75 ms besides its runs), and the last are short.
"""

from collections.abc import Sequence

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from roamcast.campaigns.plan import PlannedRun

SHARE = 3
"""A task takes at most this fraction, 1/SHARE, of a core's part of the remaining work, since costs are estimates."""


def spread(spark: SparkSession, rows: pa.Table, tasks: int) -> DataFrame:
    """Return the rows as a frame in which each is in the task given by its column ``task``."""
    return spark.createDataFrame(rows).repartitionById(tasks, "task")


def share_out(missing: Sequence[PlannedRun], cores: int, *, alone: bool = False) -> tuple[pa.Table, int]:
    """Return the runs with a task for each, long ones first, and the number of tasks; ``alone``: one run per task.

    Spark starts tasks in the order of their numbers. If the costs are right, the last core finishes at most one run
    later than if the work could be divided arbitrarily.
    """
    ordered = sorted(missing, key=lambda run: (-run.cost, run.run_id))
    left = sum(run.cost for run in ordered)
    tasks: list[int] = []
    task, room = -1, 0.0
    for run in ordered:
        if task < 0 or alone or run.cost > room:
            task, room = task + 1, left / (SHARE * cores)
        tasks.append(task)
        room -= run.cost
        left -= run.cost
    table = pa.table(
        {
            "task": pa.array(tasks, pa.int32()),
            "rank": pa.array(range(len(ordered)), pa.int32()),
            "run_id": [run.run_id for run in ordered],
            "seed": pa.array([run.seed for run in ordered], pa.int64()),
            "scenario_json": [run.scenario_json for run in ordered],
        }
    )
    return table, task + 1
