"""The examples that need no Spark run from the project's folder and print what they should."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def printed_by(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    monkeypatch.chdir(ROOT)
    runpy.run_path(str(ROOT / "examples" / name), run_name="__main__")
    return capsys.readouterr().out


def test_one_run_shows_a_scenario_its_deliveries_and_a_sweep(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed_by("one_run.py", monkeypatch, capsys).splitlines()
    assert lines[0].startswith("<Scenario rescue: 12 nodes, 240 s, ")
    assert lines[1:4] == [
        "radios reach 80 m in the file and 60 m here",
        "delivered 55% of what people asked for",
        "fingerprint 0b4dec653cbda249a54010f574e428ee",
    ]
    assert lines[4] == "site.people.injured    node  4 ->  5 after    6.0 s"
    assert lines[-4:] == [
        "range  40 m: delivery ratio 0.27",
        "range  80 m: delivery ratio 0.82",
        "range 120 m: delivery ratio 0.95",
        "range 160 m: delivery ratio 1.00",
    ]


def test_a_protocol_of_ones_own_delivers_more_than_gossip_for_fewer_frames(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = printed_by("own_protocol.py", monkeypatch, capsys)
    assert printed.splitlines() == [
        "mean over 5 seeds          delivery_ratio  frames_per_delivery       latency_mean_s",
        "gossip                              0.696                2.066                0.093",
        "polite-flooding                     0.851                0.592                0.080",
    ]
