"""The runs that several checks look at, each made once: a node alone, lines, a partition that heals, short validity."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, wraps
from itertools import product
from random import Random
from typing import Any, NamedTuple, ParamSpec, TypeVar

from roamcast.core.host import Position, PubSub
from roamcast.sim.facts import Facts
from roamcast.sim.setup import FrameSent, Setup
from roamcast.sim.simulation import simulate
from roamcast.testing.conformance.protocol_check import NotCheckedError, RunCrashedError, Violation, crash_text
from roamcast.testing.recording_host import RecordingHost
from roamcast.testing.sample_events import event_of, interest_in
from roamcast.testing.small_networks import healing_partition, line

P = ParamSpec("P")
T = TypeVar("T")

SEED = 7
ALONE_S = 60.0
"""How long the node that is alone runs; a protocol that never comes to rest is noticed at once."""
SHORT_VALIDITY_S = 2.4
"""So short that some events expire on their way along the line."""
RUNS_REMEMBERED = 128
"""The runs of some thirty protocols; a test suite asks for the same ones again and again."""


class LineCase(NamedTuple):
    """Who publishes on the line, and whether that node subscribes too."""

    publisher: int
    publisher_subscribes: bool

    def __str__(self) -> str:
        subscribes = "also subscribes" if self.publisher_subscribes else "does not subscribe"
        return f"a line of 6 nodes, node {self.publisher} publishes and {subscribes}, seed {SEED}"

    def reproduce(self, protocol: type[PubSub]) -> str:
        """Return the expression that makes the run again."""
        who = f"publisher={self.publisher}, publisher_subscribes={self.publisher_subscribes}"
        return f"simulate(line({protocol.__name__}, {who}), seed={SEED})"


LINE_CASES = tuple(LineCase(*case) for case in product((0, 3), (True, False)))
PARTITION_CASE = f"two pairs that meet after 15 s, seed {SEED}"
SHORT_CASE = f"a line of 6 nodes, events valid for {SHORT_VALIDITY_S} s, seed {SEED}"
ALONE_CASE = f"one node alone for {ALONE_S:g} s"


class ShortValidityRun(NamedTuple):
    """A run in which events expire on their way."""

    facts: Facts
    overdue_s: tuple[float, ...]
    """For each event in each frame, how long after its expiry the frame left the air; most are negative."""


def default_parameters(protocol: type[PubSub]) -> Any:
    """Return a protocol's parameters with all their defaults."""
    try:
        return protocol.Parameters()
    except Exception:  # noqa: BLE001 - a stranger's code may raise anything
        raise NotCheckedError("its parameters cannot be made; see describes-itself") from None


def trial_runs(protocol: type[PubSub]) -> Iterator[Callable[[], object]]:
    """Yield the runs, each of which raises ``RunCrashedError`` if the protocol raises in it."""
    yield lambda: run_alone(protocol)
    for case in LINE_CASES:
        yield lambda case=case: run_line(protocol, case)  # type: ignore[misc]
    yield lambda: run_partition(protocol)
    yield lambda: run_short_validity(protocol)


def remembered(run: Callable[P, T]) -> Callable[P, T]:
    """Make a run once, also if the protocol raises in it: the checks that look at the run again get the same crash."""

    @lru_cache(maxsize=RUNS_REMEMBERED)
    def outcome(*args: P.args, **kwargs: P.kwargs) -> T | RunCrashedError:
        try:
            return run(*args, **kwargs)
        except RunCrashedError as crash:
            return crash

    @wraps(run)
    def result(*args: P.args, **kwargs: P.kwargs) -> T:
        made = outcome(*args, **kwargs)  # type: ignore[arg-type]  # protocols and cases can be hashed
        if isinstance(made, RunCrashedError):
            raise made.with_traceback(None)
        return made

    return result


@remembered
def run_alone(protocol: type[PubSub]) -> RecordingHost:
    """Run a node that nobody hears, which subscribes and publishes."""
    parameters = default_parameters(protocol)
    host = RecordingHost(0, Random(SEED), position=Position(500.0, 500.0), speed_mps=1.0)
    with reporting_crashes(protocol, ALONE_CASE):
        installed = host.install(protocol, parameters)
        installed.subscribe(interest_in("news"))
        host.advance_to(1.0)
        installed.publish(event_of(0, published_at_s=host.now, validity_s=25.0))
        host.advance_to(ALONE_S)
        installed.unsubscribe(interest_in("news"))
    return host


@remembered
def run_line(protocol: type[PubSub], case: LineCase) -> Facts:
    """Run a line of six subscribers and one node beside it that asks for something else."""
    run_alone(protocol)  # a protocol that wakes itself forever would never let a simulation end
    setup = line(protocol, publisher=case.publisher, publisher_subscribes=case.publisher_subscribes)
    return _run(protocol, setup, str(case), case.reproduce(protocol))


@remembered
def run_partition(protocol: type[PubSub]) -> Facts:
    """Run two pairs of nodes that meet while an event of the first pair is still valid."""
    run_alone(protocol)
    reproduce = f"simulate(healing_partition({protocol.__name__}), seed={SEED})"
    return _run(protocol, healing_partition(protocol), PARTITION_CASE, reproduce)


@remembered
def run_short_validity(protocol: type[PubSub]) -> ShortValidityRun:
    """Run a line on which events expire on their way, and note when the frames that carry them leave the air."""
    run_alone(protocol)
    setup = line(protocol, validity_s=SHORT_VALIDITY_S)
    overdue_s: list[float] = []

    def watch(frame: FrameSent) -> None:
        ended_at_s = setup.settle_s + frame.ended_at_s
        overdue_s.extend(ended_at_s - event.expires_at_s for event in frame.message.events)

    reproduce = f"simulate(line({protocol.__name__}, validity_s={SHORT_VALIDITY_S}), seed={SEED})"
    return ShortValidityRun(_run(protocol, setup, SHORT_CASE, reproduce, watch), tuple(overdue_s))


def _run(
    protocol: type[PubSub], setup: Setup, case: str, reproduce: str, watch: Callable[[FrameSent], None] | None = None
) -> Facts:
    with reporting_crashes(protocol, case, reproduce):
        return simulate(setup, SEED, watch)


@contextmanager
def reporting_crashes(
    protocol: type[PubSub], case: str, reproduce: str = "", reported_by: str = "runs-to-the-end"
) -> Iterator[None]:
    """Turn whatever a protocol raises into a violation."""
    try:
        yield
    except (Exception, SystemExit) as error:
        violation = Violation(crash_text(error, protocol), case, reproduce)
        raise RunCrashedError(violation, reported_by) from error


def delivered_to(facts: Facts) -> dict[int, set[int]]:
    """Return the nodes to which each event was delivered."""
    nodes: dict[int, set[int]] = {publication.event: set() for publication in facts.publications}
    for delivery in facts.deliveries:
        nodes[delivery.event].add(delivery.node)
    return nodes
