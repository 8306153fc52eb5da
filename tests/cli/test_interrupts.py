"""How a Ctrl-C or a SIGTERM ends the process."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import NoReturn

import pytest

from roamcast.cli import main
from roamcast.cli.interrupts import if_interrupted
from roamcast.spark import ACTION_THREAD


class Left(BaseException):
    """In the place of the process's end."""


@pytest.mark.parametrize("name", [ACTION_THREAD, "another"])
def test_an_interrupt_leaves_at_once_where_spark_still_computes_and_else_as_always(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(_: object) -> NoReturn:
        raise KeyboardInterrupt

    def leave(code: int) -> NoReturn:
        raise Left(code)

    monkeypatch.setattr(sys.modules["roamcast.cli.main"], "parse", interrupt)
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


@pytest.fixture
def _sigterm_as_always() -> Iterator[None]:
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("_sigterm_as_always")
def test_sigterm_says_what_is_kept_as_ctrl_c_does_and_leaves_with_its_own_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def terminate(_: object) -> int:
        with if_interrupted("the tables are whole"):
            os.kill(os.getpid(), signal.SIGTERM)
        return 0

    monkeypatch.setattr("roamcast.cli.list.list_components", terminate)
    assert main(["list", "protocols"]) == 143
    assert capsys.readouterr().err == "roamcast: interrupted; the tables are whole\n"
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@pytest.mark.usefixtures("_sigterm_as_always")
def test_a_caller_who_ignores_sigterm_has_it_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    def terminate(_: object) -> int:
        os.kill(os.getpid(), signal.SIGTERM)
        return 0

    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    monkeypatch.setattr("roamcast.cli.list.list_components", terminate)
    assert main(["list", "protocols"]) == 0
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
