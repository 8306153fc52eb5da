"""``roamcast check``: a line for each promise, exit code 1 for a broken one, 2 for a wrong name."""

import io
import json
import sys
from pathlib import Path

import pytest

from roamcast.cli import check, main
from roamcast.cli.check_progress import CheckProgress
from roamcast.core.host import PubSub
from roamcast.testing.conformance import CHECKS, Check, CheckResult, Violation

BROKEN = Path(__file__).parents[1] / "testing"


def result_of(name: str, protocol: type[PubSub]) -> CheckResult:  # noqa: ARG001 - the protocol does not matter here
    if name == "delivers-once":
        return CheckResult(name, (Violation("node 3 was handed it again", "a line", "simulate(...)"),))
    return CheckResult(name, not_run="the run ended early" if name == "repeats-a-run" else "")


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every protocol break one promise and leave one open."""
    monkeypatch.setattr(Check, "run", lambda self, protocol: result_of(self.name, protocol))


def test_a_built_in_protocol_passes_with_a_line_for_each_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "gossip"]) == 0
    *lines, summary = capsys.readouterr().out.splitlines()
    assert lines == [f"ok        {check.name}" for check in CHECKS]
    assert summary == f"gossip passes all {len(CHECKS)} checks"


@pytest.mark.usefixtures("broken")
def test_a_broken_promise_is_a_line_with_its_case_and_the_exit_code_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "gossip"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "VIOLATED  delivers-once: node 3 was handed it again [a line; again: simulate(...)]" in lines
    assert "not run   repeats-a-run: the run ended early" in lines
    assert lines[-1] == f"gossip breaks 1 of {len(CHECKS)} promises, 1 not run; docs/testing.md explains each"


@pytest.mark.usefixtures("broken")
def test_as_json_there_is_one_document_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "gossip", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["protocol"], document["holds"]) == ("gossip", False)
    by_name = {each["name"]: each for each in document["checks"]}
    assert list(by_name) == [each.name for each in CHECKS]
    assert by_name["delivers-once"]["result"] == "violated"
    assert by_name["delivers-once"]["violations"] == [
        {"what": "node 3 was handed it again", "case": "a line", "reproduce": "simulate(...)"}
    ]
    assert (by_name["repeats-a-run"]["result"], by_name["repeats-a-run"]["not_run"]) == (
        "not run",
        "the run ended early",
    )
    assert by_name["describes-itself"]["result"] == "ok"
    assert by_name["describes-itself"]["description"].startswith("It has a summary")


def test_a_broken_protocol_is_reported_without_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BROKEN))
    import broken_protocols

    assert check.check("leaves-the-program", broken_protocols.LeavesTheProgram, as_json=False) == 1
    said = capsys.readouterr()
    assert "VIOLATED  runs-to-the-end: raised SystemExit: 3 (broken_protocols.py:" in said.out
    assert "Traceback" not in said.out + said.err


def test_a_wrong_name_is_a_persons_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "gosip"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("roamcast: unknown protocol 'gosip'")
    assert len(said.err.splitlines()) == 1


def test_the_suite_is_imported_only_when_a_protocol_is_checked() -> None:
    assert "roamcast.testing" not in vars(check)
    assert not [name for name in vars(check) if getattr(vars(check)[name], "__module__", "").startswith("roamcast.tes")]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "shown"),
    [
        (Terminal(), "\rchecking delivers-once (6 of 12): 7 s elapsed\x1b[K\r\x1b[K"),
        (io.StringIO(), "checking delivers-once (6 of 12): 7 s elapsed\n"),
    ],
)
def test_progress_names_the_check_and_its_time_and_leaves_no_line_on_a_terminal(
    stream: io.StringIO, shown: str
) -> None:
    times = iter((100.0, 107.0))
    with CheckProgress("delivers-once (6 of 12)", stream, lambda: next(times)) as progress:
        progress.show()
    assert stream.getvalue() == shown


def test_a_quick_check_says_nothing_of_its_progress() -> None:
    stream = io.StringIO()
    with CheckProgress("describes-itself (1 of 12)", stream):
        pass
    assert stream.getvalue() == ""
    assert sys.stderr is not stream
