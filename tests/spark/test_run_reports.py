import socket
from pathlib import Path

import pytest
from fake_runs import planned

from roamcast.campaigns import run_reports
from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.progress import Standing
from roamcast.campaigns.run_reports import RunReports

RUNS = [planned("a", seed, cost=cost) for seed, cost in enumerate((6.0, 3.0, 1.0))]


@pytest.fixture
def folder(tmp_path: Path) -> CampaignFolder:
    for name in ("runs", "failed"):
        (tmp_path / name).mkdir()
    return CampaignFolder(tmp_path)


def send(text: str, reports: RunReports) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(text.encode(), reports.address)


def test_a_datagram_tells_of_a_run_and_counts_its_work(folder: CampaignFolder) -> None:
    with RunReports(folder, "call", RUNS, 5, "127.0.0.1") as reports:
        assert reports.standing() == Standing(ended=5, planned=8, failed=0, share=0.0)
        send(f"call {RUNS[0].run_id} ok", reports)
        send(f"call {RUNS[2].run_id} failed", reports)
        assert reports.standing() == Standing(ended=7, planned=8, failed=1, share=0.7)


def test_strange_datagrams_are_ignored(folder: CampaignFolder) -> None:
    with RunReports(folder, "call", RUNS, 0, "127.0.0.1") as reports:
        for text in ("", "call", f"earlier-call {RUNS[0].run_id} ok", "call no-such-run ok", "\x00 \ud7ff", "x" * 5000):
            send(text, reports)
        send(f"call {RUNS[1].run_id} ok", reports)
        send(f"call {RUNS[1].run_id} ok", reports)
        assert reports.standing() == Standing(ended=1, planned=3, failed=0, share=0.3)


def test_what_no_datagram_told_is_seen_in_the_files(folder: CampaignFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    with RunReports(folder, "call", RUNS, 0, "127.0.0.1") as reports:
        folder.run_file(RUNS[0].run_id).touch()
        folder.failed_file(RUNS[1].run_id).touch()
        folder.run_file("of-another-plan").touch()
        assert reports.standing().ended == 0
        monkeypatch.setattr(run_reports, "COUNT_PERIOD_S", 0.0)
        assert reports.standing() == Standing(ended=2, planned=3, failed=1, share=0.9)
