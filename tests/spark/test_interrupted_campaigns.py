"""Campaigns in real processes that are killed or interrupted while their workers are in the middle of runs."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import campaign_child
import pytest
from campaign_child import held_plan
from conftest import MASTER
from fake_runs import fake_simulate
from test_campaign import tables_of

from roamcast.spark.runs.campaign import run_campaign

pytestmark = pytest.mark.usefixtures("spark")


def disturbed_campaign(out: Path, pipe: Path, with_signal: signal.Signals) -> tuple[int, str]:
    """Start a campaign, send its driver a signal while two runs are held, and see all its workers end."""
    os.mkfifo(pipe)
    command = [sys.executable, campaign_child.__file__, str(out), str(pipe)]
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=heed_interrupts
    )
    threading.Thread(target=end_pipe_after, args=(child, pipe), daemon=True).start()
    with pipe.open(encoding="utf-8") as held:
        reached = [held.readline() for _ in range(2)]
        pipe.unlink()
        child.send_signal(with_signal)
        rest = held.read()  # comes back at the end of the pipe: no worker has it open any more
    said, _ = child.communicate()
    assert (reached, rest) == (["holding\n"] * 2, ""), said
    return child.returncode, said


def heed_interrupts() -> None:
    """Let Ctrl-C reach the child, even where whoever runs the tests in the background has it ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def end_pipe_after(child: subprocess.Popen[str], pipe: Path) -> None:
    """Let the pipe's reader go on if the child ends before any of its runs was held."""
    child.wait()
    with suppress(FileNotFoundError):
        os.close(os.open(pipe, os.O_WRONLY))


def finished(out: Path) -> set[str]:
    return {file.stem for file in (out / "runs").glob("*.parquet")}


def test_a_campaign_whose_driver_was_killed_ends_with_the_same_tables(tmp_path: Path) -> None:
    plan = held_plan(tmp_path / "pipe")
    code, _ = disturbed_campaign(tmp_path / "killed", tmp_path / "pipe", signal.SIGKILL)
    assert code == -signal.SIGKILL
    early = {run.run_id for run in plan[:4]}
    assert finished(tmp_path / "killed") == early
    written_at = {run_id: (tmp_path / "killed/runs" / f"{run_id}.parquet").stat().st_mtime_ns for run_id in early}

    result = run_campaign(plan, tmp_path / "killed", MASTER, simulate=fake_simulate)
    assert (result.kept, result.simulated, result.failed) == (4, 6, ())
    assert written_at == {
        run_id: (tmp_path / "killed/runs" / f"{run_id}.parquet").stat().st_mtime_ns for run_id in early
    }
    run_campaign(plan, tmp_path / "undisturbed", MASTER, simulate=fake_simulate)
    assert tables_of(tmp_path / "killed") == tables_of(tmp_path / "undisturbed")


def test_an_interrupted_campaign_keeps_what_is_finished_and_leaves_no_process_behind(tmp_path: Path) -> None:
    code, said = disturbed_campaign(tmp_path / "out", tmp_path / "pipe", signal.SIGINT)
    assert code == -signal.SIGINT  # what Python makes of a KeyboardInterrupt that nobody caught
    assert "KeyboardInterrupt" in said
    assert "Py4J" not in said
    assert finished(tmp_path / "out") == {run.run_id for run in held_plan(tmp_path / "pipe")[:4]}
    assert not (tmp_path / "out" / "tables").exists()
