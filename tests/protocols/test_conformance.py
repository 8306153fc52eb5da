"""Every protocol passes the conformance suite of ``roamcast.testing``; protocols are found by listing their folder.

A protocol that is added as a file is tested here without another word. The last tests show that the suite's runs are
not empty for our own protocols: something is delivered, sent and kept in them.
"""

import pytest

from roamcast.core.host import PubSub
from roamcast.core.messages import Message
from roamcast.protocols import load_protocol, protocol_names
from roamcast.sim.simulation import simulate
from roamcast.testing import CHECKS, Check
from roamcast.testing.conformance.fresh_process import digests_in_a_fresh_process
from roamcast.testing.conformance.hostile_checks import run_flood
from roamcast.testing.conformance.trial_runs import (
    LINE_CASES,
    SHORT_VALIDITY_S,
    run_line,
    run_partition,
    run_short_validity,
)
from roamcast.testing.message_types import message_kinds, own_message_kinds
from roamcast.testing.small_networks import HEALED_S, line

PROTOCOLS = {name: load_protocol(name) for name in protocol_names()}
TOGETHER = "repeats-a-run-in-a-fresh-process"
"""One process is enough for all protocols."""
every_protocol = pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=PROTOCOLS)


@pytest.mark.parametrize(
    ("protocol", "check"),
    [
        pytest.param(protocol, check, id=f"{name}-{check.name}")
        for name, protocol in PROTOCOLS.items()  # the checks of a protocol stand together, since they share runs
        for check in CHECKS
        if check.name != TOGETHER
    ],
)
def test_it_keeps_the_promise(protocol: type[PubSub], check: Check) -> None:
    check.require(protocol)


def test_a_fresh_process_gives_the_same_digests_whatever_its_hash_seed() -> None:
    there = digests_in_a_fresh_process(list(PROTOCOLS.values()))
    here = [run_line(protocol, LINE_CASES[0]).digest() for protocol in PROTOCOLS.values()]
    assert dict(zip(PROTOCOLS, there, strict=True)) == dict(zip(PROTOCOLS, here, strict=True))


@every_protocol
def test_another_seed_gives_another_run(protocol: type[PubSub]) -> None:
    assert simulate(line(protocol), seed=8).digest() != run_line(protocol, LINE_CASES[0]).digest()


@every_protocol
def test_events_reach_others_and_are_sent_although_they_soon_expire(protocol: type[PubSub]) -> None:
    run = run_short_validity(protocol)
    assert len(run.overdue_s) > 3
    assert len(run.facts.deliveries) > 3
    assert all(delivery.latency_s < SHORT_VALIDITY_S for delivery in run.facts.deliveries)


@pytest.mark.parametrize("protocol", [each for each in PROTOCOLS.values() if each.keeps_events])
def test_those_in_reach_get_an_event_before_the_partition_heals_and_the_others_after(protocol: type[PubSub]) -> None:
    facts = run_partition(protocol)
    published_at_s = facts.publications[0].published_at_s
    by_node = {delivery.node: published_at_s + delivery.latency_s for delivery in facts.deliveries}
    assert max(by_node[0], by_node[1]) < HEALED_S - 1.0 < min(by_node[2], by_node[3])


@every_protocol
def test_the_flood_brings_more_events_than_the_tables_hold(protocol: type[PubSub]) -> None:
    assert run_flood(protocol).deliveries > 200


def test_every_type_of_message_is_some_protocols_own() -> None:
    own = {kind for protocol in PROTOCOLS.values() for kind in own_message_kinds(protocol)}
    assert own | {Message} == set(message_kinds())
