"""A Spark action that a person can watch and interrupt, and whose failure can be said in one line."""

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import TypeVar

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark import InheritableThread
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from roamcast.core.errors import UserError
from roamcast.spark import ACTION_THREAD

SHOW_PERIOD_S = 0.2
CANCEL_TIMEOUT_S = 5.0
"""How long cancelled tasks may take to end; without Spark's kill of Python workers it would be a whole run."""
CAUSE_LENGTH_MAX = 300
SPARK_ERRORS: tuple[type[Exception], ...] = (PySparkException, Py4JError)
"""What an action raises if Spark, or what runs on it, has failed."""

T = TypeVar("T")


def watched(spark: SparkSession, name: str, action: Callable[[], T], show: Callable[[], None] = lambda: None) -> T:
    """Run an action and return what it gives, or raise what it raises; call ``show`` meanwhile.

    The action has a thread of its own, so that this one is free to show progress and to be interrupted: on
    KeyboardInterrupt the action's tasks are cancelled, their workers killed, and the interrupt goes on; whatever the
    action says of that is not heard.
    """
    ended = Event()
    given: list[T] = []
    errors: list[Exception] = []

    def act() -> None:
        try:
            spark.sparkContext.setJobGroup(name, name, interruptOnCancel=True)
            given.append(action())
        except Exception as error:  # noqa: BLE001 - it is raised where somebody waits for it
            errors.append(error)
        finally:
            ended.set()

    InheritableThread(target=act, name=ACTION_THREAD, daemon=True).start()
    try:
        while not ended.wait(SHOW_PERIOD_S):
            show()
    except KeyboardInterrupt:
        with suppress(OSError, *SPARK_ERRORS):  # what has interrupted us may have ended Java, too
            spark.sparkContext.cancelJobGroup(name)
        ended.wait(CANCEL_TIMEOUT_S)
        raise
    if errors:
        raise errors[0]
    return given[0]


def failure(error: Exception | None, folder: Path, log_file: Path) -> UserError:
    """Return Spark's long story as one line: the exception of the Python code, if that is what failed."""
    kind, said = _cause(error)
    if needs_a_person(error):
        return UserError(said)
    cause = f"{kind}: {said}" if kind else said
    return UserError(f"{folder}: Spark gave up ({cause[:CAUSE_LENGTH_MAX]}); see {log_file}")


def needs_a_person(error: Exception | None) -> bool:
    """Tell whether a task stopped for what only a person can mend, a full disk or other code: trying again is vain."""
    kind, _ = _cause(error)
    return kind.rpartition(".")[2] == UserError.__name__


def _cause(error: Exception | None) -> tuple[str, str]:
    """Return the type of the exception that the Python code raised, if any, and what it says."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    raised = [found for line in lines if (found := re.match(r"([\w.]+(?:Error|Exception)):\s*(.*)", line))]
    if raised:
        return raised[-1][1], raised[-1][2]
    return "", next(iter(lines), "no reason given")
