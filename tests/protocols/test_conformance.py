"""What every protocol must do in a network, whichever it is; protocols are found by listing their folder.

A protocol that is added as a file is tested here, and in ``test_conformance_hostile``, without another word.
"""

import os
import subprocess
import sys
from dataclasses import FrozenInstanceError, is_dataclass
from math import isfinite
from pathlib import Path

import pytest
import small_networks
from hostile_messages import fresh, message_kinds

from roamcast.core.host import PubSub
from roamcast.core.messages import Message
from roamcast.protocols import load_protocol, protocol_names
from roamcast.sim.facts import Facts
from roamcast.sim.setup import FrameSent
from roamcast.sim.simulation import simulate
from roamcast.testing import healing_partition, line
from roamcast.testing.small_networks import HEALED_S

every_protocol = pytest.mark.parametrize(
    "protocol", [pytest.param(load_protocol(name), id=name) for name in protocol_names()]
)
FAULTS = {"delivered-twice", "delivered-unpublished"}


def delivered_to(facts: Facts) -> dict[int, set[int]]:
    """Return the nodes that each event was delivered to."""
    nodes: dict[int, set[int]] = {publication.event: set() for publication in facts.publications}
    for delivery in facts.deliveries:
        nodes[delivery.event].add(delivery.node)
    return nodes


@every_protocol
@pytest.mark.parametrize("publisher", [0, 3])
@pytest.mark.parametrize("publisher_subscribes", [True, False])
def test_it_delivers_along_a_connected_line_to_all_who_ask_and_to_nobody_else(
    protocol: type[PubSub], publisher: int, publisher_subscribes: bool
) -> None:
    facts = simulate(line(protocol, publisher=publisher, publisher_subscribes=publisher_subscribes), seed=7)
    expected = {0, 1, 2, 3, 4, 5} - (set() if publisher_subscribes else {publisher})
    assert delivered_to(facts) == {0: expected, 1: expected, 2: expected}
    assert FAULTS.isdisjoint(drop.reason for drop in facts.drops)


@every_protocol
def test_it_delivers_across_a_partition_that_heals_if_it_says_that_it_keeps_events(protocol: type[PubSub]) -> None:
    facts = simulate(healing_partition(protocol), seed=7)
    if not protocol.keeps_events:
        assert delivered_to(facts) == {0: {0, 1}}  # who comes later has missed it, and nobody else has
        return
    assert delivered_to(facts) == {0: {0, 1, 2, 3}}
    published_at_s = facts.publications[0].published_at_s
    by_node = {delivery.node: published_at_s + delivery.latency_s for delivery in facts.deliveries}
    assert max(by_node[0], by_node[1]) < HEALED_S - 1.0 < min(by_node[2], by_node[3])


@every_protocol
def test_it_never_delivers_or_sends_an_event_that_has_expired(protocol: type[PubSub]) -> None:
    setup = line(protocol, validity_s=2.4)
    overdue_s: list[float] = []

    def watch(frame: FrameSent) -> None:
        ended_at_s = setup.settle_s + frame.ended_at_s
        overdue_s.extend(ended_at_s - event.expires_at_s for event in frame.message.events)

    facts = simulate(setup, 7, watch)
    assert len(overdue_s) > 3
    assert max(overdue_s) < 0.1  # what was decided in time may wait for the air a little longer
    assert len(facts.deliveries) > 3
    assert all(delivery.latency_s < 2.4 for delivery in facts.deliveries)


@every_protocol
def test_the_same_seed_gives_the_same_run_and_another_seed_another(protocol: type[PubSub]) -> None:
    first, again, other = (simulate(line(protocol), seed).digest() for seed in (7, 7, 8))
    assert first == again
    assert first != other


def test_a_fresh_process_gives_the_same_digests_whatever_its_hash_seed() -> None:
    script = Path(small_networks.__file__)
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    printed = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, env=environment)
    assert dict(row.split() for row in printed.stdout.splitlines()) == small_networks.line_digests()


@every_protocol
def test_it_says_in_one_line_what_it_does_and_needs_no_parameter(protocol: type[PubSub]) -> None:
    assert protocol.summary
    assert "\n" not in protocol.summary
    assert is_dataclass(protocol.Parameters)
    protocol.Parameters()


@pytest.mark.parametrize("kind", message_kinds())
def test_messages_are_immutable_comparable_and_counted_under_a_word(kind: type[Message]) -> None:
    message = fresh(kind, iter(range(1000)))
    assert message == fresh(kind, iter(range(1000)))
    assert hash(message) == hash(fresh(kind, iter(range(1000))))
    with pytest.raises((FrozenInstanceError, TypeError)):
        message.size_bytes = 1
    assert kind.kind
    assert isfinite(message.size_bytes)
    assert (kind.kind == "message") == (kind is Message)
