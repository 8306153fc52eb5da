"""Conditions that a subscription tree must meet at every moment, checked after every frame of a simulation."""

from roamcast.protocols.subscription_tree.protocol import SubscriptionTree
from roamcast.sim.facts import Facts
from roamcast.sim.setup import FrameSent, Setup
from roamcast.sim.simulation import Simulation


class TreeWatch:
    """A run of which every frame is looked at."""

    def __init__(self, setup: Setup, seed: int = 7) -> None:
        self.simulation = Simulation(setup, seed, self._look)
        found = [host.protocol for host in self.simulation._hosts]
        self.nodes = [each for each in found if isinstance(each, SubscriptionTree)]
        """The protocol of every node."""
        self.frames = 0
        self._heard: set[tuple[int, int]] = set()
        self._ranks = [node.tree_position.label.rank for node in self.nodes]

    def run(self) -> Facts:
        """Run, looking at every frame."""
        return self.simulation.run()

    def roots(self) -> set[int]:
        """Return the roots that nodes end up at if they follow their parents."""
        return {self._top(node) for node in range(len(self.nodes))}

    def _look(self, frame: FrameSent) -> None:
        self.frames += 1
        self._heard |= {(receiver, frame.sender) for receiver in frame.receivers}
        places = [node.tree_position for node in self.nodes]
        for number, place in enumerate(places):
            assert place.label.rank >= self._ranks[number], "a label fell"
            self._ranks[number] = place.label.rank
            if place.parent is None:
                continue
            assert (number, place.parent) in self._heard, "the parent was never heard"
            assert place.parent in place.links
            assert place.label.rank < places[place.parent].label.rank, "not below its parent"
            self._top(number)

    def _top(self, node: int) -> int:
        """Follow the parents; a cycle is a failure."""
        passed = {node}
        while (parent := self.nodes[node].tree_position.parent) is not None:
            assert parent not in passed, "a cycle"
            passed.add(parent)
            node = parent
        return node
