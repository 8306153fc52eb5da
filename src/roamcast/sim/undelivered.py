"""Why subscribers did not get events: each pair of an event and a subscriber that missed it has one cause.

A witness watches a run and never takes part. Four times a second it notes which nodes are connected and where each
stands in the protocol's trees, if it has any (``PubSub.tree_standing``), and it notes who received which event and
which frames were given up. The first of the causes below that holds for a pair is its cause.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roamcast.core.events import Event, EventId
from roamcast.core.host import PubSub, TreeStanding
from roamcast.sim.trajectories import Floats

SAMPLE_S = 0.25
"""The time between two samples. Our choice: at 25 m/s two nodes move apart by at most 12.5 m in between."""

UNREACHABLE = "unreachable"
LATE = "too late"
NOT_ENTERED = "group never entered"
ORPHANED = "subtree orphaned"
LOST = "frame lost"
MOVED = "branch changed"
FILTER = "filter wrong"
OTHER = "reachable"
CAUSES: Mapping[str, str] = {
    UNREACHABLE: "no path over time led from the publisher to the subscriber while the event was valid",
    LATE: "the subscriber received it after it had expired, or passed it over",
    NOT_ENTERED: "no node of a group that the subscriber was in then had it",
    ORPHANED: "when its group had it, the subscriber or all nodes with the event were cut off from the leader",
    LOST: "a frame with it was given up on the way up to the leader or down to the subscriber",
    MOVED: "the subscriber or a node above it came to its branch when the event had passed there",
    FILTER: "a node above the subscriber had it and did not send it on, since its filter for that branch was wrong",
    OTHER: "there was a path; this protocol has no groups that could say more",
}
"""Each cause, and what it means."""


class _Sample(NamedTuple):
    """The network at one moment."""

    at_s: float
    components: NDArray[np.int64]
    """A number for each node; connected nodes have the same."""
    standings: list[TreeStanding | None]


class Witness:
    """Watches a run and notes whatever is needed to explain which events were not delivered in it."""

    def __init__(self) -> None:
        self._samples: list[_Sample] = []
        self._heard: dict[EventId, dict[int, float]] = {}
        self._given_up: dict[EventId, set[int]] = {}
        self.causes: Mapping[str, int] = {}
        """How many pairs have each cause, in the order of ``CAUSES``; known at the end of the run."""

    def sample(self, at_s: float, positions_m: Floats, range_m: Floats, protocols: Sequence[PubSub]) -> None:
        """Note the network at a moment; a node without a position is absent."""
        standings = [protocol.tree_standing() for protocol in protocols]
        self._samples.append(_Sample(at_s, connected_components(positions_m, range_m), standings))

    def received(self, events: Iterable[Event], receivers: Iterable[int], at_s: float) -> None:
        """Note who has received events."""
        for event in events:
            heard = self._heard.setdefault(event.id, {})
            for node in receivers:
                heard.setdefault(node, at_s)

    def given_up(self, events: Iterable[Event], to: int) -> None:
        """Note that a frame with events never reached the node that it was for."""
        for event in events:
            self._given_up.setdefault(event.id, set()).add(to)

    def explain(self, undelivered: Iterable[tuple[Event, Iterable[int]]]) -> None:
        """Find the cause of each pair of an event and a subscriber that did not get it."""
        found: Counter[str] = Counter()
        for event, subscribers in undelivered:
            samples = [each for each in self._samples if event.published_at_s - SAMPLE_S < each.at_s]
            samples = [each for each in samples if each.at_s <= event.expires_at_s]
            heard = {**self._heard.get(event.id, {}), event.id.publisher: event.published_at_s}
            reached = reached_over_time([each.components for each in samples], event.id.publisher)
            found.update(self._cause(event.id, node, samples, heard, node in reached) for node in subscribers)
        self.causes = {cause: found[cause] for cause in CAUSES if found[cause]}

    def _cause(
        self, event_id: EventId, node: int, samples: list[_Sample], heard: Mapping[int, float], is_reached: bool
    ) -> str:
        if node in heard:
            return LATE
        if not is_reached:
            return UNREACHABLE
        if all(each.standings[node] is None for each in samples):
            return OTHER
        lost = self._given_up.get(event_id, set())
        for seen in range(1, len(samples) + 1):
            cause = _cause_in_group(samples[:seen], node, heard, lost)
            if cause is not None:
                return cause
        return NOT_ENTERED


def _cause_in_group(samples: list[_Sample], node: int, heard: Mapping[int, float], lost: set[int]) -> str | None:
    """Return why an event that has been in a node's group for ``SAMPLE_S`` was not delivered; None if it was not there.

    The last sample decides; ``lost`` are the nodes that frames with the event did not reach.
    """
    sample = samples[-1]
    standing = sample.standings[node]
    holders = {each for each, at_s in heard.items() if at_s <= sample.at_s - SAMPLE_S}
    for group, parent in standing.memberships if standing is not None else ():
        inside = [(each, up) for each in holders for their, up in _memberships(sample, each) if their == group]
        if inside:
            above, is_rooted = _ancestors(sample, node, parent)
            ways_up = [_ancestors(sample, each, up) for each, up in inside]
            if not is_rooted or not any(is_rooted for _, is_rooted in ways_up):
                return ORPHANED
            on_the_way = {node, *above}
            if not holders & on_the_way:
                on_the_way.update(each for way, _ in ways_up for each in way)
            if lost & on_the_way:
                return LOST
            return FILTER if _was_below_a_holder(samples, node, parent, heard) else MOVED
    return None


def _was_below_a_holder(samples: list[_Sample], node: int, parent: int | None, heard: Mapping[int, float]) -> bool:
    """Tell whether a node was below the nearest node with an event, by the same nodes, when that one got it."""
    above, _ = _ancestors(samples[-1], node, parent)
    holder = next((each for each in above if each in heard), None)
    if holder is None:
        return False
    before = [each for each in samples if each.at_s <= heard[holder]] or samples[:1]
    way = above[: above.index(holder) + 1]
    return any(_ancestors(before[-1], node, up)[0][: len(way)] == way for _, up in _memberships(before[-1], node))


def _memberships(sample: _Sample, node: int) -> tuple[tuple[int, int | None], ...]:
    standing = sample.standings[node]
    return () if standing is None else standing.memberships


def _ancestors(sample: _Sample, node: int, parent: int | None) -> tuple[list[int], bool]:
    """Return the nodes above a node, from its parent in one of its groups on, and whether they end in a leader."""
    above: list[int] = []
    last = sample.standings[node]
    while parent is not None and parent not in above:
        above.append(parent)
        last = sample.standings[parent]
        parent = last.memberships[0][1] if last is not None and last.memberships else None
    return above, last is not None and last.leads


def connected_components(positions_m: Floats, range_m: Floats) -> NDArray[np.int64]:
    """Return a number for each node, the same for those that are connected by hops within the range of both ends."""
    x_m, y_m = positions_m.T
    across_m, along_m = x_m[:, None] - x_m, y_m[:, None] - y_m
    linked = across_m * across_m + along_m * along_m <= np.minimum(range_m[:, None], range_m) ** 2
    numbers = np.arange(len(x_m))
    np.fill_diagonal(linked, val=True)
    while True:
        lowest = np.where(linked, numbers, len(numbers)).min(axis=1)
        if (lowest == numbers).all():
            return numbers
        numbers = lowest


def reached_over_time(components: Iterable[NDArray[np.int64]], source: int) -> set[int]:
    """Return the nodes that an event of a source can reach, one moment after another, if it takes no time on a path."""
    reached: NDArray[np.bool_] | None = None
    for numbers in components:
        if reached is None:
            reached = np.arange(len(numbers)) == source
        reached |= np.isin(numbers, numbers[reached])
    return {source} if reached is None else set(np.flatnonzero(reached).tolist())
