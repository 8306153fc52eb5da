"""When the names of finished runs reach the disk: after the content, together for short runs, at once for long ones."""

import os
from itertools import count
from pathlib import Path

import pytest
from fake_runs import fake_simulate, planned

from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.core.plugins import known_plugins
from roamcast.measuring.metrics import DriverMetrics, known_metrics
from roamcast.spark.partitions import share_out
from roamcast.spark.runs import simulate_task
from roamcast.spark.runs.simulate_task import NAMES_PERIOD_S, SimulateTask

RUNS = [planned("a", seed) for seed in range(5)]


@pytest.fixture
def flushed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what is flushed to the disk, in order: ``content`` or ``names``."""
    found: list[str] = []

    def fsync(descriptor: int) -> None:
        found.append("names" if Path(f"/proc/self/fd/{descriptor}").resolve().is_dir() else "content")

    monkeypatch.setattr(os, "fsync", fsync)
    return found


def make(folder: CampaignFolder, monkeypatch: pytest.MonkeyPatch, run_s: float) -> None:
    """Make the runs in one task; each look at the clock is one run later."""
    clock = count()
    monkeypatch.setattr(simulate_task, "monotonic", lambda: run_s * next(clock))
    with folder.opened() as call:
        task = SimulateTask(folder, call, fake_simulate, known_plugins(), DriverMetrics.of(known_metrics))
        rows, _ = share_out(RUNS, 1)
        list(task(iter(rows.to_batches())))
    assert folder.finished() == {run.run_id for run in RUNS}


def test_short_runs_wait_for_their_names_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flushed: list[str]
) -> None:
    make(CampaignFolder(tmp_path), monkeypatch, NAMES_PERIOD_S / 100)
    assert flushed == [*["content"] * len(RUNS), "names"]


def test_the_name_of_a_long_run_is_flushed_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flushed: list[str]
) -> None:
    make(CampaignFolder(tmp_path), monkeypatch, NAMES_PERIOD_S)
    assert flushed == ["content", "names"] * len(RUNS)
