"""The Spark task for the network over time of recorded contacts: degrees and components at ticks."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roamcast.spark.contacts.contact_tasks import Integers, Network, Ticks, run_starts
from roamcast.spark.contacts.stretches import JOINED, Joined, nodes_of
from roamcast.spark.mapped_files import joined, map_arrays


def links_of(contacts: Mapping[str, Any], ticks: Ticks) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first tick of each contact, and the first one after it."""
    first, end = (
        np.ceil((contacts[name] - ticks.first_s) / ticks.step_s - 1e-9).astype(np.int64)
        for name in ("start_s", "end_s")
    )
    return first, end


@dataclass(frozen=True, slots=True)
class NetworkTask:
    """Writes the network of all nodes at the ticks of a part at which some are in contact."""

    folder: Path
    found: tuple[Joined, ...]
    ticks: Ticks
    nodes: int
    parts: int
    last: int

    def __call__(self, part: int) -> None:
        """Process one part of the ticks."""
        tick, pair = self._links(
            -(-part * (self.last + 1) // self.parts), -(-(part + 1) * (self.last + 1) // self.parts)
        )
        network = Network(self.folder, part, self.ticks)
        one, other = nodes_of(pair)
        starts = run_starts(tick)
        for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(tick)], strict=False):
            self._add(network, int(tick[start]), one[start:end], other[start:end])
        network.write()

    def _links(self, low: int, high: int) -> tuple[Integers, Integers]:
        """Return the pairs in contact at each tick from a lowest to a highest, which is excluded; in order of ticks."""
        ticks, pairs = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for file in self.found:
            rows = map_arrays(self.folder / "staging" / JOINED / file.name)
            first, end = links_of(rows, self.ticks)
            first, end = np.maximum(first, low), np.minimum(end, high)
            counts = np.maximum(0, end - first)
            begins = np.cumsum(counts) - counts
            ticks.append(np.arange(counts.sum()) + np.repeat(first - begins, counts))
            pairs.append(np.repeat(rows["pair"], counts))
        tick, pair = joined(ticks), joined(pairs)
        order = np.lexsort((pair, tick))
        return tick[order], pair[order]

    def _add(self, network: Network, tick: int, one: Integers, other: Integers) -> None:
        from roamcast.spark.contacts.links import network_of  # here: only tasks need Numba

        degrees, description = np.zeros(self.nodes, np.int64), np.zeros(4, np.int64)
        network_of(self.nodes, one, other, degrees, description)
        everybody = np.arange(self.nodes)
        network.add(np.array([tick]), np.array([self.nodes]), everybody, degrees, description[None])
