"""Rows over tasks, exactly as asked, and runs over tasks so that no core waits for another at the end.

Spark's ``repartition`` is uneven for few rows (25 of 200 tasks got none); these rows say themselves where they go.

Runs are shared out as in guided self-scheduling: long runs first, and each task a fixed part of what is left, down to
single runs. So there are few tasks (each costs 30 to 75 ms beside its runs), and the last ones are short.
"""

from collections.abc import Sequence

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from roamcast.campaigns.plan import PlannedRun

SHARE = 3
"""A task takes up to one part in this many of what is left for each core; more than one, as costs are estimates."""


def spread(spark: SparkSession, rows: pa.Table, tasks: int) -> DataFrame:
    """Return the rows with each in the task that its column ``task`` says."""
    return spark.createDataFrame(rows).repartitionById(tasks, "task")


def share_out(missing: Sequence[PlannedRun], cores: int, *, alone: bool = False) -> tuple[pa.Table, int]:
    """Return the runs with the task of each, long ones first, and the number of tasks; ``alone``: each has its own.

    Spark starts tasks in the order of their numbers. If costs are right, the last core is done at most one run after
    the work would be done if it could be cut at will.
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
