"""Running a Spark action with progress and Ctrl-C, and reporting its failure in one line."""

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
"""How long cancelled tasks may take to end; if Spark did not kill Python workers, it would be a whole run."""
CAUSE_LENGTH_MAX = 300
SPARK_ERRORS: tuple[type[Exception], ...] = (PySparkException, Py4JError)
"""The exceptions that an action raises if Spark, or code that runs on it, has failed."""

T = TypeVar("T")


def wait_for_job(spark: SparkSession, name: str, action: Callable[[], T], show: Callable[[], None] = lambda: None) -> T:
    """Run an action and return its result, or raise its exception; call ``show`` in the meantime.

    The action runs in its own thread, so that this one is free to show progress and to be interrupted: on
    KeyboardInterrupt the action's tasks are cancelled, their workers are killed, and the interrupt is raised; the
    action's own exception is ignored then.
    """
    ended = Event()
    results: list[T] = []
    errors: list[Exception] = []

    def act() -> None:
        try:
            spark.sparkContext.setJobGroup(name, name, interruptOnCancel=True)
            results.append(action())
        except Exception as error:  # noqa: BLE001 - it is raised in the thread that waits
            errors.append(error)
        finally:
            ended.set()

    InheritableThread(target=act, name=ACTION_THREAD, daemon=True).start()
    try:
        while not ended.wait(SHOW_PERIOD_S):
            show()
    except KeyboardInterrupt:
        with suppress(OSError, *SPARK_ERRORS):  # whatever interrupted us may have ended Java too
            spark.sparkContext.cancelJobGroup(name)
        ended.wait(CANCEL_TIMEOUT_S)
        raise
    if errors:
        raise errors[0]
    return results[0]


def failure(error: Exception | None, folder: Path, log_file: Path) -> UserError:
    """Condense Spark's long error to one line: the exception of the Python code, if that is what failed."""
    kind, message = _cause(error)
    if needs_a_person(error):
        return UserError(message)
    cause = f"{kind}: {message}" if kind else message
    return UserError(f"{folder}: Spark gave up ({cause[:CAUSE_LENGTH_MAX]}); see {log_file}")


def needs_a_person(error: Exception | None) -> bool:
    """Tell whether a task failed for a reason that only a person can fix, such as a full disk: retrying is useless."""
    kind, _ = _cause(error)
    return kind.rpartition(".")[2] == UserError.__name__


def _cause(error: Exception | None) -> tuple[str, str]:
    """Return the type of the exception that the Python code raised, if any, and its message."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    raised = [found for line in lines if (found := re.match(r"([\w.]+(?:Error|Exception)):\s*(.*)", line))]
    if raised:
        return raised[-1][1], raised[-1][2]
    return "", next(iter(lines), "no reason given")
