"""Standard output: what cannot be written there becomes a one-line error and is never lost silently."""

import os
import sys

from roamcast.core.errors import UserError


def say(text: str, end: str = "\n") -> None:
    """Print a text at once, so that a full disk is noticed here and not when the interpreter ends."""
    if sys.stdout is None:
        raise UserError("standard output: is closed")
    try:
        print(text, end=end, flush=True)
    except BrokenPipeError:  # the reader has seen enough: not an error
        raise
    except OSError as error:
        forget_output()
        raise UserError(f"standard output: {(error.strerror or 'cannot be written').lower()}") from None


def forget_output() -> None:
    """Discard what could not be written; otherwise the interpreter tries again when it ends, and complains."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
