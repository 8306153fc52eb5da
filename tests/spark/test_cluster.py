"""A campaign on a standalone cluster that loses a worker, with a Python on it that does not know roamcast."""

import subprocess
import sys
from pathlib import Path

import gated_child
from conftest import MASTER
from fake_runs import fake_simulate
from gates import WAITING, Gate, gated_plan
from pyspark.sql import SparkSession
from standalone_cluster import bare_python, environment, running_cluster
from test_campaign import tables_of

from roamcast.spark.runs.campaign import run_campaign

GATED, FREE = 2, 10


def test_the_python_of_the_cluster_does_not_have_roamcast(tmp_path: Path) -> None:
    command = [str(bare_python(tmp_path)), "-c", "import pyarrow, numba, roamcast"]
    child = subprocess.run(
        command, env=environment(tmp_path), cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert child.stderr.endswith("ModuleNotFoundError: No module named 'roamcast'\n")


def test_a_cluster_that_loses_a_worker_makes_the_tables_of_one_machine(tmp_path: Path, spark: SparkSession) -> None:
    assert spark.sparkContext.master == MASTER
    with Gate(tmp_path) as gate, running_cluster(tmp_path, 2) as cluster:
        command = [sys.executable, gated_child.__file__, str(tmp_path), str(tmp_path / "out"), cluster.url]
        driver = subprocess.Popen(
            [*command, str(GATED), str(FREE)],
            env=environment(tmp_path),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            gate.watch(driver)
            assert gate.wait_for(GATED) == [WAITING] * GATED  # one run on each of the two workers, of one core each
            cluster.workers[0].kill()
            cluster.workers[0].wait()
            gate.open()
            said, _ = driver.communicate()
            assert (said, driver.returncode) == ("", 0)
        finally:
            driver.kill()
            driver.wait()
        run_campaign(gated_plan(tmp_path, GATED, FREE), tmp_path / "alone", MASTER, simulate=fake_simulate)
    assert tables_of(tmp_path / "out") == tables_of(tmp_path / "alone")
