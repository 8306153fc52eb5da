"""Stories of several minutes in nine zones of BRVST, with managers that leave or die: what must be delivered is.

Whoever asked when an event was published must get it, and so must who asks while it is cached; unless the zone manager
who had cached it has died in between. People do not wait for the election of another manager: what is
published and asked for meanwhile counts, too. Nobody else gets it but who asks later: another zone may cache it longer.
"""

from typing import NamedTuple

from brvst_far_zones import CACHE_S, ZONES, FarAir, places
from brvst_networks import Ranges, matches
from hypothesis import given, settings
from hypothesis import strategies as st

from roamcast.core.events import EventId
from roamcast.protocols.brvst.cells import ZONE, Cell

NODES = sorted(places())
SPARE = [node for node in NODES if node % 10]
"""Who is not the first manager of its zone."""
MOMENT_S = 3.0
"""Anything that happens within this time of the end of a cache may go either way."""


class Deed(NamedTuple):
    """Somebody subscribes, unsubscribes or publishes, or a manager leaves or dies."""

    what: str
    who: int
    a: tuple[float, float]
    then_s: float


class Asked(NamedTuple):
    """A subscription, and from when to when it was there."""

    node: int
    a: tuple[float, float]
    from_s: float


class Said(NamedTuple):
    """An event, where and when it was published."""

    node: int
    ranges: Ranges
    zone: Cell
    at_s: float


WAITS = st.sampled_from((4.0, 4.0, 13.0, 24.0, 41.0, 60.0))
ASKED = st.sampled_from(((0.0, 40.0), (30.0, 100.0), (0.0, 100.0)))
SAID = st.sampled_from(((10.0, 12.0), (35.0, 36.0), (70.0, 72.0)))
DEEDS = st.one_of(
    st.builds(Deed, st.just("subscribe"), st.sampled_from(SPARE), ASKED, WAITS),
    st.builds(Deed, st.just("unsubscribe"), st.integers(0, 9), ASKED, WAITS),
    st.builds(Deed, st.just("publish"), st.sampled_from(SPARE), SAID, WAITS),
    st.builds(Deed, st.just("publish"), st.just(221), SAID, WAITS),
    st.builds(Deed, st.just("leave"), st.integers(0, len(ZONES) - 1), ASKED, WAITS),
    st.builds(Deed, st.just("die"), st.integers(0, len(ZONES) - 1), ASKED, WAITS),
)


class Play:
    """A story that is acted out, and what it must come to."""

    def __init__(self) -> None:
        self.air = FarAir(settle_s=15.0)
        self.changed: set[Cell] = set()
        self.open: list[Asked] = []
        self.asked: list[tuple[Asked, float]] = []
        self.said: dict[EventId, Said] = {}
        self.died: list[tuple[Cell, float]] = []

    def act(self, deed: Deed) -> None:
        """Do one deed, as far as it can be done."""
        air, now_s = self.air, self.air.now
        if deed.what == "subscribe" and deed.who not in air.dead:
            if all((each.node, each.a) != (deed.who, deed.a) for each in self.open):
                air.subscribe(deed.who, a=deed.a)
                self.open.append(Asked(deed.who, deed.a, now_s))
        elif deed.what == "unsubscribe" and deed.who < len(self.open):
            ended = self.open.pop(deed.who)
            air.unsubscribe(ended.node, a=ended.a)
            self.asked.append((ended, now_s))
        elif deed.what == "publish" and deed.who not in air.dead:
            zone = Cell(ZONE, deed.who // 100, deed.who // 10 % 10)
            self.said[air.publish(deed.who, a=deed.a)] = Said(deed.who, {"a": deed.a}, zone, now_s)
        elif deed.what in ("leave", "die") and ZONES[deed.who] not in self.changed:
            self._change(deed.what, ZONES[deed.who])
        air.run(deed.then_s)

    def _change(self, what: str, zone: Cell) -> None:
        """Let a zone have another manager, once in a story: else nobody may be left."""
        self.changed.add(zone)
        gone = self.air.living_manager(zone)
        if what == "leave" and gone % 10 == 0:  # others publish and subscribe, and are to be where they were
            self.air.leave(zone)
        elif what == "die":
            self.air.die(zone)
            self.died.append((zone, self.air.now))
            self.open = [each for each in self.open if each.node != gone]

    def check(self) -> None:
        """Compare what was delivered with what had to be."""
        asked = [*self.asked, *((each, self.air.now) for each in self.open)]
        for event_id, said in self.said.items():
            must, may = set(), set()
            for each, until_s in asked:
                if each.node == said.node:
                    may |= {each.node}
                elif until_s > said.at_s and matches(said.ranges, {"a": each.a}):
                    may |= {each.node}
                    must |= {each.node} if self._is_due(said, each) else set()
            delivered = self.air.delivered(event_id) - self.air.dead
            assert must - self.air.dead <= delivered <= may

    def _is_due(self, said: Said, asked: Asked) -> bool:
        if asked.from_s <= said.at_s:
            return True
        is_lost = any(zone == said.zone and said.at_s <= at_s <= asked.from_s for zone, at_s in self.died)
        return asked.from_s < said.at_s + CACHE_S - MOMENT_S and not is_lost


@settings(max_examples=6, deadline=None)
@given(story=st.lists(DEEDS, min_size=5, max_size=14))
def test_whatever_happens_in_some_minutes_every_match_is_delivered(story: list[Deed]) -> None:
    play = Play()
    for deed in story:
        play.act(deed)
    play.air.run(10.0)
    play.check()
