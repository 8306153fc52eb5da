"""BRVST and DRIP are counted by the same rules: what each frame has beside its contents, and what is storage."""

from importlib import import_module
from pkgutil import iter_modules

import pytest
from brvst_networks import Air, lattice

from roamcast.core import widths
from roamcast.core.attribute_ranges import range_predicate, ranges_bytes
from roamcast.core.messages import Message
from roamcast.protocols.brvst.cells import ZONE
from roamcast.protocols.brvst.elections import ANNOUNCEMENT_BYTES
from roamcast.protocols.brvst.messages import Advertisement
from roamcast.protocols.brvst.parameters import BrvstParameters
from roamcast.protocols.drip.messages import Announcement, Membership, Notification, Publication, Shared
from roamcast.protocols.drip.parameters import DripParameters
from roamcast.protocols.drip.protocol import Drip
from roamcast.testing import RecordingHost, event_of, interest_in

ME, BROKER, NEIGHBOUR = 4, 1, 7
ASKED = interest_in("news")
IP_AND_UDP_BYTES = 20 + 8


def drip_says(header_bytes: int) -> list[Message]:
    """Return what a broker and another node say in a story in which every kind of message is sent."""
    said: list[Message] = []
    for is_broker in (False, True):
        host = RecordingHost(ME)
        drip = host.install(Drip, DripParameters(header_bytes=header_bytes))
        host.advance_to(3.0 if is_broker else 0.0)
        drip.on_message(Announcement(20, BROKER, 1, 8 if is_broker else 1, 0.0, 0, None), NEIGHBOUR)
        host.advance_to(4.0)
        assert drip.is_broker() == is_broker
        drip.publish(event_of(ME, 0))
        drip.on_message(Membership(30, (ME,) if is_broker else (BROKER,), 9, 20, 1, (ASKED,), (), 1), 6)
        drip.on_message(Shared(50, (ME,), 9, BROKER, 1, 0, (ASKED,), (), ()), NEIGHBOUR)
        drip.on_message(Publication(420, (ME,), 9, event_of(3, 0), 1), 6)
        drip.on_message(Notification(430, (20, 21), 9, event_of(3, 1), BROKER), NEIGHBOUR)
        for number in (2, 3):
            drip.on_message(Announcement(20, BROKER, number, 8 if is_broker else 1, 0.0, 3, None), NEIGHBOUR)
        host.advance_to(6.0)
        said += [each.message for each in host.broadcasts]
        said += [each.message for each in host.unicasts]
    passed_on = (30, 430, 426)  # frames whose size another node has given them
    return [each for each in said if each.size_bytes not in passed_on]


def test_every_frame_of_drip_has_the_headers_of_ip_and_udp() -> None:
    plain, framed = drip_says(0), drip_says(DripParameters().header_bytes)
    assert {each.kind for each in plain} == {
        "announcements",
        "asks",
        "memberships",
        "notifications",
        "publications",
        "shared-subscriptions",
        "undelivered",
    }
    assert [each.kind for each in framed] == [each.kind for each in plain]
    assert {one.size_bytes - other.size_bytes for one, other in zip(framed, plain, strict=True)} == {IP_AND_UDP_BYTES}


def test_drip_and_brvst_have_the_same_headers_by_default() -> None:
    brvst = BrvstParameters()
    assert brvst.header_bytes == brvst.router.header_bytes == DripParameters().header_bytes == IP_AND_UDP_BYTES


@pytest.mark.parametrize("package", ["roamcast.protocols.brvst", "roamcast.protocols.drip", "roamcast.routing.sogr"])
def test_no_part_of_either_has_widths_of_its_own_for_what_both_have(package: str) -> None:
    shared = {name: value for name, value in vars(widths).items() if name.endswith("_BYTES")}
    folder = import_module(package).__path__
    names = [each.name for each in iter_modules(folder)]
    assert "messages" in names
    for name in names:
        own = {each: size for each, size in vars(import_module(f"{package}.{name}")).items() if each in shared}
        assert own == {each: shared[each] for each in own}, name


def test_the_same_fields_take_the_same_bytes_in_both() -> None:
    sizes = {(each.kind, each.size_bytes - sum(event.size_bytes for event in each.events)) for each in drip_says(0)}
    assert sizes == {
        ("announcements", 1 + 4 + 2 + 1 + 4 + 2),  # kind, broker, number, hops, time, version
        ("asks", 6 + 4),  # kind, hops and one address; who asks
        ("memberships", 6 + 4 + 2 + 1),
        ("notifications", 6 + 4),
        ("publications", 6),
        ("shared-subscriptions", 6 + 4 + 2 + 2 + 5),
        ("undelivered", 6 + 6 + 4),  # the event and a node
    }
    assert ANNOUNCEMENT_BYTES == 1 + 3 + 4 + 4 + 8 + 2  # kind, cell, manager, predecessor, place, number
    assert ranges_bytes({"a": (0.0, 1.0)}) == 1 + 4 + 4


# --- storage ------------------------------------------------------------------------------------------------------


def drip_node(is_broker: bool) -> tuple[RecordingHost, Drip]:
    host = RecordingHost(ME)
    drip = host.install(Drip)
    host.advance_to(3.0 if is_broker else 0.0)
    drip.on_message(Announcement(20, BROKER, 1, 8 if is_broker else 1, 0.0, 0, None), NEIGHBOUR)
    host.advance_to(4.0)
    assert drip.is_broker() == is_broker
    return host, drip


def test_what_a_node_itself_asks_for_is_no_storage_of_either() -> None:
    _, drip = drip_node(is_broker=False)
    before = drip.storage_bytes()
    drip.subscribe(ASKED)
    assert drip.storage_bytes() == before
    air = Air(lattice(), 320.0, zones_per_side=1, grids_per_side=1)
    air.run(10.0)
    node = next(each for each in air.nodes.values() if not each.is_broker())
    before = node.storage_bytes() - node._router.storage_bytes()
    node.subscribe(range_predicate({"a": (0.0, 50.0)}))
    assert node.storage_bytes() - node._router.storage_bytes() == before


def test_who_has_had_an_event_is_no_storage_of_either() -> None:
    _, drip = drip_node(is_broker=True)
    drip.on_message(Membership(30, (ME,), 9, 20, 1, (), (), 1), 6)
    drip.on_message(Publication(420, (ME,), 9, event_of(3, 0), 1), 6)
    before = drip.storage_bytes()
    drip.on_message(Membership(30, (ME,), 9, 20, 2, (ASKED,), (), 1), 6)
    assert drip.storage_bytes() == before + 5  # the member's interest, by its text; not that it was notified


def test_an_event_that_waits_is_storage() -> None:
    host = RecordingHost(ME)
    drip = host.install(Drip)
    before = drip.storage_bytes()
    drip.publish(event_of(ME, 0, size_bytes=400))
    assert drip.storage_bytes() == before + 400


@pytest.mark.parametrize("summaries", ["range-vectors", "dyadic"])
def test_a_zone_manager_stores_the_vectors_that_it_caches_and_those_advertised_to_it(summaries: str) -> None:
    air = Air(lattice(6, jitter_m=30.0), 320.0, zones_per_side=3, grids_per_side=3, summaries=summaries)
    air.run(15.0)
    managers = {(cell.column, cell.row): air.nodes[nodes[0]]._managers for cell, nodes in air.managers(ZONE).items()}
    before = {zone: manager.storage_bytes() for zone, manager in managers.items()}
    air.publish(0, a=(10.0, 12.0))
    air.run(2.0)
    more = {zone: manager.storage_bytes() - before[zone] for zone, manager in managers.items()}
    vectors = air.nodes[0]._node.describer.size_bytes([air.payloads(Advertisement)[0].description])
    assert more[0, 0] == 6 + 8 + vectors  # cached: its identifier, its zone and who has matched it
    assert more[0, 1] == more[1, 1] == 0  # neighbours are told of changes anyway
    assert more[2, 2] == more[0, 2] == 4 + 4 + vectors  # heard of: the zone and when
