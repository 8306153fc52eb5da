"""Which of two leaders stays when groups merge: the one below which the tree is the more balanced (paper, 3.1)."""

from typing import Any

import pytest

from roamcast.protocols.tree_group.messages import MergeReply, MergeRequest
from roamcast.protocols.tree_group.neighbour_tables import Child
from roamcast.protocols.tree_group.parameters import TreeGroupParameters
from roamcast.protocols.tree_group.protocol import TreeGroup
from roamcast.testing import RecordingHost

ME, OTHER = 7, 3
LABEL = (99, OTHER, 0)


def leader(height: int, **parameters: Any) -> tuple[RecordingHost, TreeGroup]:
    """Return a leader with one branch of some levels."""
    host = RecordingHost(ME)
    protocol = host.install(TreeGroup, TreeGroupParameters(**parameters))
    host.advance_to(5.0)
    if height:
        protocol.tree_position.children[50] = Child(0, host.now, height - 1, height)
    return host, protocol


def request(path: tuple[int, ...], gateway: int, levels: int, depth: int, depth_there: int = 0) -> MergeRequest:
    return MergeRequest(30, ME, LABEL, 0.0, levels, 2, depth, depth_there, gateway, path)


def agreed(host: RecordingHost) -> bool:
    return any(isinstance(sent.message, MergeReply) for sent in host.unicasts)


@pytest.mark.parametrize(
    ("height", "path", "gateway", "levels", "depth", "depth_there", "stays"),
    [
        (3, (3,), 0, 0, 0, 0, True),  # a node alone joins the deeper tree: 3 levels below me, 4 below it
        (0, (3,), 0, 3, 3, 0, False),  # I am alone and it has a branch of 3: 4 levels below me, 3 below it
        (2, (3, 4), 1, 1, 1, 0, True),  # it hangs by its far end: 2 levels below me, 4 below it
        (1, (3, 60), 0, 3, 1, 2, True),  # nearly a tie, but its deepest branch is where the gateway stands
        (1, (3, 60), 0, 3, 3, 0, False),  # the same levels, but the gateway is the other leader itself
    ],
)
def test_the_leader_stays_below_whom_the_tree_is_less_deep(
    height: int, path: tuple[int, ...], gateway: int, levels: int, depth: int, depth_there: int, stays: bool
) -> None:
    host, protocol = leader(height)
    protocol.on_message(request(path, gateway, levels, depth, depth_there), path[-1])
    assert agreed(host) == stays


@pytest.mark.parametrize(("depth", "fits"), [(2, True), (3, False)])
def test_what_counts_for_the_limit_is_how_deep_the_tree_becomes_and_not_how_deep_it_could(
    depth: int, fits: bool
) -> None:
    host, protocol = leader(3, levels_limit=4, levels_preferred=4)
    # Down from the other leader over one more to the gateway, and to a neighbour of mine: the gateway at level 2.
    protocol.on_message(request((3, 4, 60), 1, 3, depth, 1), 60)
    assert agreed(host) == fits


def test_each_node_on_the_way_up_adds_its_other_branches_to_the_depth_that_is_told() -> None:
    host, protocol = leader(2)
    protocol.tree_position.adopt(1, (100, 1, 0))
    host.unicasts.clear()
    protocol.on_message(MergeRequest(30, 1, LABEL, 0.0, 0, 1, 0, 1, 0, (3, 60)), 60)
    (passed,) = [sent for sent in host.unicasts if isinstance(sent.message, MergeRequest)]
    assert isinstance(passed.message, MergeRequest)
    assert (passed.to, passed.message.path) == (1, (3, 60, ME))
    assert passed.message.depth_there == 3  # one up from the node that the gateway heard, and two down the other branch


def test_a_leader_that_declines_because_the_other_should_stay_asks_it_itself() -> None:
    host, protocol = leader(1)
    protocol.on_message(request((3, 60), 0, 3, 3, 0), 60)
    assert host.drop_reasons() == ["not-merged"]
    about = (OTHER, 0, 1, 0, 2)  # fewer levels than I have, as far as the gateway has heard
    protocol.tree_position.routes = {8: (0, 61, (8, 0, 0, 1, 5)), OTHER: (0, 60, about)}
    protocol._merging._next_s = 0.0
    protocol._merging.tick()
    (asked,) = [sent for sent in host.unicasts if isinstance(sent.message, MergeRequest)]
    assert isinstance(asked.message, MergeRequest)
    assert (asked.to, asked.message.group) == (60, OTHER)


@pytest.mark.parametrize("field", ["levels", "depth", "depth_there"])
@pytest.mark.parametrize("count", [-1, 10_000])
def test_a_depth_that_cannot_be_is_dropped(field: str, count: int) -> None:
    host, protocol = leader(1)
    counts = {"levels": 0, "depth": 0, "depth_there": 0, field: count}
    protocol.on_message(request((3,), 0, **counts), 3)
    assert host.drop_reasons() == ["malformed"]


@pytest.mark.parametrize(("asked", "agrees"), [(OTHER, True), (8, False)])
def test_a_leader_that_waits_for_another_agrees_only_if_that_one_asks_meanwhile(asked: int, agrees: bool) -> None:
    host, protocol = leader(3)
    protocol.tree_position.routes = {asked: (0, 60, (asked, 0, 1, 4, 2))}
    protocol._merging._next_s = 0.0
    protocol._merging.tick()
    assert [sent.to for sent in host.unicasts if isinstance(sent.message, MergeRequest)] == [60]
    protocol.on_message(request((3,), 0, 0, 0), 3)
    assert agreed(host) == agrees
