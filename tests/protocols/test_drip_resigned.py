"""Brokers of DRIP that have resigned are no storage: neither where they are remembered, nor what they kept."""

import pytest

from roamcast.protocols.drip.messages import RESIGNED, Announcement, Membership, Publication
from roamcast.protocols.drip.parameters import DripParameters
from roamcast.protocols.drip.protocol import Drip
from roamcast.protocols.drip.regions import BrokerList
from roamcast.testing import RecordingHost, event_of, interest_in

ME, BROKER, NEIGHBOUR = 4, 1, 7
BROKER_BYTES = 4 + 2 + 2 + 1 + 4 + 4
"""Its address, number, version and hops, its delay and when it was heard."""
WAY_BYTES = 4 + 1
"""A neighbour, its hops, and of which announcement that is."""


def announced(broker: int, number: int, hops: int = 1, version: int = 0) -> Announcement:
    return Announcement(20, broker, number, hops, 0.0, version, None)


@pytest.mark.parametrize("brokers_max", [3, 64])
def test_a_broker_that_has_resigned_is_remembered_and_takes_no_storage(brokers_max: int) -> None:
    brokers = BrokerList(9, DripParameters(brokers_max=brokers_max))
    for broker in range(1, 6):
        brokers.hear(announced(broker, 1), 5, 1, 0.0)
        brokers.hear(announced(broker, 1), 6, 1, 0.0)
        assert brokers.size_bytes() == BROKER_BYTES + 2 * WAY_BYTES
        brokers.hear(announced(broker, 2, version=RESIGNED), 5, 1, 0.0)
        assert not brokers.hear(announced(broker, 2), 6, 1, 0.0)  # remembered: this is older than its end
        assert brokers.size_bytes() == 0


def test_a_node_stores_as_much_after_a_broker_has_resigned_as_before_it_was_one() -> None:
    host = RecordingHost(ME)
    drip = host.install(Drip)
    drip.on_message(announced(BROKER, 1), NEIGHBOUR)
    host.advance_to(4.0)
    before = drip.storage_bytes()
    for broker in (20, 21):
        drip.on_message(announced(broker, 1, hops=3), NEIGHBOUR)
    assert drip.storage_bytes() == before + 2 * (BROKER_BYTES + WAY_BYTES)
    for broker in (20, 21):
        drip.on_message(announced(broker, 2, hops=3, version=RESIGNED), NEIGHBOUR)
    assert drip.storage_bytes() == before


def test_a_broker_that_resigns_keeps_nothing_of_what_brokers_keep() -> None:
    host = RecordingHost(ME)
    drip = host.install(Drip)
    host.advance_to(4.0)
    assert drip.is_broker()
    drip.on_message(Membership(30, (ME,), 9, 20, 1, (interest_in("news"),), (), 1), 6)
    drip.on_message(Publication(420, (ME,), 9, event_of(3, 0), 1), 6)
    as_broker = drip.storage_bytes()
    drip.on_message(announced(BROKER, 1), NEIGHBOUR)  # near, with a lower number
    assert drip.storage_bytes() > as_broker
    host.advance_to(6.0)
    assert not drip.is_broker()
    pointer_bytes = drip._paths.size_bytes()  # the way to who was a member, as at any node on the way
    assert drip.storage_bytes() == BROKER_BYTES + WAY_BYTES + pointer_bytes < as_broker
