"""The clock: what is due happens in order, with the medium's receptions in between."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from medium_play import make_medium, standing

from roamcast.sim.clock import Clock
from roamcast.sim.dcf.medium_compiler import has_compiled
from roamcast.sim.radio.range import Range

SECOND_NS = 1_000_000_000
AIR_S = 192e-6 + (64 + 36) * 8 / 2e6
"""How long a frame of 64 bytes is on the air; it begins at once on an idle medium."""


class Log:
    """An actor and a receiver that write down what happens, and when the clock says it is."""

    def __init__(self, *ends_s: float) -> None:
        self.medium = make_medium(standing((0.0, 0.0), (50.0, 0.0)), Range(100.0), every_frame=False)
        self.clock = Clock(self.medium, self.received, self.refused)
        self.lines: list[tuple[float, Any]] = []
        self.then: dict[Any, tuple[float, Any]] = {}
        """The wakes that a token or a reception asks for in turn."""
        for end_s in ends_s:
            self.clock.schedule(end_s - AIR_S, Sender(self).due, None)

    def due(self, token: Any) -> None:
        assert self.clock.now_ns == round(self.clock.now_s * SECOND_NS)
        self.lines.append((self.clock.now_s, token))
        self._ask(token)

    def received(self, _: int, count: int) -> None:
        assert self.medium.receivers(count) == [1]
        self.lines.append((round(self.clock.now_s, 9), "received"))
        self._ask("received")

    def refused(self, frame: int) -> None:
        self.lines.append((self.clock.now_s, ("refused", frame)))

    def _ask(self, token: Any) -> None:
        if token in self.then:
            at_s, asked = self.then.pop(token)
            self.clock.schedule(at_s, self.due, asked)


class Sender:
    """Makes node 0 send a frame."""

    def __init__(self, log: Log) -> None:
        self.log = log

    def due(self, _: Any) -> None:
        self.log.medium.enqueue(0, 64, 0, 0, self.log.clock.now_ns)


def test_requests_happen_in_order_of_time_and_at_one_time_in_the_order_of_asking() -> None:
    log = Log()
    for at_s, token in ((2.0, "c"), (1.0, "a"), (2.0, "d"), (1.0, "b")):
        log.clock.schedule(at_s, log.due, token)
    log.clock.run(3.0)
    assert log.lines == [(1.0, "a"), (1.0, "b"), (2.0, "c"), (2.0, "d")]


def test_a_number_that_is_used_again_calls_what_was_asked_for_last() -> None:
    log = Log()
    numbers = []

    def first(token: object) -> None:
        log.lines.append((0.0, token))

    def second(token: object) -> None:
        log.lines.append((0.0, ("second", token)))

    for at_s, call, token in ((1.0, first, "a"), (2.0, first, "b"), (3.0, second, "b"), (4.0, second, "b")):
        numbers.append(log.clock.schedule(at_s, call, token))
        log.clock.run(at_s + 0.5)
    assert len(set(numbers)) == 1, "the numbers differ, so this shows nothing"
    assert [token for _, token in log.lines] == ["a", "b", ("second", "b"), ("second", "b")]


@settings(deadline=None)
@given(st.lists(st.integers(0, 20), max_size=600))
def test_any_requests_come_sorted_and_no_two_that_wait_have_one_number(times: list[int]) -> None:
    """Six hundred are more than there is room for at first."""
    log = Log()
    numbers = [log.clock.schedule(float(at_s), log.due, (at_s, count)) for count, at_s in enumerate(times)]
    assert len(set(numbers)) == len(numbers)
    log.clock.run(21.0)
    assert [token for _, token in log.lines] == sorted((at_s, count) for count, at_s in enumerate(times))
    assert all(now_s == token[0] for now_s, token in log.lines)


@settings(deadline=None)
@given(st.integers(0, 10**6))
def test_any_asking_moving_and_cancelling_leaves_what_a_sorted_list_leaves(seed: int) -> None:
    random, log = Random(seed), Log()
    waiting: dict[str, tuple[float, int]] = {}
    numbers: dict[str, int] = {}
    for count in range(400):
        name, at_s = f"{random.randrange(40)}", float(random.randrange(12))
        what = random.choice(["ask", "ask", "move", "cancel"])
        if what == "ask" and name not in waiting:
            numbers[name] = log.clock.schedule(at_s, log.due, name)
            waiting[name] = (at_s, count)
        elif what == "move" and name in waiting:
            log.clock.move(numbers[name], at_s)
            waiting[name] = (at_s, count)
        elif what == "cancel" and name in waiting:
            log.clock.cancel(numbers.pop(name))
            del waiting[name]
    log.clock.run(20.0)
    expected = sorted((at_s, count, name) for name, (at_s, count) in waiting.items())
    assert log.lines == [(at_s, name) for at_s, _, name in expected]


def test_tokens_that_cannot_be_compared_do_not_matter() -> None:
    log = Log()
    log.clock.schedule(1.0, log.due, ("a", None))
    log.clock.schedule(1.0, log.due, ("a", 3))
    log.clock.run(2.0)
    assert [token for _, token in log.lines] == [("a", None), ("a", 3)]


def test_a_run_ends_before_what_is_due_at_its_end_and_the_next_run_goes_on_from_there() -> None:
    log = Log()
    for at_s in (0.5, 1.0, 1.5):
        log.clock.schedule(at_s, log.due, at_s)
    log.clock.run(1.0)
    assert [token for _, token in log.lines] == [0.5]
    assert (log.clock.now_s, log.clock.now_ns) == (1.0, SECOND_NS)
    log.clock.run(2.0)
    assert [token for _, token in log.lines] == [0.5, 1.0, 1.5]


def test_receptions_come_between_requests_at_their_own_time() -> None:
    log = Log(0.5, 1.5)
    log.clock.schedule(1.0, log.due, "a")
    log.clock.run(2.0)
    assert log.lines == [(0.5, "received"), (1.0, "a"), (1.5, "received")]


@pytest.mark.parametrize(("at_s", "first"), [(1.0, "received"), (1.0 - 1e-9, "a")])
def test_a_frame_that_ends_at_the_time_of_a_request_is_received_first(at_s: float, first: str) -> None:
    log = Log(1.0)
    log.clock.schedule(at_s, log.due, "a")
    log.clock.run(2.0)
    assert [what for _, what in log.lines] == [first, *({"received", "a"} - {first})]


def test_what_a_reception_asks_for_happens_before_what_was_planned_for_later() -> None:
    log = Log(1.0)
    log.then["received"] = (1.2, "answer")
    log.clock.schedule(1.5, log.due, "planned")
    log.clock.run(2.0)
    assert log.lines == [(1.0, "received"), (1.2, "answer"), (1.5, "planned")]


def test_a_request_for_the_past_happens_at_once() -> None:
    log = Log()
    log.then["a"] = (0.2, "late")
    log.clock.schedule(1.0, log.due, "a")
    log.clock.schedule(1.0, log.due, "b")
    log.clock.run(2.0)
    assert log.lines == [(1.0, "a"), (1.0, "b"), (1.0, "late")]


def test_without_requests_the_clock_still_reaches_the_end() -> None:
    log = Log()
    log.clock.run(5.0)
    assert (log.clock.now_s, log.lines) == (5.0, [])


@pytest.mark.parametrize("far_s", [1e10, 1e300, float("inf")])
def test_what_is_due_in_a_hundred_years_and_later_never_comes(far_s: float) -> None:
    log = Log()
    log.clock.schedule(far_s, log.due, "far")
    log.clock.move(log.clock.schedule(1.0, log.due, "moved"), far_s)
    log.clock.schedule(2.0, log.due, "near")
    log.clock.run(3.0)
    assert log.lines == [(2.0, "near")]


def test_frames_are_posted_among_wakes_each_in_its_order_and_their_numbers_do_not_mix() -> None:
    log = Log()
    log.medium.enqueue_later(0, 64, 0, 0, round(1.5 * SECOND_NS))
    log.clock.schedule(1.0, log.due, "a")
    log.medium.enqueue_later(0, 64, 0, 0, SECOND_NS)
    log.clock.schedule(2.0, log.due, "b")
    log.clock.run(3.0)
    assert log.lines == [(1.0, "a"), (1.0 + AIR_S, "received"), (1.5 + AIR_S, "received"), (2.0, "b")]


def test_frames_that_find_the_queue_full_when_they_are_due_are_named_and_their_numbers_are_given_again() -> None:
    log = Log()
    there = int(log.medium.enqueue(0, 64, 0, 0, 0) or 0)
    posted = [log.medium.enqueue_later(0, 64, 0, 0, 0) for _ in range(60)]  # together they fill the queue of 50 frames
    log.clock.run(0.0001)
    assert log.lines == [(0.0, ("refused", frame)) for frame in posted[49:]]
    assert len({there, *posted}) == 61
    assert log.medium.enqueue_later(0, 64, 0, 0, 2 * SECOND_NS) == posted[-1]
    log.clock.run(1.0)
    assert sum(what == "received" for _, what in log.lines) == 50


def test_any_number_of_frames_can_be_posted() -> None:
    log = Log()
    numbers = [log.medium.enqueue_later(0, 64, 0, 0, number * SECOND_NS // 100) for number in range(5000)]
    assert len(set(numbers)) == 5000
    log.clock.run(60.0)
    assert [what for _, what in log.lines] == ["received"] * 5000


def test_who_runs_the_medium_without_a_clock_is_not_told_of_a_refusal_as_of_the_end() -> None:
    medium = make_medium(standing((0.0, 0.0), (50.0, 0.0)), Range(100.0), every_frame=False)
    for _ in range(51):
        medium.enqueue_later(0, 64, 0, 0, 0)
    with pytest.raises(RuntimeError, match="only step can report"):
        medium.advance(SECOND_NS)


def test_once_there_is_a_medium_all_of_it_has_been_compiled() -> None:
    make_medium(standing((0.0, 0.0)), Range(100.0), every_frame=False)
    assert has_compiled()
