"""Standard output: what cannot be written there is one line of an error, and never lost in silence."""

import os
import sys

from roamcast.core.errors import UserError


def say(text: str, end: str = "\n") -> None:
    """Print a text at once, so that a full disk is noticed here and not when the interpreter ends."""
    if sys.stdout is None:
        raise UserError("standard output: is closed")
    try:
        print(text, end=end, flush=True)
    except BrokenPipeError:  # the reader has seen enough, which is no error
        raise
    except OSError as error:
        forget_output()
        raise UserError(f"standard output: {(error.strerror or 'cannot be written').lower()}") from None


def forget_output() -> None:
    """Throw away what could not be written; else the interpreter tries again when it ends, and complains."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
