"""The bounded tables that protocols share."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from roamcast.core.events import Event, EventId
from roamcast.protocols.shared.event_tables import EVENT_BYTES_MAX, EventTable, SeenEvents, StoredEvent, is_sound
from roamcast.testing import event_of

numbered = st.builds(
    lambda number, validity_s: event_of(9, number, validity_s=validity_s),
    st.integers(min_value=0, max_value=1000),
    st.integers(min_value=1, max_value=50).map(float),
)
distinct = st.lists(numbered, unique_by=lambda event: event.id, max_size=30)
steps_s = st.lists(st.sampled_from([0.0, 1.0, 7.0]), min_size=30, max_size=30)


def by_expiry(stored: StoredEvent) -> float:
    return stored.event.expires_at_s


def table_of(*events: Event, events_max: int = 10) -> EventTable:
    table = EventTable(events_max, by_expiry)
    for event in events:
        table.add(event, 0.0)
    return table


@given(distinct, st.integers(min_value=1, max_value=5), steps_s)
def test_a_table_never_holds_more_than_its_bound_and_always_the_newest(
    events: list[Event], events_max: int, passed_s: list[float]
) -> None:
    table, now_s = EventTable(events_max, by_expiry), 0.0
    for event, seconds in zip(events, passed_s, strict=False):
        now_s += seconds
        before = {each.event.id for each in table}
        expired = {each.event.id for each in table if not each.event.is_valid(now_s)}
        table.add(event, now_s)
        assert event.id in table
        assert len(table) == min(len(before) + 1, events_max)
        gone = before - {each.event.id for each in table}
        assert len(gone) == (len(before) == events_max)
        assert gone <= expired or not expired  # a valid event makes room only if none has expired


def test_without_an_expired_event_the_one_of_the_lowest_worth_makes_room() -> None:
    table = table_of(
        event_of(9, 1, validity_s=5), event_of(9, 2, validity_s=3), event_of(9, 3, validity_s=4), events_max=3
    )
    table.add(event_of(9, 4, validity_s=1), 0.0)
    assert [each.event.id.number for each in table] == [1, 3, 4]


@given(distinct, st.integers(min_value=1, max_value=5), steps_s)
def test_forgetting_what_has_expired_leaves_exactly_what_is_valid(
    events: list[Event], events_max: int, passed_s: list[float]
) -> None:
    table, now_s = EventTable(events_max, by_expiry), 0.0
    for event, seconds in zip(events, passed_s, strict=False):
        now_s += seconds
        table.add(replace(event, published_at_s=now_s - 5.0), now_s)
        valid = [each.event for each in table if each.event.is_valid(now_s)]
        table.forget_expired(now_s)
        assert [each.event for each in table] == valid


def test_sizes_forwards_and_membership_are_kept() -> None:
    table = table_of(event_of(9, 1, size_bytes=100), event_of(9, 2, size_bytes=30))
    table.count_forward(EventId(9, 2))
    assert [each.forwards for each in table] == [0, 1]
    assert table.size_bytes() == 130
    table.keep_only(lambda event: event.size_bytes < 50)
    assert (EventId(9, 1) in table, EventId(9, 2) in table, table.size_bytes()) == (False, True, 30)


@given(distinct, st.integers(min_value=1, max_value=5), steps_s)
def test_a_full_memory_forgets_first_what_has_expired_and_then_what_expires_first(
    events: list[Event], identifiers_max: int, passed_s: list[float]
) -> None:
    seen, now_s = SeenEvents(identifiers_max), 0.0
    remembered: dict[EventId, float] = {}
    for event, seconds in zip(events, passed_s, strict=False):
        now_s += seconds
        seen.add(event, now_s)
        if len(remembered) == identifiers_max:
            remembered = {each: at_s for each, at_s in remembered.items() if at_s > now_s}
            if len(remembered) == identifiers_max:
                del remembered[min(remembered, key=lambda each: remembered[each])]
        remembered[event.id] = event.expires_at_s
        assert len(seen) == len(remembered)
        assert all(each in seen for each in remembered)


def test_an_event_is_sound_if_its_size_fits_a_datagram_and_its_validity_is_a_period() -> None:
    assert is_sound(event_of(9, size_bytes=1))
    assert is_sound(event_of(9, size_bytes=EVENT_BYTES_MAX))
    for size_bytes in (0, -1, EVENT_BYTES_MAX + 1):
        assert not is_sound(event_of(9, size_bytes=size_bytes))
    for validity_s in (0.0, -1.0, float("inf"), float("nan")):
        assert not is_sound(event_of(9, validity_s=validity_s))
