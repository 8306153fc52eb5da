"""Two people, two processes, one folder: this process makes a campaign in it, and a thread starts the other one."""

import fcntl
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gated_child
import pytest
from conftest import MASTER
from fake_runs import fake_simulate
from gates import ENDED, WAITING, Gate, gated_plan
from test_campaign import tables_of

from roamcast.spark.runs.campaign import run_campaign

pytestmark = pytest.mark.usefixtures("spark")


def start(folder: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, gated_child.__file__, str(folder), str(folder / "out"), MASTER, "2", "6", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def tables(folder: Path, name: str) -> dict[str, list[dict[str, object]]]:
    """Make the campaign in this process and return its tables."""
    result = run_campaign(gated_plan(folder, 2, 6), folder / name, MASTER, simulate=fake_simulate)
    assert not result.failed
    return tables_of(folder / name)


def test_the_second_is_told_at_once_and_the_first_is_not_disturbed(tmp_path: Path) -> None:
    def second() -> tuple[list[str], int, str]:
        try:
            told = gate.wait_for(2)
            child = start(tmp_path)
            gate.watch(child)
            told += gate.wait_for(1)
        finally:
            gate.open()
        said, _ = child.communicate()
        return told, child.returncode, said

    with Gate(tmp_path) as gate, ThreadPoolExecutor(1) as other, gate.ending():
        seen = other.submit(second)
        made = tables(tmp_path, "out")
        told, code, said = seen.result()
        assert (told, code) == ([WAITING, WAITING, ENDED], 1)
        assert said.startswith(f"refused: {tmp_path / 'out'}: another roamcast is working in this folder")
        assert made == tables(tmp_path, "alone")


def test_where_there_are_no_locks_two_make_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    half = out / "runs" / ".half.parquet.77.ab.tmp"  # a file that somebody is writing

    def second() -> tuple[list[str], int, str]:
        try:
            told = gate.wait_for(2)
            half.touch()
            child = start(tmp_path, "no-locks")
            gate.watch(child)
            told += gate.wait_for(2)
            assert half.exists()
            assert len(list((out / "started").iterdir())) == 2  # nobody removes the marks of the other's runs
        finally:
            gate.open()
        said, _ = child.communicate()
        return told, child.returncode, said

    monkeypatch.setattr(fcntl, "flock", gated_child.no_locks)
    with Gate(tmp_path) as gate, ThreadPoolExecutor(1) as other, gate.ending():
        seen = other.submit(second)
        tables(tmp_path, "out")
        assert seen.result() == ([WAITING] * 4, 0, "")  # both made the same two runs at the same time
        assert tables_of(out) == tables(tmp_path, "alone")
        half.unlink()
        assert not list(out.rglob(".*.tmp"))
