"""What a Ctrl-C leaves behind, said by whoever knows."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def if_interrupted(said: str) -> Iterator[None]:
    """Let an interrupt say what is there; the command line shows it."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(said) from None
