"""Ctrl-C and SIGTERM: what they leave behind, and how they end the process."""

import atexit
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from roamcast.spark import ACTION_THREAD


@contextmanager
def if_interrupted(message: str) -> Iterator[None]:
    """Give an interrupt a message about what is kept, which the command line prints."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(message) from None


@contextmanager
def termination_as_interrupt() -> Iterator[list[int]]:
    """Treat SIGTERM, with which schedulers and ``kill`` end a process, as Ctrl-C, and add it to the list yielded."""
    received: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:  # the caller handles it
        yield received
        return

    def interrupt(number: int, _: FrameType | None) -> None:
        received.append(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield received
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def leave_if_spark_computes(code: int) -> None:
    """End the process here if a thread is still inside compiled code, which would abort when the interpreter ends.

    This does what Python does at its end except for the last step, taking down the interpreter under such a thread.
    """
    if any(thread.name == ACTION_THREAD for thread in threading.enumerate()):
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
