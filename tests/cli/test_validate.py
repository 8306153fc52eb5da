"""``roamcast validate``."""

import json
import signal
import subprocess
import sys
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from roamcast.cli import main
from roamcast.cli import validate as command
from roamcast.validation import running
from roamcast.validation.case_groups import GROUPS, choose
from roamcast.validation.cases import Case
from roamcast.validation.saturated import SATURATED, run_saturated

QUICK = ["validate", "--quick", "--seeds", "2"]
INTERRUPTED_RUN = """
import os, signal, sys
from roamcast.cli import main
from roamcast.api.run_progress import RunProgress
from roamcast.validation import running

running.core_count = lambda: 2
# Like Ctrl-C on a terminal: everyone in the group gets it, the workers, too.
RunProgress.update = lambda self, share: os.killpg(0, signal.SIGINT)
sys.exit(main(["validate", "saturated-2", "--seeds", "200"]))
"""


def _document(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    exit_code = main([*arguments, "--json"])
    document = json.loads(capsys.readouterr().out)
    assert isinstance(document, dict)
    assert exit_code == (0 if {each["verdict"] for each in document["figures"]} == {"agrees"} else 1)
    return document


def _offer(monkeypatch: pytest.MonkeyPatch, case: Case) -> None:
    """Let the command know this case alone."""
    groups = (replace(SATURATED, cases=(case,)),)
    monkeypatch.setattr(command, "choose", partial(choose, groups=groups))
    monkeypatch.setattr(running, "core_count", lambda: 1)


def _as_the_reference(case: Case) -> Case:
    """Return a case whose runs take no time and give what the reference allows."""
    figures = {each.quantity.name: sum(each.reference.allowed(each.tolerance)) / 2 for each in case.expectations}
    return replace(case, run=lambda seed, duration_s: figures)  # noqa: ARG005


def test_the_json_has_theirs_ours_what_is_allowed_and_a_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    document = _document(capsys, *QUICK, "saturated-2", "hidden-20")
    assert (document["seeds"], document["quick"]) == (2, True)
    figures = {(each["case"], each["quantity"]): each for each in document["figures"]}
    assert len(figures) == 4
    received = figures["saturated-2", "frames_received_per_s"]
    assert received["reference"] == {"mean": 373.8, "low": 372.6, "high": 374.7}
    assert received["allowed"] == pytest.approx([0.98 * 373.8, 1.02 * 373.8])
    assert received["ours"]["low"] < received["ours"]["mean"] < received["ours"]["high"]
    assert received["theory"] == pytest.approx(373.5, abs=0.5)
    assert received["verdict"] == "agrees"
    assert "802.11b" in received["source"]


def test_the_exit_code_is_0_only_if_everything_agrees(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    five = next(each for each in SATURATED.cases if each.name == "saturated-5")
    right = replace(five, expectations=five.expectations[:1])
    wrong = replace(right, run=partial(run_saturated, 10))  # far off, but two seeds are too few to say so
    for case, exit_code, counts in (
        (right, 0, "agrees 1, differs 0, undecided 0"),
        (wrong, 1, "agrees 0, differs 0, undecided 1"),
    ):
        _offer(monkeypatch, case)
        assert main(QUICK) == exit_code
        text = capsys.readouterr().out
        assert counts in text
        assert ("Chance may explain it" in text) == bool(exit_code)


def test_the_text_shows_every_case_in_a_hundred_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = tuple(replace(group, cases=tuple(map(_as_the_reference, group.cases))) for group in GROUPS)
    monkeypatch.setattr(command, "choose", partial(choose, groups=groups))
    monkeypatch.setattr(running, "core_count", lambda: 1)
    main(QUICK)
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 100
    for group in GROUPS:
        assert f"{group.title}. " in text
        for case in group.cases:
            assert f"\n{case.title}  " in text
    figures = sum(each.is_judged for group in GROUPS for case in group.cases for each in case.expectations)
    assert f"Of {figures} figures: agrees " in text


@pytest.mark.parametrize(("remark", "shown"), [("Meant so.", 1), ("", 0)])
def test_what_differs_is_told_with_its_reason_and_by_the_exit_code(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, remark: str, shown: int
) -> None:
    ten = next(case for case in SATURATED.cases if case.name == "saturated-10")
    expectations = tuple(replace(each, remark=remark) for each in ten.expectations[:1])
    wrong = replace(ten, run=partial(run_saturated, 20), expectations=expectations)
    _offer(monkeypatch, wrong)
    assert main(["validate", "--quick"]) == 1
    text = capsys.readouterr().out
    assert "10 broadcasters, sent per s: differs; allowed: 515.3 to 536.3." in text
    assert text.count("Meant so.") == shown
    assert "Of 1 figures: agrees 0, differs 1, undecided 0." in text


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["nonsense"], "unknown case 'nonsense'; known: aodv, "),
        (["--seeds", "0"], "argument --seeds: '0' must be a whole number from 1"),
    ],
)
def test_a_mistake_is_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], expected: str) -> None:
    assert main(["validate", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert expected in printed.err


def heed_interrupts() -> None:
    """Let Ctrl-C reach the child, even where whoever runs the tests in the background has it ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_ends_with_one_line() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_RUN],
        capture_output=True,
        check=False,
        text=True,
        start_new_session=True,
        preexec_fn=heed_interrupts,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "roamcast: interrupted; nothing is kept\n")
