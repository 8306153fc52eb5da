"""Ways for a Python user to match ranges, each behind one small interface: count the matches of some events."""

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.matching_workloads import ATTRIBUTES, DOMAIN, Workload, space
from roamcast.matching.event_batch import EventBatch
from roamcast.matching.index import MatchingIndex

Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]

Engine = Callable[[EventBatch], Numbers]
"""How many subscriptions match each event."""
BATCH_EVENTS = 4096
BIT_SETS_BYTES = 128_000_000
"""The memory for the bit sets of one batch."""


def index_of(workload: Workload) -> MatchingIndex[int]:
    """Return our index with the workload's subscriptions."""
    index: MatchingIndex[int] = MatchingIndex(space())
    index.add_many(range(workload.subscriptions), workload.table)
    return index


def bit_sets(index: MatchingIndex[int]) -> Engine:
    """Return our index as it is meant to be used: batches, the bit sets of each in memory that is used again."""
    step = max(min(BATCH_EVENTS, BIT_SETS_BYTES // max(8 * index.matches_words(1), 1)), 1)
    memory: Words = np.zeros(index.matches_words(step), np.uint64)

    def match(events: EventBatch) -> Numbers:
        found = [index.match_many(events[at : at + step], memory).counts for at in range(0, len(events), step)]
        return np.concatenate(found)

    return match


def counting(index: MatchingIndex[int]) -> Engine:
    """Return our index that only counts, as the engines that it is compared with do."""
    return index.count_many


def numpy_dense(workload: Workload) -> Engine:
    """Return a comparison of each value with all subscriptions; who does not ask for an attribute takes everything."""
    table = workload.table
    lows = np.zeros((ATTRIBUTES, workload.subscriptions), np.int32)
    highs = np.full((ATTRIBUTES, workload.subscriptions), DOMAIN, np.int32)
    asked = np.zeros((ATTRIBUTES, workload.subscriptions), np.bool_)
    lows[table.attribute, table.subscription] = table.low
    highs[table.attribute, table.subscription] = table.high
    asked[table.attribute, table.subscription] = True

    def match(events: EventBatch) -> Numbers:
        counts = np.empty(len(events), np.int64)
        for event in range(len(events)):
            holds = np.ones(workload.subscriptions, np.bool_)
            for place in range(ATTRIBUTES):
                if events.present[event, place]:
                    value = np.int32(events.values[event, place])
                    holds &= lows[place] <= value
                    holds &= highs[place] >= value
                else:
                    holds &= ~asked[place]
            counts[event] = np.count_nonzero(holds)
        return counts

    return match


def duckdb_engines(workload: Workload) -> dict[str, Engine]:
    """Return two plans of DuckDB on one thread."""
    connection: Any = duckdb.connect(config={"threads": 1})
    table = workload.table
    ranges = pd.DataFrame(
        {"subscription": table.subscription, "attribute": table.attribute, "low": table.low, "high": table.high}
    )
    connection.register("given_ranges", ranges)
    connection.execute("create table ranges as select * from given_ranges")
    sizes = "select subscription, count(*) as size from ranges group by subscription"
    connection.execute(f"create table sizes as {sizes}")
    columns = ", ".join(
        f"min(low) filter (attribute = {place}) as low{place}, max(high) filter (attribute = {place}) as high{place}"
        for place in range(ATTRIBUTES)
    )
    connection.execute(f"create table wide as select subscription, {columns} from ranges group by subscription")
    by_count = """
        select event, count(*) from (
            select event, ranges.subscription as subscription, count(*) as met
            from events join ranges on events.attribute = ranges.attribute and value between low and high
            group by event, ranges.subscription) join sizes using (subscription)
        where met = size group by event"""
    tests = " and ".join(
        f"(low{place} is null or v{place} between low{place} and high{place})" for place in range(ATTRIBUTES)
    )
    by_filter = f"select event, count(*) from wide_events join wide on {tests} group by event"
    return {
        "DuckDB, joined and counted": lambda events: _ask(connection, by_count, events),
        "DuckDB, a wide table filtered": lambda events: _ask(connection, by_filter, events),
    }


def _ask(connection: Any, query: str, events: EventBatch) -> Numbers:
    import pandas as pd

    rows, places = np.nonzero(events.present)
    long = pd.DataFrame({"event": rows, "attribute": places, "value": events.values[rows, places]})
    wide = pd.DataFrame(np.where(events.present, events.values, np.nan), columns=[f"v{p}" for p in range(ATTRIBUTES)])
    wide.insert(0, "event", np.arange(len(events)))
    connection.register("events", long)
    nulls = ", ".join(f"nullif(v{p}, 'nan'::double) as v{p}" for p in range(ATTRIBUTES))
    connection.register("given_events", wide)
    connection.execute(f"create or replace temp view wide_events as select event, {nulls} from given_events")
    counts = np.zeros(len(events), np.int64)
    for event, count in connection.execute(query).fetchall():
        counts[event] = count
    return counts
