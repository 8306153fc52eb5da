"""Checks of what a protocol must withstand: peers that send anything, and floods of messages in which all is new."""

import gc
from collections.abc import Iterator
from itertools import count
from types import ModuleType
from typing import NamedTuple

from roamcast.core.host import PubSub
from roamcast.testing.conformance.hostile_stories import HERE, ME, FindingKind, hostile_violations
from roamcast.testing.conformance.makeable_messages import makeable_kinds
from roamcast.testing.conformance.protocol_check import RunCrashedError, Violation
from roamcast.testing.conformance.trial_runs import remembered, reporting_crashes, run_alone
from roamcast.testing.message_flood import flood
from roamcast.testing.message_types import message_kinds
from roamcast.testing.recording_host import RecordingHost
from roamcast.testing.routed_frames import frames_with
from roamcast.testing.sample_events import event_of, interest_in
from roamcast.testing.tight_parameters import tight_parameters

FLOOD_STEPS = 200
FOREIGN_EVERY = 10
"""Every tenth round also brings the messages of all other protocols."""
COUNTED_EVERY = 4
"""Every fourth round the objects that the node holds are counted; what grows without a limit does not shrink again."""
TABLE_LIMIT = 5
GROWTH_MAX = 1.1
"""A table that grows doubles from the first half to the second; full ones go up and down a little."""
FLOOD_CASE = f"a flood of {FLOOD_STEPS} rounds of new messages, every parameter that ends in _max set to {TABLE_LIMIT}"
SURVIVES = "survives-hostile-messages"


class FloodRun(NamedTuple):
    """The amounts that a node held in the course of a flood, from its start to its end."""

    stored_bytes: list[int]
    held: list[int]
    """How many objects could be reached from the protocol."""
    waiting: list[int]
    """How many wakes it had asked its host for."""
    deliveries: int


def check_survives_hostile_messages(protocol: type[PubSub]) -> Iterator[Violation]:
    """Yield what the protocol raises, or claims that cannot be true, whatever peers send."""
    yield from hostile_violations(protocol, FindingKind.RAISED)
    yield from hostile_violations(protocol, FindingKind.BAD_MESSAGE)
    try:
        run_flood(protocol)
    except RunCrashedError as crash:
        yield crash.violation


def check_keeps_within_its_limits(protocol: type[PubSub]) -> Iterator[Violation]:
    """Yield what still grows when all tables have long been full."""
    run = run_flood(protocol)
    measures = (
        ("what it stores, by storage_bytes()", run.stored_bytes, " bytes"),
        ("what can be reached from its attributes", run.held, " objects"),
        ("what it asked to be woken for", run.waiting, " wakes"),
    )
    for what, values, unit in measures:
        before, after = max(values[: len(values) // 2]), max(values[len(values) // 2 :])
        if after > GROWTH_MAX * before + TABLE_LIMIT:
            yield Violation(f"{what} grew from {before:,} to {after:,}{unit} in the second half", FLOOD_CASE)


@remembered
def run_flood(protocol: type[PubSub]) -> FloodRun:
    """Flood a node whose tables are tiny with messages in which everything is new."""
    run_alone(protocol)
    host = RecordingHost(ME, position=HERE)
    own = makeable_kinds(protocol) or message_kinds()
    all_kinds = tuple(dict.fromkeys((*message_kinds(), *own)))
    numbers = count(1000)
    run = FloodRun([], [], [], 0)
    with reporting_crashes(protocol, FLOOD_CASE, reported_by=SURVIVES):
        flooded = host.install(protocol, tight_parameters(protocol, TABLE_LIMIT))
        flooded.subscribe(interest_in("news"))
        for step in range(FLOOD_STEPS):
            kinds = own if step % FOREIGN_EVERY else all_kinds
            for one, other in zip(flood(numbers, kinds), flood(numbers, kinds), strict=True):
                for frame in frames_with(one, flooded, ME, HERE):
                    flooded.on_message(frame, next(numbers))  # a new neighbour each time
                for frame in frames_with(other, flooded, ME, HERE):
                    flooded.on_message(frame, 7)  # and one that always has something new
            flooded.publish(event_of(ME, next(numbers), validity_s=1e5))
            host.advance_to(host.now + 0.03 * (step % 2))  # so that timers of a second fire in the first half
            run.stored_bytes.append(flooded.storage_bytes())
            if step % COUNTED_EVERY == COUNTED_EVERY - 1:
                run.held.append(held_objects(flooded))
            run.waiting.append(len(host.wakes))
    return run._replace(deliveries=len(host.deliveries))


def held_objects(root: object) -> int:
    """Count the references that can be followed from an object; the host, code and modules are left out."""
    leaves = (RecordingHost, ModuleType, type, int, float, str, bytes, type(None))
    seen: set[int] = set()
    waiting: list[object] = [root]
    references = 0
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        inside = gc.get_referents(value)
        references += len(inside)
        if isinstance(value, bytearray):
            references += len(value)
        waiting += [each for each in inside if not isinstance(each, leaves) and not callable(each)]
    return references
