import heapq

from fake_runs import planned
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from roamcast.campaigns.plan import PlannedRun
from roamcast.spark.partitions import share_out, spread

COSTS = st.lists(st.floats(0.001, 1e6), min_size=1, max_size=60)


def some_runs(costs: list[float]) -> list[PlannedRun]:
    return [planned("a", seed, cost=cost) for seed, cost in enumerate(costs)]


@given(COSTS, st.integers(1, 60))
def test_long_runs_come_first(costs: list[float], cores: int) -> None:
    runs = some_runs(costs)
    table, tasks = share_out(runs, cores)
    cost_of = {run.run_id: run.cost for run in runs}
    assert [cost_of[run_id] for run_id in table.column("run_id").to_pylist()] == sorted(costs, reverse=True)
    assert table.column("rank").to_pylist() == list(range(len(costs)))
    numbers = table.column("task").to_pylist()
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(tasks))


@given(COSTS, st.integers(1, 8))
def test_no_core_is_idle_for_longer_than_one_run_at_the_end(costs: list[float], cores: int) -> None:
    runs = some_runs(costs)
    table, tasks = share_out(runs, cores)
    cost_of = {run.run_id: run.cost for run in runs}
    work = [0.0] * tasks
    for row in table.to_pylist():
        work[row["task"]] += cost_of[row["run_id"]]
    free_at = [0.0] * cores
    for amount in work:  # each task goes to the core that is free first
        heapq.heapreplace(free_at, free_at[0] + amount)
    assert max(free_at) <= (sum(costs) / cores + max(costs)) * (1 + 1e-9)


def test_there_are_far_fewer_tasks_than_short_runs_and_the_last_ones_are_single_runs() -> None:
    table, tasks = share_out(some_runs([0.2] * 200), 2)
    numbers = table.column("task").to_pylist()
    assert tasks < 40
    assert numbers.count(0) > 20
    assert [numbers.count(task) for task in range(tasks - 4, tasks)] == [1, 1, 1, 1]


def test_runs_can_be_kept_apart() -> None:
    assert share_out(some_runs([0.0, 0.0, 5.0]), 1, alone=True)[1] == 3


def test_spark_keeps_to_the_tasks_that_were_asked_for(spark: SparkSession) -> None:
    rows, tasks = share_out(some_runs([1.0] * 23), 2)
    spread_out = spread(spark, rows, tasks).select("task", F.spark_partition_id().alias("part"))
    assert {(row.task, row.part) for row in spread_out.collect()} == {(task, task) for task in range(tasks)}
