"""``roamcast claims`` and ``reproduce``: what they print of claims, without any run."""

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from roamcast.api.claim_decision import Budget
from roamcast.api.paper_campaign import PaperCampaign
from roamcast.api.paper_request import PaperRequest
from roamcast.api.reproduce import ReproduceResult
from roamcast.cli import main
from roamcast.measuring.verdicts import Claim, Finding, Part, Share, Verdict, at_least
from roamcast.measuring.verdicts.judged import Cost, JudgedClaim
from roamcast.papers import Reading
from roamcast.report.figure import Figure, Panel, Point, Series

READINGS = (Reading("default", "as it is", "section 1"), Reading("other", "not so", "section 2"))
FIGURE = Figure("figure-1", "Figure 1: all", "", (Panel("", "x", "bytes", (Series("all", (Point(1, 2.5),)),)),))
PAPER = SimpleNamespace(
    title="A Title",
    source="A. Author",
    readings=READINGS,
    figure_numbers=(1, 2),
    next_steps=("roamcast run scenarios/rescue.toml",),
)


def claim(name: str, low: float, high: float, reading: str = "default") -> JudgedClaim:
    parts = (Part("50 m", Share(low, high, 10), at_least(10.0)),)
    made = Claim(name, "figure 1", f"It is {name}", "at least 10", (1,), lambda _: parts)
    cost = Cost(40, 2.0) if low < 10 < high else None
    return JudgedClaim(Finding(made, parts), reading, None, cost)


JUDGED = (
    claim("near", 12, 14),
    claim("far", 8, 14),
    claim("near", 2, 4, "other"),
    claim("far", 8, 14, "other"),
)


def campaign(failed: Sequence[Any] = ()) -> Any:
    return SimpleNamespace(outcome=SimpleNamespace(failed=failed, torn=0, tables=Path("out/tables")), reached=())


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[PaperRequest, Budget | None]]:
    """Return what the commands ask for; each gets two claims, under a second reading as well if that is wanted."""
    calls: list[tuple[PaperRequest, Budget | None]] = []

    def judge(request: PaperRequest, budget: Budget | None = None) -> PaperCampaign:
        calls.append((request, budget))
        return PaperCampaign(campaign(), JUDGED if len(request.readings) > 1 else JUDGED[:2])

    def reproduce(name: str, request: PaperRequest) -> ReproduceResult:
        found = judge(request)
        page = request.folder / "figures" / "index.html"
        claims = tuple(found.under("default"))
        paper: Any = PAPER
        return ReproduceResult(
            name, paper, request.scale, request.folder, (FIGURE,), claims, found.judged, page, found.campaign
        )

    for command in ("claims", "reproduce"):
        monkeypatch.setattr(f"roamcast.cli.{command}.load_paper", lambda _: PAPER)
    monkeypatch.setattr("roamcast.cli.claims.judge_paper", judge)
    monkeypatch.setattr("roamcast.cli.claims.paper_names", lambda: ("one", "two"))
    monkeypatch.setattr(
        "roamcast.cli.claims.written_result",
        lambda name, request, _, *, decided: SimpleNamespace(page=f"{request.folder}/{name}, {decided=}"),
    )
    monkeypatch.setattr("roamcast.cli.reproduce.reproduce_paper", reproduce)
    monkeypatch.chdir(tmp_path)
    return calls


Asked = list[tuple[PaperRequest, Budget | None]]
UNDECIDED_LINE = (
    "? undecided: the interval crosses a boundary; of several numbers, one does, and none is contradicted after Holm's "
    "correction"
)
HOLDS_LINE = f"✓ holds: {Verdict.HOLDS.definition}"
CONTRADICTED_LINE = f"✗ contradicted: {Verdict.CONTRADICTED.definition}"
LINES = f"""\

A Title
A. Author

Claims: 1 holds, 1 undecided

✓ holds      near  13.0 [12.0, 14.0]; declared at least 10
? undecided  far   11.0 [8.0, 14.0]; declared at least 10

{HOLDS_LINE}
{UNDECIDED_LINE}
"""
MATRIX = f"""\

claim  (1)  (2)
-----  ---  ---
near   ✓    ✗
far    ?    ?

(1) default
(2) other

{HOLDS_LINE}
{CONTRADICTED_LINE}
{UNDECIDED_LINE}
"""
DETAILS = """\

✓ near: holds (figure 1)
  The paper: It is near.
  Measured:  50 m: 13.0 [12.0, 14.0].
  Declared:  at least 10.

? far: undecided (figure 1)
  The paper: It is far.
  Measured:  50 m: 11.0 [8.0, 14.0].
  Declared:  at least 10.
  Notes:     Crosses 10; about 40 seeds would decide it, 2 minutes more.
"""


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


def test_claims_are_a_line_each_with_the_words_explained(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "claims", "one") == LINES
    ((request, budget),) = asked
    assert budget is None
    assert (request.readings, request.numbers, request.scale) == (READINGS[:1], (1, 2), "quick")
    assert request.folder == Path("results/one-quick")


@pytest.mark.usefixtures("asked")
def test_readings_and_details_come_below_in_this_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "claims", "one", "--readings") == LINES + MATRIX
    assert printed(capsys, "claims", "one", "--details") == LINES + DETAILS
    assert printed(capsys, "claims", "one", "--readings", "--details") == LINES + MATRIX + DETAILS


def test_deciding_has_a_budget_and_ends_with_the_page(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "claims", "one", "--decide", "--minutes", "2.5", "--out", "here")
    assert text == f"{LINES}\nPage: here/one, decided=True\n"
    printed(capsys, "claims", "one", "--decide")
    assert [budget.minutes for _, budget in asked if budget is not None] == [2.5, 60.0]


def test_all_papers_are_checked_each_in_a_folder_of_its_own(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "claims", "all") == LINES * 2
    printed(capsys, "claims", "all", "--out", "there", "--scale", "full", "--decide", "--minutes", "5", "--readings")
    assert [str(request.folder) for request, _ in asked] == [
        "results/one-quick",
        "results/two-quick",
        "there/one",
        "there/two",
    ]
    assert [(budget and budget.minutes, len(request.readings)) for request, budget in asked[2:]] == [(5.0, 2)] * 2


@pytest.mark.usefixtures("asked")
def test_json_has_every_claim_of_every_paper_under_every_reading(capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(printed(capsys, "claims", "all", "--json", "--readings"))
    assert document["scale"] == "quick"
    found = [(each["paper"], each["reading"], each["name"], each["verdict"]) for each in document["claims"]]
    assert found == [
        (paper, each.reading, each.claim.name, each.verdict.value) for paper in ("one", "two") for each in JUDGED
    ]
    assert document["claims"][1]["to_decide"] == {"seeds": 40, "minutes": 2.0}


def test_a_run_that_failed_is_the_exit_code_of_all_papers(
    monkeypatch: pytest.MonkeyPatch, asked: Asked, capsys: pytest.CaptureFixture[str]
) -> None:
    failure = SimpleNamespace(run_id="0" * 32, status="failed", reason="no reason")
    failing = iter([campaign([failure]), campaign()])
    monkeypatch.setattr("roamcast.cli.claims.judge_paper", lambda *_: PaperCampaign(next(failing), JUDGED[:2]))
    assert main(["claims", "all"]) == 1
    assert "no reason" in capsys.readouterr().err
    assert asked == []


@pytest.mark.usefixtures("asked")
def test_reproduce_prints_the_claims_and_where_the_figures_are_and_their_numbers_only_if_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    short = printed(capsys, "reproduce", "one", "--figure", "1", "--out", "here")
    assert short.startswith(LINES)
    assert "Page:     here/figures/index.html\nPictures: here/figures\n" in short
    assert "Figure 1" not in short
    assert PAPER.next_steps[0] in short
    long = printed(capsys, "reproduce", "one", "--figure", "1", "--out", "here", "--details", "--readings")
    figure = long.index("Figure 1: all\n")
    assert figure < long.index("Claims: ") < long.index("(2) other") < long.index("The paper: It is near.")


@pytest.mark.usefixtures("asked")
def test_what_the_commands_to_try_next_do_stands_below_each_other(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PAPER, "next_steps", ("roamcast run some.toml       one run", "roamcast compare some.toml"))
    text = printed(capsys, "reproduce", "one", "--figure", "1", "--out", "here")
    assert text.partition("Try next:\n")[2].splitlines() == [
        "  roamcast reproduce one               every figure of the paper, quickly",
        "  roamcast reproduce one --scale full  the paper's own grid, many seeds",
        "  roamcast claims one --decide         more seeds, only where a claim is open",
        "  roamcast run some.toml               one run",
        "  roamcast compare some.toml",
        "  roamcast list protocols",
    ]


def test_minutes_without_a_decision_are_one_line(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims", "one", "--minutes", "5"]) == 2
    assert capsys.readouterr().err == "roamcast: --minutes = 5.0: is only for --decide\n"
    assert asked == []


def test_reproduce_of_one_figure_asks_for_that_one(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "reproduce", "one", "--figure", "2", "--readings")
    ((request, budget),) = asked
    assert (request.numbers, len(request.readings), budget) == ((2,), 2, None)


@pytest.mark.parametrize("minutes", ["0", "-1", "nan", "inf", "ten", ""])
def test_minutes_that_are_none_are_one_line(asked: Asked, capsys: pytest.CaptureFixture[str], minutes: str) -> None:
    assert main(["claims", "one", "--decide", f"--minutes={minutes}"]) == 2
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.count("\n") == 1
    assert f"--minutes: '{minutes}' must be a number of minutes above 0" in found.err
    assert asked == []


@pytest.mark.parametrize(
    ("command", "has"),
    [
        ("claims", ["--decide", "--minutes M", "--readings", "--details", "--json", "(default: 60)"]),
        ("reproduce", ["--figure N", "--readings", "--details"]),
    ],
)
def test_the_help_names_the_options_of_claims(command: str, has: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main([command, "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert [option for option in has if option not in text] == []
    assert ("--decide" in text) == (command == "claims")
