"""What Spark says of a task that failed, in one line, and whether trying again can help."""

from pathlib import Path

import pytest

from roamcast.pipeline.watching import failure, needs_a_person

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
