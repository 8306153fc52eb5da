"""Zones of BRVST that are no neighbours, over minutes: matches are delivered, whatever zones forget or hand over."""

import pytest
from brvst_far_zones import ADVERTISE_S, CACHE_S, ELECTED_S, FAR, HERE, OWED_S, FarAir

from roamcast.core.host import FALSE_POSITIVE_BROKER
from roamcast.protocols.brvst.cells import ZONE, Cell
from roamcast.protocols.brvst.messages import Advertisement, Publication, ZoneSummary

NEIGHBOURS = {Cell(ZONE, 0, 1), Cell(ZONE, 1, 0), Cell(ZONE, 1, 1)}
OTHERS = {Cell(ZONE, column, row) for column in range(3) for row in range(3)} - {HERE}
WIDE, LOW, HIGH = (0.0, 100.0), (0.0, 40.0), (60.0, 100.0)
IN_LOW, IN_HIGH = (10.0, 12.0), (70.0, 72.0)


# --- who is told what ---------------------------------------------------------------------------------------------


def told(air: FarAir, since_s: float) -> set[Cell]:
    """Return to whom the corner's summary went since a time."""
    return {cell for each in air.sent_by(HERE, ZoneSummary, since_s) for cell in each.cells}


def test_a_summary_goes_to_neighbours_and_to_zones_whose_publications_have_matched() -> None:
    air = FarAir()
    air.subscribe(1, a=LOW)
    air.run(3.0)
    assert told(air, air.now - 3.0) == NEIGHBOURS
    event_id = air.publish(221, a=IN_LOW)  # far away: it is advertised, the zone answers, the data come
    air.run(3.0)
    assert air.delivered(event_id) == {1}
    changed_at_s = air.now
    air.subscribe(1, b=LOW)
    air.run(3.0)
    assert told(air, changed_at_s) == NEIGHBOURS | {FAR}


def test_a_zone_that_has_matched_is_told_of_changes_until_all_that_it_may_hold_back_is_gone() -> None:
    air = FarAir()
    air.subscribe(1, a=LOW)
    for _ in range(2):  # the second time the data come without an advertisement
        air.publish(221, a=IN_LOW)
        air.run(10.0)
    for wait_s, attribute, expected in ((OWED_S - 15.0, "b", NEIGHBOURS | {FAR}), (10.0, "c", NEIGHBOURS)):
        air.run(wait_s)
        changed_at_s = air.now
        air.subscribe(1, **{attribute: (0.0, 0.5)})
        air.run(2.0)
        assert told(air, changed_at_s) == expected


def test_first_vectors_are_advertised_to_all_zones_but_those_that_get_the_data_and_again_after_the_period() -> None:
    air = FarAir(settle_s=15.0, advertise_s=30.0)
    air.subscribe(110, a=LOW)
    air.run(3.0)
    everyone = OTHERS - {Cell(ZONE, 1, 1)}
    for wait_s, expected in ((10.0, 1), (25.0, 1), (10.0, 2), (10.0, 2)):
        air.publish(1, a=IN_LOW)
        air.run(wait_s)
        advertised = air.sent_by(HERE, Advertisement)
        assert [set(each.cells) for each in advertised] == [everyone] * expected
    air.publish(2, a=IN_LOW)  # another publisher
    air.publish(1, a=IN_LOW, b=IN_LOW)  # other vectors
    air.run(1.0)
    assert [set(each.cells) for each in air.sent_by(HERE, Advertisement)] == [everyone] * 4


def test_a_neighbour_whose_summary_is_held_is_advertised_to_as_well() -> None:
    air = FarAir(settle_s=15.0)
    air.subscribe(10, a=LOW)
    air.run(3.0)
    air.publish(1, a=IN_HIGH)
    air.run(1.0)
    (advertised,) = air.sent_by(HERE, Advertisement)
    assert set(advertised.cells) == OTHERS


def test_who_sends_what_nobody_wants_is_answered_with_the_summary_and_sends_no_more() -> None:
    air = FarAir(lazy_s=10.0)
    air.subscribe(1, a=LOW)
    air.publish(221, a=IN_LOW)
    air.run(3.0)
    air.unsubscribe(1, a=LOW)
    air.run(11.0)  # now the zone manager knows; other zones are told 10 s later
    at_s = air.now
    for number in range(3):
        air.publish(221, a=IN_LOW, b=(0.0, 1.0 + number))
        air.run(1.0)
    assert [(each.cells, each.summary) for each in air.sent_by(HERE, ZoneSummary, at_s)] == [((FAR,), ())]
    assert len([each for each in air.sent_by(FAR, Publication, at_s) if HERE in each.cells]) == 1
    assert air.reasons().count(FALSE_POSITIVE_BROKER) == 1


# --- minutes ------------------------------------------------------------------------------------------------------


def test_a_zone_that_was_forgotten_while_its_old_summary_is_held_hears_of_what_is_new() -> None:
    air = FarAir(refresh_s=1000.0, zone_summary_s=300.0)
    air.subscribe(1, a=LOW)
    air.publish(221, a=IN_LOW)
    air.run(OWED_S + 5.0)  # now this zone owes the other one nothing, and that one holds a summary that will not change
    air.subscribe(2, a=HIGH)
    air.run(5.0)
    event_id = air.publish(221, a=IN_HIGH)
    air.run(5.0)
    assert air.delivered(event_id) == {2}


def test_what_was_wanted_once_is_found_when_it_is_wanted_again() -> None:
    air = FarAir()
    air.subscribe(1, a=LOW)
    air.publish(221, a=IN_LOW)
    air.run(3.0)
    air.unsubscribe(1, a=LOW)
    air.run(ADVERTISE_S - 5.0)
    event_id = air.publish(221, a=IN_LOW)  # neither sent nor advertised: the vectors are known
    air.run(CACHE_S - 5.0)
    air.subscribe(2, a=LOW)
    air.run(3.0)
    assert air.delivered(event_id) == {2}


def test_what_was_advertised_once_is_found_though_it_was_published_again_without() -> None:
    air = FarAir()
    air.publish(221, a=IN_LOW)
    air.run(ADVERTISE_S - 2.0)
    event_id = air.publish(221, a=IN_LOW)
    air.run(CACHE_S - 5.0)
    air.subscribe(2, a=LOW)
    air.run(3.0)
    assert air.delivered(event_id) == {2}


def test_vectors_that_came_in_vain_are_remembered_like_an_advertisement() -> None:
    air = FarAir(lazy_s=5.0, settle_s=20.0, advertise_s=40.0, cache_s=8.0)
    air.subscribe(1, a=LOW)
    air.publish(221, a=(1.0, 2.0))
    air.run(35.0)
    air.unsubscribe(1, a=LOW)
    air.run(5.5)
    air.publish(222, a=IN_LOW)  # sent, as other zones are told of the end 5 s later; the last time that anything is
    air.run(14.0)  # what was wanted once is not remembered any more
    event_id = air.publish(222, a=IN_LOW)
    air.run(3.0)
    air.subscribe(2, a=LOW)
    air.run(3.0)
    assert air.delivered(event_id) == {2}


def test_a_change_that_is_taken_back_leaves_nobody_with_an_old_summary() -> None:
    air = FarAir(lazy_s=10.0, refresh_s=1000.0)
    air.subscribe(1, a=LOW)
    air.run(3.0)
    air.unsubscribe(1, a=LOW)
    air.run(11.0)  # the zone manager knows, other zones do not
    event_id = air.publish(221, a=IN_LOW)  # advertised while nobody wants it
    air.run(1.0)
    air.subscribe(1, a=LOW)  # as other zones know it anyway
    air.run(3.0)
    assert air.delivered(event_id) == {1}


def test_a_summary_that_is_forgotten_early_is_found_again_by_an_advertisement() -> None:
    air = FarAir(zone_summary_s=10.0, refresh_s=1000.0)
    air.subscribe(1, a=LOW)
    air.publish(221, a=IN_LOW)
    air.run(15.0)
    event_id = air.publish(221, a=IN_LOW)
    air.run(3.0)
    assert air.delivered(event_id) == {1}


# --- hand-over and death ------------------------------------------------------------------------------------------


def test_a_successor_knows_what_other_zones_have_advertised() -> None:
    air = FarAir()
    event_id = air.publish(221, a=IN_LOW)
    air.run(5.0)
    successor = air.leave(HERE)
    (subscriber,) = {1, 2, 3} - {successor, 2}
    air.subscribe(subscriber, a=LOW)
    air.run(5.0)
    assert air.delivered(event_id) == {subscriber}


def test_a_successor_knows_to_whom_the_zone_owes_its_summary() -> None:
    air = FarAir()
    air.subscribe(2, a=LOW)
    air.publish(221, a=IN_LOW)
    air.run(3.0)
    air.unsubscribe(2, a=LOW)
    air.run(13.0)  # by now the other zone has been told
    at_s = air.now
    event_id = air.publish(221, a=IN_LOW)  # neither sent nor advertised
    air.run(3.0)
    assert [each for each in air.sent_by(FAR, Publication, at_s) if HERE in each.cells] == []
    air.leave(HERE)
    air.subscribe(3, a=LOW)
    air.run(3.0)
    assert air.delivered(event_id) == {3}


def test_a_successor_in_the_publishers_zone_sends_what_was_cached_before() -> None:
    air = FarAir()
    event_id = air.publish(221, a=IN_LOW)
    air.run(5.0)
    air.leave(FAR)
    air.subscribe(1, a=LOW)
    air.run(5.0)
    assert air.delivered(event_id) == {1}


def test_who_follows_a_dead_manager_finds_what_was_advertised_before() -> None:
    air = FarAir()
    event_id = air.publish(221, a=IN_LOW)
    air.run(5.0)
    air.die(HERE)
    air.run(ELECTED_S)
    air.subscribe(2, a=LOW)
    air.run(5.0)
    assert air.delivered(event_id) == {2}


def test_who_follows_a_dead_manager_is_sent_again_what_its_zone_was_sent_before() -> None:
    air = FarAir()
    air.subscribe(1, a=LOW)
    event_id = air.publish(221, a=IN_LOW)
    air.run(5.0)
    air.die(HERE)
    air.run(ELECTED_S)
    air.subscribe(2, a=WIDE)
    air.run(5.0)
    assert air.delivered(event_id) == {1, 2}


def test_what_is_published_while_a_zone_has_no_manager_waits_for_the_next_one() -> None:
    air = FarAir()
    air.subscribe(2, a=LOW)
    air.publish(221, a=IN_LOW)
    air.run(5.0)
    air.die(HERE)
    event_ids = []
    for wait_s in (2.0, 4.0, *[0.3] * 20):  # whoever is asked holds the dead one for the manager for 10 s, then nobody
        air.run(wait_s)
        event_ids.append(air.publish(221, a=IN_LOW))
    air.run(ELECTED_S)
    assert [air.delivered(event_id) for event_id in event_ids] == [{2}] * len(event_ids)


@pytest.mark.parametrize("zone", [HERE, FAR])
def test_after_the_death_of_a_manager_on_either_side_new_publications_are_delivered(zone: Cell) -> None:
    air = FarAir()
    air.subscribe(2, a=LOW)
    air.publish(222, a=IN_LOW)
    air.run(5.0)
    air.die(zone)
    air.run(ELECTED_S)
    known_id, other_id = air.publish(222, a=IN_LOW), air.publish(222, a=(1.0, 2.0))
    air.run(5.0)
    assert air.delivered(known_id) == air.delivered(other_id) == {2}


# --- what the paper offers for large systems ----------------------------------------------------------------------


def test_zones_farther_away_hear_of_the_same_vectors_after_a_longer_time() -> None:
    air = FarAir(settle_s=15.0, advertise_s=20.0, farther_share=1.0)
    for wait_s, expected in ((12.0, [OTHERS]), (10.0, []), (20.0, [NEIGHBOURS]), (1.0, [OTHERS])):
        at_s = air.now
        air.publish(1, a=IN_LOW)
        air.run(wait_s)
        assert [set(each.cells) for each in air.sent_by(HERE, Advertisement, at_s)] == expected


def test_what_distant_zones_hear_more_seldom_they_remember_for_longer() -> None:
    air = FarAir(farther_share=1.0, settle_s=2 * ADVERTISE_S + CACHE_S + 5.0)
    air.publish(221, a=IN_LOW)
    air.run(2 * ADVERTISE_S - 2.0)
    event_id = air.publish(221, a=IN_LOW)  # near zones hear of it again, the corner across does not
    air.run(CACHE_S - 5.0)
    air.subscribe(2, a=LOW)
    air.run(3.0)
    assert air.delivered(event_id) == {2}


@pytest.mark.parametrize(("query_zones", "asked"), [(0, set()), (1, set()), (2, OTHERS - NEIGHBOURS)])
def test_a_zone_whose_subscriptions_match_nothing_asks_zones_up_to_some_distance(
    query_zones: int, asked: set[Cell]
) -> None:
    air = FarAir(query_zones=query_zones, query_s=10.0, refresh_s=1000.0)
    air.subscribe(1, a=LOW)
    air.run(5.0)
    at_s = air.now
    air.run(8.0)
    assert told(air, at_s) == asked


def test_a_zone_asks_no_more_while_its_subscriptions_match_and_again_when_one_does_not() -> None:
    air = FarAir(query_zones=2, query_s=10.0, refresh_s=1000.0)
    air.subscribe(1, a=LOW)
    air.run(3.0)
    for _ in range(3):
        air.publish(10, a=IN_LOW)
        air.run(6.0)
    assert told(air, air.now - 16.0) == set()
    air.subscribe(2, b=LOW)
    at_s = air.now
    air.publish(10, a=IN_LOW)
    air.run(6.0)
    air.publish(10, a=IN_LOW)
    air.run(6.0)
    assert told(air, at_s) == OTHERS


def test_a_zone_that_is_asked_sends_what_it_holds_and_what_is_published_later() -> None:
    air = FarAir(query_zones=2, query_s=10.0, cache_max=1)
    first = air.publish(221, a=IN_LOW)
    air.run(1.0)
    air.publish(20, a=IN_HIGH)  # the corner keeps one advertisement only, and not that of the first
    air.run(2.0)
    air.subscribe(2, a=LOW)
    air.run(2.0)
    assert air.delivered(first) == set()
    air.run(12.0)
    later = air.publish(221, a=IN_LOW)
    air.run(2.0)
    assert air.delivered(first) == air.delivered(later) == {2}
