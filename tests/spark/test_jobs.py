"""Waiting for a Spark action: its result, and its failure in one line."""

from pathlib import Path
from threading import Event
from typing import Any

import pytest

from roamcast.core.errors import UserError
from roamcast.spark.jobs import failure, needs_a_person, wait_for_job

STORY = """Job aborted due to stage failure: Task 0 in stage 3.0 failed 4 times
  File "simulate_task.py", line 114, in _ensure
    raise KeyError(run_id)
{cause}
    at org.apache.spark.api.python.BasePythonRunner
"""


@pytest.mark.parametrize(
    ("cause", "is_for_a_person"),
    [
        ("roamcast.core.errors.UserError: out: cannot be written (no space left on device)", True),
        ("KeyError: 'run'", False),
        ("org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)", False),
        ("some.AbuserError: no", False),
    ],
)
def test_only_what_the_project_says_to_a_person_ends_a_campaign_at_once(cause: str, is_for_a_person: bool) -> None:
    assert needs_a_person(RuntimeError(STORY.format(cause=cause))) == is_for_a_person
    assert not needs_a_person(None)


def test_a_failure_is_the_line_for_a_person_or_says_that_spark_gave_up() -> None:
    full = RuntimeError(STORY.format(cause="roamcast.core.errors.UserError: out: cannot be written (quota)"))
    assert str(failure(full, Path("out"), Path("log"))) == "out: cannot be written (quota)"
    other = RuntimeError(STORY.format(cause="KeyError: 'run'"))
    assert str(failure(other, Path("out"), Path("log"))) == "out: Spark gave up (KeyError: 'run'); see log"
    silent = str(failure(None, Path("out"), Path("log")))
    assert silent == "out: Spark gave up (None); see log"


class Context:
    """The part of Spark that ``wait_for_job`` needs."""

    def __init__(self) -> None:
        self.cancelled: list[str] = []
        self.is_cancelled = Event()
        self.sparkContext = self

    def setJobGroup(self, name: str, said: str, interruptOnCancel: bool) -> None:  # noqa: N802, N803 - Spark's names
        assert name == said
        assert interruptOnCancel

    def cancelJobGroup(self, name: str) -> None:  # noqa: N802 - Spark's name
        self.cancelled.append(name)
        self.is_cancelled.set()


def test_what_an_action_gives_or_raises_reaches_who_waits_for_it() -> None:
    spark: Any = Context()
    assert wait_for_job(spark, "sum", lambda: 6 * 7) == 42

    def refuse() -> int:
        raise UserError("no")

    with pytest.raises(UserError, match="no"):
        wait_for_job(spark, "sum", refuse)
    assert spark.cancelled == []


def test_an_interrupted_action_is_cancelled_and_what_it_says_of_that_is_not_heard(
    capfd: pytest.CaptureFixture[str],
) -> None:
    spark: Any = Context()

    def torn() -> None:
        spark.is_cancelled.wait()
        raise EOFError("the socket is closed")

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wait_for_job(spark, "long", torn, interrupt)
    assert spark.cancelled == ["long"]
    assert capfd.readouterr() == ("", "")
