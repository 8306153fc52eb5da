"""The lines about runs that failed: who they were, and where the others are shown."""

from pathlib import Path

import pytest

from roamcast.cli.campaign_outcome import FAILURES_SHOWN, report_outcome
from roamcast.spark.runs.campaign import CampaignResult, FailedRun

POINT = '{"protocol.name":"frugal","radio.range_m":100.0,"workload.model":"news"}'


def outcome(*failed: FailedRun) -> CampaignResult:
    return CampaignResult(Path("out/tables"), planned=9, kept=0, simulated=9 - len(failed), failed=failed)


def test_a_failed_run_is_named_by_protocol_point_and_seed(capsys: pytest.CaptureFixture[str]) -> None:
    points = (POINT, '{"protocol.name":"gossip"}', '{"events":3}')
    failed = [FailedRun("0" * 32, "failed", "ValueError: no", seed, point) for seed, point in enumerate(points, 7)]
    assert report_outcome(outcome(*failed)) == 1
    assert capsys.readouterr().err.splitlines() == [
        f"roamcast: {who} (run {'0' * 32}) failed: ValueError: no"
        for who in (
            "frugal, radio.range_m = 100.0, workload.model = news, seed 7",
            "gossip, seed 8",
            "events = 3, seed 9",
        )
    ]


def test_of_many_failed_runs_a_few_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    failed = [FailedRun(f"{seed:032}", "crashed", "no", seed, POINT) for seed in range(FAILURES_SHOWN + 2)]
    report_outcome(outcome(*failed))
    *named, last = capsys.readouterr().err.splitlines()
    assert len(named) == FAILURES_SHOWN
    assert last == "roamcast: 2 more runs failed; see roamcast runs out --failed"
    assert report_outcome(outcome()) == 0
    assert capsys.readouterr().err == ""
