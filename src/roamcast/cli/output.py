"""Standard output: what cannot be written there becomes a one-line error and is never lost silently."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TextIO

from roamcast.core.errors import UserError


class _Kept:
    """Standard output while it is kept for what a command says; None: it is not kept."""

    stream: TextIO | None = None


@contextmanager
def output_kept_for_document() -> Iterator[None]:
    """Send what others print, plug-ins say, to standard error: a program reads the document on standard output."""
    if sys.stdout is None or sys.stderr is None:
        yield
        return
    before, _Kept.stream = _Kept.stream, sys.stdout
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _Kept.stream = before


def say(text: str, end: str = "\n") -> None:
    """Print a text at once, so that a full disk is noticed here and not when the interpreter ends."""
    stream = _Kept.stream or sys.stdout
    if stream is None:
        raise UserError("standard output: is closed")
    try:
        print(text, end=end, flush=True, file=stream)
    except BrokenPipeError:  # the reader has seen enough: not an error
        raise
    except OSError as error:
        forget_output()
        raise UserError(f"standard output: {(error.strerror or 'cannot be written').lower()}") from None


def forget_output() -> None:
    """Discard what could not be written; otherwise the interpreter tries again when it ends, and complains."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), (_Kept.stream or sys.stdout).fileno())
