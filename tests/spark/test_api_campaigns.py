"""``roamcast.compare`` and ``roamcast.reproduce``: the commands' results as values and tidy tables."""

import json
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from test_commands import SCENARIO, SmallPaper

import roamcast as rc
from roamcast.cli import main

KEY = "radio.range_m"


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    path = tmp_path / "square.toml"
    path.write_text(SCENARIO)
    return str(path)


@pytest.mark.usefixtures("spark")
def test_a_comparison_is_the_commands_as_a_tidy_table_and_resumes_from_its_folder(
    scenario: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    out = tmp_path / "out"
    result = rc.compare(scenario, ["frugal", "flooding"], np.int64(2), sweep={KEY: (150, 100)}, out=str(out))
    assert capfd.readouterr().out == ""
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers
    table = result.table
    assert list(table.columns) == [KEY, "protocol", "metric", "value", "low", "high", "seeds", "unit"]
    assert len(table) == len(table.drop_duplicates([KEY, "protocol", "metric"]))
    assert list(dict.fromkeys(zip(table["protocol"], table[KEY], strict=True))) == [
        ("frugal", 100.0),
        ("frugal", 150.0),
        ("flooding", 100.0),
        ("flooding", 150.0),
    ]
    assert not any(table["metric"].str.endswith("_ratio_ratio"))
    assert ((table["low"] <= table["value"]) & (table["value"] <= table["high"])).all()
    assert set(table["seeds"]) == {2}
    sent = table[table["metric"] == "bytes_sent_per_node"].set_index(["protocol", KEY])
    assert set(sent["unit"]) == {"bytes"}
    runs = [rc.run(scenario, "flooding", seed, {KEY: 100}).metrics["bytes_sent_per_node"] for seed in (1, 2)]
    assert sent["value"]["flooding", 100.0] == pytest.approx(sum(filter(None, runs)) / 2)
    times = result.ratios[result.ratios["metric"] == "bytes_sent_per_node"].set_index(["protocol", KEY])["value"]
    assert times["flooding", 100.0] == pytest.approx(sent["value"]["flooding", 100.0] / sent["value"]["frugal", 100.0])

    made = {path: path.stat().st_mtime_ns for path in (out / "runs").iterdir()}
    again = rc.compare(scenario, ["frugal", "flooding"], seeds=np.array([1, 2]), sweep={KEY: [100, 150]}, out=out)
    assert {path: path.stat().st_mtime_ns for path in (out / "runs").iterdir()} == made
    assert again.table.equals(table)
    assert again.failed == ()
    assert (again.folder, repr(again)) == (out, f"<CompareResult square: frugal, flooding; 8 runs; {out}>")
    assert "delivery_ratio" in again._repr_html_()
    assert all(path.exists() for path in again.draw())


@pytest.mark.usefixtures("spark")
def test_keys_that_are_set_are_for_the_protocols_that_know_them(scenario: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    values = {"protocol.period_s": 3, "duration_s": 6}
    result = rc.compare(scenario, ["frugal", "flooding"], seeds=1, set=values, out=out)
    settings = [json.loads(run.scenario_json) for run in result.campaign.runs]
    assert [each["duration_s"] for each in settings] == [6, 6]
    assert [each["protocol"].get("period_s") for each in settings] == [None, 3]
    assert result.table["low"].isna().all()  # one seed has no interval


@pytest.mark.usefixtures("spark")
def test_a_paper_is_reproduced_as_figures_claims_and_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("roamcast.api.reproduce.load_paper", lambda _: SmallPaper())
    monkeypatch.setattr("roamcast.cli.claims.load_paper", lambda _: SmallPaper())
    out = tmp_path / "out"
    result = rc.reproduce("frugal", figures=18, out=out)
    assert capsys.readouterr() == ("", "")
    assert [figure.name for figure in result.figures] == ["figure-18"]
    assert result.page == out / "figures" / "index.html"
    assert result.page.exists()
    assert {"protocol", "metric", "value", "low", "high", "seeds", "unit"} <= set(result.table.columns)
    assert set(result.table["protocol"]) == {"frugal", "flooding"}
    verdicts = {each.claim.name: each.verdict.value for each in result.claims}
    assert result.judged == result.claims
    assert main(["claims", "frugal", "--out", str(out), "--json"]) == 0
    claims = json.loads(capsys.readouterr().out)["claims"]
    assert verdicts.items() <= {each["name"]: each["verdict"] for each in claims}.items()
    assert repr(result).startswith("<ReproduceResult frugal, quick: claims: ")
    assert "events-sent" in result._repr_html_()


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda path: rc.compare(path, "frugal"), 'protocols = "frugal": must be a list of names'),
        (lambda path: rc.compare(path, []), "protocols"),
        (lambda path: rc.compare(path, ["frugal", "frugal"]), "must be one or more different names"),
        (lambda path: rc.compare(path, ["frugal", "gosip"]), "protocols: unknown protocol 'gosip'"),
        (lambda path: rc.compare(path, ["frugal", int]), "load_plugin makes the classes of a file known"),  # type: ignore[list-item]
        (lambda path: rc.compare(path, ["frugal"], seeds=0), "seeds = 0: must be a whole number from 1, or a list of"),
        (lambda path: rc.compare(path, ["frugal"], seeds=1.5), "seeds = 1.5: must be"),  # type: ignore[arg-type]
        (lambda path: rc.compare(path, ["frugal"], seeds=[1, -1]), "seed = -1: must be a whole number from 0"),
        (lambda path: rc.compare(path, ["frugal"], seeds_max=0), "seeds_max = 0: must be a whole number from 1"),
        (
            lambda path: rc.compare(path, ["frugal"], precision={"delivery_ratio": 0.1}, seeds_max=1),
            "seeds_max = 1: must be at least 5, the number of seeds at the start",
        ),
        (lambda _: rc.reproduce("frugal", figures=3), "figures: unknown figure '3'; known: 11, "),
        (lambda _: rc.reproduce("frugal", figures="17"), "figures: unknown figure '17'"),  # type: ignore[arg-type]
        (lambda path: rc.compare(path, ["frugal"], sweep={"radio.rnage_m": [1]}), "did you mean 'range_m'?"),
        (lambda path: rc.compare(path, ["frugal"], set={"protocol.x": 1}), "none of frugal knows this key"),
        (lambda path: rc.compare(path, ["frugal"], precision={"delivery": 1}), "did you mean 'delivery_ratio'?"),
        (lambda path: rc.compare(path, ["frugal"], precision={"delivery_ratio": 0}), "must be a number above 0"),
        (lambda _: rc.reproduce("frugl"), "unknown paper 'frugl'"),
        (lambda _: rc.reproduce("frugal", scale="ful"), "unknown scale 'ful'; did you mean 'full'? known: full, quick"),
        (lambda _: rc.reproduce("frugal", figures=[3]), "figures: unknown figure '3'; known: 11, "),
        (lambda _: rc.reproduce("frugal", decide=True, minutes=0), "minutes = 0: must be a number of minutes above 0"),
    ],
)
def test_a_persons_mistake_is_a_user_error_before_anything_is_made(
    scenario: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Callable[[str], object], line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(rc.UserError) as caught:
        call(scenario)
    assert line in str(caught.value)
    assert not (tmp_path / "results").exists()
