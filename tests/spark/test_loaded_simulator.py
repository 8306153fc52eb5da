"""The simulator is loaded once in the daemon of workers, and a scenario is checked once in a worker."""

import runpy
from pathlib import Path
from typing import Any

import pytest
from conftest import MASTER
from fake_runs import fake_simulate, planned
from pyspark.sql import SparkSession

from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.checked_scenario import Scenario
from roamcast.core.plugins import known_plugins
from roamcast.measuring.metrics import DriverMetrics, known_metrics
from roamcast.spark.runs import campaign, simulate_task
from roamcast.spark.session import MAKES_RUNS

SMALL = {
    "duration_s": 1,
    "area": {"width_m": 10, "height_m": 10},
    "nodes": {"count": 2},
    "mobility": {"model": "static"},
    "radio": {"model": "range", "range_m": 20},
    "workload": {"model": "single-topic", "subscriber_fraction": 1, "validity_s": 1},
    "protocol": {"name": "flooding"},
}


@pytest.mark.parametrize(("value", "expected"), [("1", ["simulator", "manager"]), ("", ["manager"])])
def test_the_daemon_loads_the_simulator_before_it_forks_if_runs_are_made(
    monkeypatch: pytest.MonkeyPatch, value: str, expected: list[str]
) -> None:
    done: list[str] = []
    monkeypatch.setenv(MAKES_RUNS, value)
    monkeypatch.setattr(simulate_task, "load_simulator", lambda: done.append("simulator"))
    monkeypatch.setattr("pyspark.daemon.manager", lambda: done.append("manager"))
    runpy.run_module("roamcast.spark.session.worker_daemon", run_name="__main__")
    assert done == expected


def test_a_daemon_that_cannot_load_it_leaves_the_error_to_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def broken() -> None:
        raise OSError("no room for compiled code")

    monkeypatch.setenv(MAKES_RUNS, "1")
    monkeypatch.setattr(simulate_task, "load_simulator", broken)
    monkeypatch.setattr("pyspark.daemon.manager", lambda: done.append("manager"))
    runpy.run_module("roamcast.spark.session.worker_daemon", run_name="__main__")
    assert done == ["manager"]


def test_a_campaign_asks_for_it_if_runs_are_missing(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[bool] = []

    def opened(*_: Any, makes_runs: bool, **__: Any) -> SparkSession:
        asked.append(makes_runs)
        return spark

    monkeypatch.setattr(campaign, "open_session", opened)
    campaign.run_campaign([planned("a", 1), planned("a", 2)], tmp_path, MASTER, simulate=fake_simulate)
    campaign.run_campaign([planned("a", 1)], tmp_path, MASTER, simulate=fake_simulate)
    assert asked == [True, False]


def test_a_scenario_is_checked_once_for_its_seeds_and_again_in_the_next_task(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = Scenario.from_document(SMALL).canonical_json()
    checked: list[str] = []
    from_json = Scenario.from_json

    def counted(text: str) -> Scenario:
        checked.append(text)
        return from_json(text)

    monkeypatch.setattr(Scenario, "from_json", counted)
    metrics = DriverMetrics.of(known_metrics)
    task = simulate_task.SimulateTask(
        CampaignFolder(tmp_path), "call", simulate_task.simulate_scenario, known_plugins(), metrics
    )
    for tasks in (1, 2):
        list(task(iter(())))
        one, again, other = (simulate_task.simulate_scenario(text, seed) for seed in (1, 1, 2))
        assert one.digest() == again.digest() != other.digest()
        assert checked == [text] * tasks
