"""Hint-driven routing: beacons, the hint table they fill, and how hints are told from missed beacons."""

import pytest
from hint_peers import INTERVAL_S, ME, NEWS, beacon, beacons_sent, heard_beacons, hint_node, hinted
from hypothesis import given
from hypothesis import strategies as st

from roamcast.core.errors import UserError
from roamcast.core.event_interests import Interest
from roamcast.core.parameters import build
from roamcast.core.predicates import NOTHING, Predicate, parse, summarize
from roamcast.protocols.hint_driven.hints import HintTable
from roamcast.protocols.hint_driven.parameters import HintDrivenParameters
from roamcast.testing import event_of, interest_in

TRAFFIC = parse('topic = "traffic" and speed_mps < 5')


def test_a_node_beacons_its_summary_at_every_interval_from_a_random_moment_on() -> None:
    host, _ = hint_node(NEWS, random=0.3)
    host.advance_to(12.0)
    assert beacons_sent(host) == [(1.5, beacon(NEWS)), (6.5, beacon(NEWS)), (11.5, beacon(NEWS))]


def test_the_summary_covers_all_subscriptions_of_the_node_whatever_their_kind() -> None:
    host, _ = hint_node(interest_in("news"), TRAFFIC)
    host.advance_to(2.5)
    ((_, sent),) = beacons_sent(host)
    assert sent == beacon(interest_in("news"), TRAFFIC)
    assert all(sent.predicate.covers(each) for each in (interest_in("news"), TRAFFIC))
    assert sent.size_bytes == 8 + summarize([interest_in("news"), TRAFFIC]).size_bytes()


def test_a_node_that_asks_for_nothing_sends_no_beacons_unless_told_to() -> None:
    silent, _ = hint_node()
    silent.advance_to(20.0)
    assert silent.broadcasts == []
    talking, _ = hint_node(empty_beacons=True)
    talking.advance_to(10.0)
    assert beacons_sent(talking) == [(2.5, beacon()), (7.5, beacon())]


def test_a_node_that_has_stopped_asking_says_so_once() -> None:
    host, hint_driven = hint_node(NEWS)
    host.advance_to(3.0)
    hint_driven.unsubscribe(NEWS)
    hint_driven.unsubscribe(NEWS)
    host.advance_to(30.0)
    assert [(at_s, sent.predicate) for at_s, sent in beacons_sent(host)] == [(2.5, NEWS), (7.5, NOTHING)]


def test_subscriptions_are_summarized_once_for_a_beacon_however_many_have_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    summarized: list[int] = []

    def counting(interests: tuple[Interest, ...], terms_max: int) -> Predicate:
        summarized.append(len(interests))
        return summarize(interests, terms_max)

    monkeypatch.setattr("roamcast.protocols.hint_driven.protocol.summarize", counting)
    host, hint_driven = hint_node(*(parse(f"x = {number}") for number in range(20)))
    host.advance_to(13.0)
    assert summarized == [20]
    hint_driven.unsubscribe(parse("x = 3"))
    hint_driven.subscribe(NEWS)
    host.advance_to(18.0)
    assert summarized == [20, 20]
    last = beacons_sent(host)[-1][1].predicate
    assert last.covers(NEWS)
    assert not last.covers(parse("x = 3"))


@pytest.mark.parametrize("terms_max", [1, 128])
def test_every_summary_size_that_can_be_asked_for_can_be_made(terms_max: int) -> None:
    parameters = build(HintDrivenParameters, {"summary_terms_max": terms_max}, "[protocol]")
    wishes = [parse(f"x{number} = 1") for number in range(5)]
    host, _ = hint_node(*wishes, summary_terms_max=parameters.summary_terms_max)
    host.advance_to(3.0)
    ((_, sent),) = beacons_sent(host)
    assert all(sent.predicate.covers(each) for each in wishes)


def test_a_summary_larger_than_a_predicate_can_be_is_refused_where_it_is_asked_for() -> None:
    with pytest.raises(UserError, match=r"^\[protocol\] summary_terms_max = 129: must be at most 128$"):
        build(HintDrivenParameters, {"summary_terms_max": 129}, "[protocol]")


def test_who_hears_that_a_node_asks_for_nothing_more_forgets_it() -> None:
    host, hint_driven = hint_node()
    hint_driven.on_message(beacon(NEWS), 7)
    hint_driven.on_message(beacon(), 7)
    hint_driven.on_message(beacon(), 8)
    hint_driven.publish(event_of(ME))
    assert host.take_messages() == [hinted(event_of(ME))]
    assert hint_driven.storage_bytes() == 16  # the event's identifier


@pytest.mark.parametrize(
    ("elapsed_s", "hint"),
    [(0.0, 0.0), (4.99, 0.0), (5.01, 0.1), (9.99, 0.1), (10.01, 0.2), (47.0, 0.9), (50.0, 1.0), (54.9, 1.0)],
)
def test_the_hint_is_the_number_of_beacons_missed_over_ten(elapsed_s: float, hint: float) -> None:
    table = HintTable(INTERVAL_S, 10, 256)
    table.note(7, NEWS, 100.0)
    destinations: dict[int, float] = {}
    assert table.improve(event_of(9), destinations, 100.0 + elapsed_s, 256) == hint
    assert destinations == {7: hint}


def test_after_more_than_ten_missed_beacons_there_is_no_hint_even_before_the_clean_up() -> None:
    table = HintTable(INTERVAL_S, 10, 256)
    table.note(7, NEWS, 100.0)
    assert table.improve(event_of(9), {}, 155.1, 256) is None


def test_the_clean_up_deletes_what_was_not_refreshed_for_more_than_ten_intervals() -> None:
    table = HintTable(INTERVAL_S, 10, 256)
    table.note(7, NEWS, 100.0)
    table.note(8, NEWS, 101.0)
    row_bytes = 4 + 8 + NEWS.size_bytes()
    table.clean_up(150.0)
    assert table.size_bytes() == 2 * row_bytes
    table.clean_up(150.5)
    assert table.size_bytes() == row_bytes
    destinations: dict[int, float] = {}
    assert table.improve(event_of(9), destinations, 150.5, 256) == 0.9
    assert set(destinations) == {8}


def test_a_node_cleans_its_table_up_with_each_of_its_beacons_even_if_it_sends_none() -> None:
    host, hint_driven = hint_node()
    hint_driven.on_message(beacon(NEWS), 7)
    host.advance_to(47.5)
    stored_bytes = hint_driven.storage_bytes()
    assert stored_bytes == 4 + 8 + NEWS.size_bytes()
    host.advance_to(52.5)
    assert hint_driven.storage_bytes() == 0


def test_a_beacon_refreshes_the_row_and_replaces_the_predicate() -> None:
    host, hint_driven = hint_node()
    heard_beacons(hint_driven, host, {7: 8})
    hint_driven.on_message(beacon(TRAFFIC), 7)
    hint_driven.publish(event_of(ME, 1, published_at_s=host.now))
    assert host.take_messages() == [hinted(event_of(ME, 1, published_at_s=host.now))]
    hint_driven.on_message(beacon(NEWS), 7)
    hint_driven.publish(event_of(ME, 2, published_at_s=host.now))
    assert host.take_messages() == [hinted(event_of(ME, 2, published_at_s=host.now), {7: 0.0})]


def test_a_full_table_gives_up_the_node_heard_longest_ago() -> None:
    host, hint_driven = hint_node(hints_max=2)
    for number, node in enumerate((7, 8, 7, 6)):
        host.advance_to(0.1 * number)
        hint_driven.on_message(beacon(NEWS), node)
    hint_driven.publish(event_of(ME))
    assert host.take_messages() == [hinted(event_of(ME), {7: 0.0, 6: 0.0})]


def test_a_beacon_in_this_nodes_own_name_is_dropped() -> None:
    host, hint_driven = hint_node()
    hint_driven.on_message(beacon(NEWS), ME)
    hint_driven.publish(event_of(ME))
    assert (host.drop_reasons(), host.take_messages()) == (["own-name"], [hinted(event_of(ME))])


@given(
    st.dictionaries(st.integers(0, 20), st.floats(0, 60), max_size=20),
    st.dictionaries(st.integers(0, 20), st.sampled_from([0.0, 0.1, 0.5, 1.0]), max_size=20),
)
def test_improving_a_list_only_adds_and_lowers_and_returns_the_lowest_change(
    heard_at_s: dict[int, float], before: dict[int, float]
) -> None:
    table = HintTable(INTERVAL_S, 10, 256)
    for node, at_s in heard_at_s.items():
        table.note(node, NEWS, at_s)
    after = dict(before)
    lowest = table.improve(event_of(9), after, 60.0, 256)
    changed = {node: hint for node, hint in after.items() if before.get(node) != hint}
    assert lowest == min(changed.values(), default=None)
    assert all(after[node] <= hint for node, hint in before.items())
    assert set(changed) <= set(heard_at_s)
    assert all(0.0 <= hint <= 1.0 for hint in after.values())
