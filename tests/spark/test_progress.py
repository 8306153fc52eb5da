from io import StringIO

import pytest

from roamcast.campaigns.progress import LOG_PERIOD_S, Progress, Standing


class Terminal(StringIO):
    """A stream that says that a person watches."""

    def isatty(self) -> bool:
        """Say yes."""
        return True


class Clock:
    """A clock that stands still until it is set."""

    now_s = 100.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now_s


def test_a_terminal_sees_one_line_rewritten() -> None:
    stream, clock = Terminal(), Clock()
    progress = Progress(stream, clock)
    progress.begin("starting Spark")
    clock.now_s += 30
    progress.update(Standing(ended=25, planned=100, failed=0, share=0.25))
    progress.end()
    assert stream.getvalue() == (
        "\rstarting Spark\x1b[K\rsimulate: 25 of 100 runs, 0:30 elapsed, about 1:30 left\x1b[K\n"
    )


def test_the_estimate_follows_the_work_and_not_the_number_of_runs() -> None:
    stream, clock = Terminal(), Clock()
    progress = Progress(stream, clock)
    clock.now_s += 3600
    progress.update(Standing(ended=1, planned=100, failed=0, share=0.5))
    assert "1 of 100 runs, 1:00:00 elapsed, about 1:00:00 left" in stream.getvalue()


@pytest.mark.parametrize("share", [0.0, 0.001, 1.0])
def test_no_estimate_is_shown_where_it_would_be_a_guess_or_nothing(share: float) -> None:
    stream = Terminal()
    Progress(stream, Clock()).update(Standing(ended=0, planned=9, failed=0, share=share))
    assert "left" not in stream.getvalue()


def test_failed_runs_are_shown() -> None:
    stream = Terminal()
    Progress(stream, Clock()).end(Standing(ended=9, planned=9, failed=2, share=1.0))
    assert stream.getvalue() == "\rsimulate: 9 of 9 runs, 0:00 elapsed, 2 failed\x1b[K\n"


def test_a_log_gets_a_line_now_and_then() -> None:
    stream, clock = StringIO(), Clock()
    progress = Progress(stream, clock)
    for _ in range(100):
        progress.update(Standing(ended=1, planned=9, failed=0, share=0.1))
        clock.now_s += LOG_PERIOD_S / 50
    progress.end()
    lines = stream.getvalue().splitlines()
    assert len(lines) == 2
    assert all(line.startswith("simulate: 1 of 9 runs") for line in lines)
    assert "\r" not in stream.getvalue()
