"""How a Ctrl-C ends the process."""

import os
import sys
import threading
from typing import NoReturn

import pytest

from roamcast.cli import main
from roamcast.pipeline import ACTION_THREAD


class Left(BaseException):
    """In the place of the process's end."""


@pytest.mark.parametrize("name", [ACTION_THREAD, "another"])
def test_an_interrupt_leaves_at_once_where_spark_still_computes_and_else_as_always(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt() -> NoReturn:
        raise KeyboardInterrupt

    def leave(code: int) -> NoReturn:
        raise Left(code)

    monkeypatch.setattr(sys.modules["roamcast.cli.main"], "make_parser", interrupt)
    monkeypatch.setattr(os, "_exit", leave)
    monkeypatch.setattr("atexit._run_exitfuncs", lambda: None)
    done = threading.Event()
    thread = threading.Thread(target=done.wait, name=name, daemon=True)
    thread.start()
    try:
        if name == ACTION_THREAD:
            with pytest.raises(Left, match="130"):
                main([])
        else:
            assert main([]) == 130
    finally:
        done.set()
        thread.join()
    assert capsys.readouterr().err == "roamcast: interrupted; nothing is kept\n"
