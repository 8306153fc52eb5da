"""Frugal, sections 3 (phase 3) and 4.4: the bounded events table and Equation 1."""

from itertools import count

import pytest
from frugal_peers import (
    EVENT_BYTES,
    IDENTIFIER_BYTES,
    NODE_BYTES,
    announcements,
    frugal_node,
    give,
    heartbeat,
    identifiers,
    meet,
)

from roamcast.core.events import Event, EventId
from roamcast.protocols.frugal.protocol import Frugal, worth
from roamcast.protocols.shared.event_tables import StoredEvent
from roamcast.testing import RecordingHost, event_of, flood

LONG = event_of(9, 5, validity_s=300.0)
SHORT = event_of(9, 2, validity_s=120.0)
NEXT = event_of(9, 9, validity_s=200.0)


def held(host: RecordingHost, frugal: Frugal) -> tuple[EventId, ...]:
    """Return what a node holds, as a newcomer would be told."""
    frugal.on_message(heartbeat("."), 77)
    frugal.on_message(heartbeat("nothing"), 77)
    return announcements(host)[-1][1].identifiers


def forward(host: RecordingHost, frugal: Frugal, event: Event, others: tuple[Event, ...], newcomer: int) -> None:
    """Let a newcomer come by who lacks one event only, so that it is sent once."""
    meet(frugal, newcomer, "news", holds=others)
    host.advance_to(host.now + 0.5)
    assert host.broadcasts[-1].message.events == (event,)


@pytest.mark.parametrize("unit_s", [1.0, 60.0])
def test_equation_1_is_validity_over_forwards_and_validity(unit_s: float) -> None:
    assert worth(StoredEvent(event_of(9, validity_s=3.0), forwards=1)) == 0.75
    five = worth(StoredEvent(event_of(9, validity_s=5 * unit_s), forwards=5))
    for forwards in (0, 1):
        assert worth(StoredEvent(event_of(9, validity_s=2 * unit_s), forwards=forwards)) > five
    assert worth(StoredEvent(event_of(9, validity_s=2 * unit_s), forwards=2)) == five
    assert worth(StoredEvent(event_of(9, validity_s=2 * unit_s), forwards=3)) < five


@pytest.mark.parametrize(
    ("forwards", "survivor"),
    [(0, SHORT), (1, SHORT), (2, SHORT), (3, LONG)],  # 2 is the tie: what was stored first goes
)
def test_two_minutes_forwarded_less_than_twice_survive_five_minutes_forwarded_five_times(
    forwards: int, survivor: Event
) -> None:
    host, frugal = frugal_node("news", events_max=2)
    give(frugal, LONG, SHORT)
    newcomers = iter(range(100, 200))
    for _ in range(5):
        forward(host, frugal, LONG, (SHORT,), next(newcomers))
    for _ in range(forwards):
        forward(host, frugal, SHORT, (LONG,), next(newcomers))
    give(frugal, NEXT)
    assert held(host, frugal) == (survivor.id, NEXT.id)


def test_at_the_tie_the_event_stored_first_is_collected() -> None:
    host, frugal = frugal_node("news", events_max=2)
    give(frugal, SHORT, LONG, NEXT)
    assert held(host, frugal) == (LONG.id, NEXT.id)


def test_an_expired_event_is_collected_first_whatever_its_worth() -> None:
    host, frugal = frugal_node("news", events_max=2)
    brief = event_of(9, 1, validity_s=2.0)
    give(frugal, LONG, brief)
    for newcomer in range(100, 103):
        forward(host, frugal, LONG, (brief,), newcomer)  # worth less than the other, which was never sent
    host.advance_to(2.0)
    give(frugal, NEXT)
    assert held(host, frugal) == (LONG.id, NEXT.id)


def test_an_expired_event_stays_until_its_place_is_needed_and_is_of_no_use_meanwhile() -> None:
    host, frugal = frugal_node("news", events_max=2)
    give(frugal, event_of(9, 1, validity_s=1.0))
    host.advance_to(1.0)
    assert frugal.storage_bytes() == EVENT_BYTES + IDENTIFIER_BYTES
    assert held(host, frugal) == ()


def test_the_events_table_never_holds_more_than_its_bound() -> None:
    host, frugal = frugal_node("news", events_max=3, identifiers_max=5)
    for number in range(20):
        give(frugal, event_of(9, number))
        assert frugal.storage_bytes() == EVENT_BYTES * min(number + 1, 3) + IDENTIFIER_BYTES * min(number + 1, 5)
    assert len(host.deliveries) == 20
    assert held(host, frugal) == tuple(EventId(9, number) for number in (17, 18, 19))


def test_this_nodes_own_publications_obey_the_same_bound() -> None:
    host, frugal = frugal_node("news", events_max=2)
    for number in range(3):
        frugal.publish(event_of(1, number))
    assert held(host, frugal) == (EventId(1, 1), EventId(1, 2))


def test_an_event_that_was_collected_from_a_full_table_is_not_delivered_again() -> None:
    host, frugal = frugal_node("news", events_max=1)
    first, second = event_of(9, 1), event_of(9, 2)
    give(frugal, first)
    give(frugal, second)
    give(frugal, first)
    assert host.delivered() == [first, second]
    assert host.drop_reasons() == ["duplicate"]


def test_what_a_neighbour_holds_is_remembered_within_bounds_and_first_what_matters_here() -> None:
    host, frugal = frugal_node("news", identifiers_max=4)
    mine = event_of(9, 1)
    give(frugal, mine)
    base = frugal.storage_bytes()
    frugal.on_message(heartbeat("news"), 2)
    frugal.on_message(identifiers(mine, *(EventId(7, number) for number in range(3))), 2)
    frugal.on_message(identifiers(*(EventId(8, number) for number in range(3))), 2)
    assert frugal.storage_bytes() == base + 4 + IDENTIFIER_BYTES
    host.advance_to(2.0)
    assert [message for message in host.take_messages() if message.events] == []  # that 2 holds it is still known


def test_storage_never_exceeds_the_sum_of_all_limits_whatever_is_heard() -> None:
    host, frugal = frugal_node("news", events_max=4, identifiers_max=6, neighbours_max=3)
    numbers = count(1000)
    rows_bytes = 2 * 3 * (NODE_BYTES + 6 * IDENTIFIER_BYTES)  # neighbours, and as many of whom identifiers came early
    for _ in range(300):
        for message in flood(numbers):
            frugal.on_message(message, 7 + next(numbers) % 5)
        assert frugal.storage_bytes() <= 4 * EVENT_BYTES + 6 * IDENTIFIER_BYTES + rows_bytes
        host.advance_to(host.now + 0.01)
    assert len(host.deliveries) > 300
