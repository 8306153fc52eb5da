"""What every protocol must stand: peers that send anything at any time, and floods of what was never seen before.

Whatever comes, a protocol does not raise, delivers no event twice, late or unasked for, sends no expired event, and
keeps within its memory limits.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from gc import get_referents
from itertools import count
from typing import Any, get_type_hints

import pytest
from hostile_messages import NODES, TIMES_S, TOPICS, flood, interests, messages
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from roamcast.core.events import EventId
from roamcast.core.host import Position, PubSub
from roamcast.core.interests import Interest
from roamcast.core.messages import Message
from roamcast.protocols import load_protocol, protocol_names
from roamcast.routing.aodv.messages import RoutedPacket
from roamcast.routing.aodv.protocol import Aodv
from roamcast.routing.gpsr.messages import GeographicPacket
from roamcast.routing.gpsr.protocol import Gpsr
from roamcast.routing.sogr.messages import Packet, Stop
from roamcast.routing.sogr.protocol import Sogr
from roamcast.testing import RecordingHost, event_of, interest_in

PROTOCOLS = [pytest.param(load_protocol(name), id=name) for name in protocol_names()]
ME = 2
HERE = Position(500.0, 500.0)
SEARCH = tuple(phase for phase in Phase if phase is not Phase.explain)
"""A failure is shrunk but not explained, which takes minutes for stories as long as these."""


def tight(protocol: type[PubSub], limit: int = 5) -> Any:
    """Return a protocol's parameters with every table as small as a few entries."""
    return tightened(protocol.Parameters(), limit)


def tightened(parameters: Any, limit: int) -> Any:
    """Return parameters with small tables, those of a router inside them too."""
    changed: dict[str, Any] = {}
    for name in get_type_hints(type(parameters)):
        if is_dataclass(value := getattr(parameters, name)):
            changed[name] = tightened(value, limit)
        elif name.endswith("_max") and not name.endswith(("_bytes_max", "_s_max", "hops_max")):
            changed[name] = limit
    return replace(parameters, **changed)


def frames(protocol: PubSub, message: Message) -> Iterator[Message]:
    """Yield the frames in which a peer could send a message: bare, and as a payload for a router to carry here."""
    yield message
    router = getattr(protocol, "_router", None)
    if isinstance(router, Aodv):
        yield RoutedPacket(message.size_bytes, message, 9, ME, 5)
    elif isinstance(router, Gpsr):
        yield GeographicPacket(message.size_bytes, message, 9, ME, HERE, 5, HERE, None)
        yield GeographicPacket(message.size_bytes, message, 9, None, HERE, 5, HERE, None)
    elif isinstance(router, Sogr):
        yield Packet(message.size_bytes, message, 9, (Stop(ME, HERE, 9.0),), 5, HERE)


class Trial:
    """One node under attack, and what must hold after every step."""

    def __init__(self, protocol: type[PubSub], parameters: object, forgets: bool) -> None:
        self.host = RecordingHost(ME, position=HERE)
        self.protocol = self.host.install(protocol, parameters)
        self._interests: list[Interest] = []
        self._published = count()
        self._forgets = forgets
        self._delivered: set[EventId] = set()
        self._checked_deliveries = self._checked_broadcasts = 0

    def receive(self, message: Message, sender: int) -> None:
        for frame in frames(self.protocol, message):
            self.protocol.on_message(frame, sender)

    def fail_unicast(self, message: Message, to: int) -> None:
        self.protocol.on_unicast_failed(message, to)

    def subscribe(self, interest: Interest) -> None:
        self._interests.append(interest)
        self.protocol.subscribe(interest)

    def unsubscribe(self, interest: Interest) -> None:
        self._interests = [each for each in self._interests if each != interest]
        self.protocol.unsubscribe(interest)

    def publish(self, topic: str, validity_s: float) -> None:
        number = next(self._published)
        self.protocol.publish(event_of(ME, number, topic, published_at_s=self.host.now, validity_s=validity_s))

    def advance(self, seconds: float) -> None:
        self.host.advance_to(self.host.now + seconds)

    def check(self) -> None:
        """Check what has been delivered and sent since the last check."""
        for at_s, event in self.host.deliveries[self._checked_deliveries :]:
            assert any(interest.matches(event) for interest in self._interests), "delivered to the uninterested"
            assert event.is_valid(at_s), "delivered late"
            assert self._forgets or event.id not in self._delivered, "delivered twice"
            self._delivered.add(event.id)
        for at_s, message in self.host.broadcasts[self._checked_broadcasts :]:
            assert all(event.is_valid(at_s) for event in message.events), "sent after it expired"
            assert message.size_bytes >= sum(event.size_bytes for event in message.events) >= 0
            hash(message)
        self._checked_deliveries, self._checked_broadcasts = len(self.host.deliveries), len(self.host.broadcasts)
        assert self.protocol.storage_bytes() >= 0


senders = st.one_of(st.sampled_from(NODES), st.integers())
steps = st.one_of(
    st.tuples(st.just("receive"), messages(), senders),
    st.tuples(st.just("receive"), messages(), senders),
    st.tuples(st.just("receive"), messages(), senders),
    st.tuples(st.just("fail_unicast"), messages(), senders),
    st.tuples(st.just("subscribe"), interests),
    st.tuples(st.just("unsubscribe"), interests),
    st.tuples(st.just("publish"), st.sampled_from(TOPICS), st.sampled_from(TIMES_S[1:])),
    st.tuples(st.just("advance"), st.sampled_from(TIMES_S)),
)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("limits", ["default", "tight"])
@settings(
    max_examples=100,
    deadline=None,
    phases=SEARCH,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(story=st.lists(steps, min_size=15, max_size=60))
def test_it_survives_anything_that_peers_send_and_keeps_its_promises(
    protocol: type[PubSub], limits: str, story: list[tuple[Any, ...]]
) -> None:
    # With tables of a few entries a node may forget what it has delivered; everything else must hold all the same.
    parameters = protocol.Parameters() if limits == "default" else tight(protocol, limit=2)
    trial = Trial(protocol, parameters, forgets=limits == "tight")
    trial.subscribe(interest_in("news"))
    for name, *arguments in story:
        getattr(trial, name)(*arguments)
        trial.check()


def contents(value: object, seen: set[int]) -> int:
    """Count everything that can be reached from a value, the host and the parameters left out."""
    leaves = (RecordingHost, int, float, str, bytes, type(None), type)
    if id(value) in seen or isinstance(value, leaves) or callable(value):
        return 0
    seen.add(id(value))
    if isinstance(value, Mapping):
        inside: Iterable[object] = (*value.keys(), *value.values())
        return len(value) + sum(contents(each, seen) for each in inside)
    if isinstance(value, Iterable):
        return sum(1 + contents(each, seen) for each in value)
    if is_dataclass(value):
        return sum(contents(getattr(value, each.name), seen) for each in fields(value))
    return sum(contents(each, seen) for each in get_referents(value))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_it_keeps_within_its_memory_limits_under_a_flood(protocol: type[PubSub]) -> None:
    host = RecordingHost(ME, position=HERE)
    flooded = host.install(protocol, tight(protocol))
    flooded.subscribe(interest_in("news"))
    numbers = count(1000)
    stored_bytes, held = [], []
    for step in range(200):
        for one, other in zip(flood(numbers), flood(numbers), strict=True):
            for frame in frames(flooded, one):
                flooded.on_message(frame, next(numbers))  # a new neighbour each time
            for frame in frames(flooded, other):
                flooded.on_message(frame, 7)  # and one that always has something new
        flooded.publish(event_of(ME, next(numbers), validity_s=1e5))
        host.advance_to(host.now + 0.03 * (step % 2))  # so that timers of a second fire in the first half
        stored_bytes.append(flooded.storage_bytes())
        held.append(contents(flooded, set()))
    assert len(host.deliveries) > 200
    # A table that grows would double; full tables go up and down a little below their limits.
    assert max(stored_bytes[100:]) <= 1.1 * max(stored_bytes[:100])
    assert max(held[100:]) <= 1.1 * max(held[:100])


def test_the_count_of_contents_sees_a_table_that_grows() -> None:
    class Leaky:
        def __init__(self) -> None:
            self.table: dict[int, list[EventId]] = {1: []}

    leaky = Leaky()
    before = contents(leaky, set())
    leaky.table[1].append(EventId(1, 1))
    assert contents(leaky, set()) > before


def test_tight_limits_are_on_tables_and_not_on_sizes_or_times() -> None:
    parameters = tight(load_protocol("frugal"))
    assert (parameters.events_max, parameters.neighbours_max, parameters.identifiers_max) == (5, 5, 5)
    assert (parameters.message_bytes_max, parameters.heartbeat_s_max) == (2304, 1.0)
