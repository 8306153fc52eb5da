"""The workloads of the matching benchmark: those on which other engines have been measured.

Whole numbers from 0 to 999,999; 15 attributes; a subscription asks for a range of 1 to 3 of them. *wide*: ranges of 10
to 50 % of the domain, *selective*: 1 to 10 %. *all*: an event has all 15 attributes; *few*: 1 to 3 of them.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from roamcast.matching.attribute_space import AttributeSpace, Limits
from roamcast.matching.event_batch import EventBatch
from roamcast.matching.range_table import RangeTable

ATTRIBUTES = 15
DOMAIN = 1_000_000
ASKED_MAX = 3
SHARES = {"wide": (0.1, 0.5), "selective": (0.01, 0.1)}
"""How much of the domain a range has."""
EVENT_KINDS = ("all", "few")


@dataclass(frozen=True, slots=True)
class Workload:
    """Subscriptions and events, drawn from a seed."""

    subscriptions: int
    ranges: str
    events: str
    table: RangeTable
    batch: EventBatch

    @property
    def name(self) -> str:
        """Return what it is called in the tables."""
        return f"{self.subscriptions:,} {self.ranges}-{self.events}"


def space() -> AttributeSpace:
    """Return the attributes."""
    return AttributeSpace({f"a{place}": Limits(0, DOMAIN - 1, whole=True) for place in range(ATTRIBUTES)})


def make_workload(subscriptions: int, ranges: str, events: str, count: int, seed: int) -> Workload:
    """Draw a workload with so many events."""
    random = np.random.Generator(np.random.PCG64([seed, subscriptions]))
    asked = _some_of_each(subscriptions, random)
    owner, attribute = np.nonzero(asked)
    low_share, high_share = SHARES[ranges]
    width = np.floor(random.uniform(low_share, high_share, len(owner)) * DOMAIN)
    low = np.floor(random.random(len(owner)) * (DOMAIN - width))
    values = random.integers(0, DOMAIN, (count, ATTRIBUTES)).astype(np.float64)
    present = np.ones(values.shape, np.bool_) if events == "all" else _some_of_each(count, random)
    table = RangeTable(owner, attribute, low, low + width)
    return Workload(subscriptions, ranges, events, table, EventBatch(space(), values, present))


def _some_of_each(rows: int, random: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Choose 1 to 3 attributes for each row."""
    sizes = random.integers(1, ASKED_MAX + 1, rows)
    ranks = np.argsort(np.argsort(random.random((rows, ATTRIBUTES)), axis=1), axis=1)
    return np.asarray(ranks < sizes[:, None])
