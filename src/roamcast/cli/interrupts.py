"""What a Ctrl-C, or a SIGTERM, leaves behind, said by whoever knows, and how it ends the process."""

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
def if_interrupted(said: str) -> Iterator[None]:
    """Let an interrupt say what is there; the command line shows it."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(said) from None


@contextmanager
def heeded_termination() -> Iterator[list[int]]:
    """Let SIGTERM, by which schedulers and ``kill`` end a process, be a Ctrl-C; it then stands in the list given."""
    came: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:  # whoever calls has plans for it
        yield came
        return

    def interrupt(number: int, _: FrameType | None) -> None:
        came.append(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield came
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def leave_if_spark_computes(code: int) -> None:
    """End the process here if a thread is still in the middle of compiled code, where its end would abort everything.

    It is Python's own way to end, but for the last step: to take the interpreter down under such a thread.
    """
    if any(thread.name == ACTION_THREAD for thread in threading.enumerate()):
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
