"""The three floodings with a period that begins when an event is received: what each sends when, and the suite."""

from dataclasses import dataclass

import pytest

from roamcast.core.host import PubSub
from roamcast.core.parameters import build
from roamcast.protocols.flooding import FloodedEvent, Flooding, FloodingParameters
from roamcast.protocols.interest_flooding import InterestFlooding
from roamcast.protocols.neighbour_flooding import InterestHeartbeat, NeighbourFlooding, NeighbourFloodingParameters
from roamcast.sim.simulation import simulate
from roamcast.testing import CHECKS, Check, RecordingHost, event_of, interest_in
from roamcast.testing.small_networks import line

HEARTBEAT = InterestHeartbeat(50, (interest_in("news"),))


@dataclass(frozen=True, slots=True)
class ByReception(FloodingParameters):
    """The parameters with the other phase as their default, since the suite takes the defaults."""

    phase: str = "reception"


@dataclass(frozen=True, slots=True)
class NeighbourByReception(NeighbourFloodingParameters):
    """The same for the third flooding."""

    phase: str = "reception"


class ReceptionFlooding(Flooding):
    """Simple flooding by reception."""

    Parameters = ByReception


class ReceptionInterestFlooding(InterestFlooding):
    """Interests-aware flooding by reception."""

    Parameters = ByReception


class ReceptionNeighbourFlooding(NeighbourFlooding):
    """Neighbours' interests flooding by reception."""

    Parameters = NeighbourByReception


FLOODINGS: tuple[type[Flooding], ...] = (ReceptionFlooding, ReceptionInterestFlooding, ReceptionNeighbourFlooding)


@pytest.mark.parametrize(
    ("protocol", "check"),
    [
        pytest.param(protocol, check, id=f"{protocol.__name__}-{check.name}")
        for protocol in FLOODINGS
        for check in CHECKS
        if check.name != "repeats-a-run-in-a-fresh-process"
    ],
)
def test_it_keeps_the_promise(protocol: type[PubSub], check: Check) -> None:
    check.require(protocol)


@pytest.mark.parametrize("protocol", FLOODINGS, ids=lambda protocol: protocol.__name__)
def test_it_is_another_run_than_with_the_random_phase(protocol: type[Flooding]) -> None:
    assert simulate(line(protocol), 7).digest() != simulate(line(protocol.__bases__[0]), 7).digest()


@pytest.mark.parametrize("protocol", [Flooding, InterestFlooding, NeighbourFlooding])
def test_a_scenario_chooses_the_phase(protocol: type[Flooding]) -> None:
    assert build(protocol.Parameters, {"phase": "reception"}, "[protocol]").phase == "reception"
    assert protocol.Parameters().phase == "random"


def started(protocol: type[Flooding]) -> tuple[RecordingHost, Flooding]:
    """Return a node that asks for news, with ticks at 0.5, 1.5, 2.5 s."""
    host = RecordingHost(1, 0.5)
    flooding = host.install(protocol)
    flooding.subscribe(interest_in("news"))
    return host, flooding


def sends(host: RecordingHost) -> list[tuple[float, object]]:
    """Return when a node sent what, without the rounding of sums."""
    return [(round(sent.at_s, 6), sent.message) for sent in host.broadcasts]


def test_by_reception_a_node_passes_on_only_what_it_asked_for_and_each_event_at_its_own_phase() -> None:
    host, flooding = started(ReceptionInterestFlooding)
    first, second, other = event_of(9, 1), event_of(9, 2), event_of(9, 3, "traffic")
    for at_s, event in ((0.1, first), (0.3, other), (0.4, second)):
        host.advance_to(at_s)
        flooding.on_message(FloodedEvent(400, event), 9)
    host.advance_to(2.2)
    assert sends(host) == [
        (1.1, FloodedEvent(400, first)),
        (1.4, FloodedEvent(400, second)),
        (2.1, FloodedEvent(400, first)),
    ]
    assert host.drop_reasons() == ["parasite"]


def test_what_a_node_no_longer_asks_for_is_not_due_any_more_and_heard_again_it_has_one_period_and_not_two() -> None:
    host, flooding = started(ReceptionInterestFlooding)
    event = event_of(9, 1)
    flooding.on_message(FloodedEvent(400, event), 9)
    flooding.unsubscribe(interest_in("news"))
    host.advance_to(0.6)
    flooding.subscribe(interest_in("news"))
    flooding.on_message(FloodedEvent(400, event), 9)
    host.advance_to(3.0)
    assert sends(host) == [(1.6, FloodedEvent(400, event)), (2.6, FloodedEvent(400, event))]
    flooding.unsubscribe(interest_in("news"))
    host.advance_to(6.0)
    assert len(host.broadcasts) == 2


def test_by_reception_heartbeats_keep_the_nodes_own_phase_and_the_events_have_theirs() -> None:
    host, flooding = started(ReceptionNeighbourFlooding)
    event = event_of(9, 1)
    host.advance_to(0.2)
    flooding.on_message(HEARTBEAT, 2)
    flooding.on_message(FloodedEvent(400, event), 2)
    host.advance_to(3.0)
    sent = FloodedEvent(400, event)
    assert sends(host) == [(0.5, HEARTBEAT), (1.2, sent), (1.5, HEARTBEAT), (2.2, sent), (2.5, HEARTBEAT)]


def test_by_reception_an_event_that_no_neighbour_asks_for_waits_and_keeps_its_phase() -> None:
    host, flooding = started(ReceptionNeighbourFlooding)
    event = event_of(1, 1)
    host.advance_to(0.2)
    flooding.publish(event)
    host.advance_to(1.8)
    assert sends(host) == [(0.5, HEARTBEAT), (1.5, HEARTBEAT)]
    flooding.on_message(HEARTBEAT, 2)
    host.advance_to(2.4)
    assert sends(host)[2:] == [(2.2, FloodedEvent(400, event))]


def test_by_reception_each_interested_neighbour_gets_its_copy() -> None:
    host = RecordingHost(1, 0.5)
    flooding = host.install(NeighbourFlooding, NeighbourFloodingParameters(phase="reception", per_neighbour=True))
    flooding.subscribe(interest_in("news"))
    for neighbour in (2, 3):
        flooding.on_message(HEARTBEAT, neighbour)
    flooding.on_message(FloodedEvent(400, event_of(9, 1)), 2)
    host.advance_to(1.2)
    assert sends(host) == [(0.5, HEARTBEAT), *[(1.0, FloodedEvent(400, event_of(9, 1)))] * 2]
