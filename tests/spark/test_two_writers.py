"""Two people, two processes, one folder."""

import subprocess
import sys
from pathlib import Path

import gated_child
import pytest
from conftest import MASTER
from fake_runs import fake_simulate
from gates import WAITING, Gate, gated_plan
from test_campaign import tables_of

from roamcast.spark.runs.campaign import run_campaign

pytestmark = pytest.mark.usefixtures("spark")


def start(folder: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, gated_child.__file__, str(folder), str(folder / "out"), MASTER, "2", "6", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def undisturbed_tables(folder: Path) -> dict[str, list[dict[str, object]]]:
    run_campaign(gated_plan(folder, 2, 6), folder / "alone", MASTER, simulate=fake_simulate)
    return tables_of(folder / "alone")


def test_the_second_is_told_at_once_and_the_first_is_not_disturbed(tmp_path: Path) -> None:
    with Gate(tmp_path) as gate:
        first = start(tmp_path)
        gate.watch(first)
        assert gate.wait_for(2) == [WAITING] * 2
        second = start(tmp_path)
        said, _ = second.communicate()
        assert second.returncode == 1
        assert said.startswith(f"refused: {tmp_path / 'out'}: another roamcast is working in this folder")
        gate.open()
        assert first.communicate()[0] == ""
        assert first.returncode == 0
        assert tables_of(tmp_path / "out") == undisturbed_tables(tmp_path)


def test_where_there_are_no_locks_two_make_the_same_files(tmp_path: Path) -> None:
    with Gate(tmp_path) as gate:
        both = [start(tmp_path, "no-locks") for _ in range(2)]
        for each in both:
            gate.watch(each)
        assert gate.wait_for(4) == [WAITING] * 4  # both make the same two runs at the same time
        gate.open()
        assert [(each.communicate()[0], each.returncode) for each in both] == [("", 0)] * 2
        assert tables_of(tmp_path / "out") == undisturbed_tables(tmp_path)
        assert not list((tmp_path / "out").rglob(".*.tmp"))
