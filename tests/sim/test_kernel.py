"""The event kernel: what is due happens in order, with the medium's receptions in between."""

from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from roamcast.sim.kernel import Kernel
from roamcast.sim.medium import Medium, Reception

SECOND_NS = 1_000_000_000


class ScriptedAir:
    """A medium whose receptions are known beforehand."""

    def __init__(self, *ends_ns: int) -> None:
        self.ends_ns = sorted(ends_ns)
        self.asked_ns: list[int] = []

    def advance(self, until_ns: int) -> Reception | None:
        self.asked_ns.append(until_ns)
        if self.ends_ns and self.ends_ns[0] <= until_ns:
            return Reception(0, self.ends_ns.pop(0), [1])
        return None


class Log:
    """An actor and a receiver that write down what happens, and when the kernel says it is."""

    def __init__(self, *ends_ns: int) -> None:
        self.air = ScriptedAir(*ends_ns)
        self.kernel = Kernel(cast(Medium, self.air), self.received)
        self.lines: list[tuple[float, Any]] = []
        self.orders: list[int] = []
        self.then: dict[Any, tuple[float, Any]] = {}
        """What a token or a reception asks for in turn."""

    def due(self, token: Any, order: int) -> None:
        assert self.kernel.now_ns == round(self.kernel.now_s * SECOND_NS)
        self.lines.append((self.kernel.now_s, token))
        self.orders.append(order)
        self._ask(token)

    def received(self, reception: Reception) -> None:
        assert self.kernel.now_ns == reception.at_ns
        self.lines.append((self.kernel.now_s, "received"))
        self._ask("received")

    def _ask(self, token: Any) -> None:
        if token in self.then:
            at_s, asked = self.then.pop(token)
            self.kernel.schedule(at_s, self, asked)


def test_requests_happen_in_order_of_time_and_at_one_time_in_the_order_of_asking() -> None:
    log = Log()
    for at_s, token in ((2.0, "c"), (1.0, "a"), (2.0, "d"), (1.0, "b")):
        log.kernel.schedule(at_s, log, token)
    log.kernel.run(3.0)
    assert log.lines == [(1.0, "a"), (1.0, "b"), (2.0, "c"), (2.0, "d")]


@given(st.lists(st.integers(0, 20), max_size=30))
def test_any_requests_come_sorted_and_each_with_its_own_number(times: list[int]) -> None:
    log = Log()
    numbers = [log.kernel.schedule(float(at_s), log, at_s) for at_s in times]
    log.kernel.run(21.0)
    assert [token for _, token in log.lines] == sorted(times)
    assert all(now_s == token for now_s, token in log.lines)
    assert sorted(numbers) == sorted(log.orders)
    assert len(set(numbers)) == len(numbers)
    in_order = sorted(zip(times, numbers, strict=True))
    assert log.orders == [number for _, number in in_order]


def test_tokens_that_cannot_be_compared_do_not_matter() -> None:
    log = Log()
    log.kernel.schedule(1.0, log, ("a", None))
    log.kernel.schedule(1.0, log, ("a", 3))
    log.kernel.run(2.0)
    assert [token for _, token in log.lines] == [("a", None), ("a", 3)]


def test_a_run_ends_before_what_is_due_at_its_end_and_the_next_run_goes_on_from_there() -> None:
    log = Log()
    for at_s in (0.5, 1.0, 1.5):
        log.kernel.schedule(at_s, log, at_s)
    log.kernel.run(1.0)
    assert [token for _, token in log.lines] == [0.5]
    assert (log.kernel.now_s, log.kernel.now_ns) == (1.0, SECOND_NS)
    log.kernel.run(2.0)
    assert [token for _, token in log.lines] == [0.5, 1.0, 1.5]


def test_receptions_come_between_requests_at_their_own_time() -> None:
    log = Log(SECOND_NS // 2, 3 * SECOND_NS // 2)
    log.kernel.schedule(1.0, log, "a")
    log.kernel.run(2.0)
    assert log.lines == [(0.5, "received"), (1.0, "a"), (1.5, "received")]


def test_a_frame_that_ends_at_the_time_of_a_request_is_received_first() -> None:
    log = Log(SECOND_NS)
    log.kernel.schedule(1.0, log, "a")
    log.kernel.run(2.0)
    assert log.lines == [(1.0, "received"), (1.0, "a")]


def test_what_a_reception_asks_for_happens_before_what_was_planned_for_later() -> None:
    log = Log(SECOND_NS)
    log.then["received"] = (1.2, "answer")
    log.kernel.schedule(1.5, log, "planned")
    log.kernel.run(2.0)
    assert log.lines == [(1.0, "received"), (1.2, "answer"), (1.5, "planned")]


def test_a_request_for_the_past_happens_at_once() -> None:
    log = Log()
    log.then["a"] = (0.2, "late")
    log.kernel.schedule(1.0, log, "a")
    log.kernel.schedule(1.0, log, "b")
    log.kernel.run(2.0)
    assert log.lines == [(1.0, "a"), (1.0, "b"), (1.0, "late")]


def test_the_medium_is_never_run_past_the_next_request_or_the_end() -> None:
    log = Log(SECOND_NS // 4)
    log.then["a"] = (1.1, "b")
    log.kernel.schedule(1.0, log, "a")
    log.kernel.run(2.0)
    assert log.air.asked_ns == [SECOND_NS, SECOND_NS, 1_100_000_000, 2 * SECOND_NS]


def test_without_requests_the_clock_still_reaches_the_end() -> None:
    log = Log()
    log.kernel.run(5.0)
    assert (log.kernel.now_s, log.lines) == (5.0, [])
