"""The cost of campaigns next to another commit: what is counted, and what is said of two sides."""

import sys
from pathlib import Path
from subprocess import PIPE, Popen

import pytest
from benchmarks.campaign_cases import CAMPAIGN_CASES, CampaignCost, campaign_rows, same_values, show_campaigns
from benchmarks.process_tree import ProcessTree, measured_command, with_sources
from benchmarks.results import save

COST = CampaignCost("campaign-measure", "7112cb2", 2.0, 50.0, 3.0, 40.0, rounds=2, load=1.0, target_s=6.0)
BURN = "import time\nwhile time.process_time() < 0.3: pass\n"
"""Takes 0.3 s of CPU time, however busy the machine is."""


def test_the_ratio_is_that_of_the_cpu_times() -> None:
    assert COST.ratio == 25
    assert campaign_rows([COST])[0]["ratio"] == 25
    assert show_campaigns([COST]).splitlines()[1].split() == [
        *("campaign-measure", "2.00", "50.00", "25.0", "3.0", "40.0", "1.0", "target", "6", "s")
    ]


def test_other_values_are_said_so() -> None:
    ours, theirs = [["speed", "{}", "m", 1.0], ["speed", "{}", "n", 3.0]], [["speed", "{}", "m", 1.0 + 1e-12]]
    assert same_values(ours, theirs)
    assert not same_values(ours, [["speed", "{}", "m", 1.1]])
    assert not same_values(ours, [["speed", "{}", "other", 1.0]]), "nothing was compared"
    different = CampaignCost("campaign-measure", "7112cb2", 2.0, 50.0, 3.0, 40.0, 2, 1.0, 6.0, same=False)
    assert "DIFFERENT VALUES" in show_campaigns([different])


def test_the_time_of_a_child_counts_also_when_it_has_ended() -> None:
    program = (
        f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {BURN!r} + 'print(1, flush=True); input()'])"
    )
    with Popen([sys.executable, "-c", program + "\nprint(2, flush=True)\ninput()"], stdin=PIPE, stdout=PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        tree = ProcessTree(process.pid)
        assert process.stdout.readline() == b"1\n"
        alive_s = tree.cpu_s()
        assert alive_s >= 0.25, "a tick is 0.01 s"
        process.stdin.write(b"\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"2\n"
        assert tree.cpu_s() >= alive_s
        process.stdin.close()


def test_a_command_runs_with_the_sources_of_its_side(tmp_path: Path) -> None:
    (tmp_path / "side.py").write_text(BURN, "utf-8")
    assert measured_command([sys.executable, "-c", "import side"], with_sources(tmp_path)).wall_s >= 0.3
    with pytest.raises(SystemExit, match="No module named 'side'"):
        measured_command([sys.executable, "-c", "import side"], with_sources(tmp_path / "other"))


def test_a_part_of_the_benchmarks_does_not_replace_the_others(tmp_path: Path) -> None:
    whole, part = save({"version": "1"}, tmp_path), save({"version": "1"}, tmp_path, part="campaigns")
    assert (whole.name, part.name) == ("1.json", "1-campaigns.json")
    assert len(CAMPAIGN_CASES) == 2
