"""Checks of what a protocol delivers in small networks: everything, once, in time, and only what was asked for."""

from collections.abc import Iterable, Iterator

from roamcast.core.host import PubSub
from roamcast.sim.facts import Facts
from roamcast.testing.conformance.hostile_stories import FindingKind, hostile_violations
from roamcast.testing.conformance.protocol_check import RunCrashedError, Violation
from roamcast.testing.conformance.trial_runs import (
    LINE_CASES,
    PARTITION_CASE,
    SHORT_CASE,
    delivered_to,
    run_line,
    run_partition,
    run_short_validity,
    trial_runs,
)
from roamcast.testing.small_networks import HEALED_S

LINE_NODES = frozenset(range(6))
NEAR, FAR = frozenset({0, 1}), frozenset({2, 3})
"""The pair that has the publisher, and the pair that comes later."""
ON_THE_AIR_S = 0.1
"""A frame that was sent in time may wait this long for the air."""


def check_runs_to_the_end(protocol: type[PubSub]) -> Iterator[Violation]:
    """Yield whatever the protocol raises in ordinary networks."""
    for run in trial_runs(protocol):
        try:
            run()
        except RunCrashedError as crash:
            yield crash.violation


def check_delivers_on_a_line(protocol: type[PubSub]) -> Iterator[Violation]:
    """Yield the events that did not reach a subscriber to whom there was a way all the time."""
    for case in LINE_CASES:
        subscribers = LINE_NODES - (set() if case.publisher_subscribes else {case.publisher})
        for event, nodes in delivered_to(run_line(protocol, case)).items():
            if missing := subscribers - nodes:
                what = f"event {event} was not delivered to {_listed(missing)}"
                yield Violation(what, str(case), case.reproduce(protocol))
    for nodes in delivered_to(run_partition(protocol)).values():
        if missing := NEAR - nodes:
            yield Violation(f"the event was not delivered to {_listed(missing)}, always in reach", PARTITION_CASE)


def check_keeps_events_as_declared(protocol: type[PubSub]) -> Iterator[Violation]:
    """Yield whether nodes that came into reach later missed an event that is kept, or got one that is not."""
    (nodes,) = delivered_to(run_partition(protocol)).values()
    if protocol.keeps_events and nodes >= NEAR and (missing := FAR - nodes):
        what = f"keeps_events is True, but {_listed(missing)}, in reach from {HEALED_S:g} s on, never got the event"
        yield Violation(what, PARTITION_CASE)
    if not protocol.keeps_events and (late := FAR & nodes):
        what = f"keeps_events is False, but {_listed(late)}, in reach from {HEALED_S:g} s on, got the event"
        yield Violation(what, PARTITION_CASE)


def check_delivers_once(protocol: type[PubSub]) -> Iterator[Violation]:
    """Yield the deliveries of an event that a node had been handed before."""
    for case, facts in _network_runs(protocol):
        for drop in facts.drops:
            if drop.reason == "delivered-twice":
                yield Violation(f"node {drop.node} was handed events again, {drop.times} times", case)
    yield from hostile_violations(protocol, FindingKind.TWICE)


def check_delivers_in_time(protocol: type[PubSub]) -> Iterator[Violation]:
    """Yield the deliveries and transmissions of events that had expired."""
    for case, facts in _network_runs(protocol):
        validity_s = {publication.event: publication.validity_s for publication in facts.publications}
        for delivery in facts.deliveries:
            if delivery.latency_s >= validity_s[delivery.event]:
                what = f"node {delivery.node} was handed event {delivery.event} {delivery.latency_s:.3g} s after its "
                yield Violation(f"{what}publication; it was valid for {validity_s[delivery.event]:g} s", case)
    overdue_s = max(run_short_validity(protocol).overdue_s, default=0.0)
    if overdue_s >= ON_THE_AIR_S:
        yield Violation(f"a frame carried an event {overdue_s:.3g} s after the event expired", SHORT_CASE)
    yield from hostile_violations(protocol, FindingKind.LATE)
    yield from hostile_violations(protocol, FindingKind.SENT_EXPIRED)


def check_delivers_only_what_was_asked_for(protocol: type[PubSub]) -> Iterator[Violation]:
    """Yield the deliveries to nodes that had not asked for the event, and of events that nobody had published."""
    for case in LINE_CASES:
        facts = run_line(protocol, case)
        subscribers = LINE_NODES - (set() if case.publisher_subscribes else {case.publisher})
        for event, nodes in delivered_to(facts).items():
            if extra := nodes - subscribers:
                what = f"event {event} was delivered to {_listed(extra)}, without an interest in it"
                yield Violation(what, str(case), case.reproduce(protocol))
        for drop in facts.drops:
            if drop.reason == "delivered-unpublished":
                what = f"node {drop.node} was handed events that nobody published, {drop.times} times"
                yield Violation(what, str(case), case.reproduce(protocol))
    yield from hostile_violations(protocol, FindingKind.UNASKED)


def _network_runs(protocol: type[PubSub]) -> Iterator[tuple[str, Facts]]:
    for case in LINE_CASES:
        yield str(case), run_line(protocol, case)
    yield PARTITION_CASE, run_partition(protocol)
    yield SHORT_CASE, run_short_validity(protocol).facts


def _listed(nodes: Iterable[int]) -> str:
    numbers = sorted(nodes)
    return f"node{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
