"""How large TAMA's descriptions are in BRVST's messages: each attribute's number, and the two leaves at its ends.

A leaf's number has as many whole bytes as it needs: a tree of n levels has 2 to the power of n - 1 leaves.
"""

from functools import cache

import pytest
from brvst_networks import LIMITS, Air, lattice

from roamcast.core.host import World
from roamcast.protocols.brvst.descriptions import describer_for
from roamcast.protocols.brvst.messages import (
    Advertisement,
    GridSummary,
    Leaves,
    Publication,
    Subscriptions,
    ZoneSummary,
)
from roamcast.protocols.brvst.parameters import BrvstParameters

EVENT_BYTES = 400
WORLD = World(10, 1000.0, 1000.0, (), 250.0, LIMITS)
SOME_LEVELS = pytest.mark.parametrize(("levels", "leaf_bytes"), [(6, 1), (10, 2), (20, 3)])


def description_bytes(attributes: int, leaf_bytes: int) -> int:
    """Return the size of a description: how many attributes, and for each which one and two leaves."""
    return 1 + attributes * (1 + 2 * leaf_bytes)


@pytest.mark.parametrize(
    ("levels", "leaf_bytes"),
    [(1, 1), (2, 1), (6, 1), (9, 1), (10, 2), (13, 2), (17, 2), (18, 3), (20, 3), (25, 3), (26, 4), (32, 4)],
)
def test_a_leaf_takes_the_bytes_that_its_number_needs(levels: int, leaf_bytes: int) -> None:
    describer = describer_for(WORLD, BrvstParameters(summaries="dyadic", dyadic_levels=levels))
    last = (1 << (levels - 1)) - 1
    assert 256 ** (leaf_bytes - 1) <= max(last, 1) < 256**leaf_bytes
    one, two = ((0, Leaves(0, last)),), ((0, Leaves(0, 0)), (2, Leaves(last, last)))
    assert describer.is_sound(one)
    assert describer.size_bytes([()]) == description_bytes(0, leaf_bytes)
    assert describer.size_bytes([one]) == description_bytes(1, leaf_bytes)
    assert describer.size_bytes([one, two]) == description_bytes(1, leaf_bytes) + description_bytes(2, leaf_bytes)


@cache
def story(levels: int) -> Air:
    """Return a network of four zones in which all that has descriptions was said."""
    air = Air(lattice(), 320.0, summaries="dyadic", dyadic_levels=levels)
    air.run(10.0)
    others = [node for node, protocol in air.nodes.items() if not protocol.is_broker()]
    for number, node in enumerate(others):
        air.subscribe(node, **({"a": (0.0, 40.0 + number), "b": (0.0, 60.0)} if number % 2 else {"a": (0.0, 40.0)}))
    air.run(2.0)
    air.publish(others[0], a=(10.0, 12.0), b=(20.0, 22.0))
    air.publish(others[0], a=(80.0, 82.0), c=(0.0, 0.1))
    air.run(2.0)
    return air


@SOME_LEVELS
def test_subscriptions_and_summaries_have_the_size_of_their_descriptions(levels: int, leaf_bytes: int) -> None:
    air, seen = story(levels), set()
    for kind, head_bytes in ((Subscriptions, 22), (GridSummary, 30), (ZoneSummary, 16)):
        for each in air.payloads(kind):
            if kind is Subscriptions:
                several = [described for _, described in each.added]
                beside_bytes = 2 * len(several)
            else:
                several, beside_bytes = [*(each.summary or ()), *getattr(each, "cache_requests", ())], 0
            sizes = [description_bytes(len(described), leaf_bytes) for described in several]
            assert each.size_bytes == head_bytes + beside_bytes + sum(sizes)
            seen |= {(kind, len(described)) for described in several}
    assert seen == {(kind, count) for kind in (Subscriptions, GridSummary, ZoneSummary) for count in (1, 2)}


@SOME_LEVELS
def test_publications_and_advertisements_have_the_size_of_their_description(levels: int, leaf_bytes: int) -> None:
    air = story(levels)
    described_bytes = description_bytes(3, leaf_bytes)  # two attributes, and the topic
    assert {each.size_bytes for each in air.payloads(Publication)} == {12 + described_bytes + EVENT_BYTES}
    assert {each.size_bytes for each in air.payloads(Advertisement)} == {8 + described_bytes}
