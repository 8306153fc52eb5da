"""Messages that a zone manager of BRVST does not send: repetitions, endless complaints, other zones' publications.

A node alone is manager of its grid and its zone; others that nobody sees say things to it, and its router writes down
what is to be sent to whom.
"""

from collections.abc import Iterable
from typing import NamedTuple

import pytest
from brvst_networks import LIMITS, Air

from roamcast.core.attribute_ranges import range_attributes, range_predicate
from roamcast.core.events import Event, EventId
from roamcast.core.host import FALSE_POSITIVE_BROKER, Position, World
from roamcast.core.messages import Message
from roamcast.core.topics import Topic
from roamcast.protocols.brvst.cells import GRID, ZONE, Cell
from roamcast.protocols.brvst.messages import CachedPublication, Description, GridSummary, Publication, ZoneSummary
from roamcast.protocols.brvst.parameters import BrvstParameters
from roamcast.protocols.brvst.protocol import Brvst
from roamcast.protocols.brvst.zone_manager import UNWANTED_S
from roamcast.routing.rsgm import Rsgm
from roamcast.testing import RecordingHost

ME, GRID_MANAGER, PUBLISHER = 0, 77, 9
HERE, NEXT, THIRD = Cell(ZONE, 0, 0), Cell(ZONE, 1, 0), Cell(ZONE, 0, 1)
OWN_GRID, OTHER_GRID = Cell(GRID, 0, 0), Cell(GRID, 1, 1)
THERE = Position(400.0, 400.0)
LOW, HIGH, IN_LOW, IN_HIGH = (0.0, 40.0), (60.0, 100.0), (10.0, 12.0), (70.0, 72.0)
SETTLED_S = 15.0
"""By then a zone manager is not new any more, and grids of which it has not heard get nothing beside what they ask."""


class Sending(NamedTuple):
    """The messages that the router was given, and for which nodes or places."""

    message: Message
    to: tuple[tuple[int | None, Position], ...]


class RecordingRouter(Rsgm):
    """A router that sends nothing and writes down what it was to send."""

    sendings: list[Sending]

    def send_to_many(self, payload: Message, to: Iterable[tuple[int | None, Position]]) -> None:
        self.sendings.append(Sending(payload, tuple(to)))


class Zone:
    """A zone with a manager, and what comes to it from outside."""

    def __init__(self) -> None:
        parameters = BrvstParameters(refresh_s=1000.0)
        self.host = RecordingHost(ME, position=Position(250.0, 250.0))
        self.host.world = World(10, 1000.0, 1000.0, (), 250.0, LIMITS)
        self.brvst = self.host.install(Brvst, parameters)
        self.brvst._node.router = self._router = RecordingRouter(self.host, parameters.router, self.brvst)
        self._router.sendings = []
        self._numbers = {"events": 0, "reports": 0}
        self.host.advance_to(SETTLED_S)
        assert HERE in self.brvst.offices.held
        self.take()

    def take(self) -> list[Sending]:
        """Return what was to be sent since this was last called."""
        taken, self._router.sendings = self._router.sendings, []
        return taken

    def described(self, asked: tuple[float, float]) -> Description:
        return self.brvst._node.describer.subscription(range_predicate({"a": asked}))

    def published(self, zone: Cell, says: tuple[float, float] = IN_LOW) -> EventId:
        """Let a publication of a zone come, and return its identifier."""
        self._numbers["events"] += 1
        event_id = EventId(PUBLISHER, self._numbers["events"])
        event = Event(event_id, Topic("ranges"), self.host.now, 1e4, 400, range_attributes({"a": says}))
        described = self.brvst._node.describer.publication(event)
        self.brvst.on_packet(Publication(500, (HERE,), 0, event, described, zone, None, False), PUBLISHER)
        return event_id

    def grid_asks(self, asked: tuple[float, float], since_s: float) -> None:
        """Let a grid's manager say what its grid newly asks for, and since when it was not served."""
        self._numbers["reports"] += 1
        number, described = self._numbers["reports"], (self.described(asked),)
        grid, manager = OTHER_GRID, GRID_MANAGER
        said = GridSummary(60, (HERE,), 0, grid, manager, THERE, number, None, described, described, since_s)
        self.brvst.on_packet(said, manager)

    def zone_asks(self, zone: Cell, asked: tuple[float, float]) -> None:
        """Let another zone's manager say what is asked for there."""
        summary = (self.described(asked),)
        self.brvst.on_packet(ZoneSummary(40, (HERE,), 0, zone, self.host.now, summary, 0.0), PUBLISHER)


def sent_down(sendings: list[Sending]) -> list[EventId]:
    """Return what was to be sent to the grid manager, and nobody else."""
    down = [each for each in sendings if isinstance(each.message, Publication) and each.message.is_downward]
    assert all(each.to == ((GRID_MANAGER, THERE),) for each in down)
    return [event.id for each in down for event in each.message.events]


# --- a grid that newly asks gets what it has not had ---------------------------------------------------------------


@pytest.mark.parametrize(("since_s", "first"), [(0.0, 0), (20.0, 1), (20.5, 2), (25.0, 2), (25.5, 3)])
def test_a_grid_that_newly_asks_is_sent_what_was_cached_since_it_was_served_last(since_s: float, first: int) -> None:
    zone, event_ids = Zone(), []
    for at_s in (16.0, 20.0, 25.0):
        zone.host.advance_to(at_s)
        event_ids.append(zone.published(HERE))
    zone.host.advance_to(30.0)
    zone.take()
    zone.grid_asks(LOW, since_s)
    assert sent_down(zone.take()) == event_ids[first:]


def test_a_grid_that_asks_anew_is_sent_only_what_has_come_meanwhile_whichever_zone_it_is_from() -> None:
    zone = Zone()
    old = [zone.published(HERE), zone.published(NEXT)]
    zone.grid_asks(LOW, 0.0)
    assert sent_down(zone.take()) == old
    zone.host.advance_to(20.0)
    new = [zone.published(HERE, IN_HIGH), zone.published(NEXT, IN_HIGH)]
    zone.grid_asks((0.0, 100.0), 18.0)
    assert sent_down(zone.take()) == new


def test_the_age_in_the_cache_counts_and_not_that_of_the_event_and_a_hand_over_does_not_change_it() -> None:
    zone = Zone()
    event = Event(EventId(PUBLISHER, 1), Topic("ranges"), 1.0, 1e4, 400, range_attributes({"a": IN_LOW}))
    described = zone.brvst._node.describer.publication(event)
    cached = CachedPublication(500, (HERE,), 0, event, described, HERE, None, False, 10.0, 0, ())
    zone.brvst._managers._zones[HERE].absorb(cached)
    zone.grid_asks(LOW, 10.5)
    assert sent_down(zone.take()) == []
    zone.grid_asks(LOW, 9.5)
    assert sent_down(zone.take()) == [event.id]


def test_a_subscriber_that_comes_to_another_grid_is_sent_nothing_that_it_has_had() -> None:
    places = {0: (250, 250), 1: (200, 200), 2: (300, 330), 3: (740, 250), 4: (600, 330)}
    air = Air(places, 400.0, zones_per_side=1, grids_per_side=2)
    air.run(SETTLED_S)
    assert (air.manager(Cell(GRID, 0, 0)), air.manager(Cell(GRID, 1, 0))) == (0, 3)
    air.subscribe(2, a=LOW)
    air.run(2.0)
    event_id = air.publish(1, a=IN_LOW)
    air.run(5.0)
    assert air.delivered(event_id) == {2}
    air.move(2, 650.0, 330.0)
    air.run(5.0)
    new_id = air.publish(1, a=IN_LOW)
    air.run(2.0)
    assert air.delivered(new_id) == {2}
    assert [each.event.id for each in air.payloads(Publication) if each.is_downward] == [new_id]
    assert "duplicate" not in air.reasons()


# --- who sends what nobody wants is told so, but not all the time --------------------------------------------------


def told(zone: Zone) -> list[tuple[Cell, ...]]:
    """Return to whom the summary was to be sent, each time."""
    return [each.message.cells for each in zone.take() if isinstance(each.message, ZoneSummary)]


def test_a_zone_that_goes_on_sending_in_vain_is_told_so_once_in_a_while() -> None:
    zone, begin_s, answers = Zone(), SETTLED_S + 1.0, []
    for times in (0.0, 0.0, 0.2, 0.98, 1.02, 1.1, 2.0, 2.04):
        zone.host.advance_to(begin_s + times * UNWANTED_S)
        zone.published(NEXT)
        answers.append(told(zone))
    assert answers == [[(NEXT,)], [], [], [], [(NEXT,)], [], [], [(NEXT,)]]
    assert zone.host.drop_reasons() == [FALSE_POSITIVE_BROKER] * len(answers)


def test_each_zone_that_sends_in_vain_is_told_so_by_itself() -> None:
    zone, answers = Zone(), []
    for number, sender in enumerate((NEXT, THIRD, NEXT, THIRD)):
        zone.host.advance_to(SETTLED_S + 0.1 * number)
        zone.published(sender)
        answers.append(told(zone))
    assert answers == [[(NEXT,)], [(THIRD,)], [], []]


def test_who_sends_what_somebody_wants_is_told_nothing_and_may_be_told_at_once_when_it_is_in_vain() -> None:
    zone = Zone()
    zone.grid_asks(LOW, 0.0)
    zone.host.advance_to(SETTLED_S + 2.0)  # by now all have been told what is asked for here
    zone.take()
    event_id = zone.published(NEXT, IN_LOW)
    sendings = zone.take()
    assert sent_down(sendings) == [event_id]
    assert [each for each in sendings if isinstance(each.message, ZoneSummary)] == []
    zone.published(NEXT, IN_HIGH)
    assert told(zone) == [(NEXT,)]


# --- other zones get from the cache what was published here --------------------------------------------------------


def sent_across(sendings: list[Sending]) -> list[tuple[EventId, tuple[Cell, ...]]]:
    """Return which events were to be sent to which zones."""
    across = [each.message for each in sendings if isinstance(each.message, Publication)]
    return [(each.event.id, each.cells) for each in across if not each.is_downward]


def test_a_zone_that_asks_is_sent_from_the_cache_only_what_was_published_in_this_zone() -> None:
    zone = Zone()
    zone.grid_asks(LOW, 0.0)  # what comes from the next zone is wanted here, and kept
    zone.published(NEXT)
    own = [zone.published(HERE), zone.published(HERE)]
    zone.published(NEXT)
    zone.published(HERE, IN_HIGH)
    zone.take()
    zone.zone_asks(THIRD, LOW)
    assert sent_across(zone.take()) == [(event_id, (THIRD,)) for event_id in own]


def test_a_zone_is_not_sent_back_what_it_has_published_itself() -> None:
    zone = Zone()
    zone.grid_asks(LOW, 0.0)
    zone.published(NEXT)
    zone.take()
    zone.zone_asks(NEXT, LOW)
    assert sent_across(zone.take()) == []


def test_what_is_published_elsewhere_comes_to_a_zone_that_asks_later_from_there_alone() -> None:
    places = {0: (250, 250), 1: (200, 200), 2: (740, 250), 3: (700, 200), 4: (250, 740), 5: (200, 700)}
    air = Air(places, 800.0, zones_per_side=2, grids_per_side=2)
    air.run(SETTLED_S)
    air.subscribe(1, a=LOW)
    air.run(2.0)
    event_id = air.publish(3, a=IN_LOW)
    air.run(2.0)
    air.subscribe(5, a=LOW)  # two zones have it by now
    air.run(3.0)
    assert air.delivered(event_id) == {1, 5}
    assert "duplicate" not in air.reasons()
