"""Campaigns on a standalone cluster, with a Python on it that knows neither roamcast nor the plug-ins of the driver."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gated_child
import pytest
from conftest import MASTER
from fake_runs import fake_simulate
from gates import WAITING, Gate, gated_plan
from installed_package import NODES, SCENARIO, install_outside_package
from pyspark.sql import SparkSession
from standalone_cluster import Cluster, bare_python, environment, running_cluster
from test_campaign import tables_of

import roamcast
from roamcast.cli import main
from roamcast.core.plugins import forget_plugins
from roamcast.spark.runs.campaign import run_campaign

GATED, FREE = 2, 10


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Start the cluster of all tests here: a master and two workers, one of which a test kills."""
    with running_cluster(tmp_path_factory.mktemp("cluster"), 2) as started:
        yield started


def test_the_python_of_the_cluster_does_not_have_roamcast(tmp_path: Path) -> None:
    command = [str(bare_python(tmp_path)), "-c", "import pyarrow, numba, roamcast"]
    child = subprocess.run(
        command, env=environment(tmp_path), cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert child.stderr.endswith("ModuleNotFoundError: No module named 'roamcast'\n")


def test_a_cluster_that_loses_a_worker_makes_the_tables_of_one_machine(
    cluster: Cluster, tmp_path: Path, spark: SparkSession
) -> None:
    assert spark.sparkContext.master == MASTER
    with Gate(tmp_path) as gate:
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


@pytest.mark.usefixtures("spark", "fresh_plugins")
def test_an_installed_package_is_compared_with_frugal_on_one_machine_and_on_a_cluster_with_the_same_result(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    site = install_outside_package(tmp_path)
    (tmp_path / "harbour.toml").write_text(SCENARIO)
    compare = ["compare", str(tmp_path / "harbour.toml"), "--protocols", "frugal,fog-horn", "--seeds", "2", "--json"]

    monkeypatch.syspath_prepend(str(site))
    forget_plugins()
    assert main([*compare, "--master", MASTER, "--out", str(tmp_path / "here")]) == 0
    here = means(capsys.readouterr().out)
    for protocol in ("frugal", "fog-horn"):
        assert here[protocol, "delivery_ratio"] > 0.5
        delivered = here[protocol, "delivery_ratio"] * (NODES - 1)  # every other node asks for every alarm
        assert here[protocol, "deliveries_per_event"] == pytest.approx(delivered)

    # The cluster's Python does not have the package on its path: what its workers import was sent to them.
    path = os.pathsep.join([str(site), str(Path(roamcast.__file__).parents[1])])
    driver = subprocess.run(
        [sys.executable, "-m", "roamcast", *compare, "--master", cluster.url, "--out", str(tmp_path / "there")],
        env=environment(tmp_path) | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert driver.returncode == 0, driver.stdout[-2000:] + driver.stderr[-2000:]
    assert means(driver.stdout) == here


def means(document: str) -> dict[Any, float]:
    """Return the means of a comparison by protocol and metric."""
    rows = [row for row in json.loads(document)["measurements"] if row["kind"] == "value"]
    return {(row["point"]["protocol.name"], row["metric"]): row["mean"] for row in rows}
