"""The Spark task that matches its events against broadcast subscriptions.

The index is built once in each Python worker and kept for later tasks. Events have been checked before, so a null means
that the event lacks the attribute, and nothing else can be wrong with them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np
import pyarrow as pa
from pyspark import Broadcast

from roamcast.matching.attribute_space import AttributeSpace, Limits
from roamcast.matching.event_batch import EventBatch
from roamcast.matching.index import MatchingIndex
from roamcast.matching.range_table import RangeTable

EVENT, SUBSCRIPTION, MATCHES = "event", "subscription", "matches"
"""The column names."""
BIT_SETS_BYTES = 32_000_000
"""The memory for bit sets, which limits how many events are matched at once."""
EVENTS_MAX = 4096
"""The largest number of events that are matched at once."""
PAIRS_MAX = 1_000_000
"""About how many pairs are passed to Spark at once; the pairs of one event are never divided."""


class Wanted(Enum):
    """The kind of output of a task."""

    PAIRS = auto()
    COUNTS = auto()
    """Events and their counts."""
    COUNTS_OF_ROWS = auto()
    """Events with all of their columns and their counts."""


@dataclass(frozen=True, slots=True)
class SubscriptionPart:
    """The subscriptions of one index, as they are sent to the workers."""

    limits: dict[str, Limits]
    identifiers: pa.Array
    table: RangeTable

    def index(self) -> MatchingIndex[int]:
        """Build the index; a subscription's number is its index among the identifiers."""
        index: MatchingIndex[int] = MatchingIndex(AttributeSpace(self.limits))
        index.add_many(range(len(self.identifiers)), self.table)
        return index


@dataclass(frozen=True, slots=True)
class MatchTask:
    """The function for ``mapInArrow``: takes events and yields their matches."""

    part: "Broadcast[SubscriptionPart]"
    token: str
    """Identifies the subscriptions, so that a worker knows whether it has their index."""
    columns: dict[str, str]
    """The columns of the events by attribute."""
    wanted: Wanted

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Match the events of a task."""
        index = _index(self.token, self.part)
        step = max(min(BIT_SETS_BYTES // max(8 * index.matches_words(1), 1), EVENTS_MAX), 1)
        memory = np.empty(0 if self.wanted is not Wanted.PAIRS else index.matches_words(step), np.uint64)
        for batch in batches:
            for first in range(0, batch.num_rows, step):
                part = batch.slice(first, step)
                events = self._events(part, index.space)
                if self.wanted is Wanted.PAIRS:
                    yield from self._pairs(part, index, events, memory)
                else:
                    kept = [EVENT] if self.wanted is Wanted.COUNTS else part.schema.names
                    counts = pa.array(index.count_many(events))
                    yield pa.RecordBatch.from_arrays([*map(part.column, kept), counts], [*kept, MATCHES])

    def _events(self, part: pa.RecordBatch, space: AttributeSpace) -> EventBatch:
        values, present = np.zeros((part.num_rows, len(space))), np.zeros((part.num_rows, len(space)), np.bool_)
        for name, safe_name in self.columns.items():
            column = part.column(safe_name)
            index = space.index(name)
            values[:, index] = column.cast(pa.float64(), safe=False).fill_null(0.0).to_numpy()
            present[:, index] = column.is_valid().to_numpy(zero_copy_only=False)
        return EventBatch(space, values, present)

    def _pairs(
        self,
        part: pa.RecordBatch,
        index: MatchingIndex[int],
        events: EventBatch,
        memory: "np.ndarray[tuple[int], np.dtype[np.uint64]]",
    ) -> Iterator[pa.RecordBatch]:
        matches = index.match_many(events, memory)
        names = self.part.value.identifiers
        first = 0
        for last in _cuts(matches.counts.tolist()):
            indices, numbers = matches.pairs(first, last)
            arrays = [part.column(EVENT).take(pa.array(indices)), names.take(pa.array(numbers))]
            yield pa.RecordBatch.from_arrays(arrays, [EVENT, SUBSCRIPTION])
            first = last


_built: dict[str, MatchingIndex[int]] = {}


def _index(token: str, part: "Broadcast[SubscriptionPart]") -> MatchingIndex[int]:
    """Return the index, after building it if this worker has another one or none."""
    if token not in _built:
        _built.clear()
        _built[token] = part.value.index()
    return _built[token]


def _cuts(counts: list[int]) -> Iterator[int]:
    """Yield where to divide the events so that each piece has about ``PAIRS_MAX`` pairs."""
    total = 0
    for at, count in enumerate(counts, 1):
        total += count
        if total >= PAIRS_MAX:
            yield at
            total = 0
    if total:
        yield len(counts)
