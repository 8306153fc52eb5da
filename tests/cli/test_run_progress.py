"""A single run says how far it is, once it takes a while."""

import io
from pathlib import Path

from roamcast.api.run_progress import RunProgress
from roamcast.campaigns.checked_scenario import Scenario
from roamcast.sim.simulation import simulate

SCENARIOS = Path(__file__).parents[2] / "scenarios"


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def test_a_quick_run_says_nothing() -> None:
    clock, stream = Clock(), Terminal()
    with RunProgress(stream, clock) as progress:
        clock.now_s += 1.9
        progress.update(0.9)
    assert stream.getvalue() == ""


def test_a_long_run_rewrites_one_line_on_a_terminal_and_wipes_it() -> None:
    clock, stream = Clock(), Terminal()
    with RunProgress(stream, clock) as progress:
        clock.now_s += 1
        progress.update(0.05)
        clock.now_s += 4
        progress.update(0.25)
        progress.update(0.26)
    assert stream.getvalue() == "\rsimulate: 25%, 5 s elapsed, about 15 s left\x1b[K\r\x1b[K"


def test_a_long_run_adds_a_line_now_and_then_to_a_log() -> None:
    clock, stream = Clock(), io.StringIO()
    with RunProgress(stream, clock) as progress:
        for share in (0.1, 0.2, 0.3, 0.4):
            clock.now_s += 10
            progress.update(share)
    assert stream.getvalue() == ("simulate: 10%, 10 s elapsed\nsimulate: 30%, 30 s elapsed, about 70 s left\n")


def test_what_is_compiled_before_the_first_part_is_not_expected_again() -> None:
    clock, stream = Clock(), io.StringIO()
    with RunProgress(stream, clock) as progress:
        progress.update(0.0)
        clock.now_s += 50
        progress.update(0.01)
        clock.now_s += 20
        progress.update(0.21)
    assert stream.getvalue() == "simulate: 1%, 50 s elapsed\nsimulate: 21%, 70 s elapsed, about 79 s left\n"


def test_progress_runs_from_nothing_to_nearly_all_and_changes_nothing() -> None:
    setup = Scenario.load(SCENARIOS / "rescue.toml").setup()
    shares: list[float] = []
    assert simulate(setup, 1, progress=shares.append).digest() == simulate(setup, 1).digest()
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert 0.98 < shares[-1] <= 1
    assert 99 <= len(shares) <= 101
