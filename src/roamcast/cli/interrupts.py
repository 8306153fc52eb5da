"""What a Ctrl-C leaves behind, said by whoever knows, and how it ends the process."""

import atexit
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from roamcast.pipeline import ACTION_THREAD


@contextmanager
def if_interrupted(said: str) -> Iterator[None]:
    """Let an interrupt say what is there; the command line shows it."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(said) from None


def leave_if_spark_computes(code: int) -> None:
    """End the process here if a thread is still in the middle of compiled code, where its end would abort everything.

    It is Python's own way to end, but for the last step: to take the interpreter down under such a thread.
    """
    if any(thread.name == ACTION_THREAD for thread in threading.enumerate()):
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
