"""Choosing ticks for a recording: every row is at a tick, unless that means far more than with the most common step."""

import numpy as np
import pytest

from roamcast.spark.contacts.contact_tasks import Ticks
from roamcast.spark.contacts.ticks import TICKS_MAX, Times, finer, times_of

EPOCH_S = 1_777_777_777.3


@pytest.mark.parametrize("first_s", [0.0, -7.25, EPOCH_S])
@pytest.mark.parametrize(
    ("passed_s", "expected"),
    [
        ([0, 1, 2, 5], Times(1000, True, 0)),
        ([0, 1, 2, 2.5, 3], Times(500, True, 1)),
        ([0, 0.7, 1.7, 2.1], Times(100, True, 3)),
        ([0, 0.1, 0.2, 0.3], Times(100, True, 3)),
        ([0, 1, 1.0004], Times(1000, False, 1)),
        ([0, 0], Times(0, True, 0)),
    ],
)
def test_what_times_have_in_common_is_found_wherever_they_begin(
    first_s: float, passed_s: list[float], expected: Times
) -> None:
    assert times_of(first_s + np.array(passed_s, float), Ticks(first_s, 1.0)) == expected


def test_rows_at_short_steps_since_1970_are_not_between_the_looks() -> None:
    time_s = np.array([round(EPOCH_S + at / 1000, 3) for at in range(500)])
    assert times_of(time_s, Ticks(EPOCH_S, 0.001)).between == 0


@pytest.mark.parametrize(
    ("times", "last_s", "expected"),
    [
        (Times(500, True, 7), 100, (0.5, 0)),
        (Times(50, True, 7), 100, (0.05, 0)),
        (Times(49, True, 7), 100, (1.0, 7)),
        (Times(500, False, 7), 100, (1.0, 7)),
        (Times(1000, True, 0), 100, (1.0, 0)),
        (Times(3000, True, 0), 100, (1.0, 0)),
        (Times(500, True, 7), 0.6 * TICKS_MAX, (1.0, 7)),
    ],
)
def test_all_rows_are_met_unless_it_takes_far_more_looks(
    times: Times, last_s: float, expected: tuple[float, int]
) -> None:
    ticks, between = finer(Ticks(0.0, 1.0), times, last_s)
    assert (ticks.step_s, between) == expected
