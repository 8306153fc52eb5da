"""Tables of events matched against tables of subscriptions on Spark, with the exact index of ``roamcast.matching``.

    subscriptions   subscription, attribute, low, high     a row for each range; a null end is open
    events          event, and a column for each attribute; a null is an attribute that the event lacks
    matches         event, subscription                    or event, matches: how many there are

Both ends of a range are included. A subscription of which any row is bad is left out as a whole, for without that range
it would match more than it asked for. Bad rows are counted, never silent. Limits that are not declared are those of the
values that occur.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses
from pyspark.sql import types as T  # noqa: N812 - likewise

from roamcast.core.errors import UserError
from roamcast.matching.attribute_space import WHOLE_MAX, AttributeSpace, Limits
from roamcast.matching.range_table import RangeTable
from roamcast.pipeline.match_task import EVENT, MATCHES, SUBSCRIPTION, MatchTask, SubscriptionPart

ATTRIBUTE, LOW, HIGH = "attribute", "low", "high"
PART_SUBSCRIPTIONS = 1_000_000
"""So many subscriptions are one index of about 250 MB; of more there are several, one after the other."""
TASKS_PER_CORE = 4
"""For a table that comes in fewer parts than there are cores."""
_WHOLE = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)
_REAL = (T.FloatType, T.DoubleType)


@dataclass(frozen=True, slots=True)
class MatchedTables:
    """The matches, still to be computed, and what has been left out."""

    matches: DataFrame
    subscriptions: int
    events: int
    bad_subscriptions: int
    bad_events: int


def match_tables(
    subscriptions: DataFrame,
    events: DataFrame,
    limits: Mapping[str, Limits] | None = None,
    *,
    counts_only: bool = False,
    part_subscriptions: int = PART_SUBSCRIPTIONS,
) -> MatchedTables:
    """Match every event with every subscription."""
    columns = _checked_columns(subscriptions, events)
    asked = subscriptions.select(SUBSCRIPTION, ATTRIBUTE, LOW, HIGH).toArrow().combine_chunks()
    space = _space(asked, events, columns, limits or {})
    parts, bad_subscriptions = _parts(asked, space, part_subscriptions)
    is_bad = _is_bad(events, columns, space)
    counted = (
        events.agg(F.count(F.lit(1)).alias("all"), F.sum(is_bad.cast("long")).alias("bad")).toArrow().to_pylist()[0]
    )
    good = _spread(events.where(~is_bad).select(EVENT, *map(_quoted, columns)))
    found = [
        _matched(good, part, columns, _result_type(subscriptions, events, counts_only), counts_only) for part in parts
    ]
    matches = reduce(DataFrame.unionByName, found)
    if counts_only and len(found) > 1:
        matches = matches.groupBy(EVENT).agg(F.sum(MATCHES).alias(MATCHES)).select(EVENT, MATCHES)
    bad_events = counted["bad"] or 0
    return MatchedTables(
        matches,
        sum(len(part.identifiers) for part in parts),
        counted["all"] - bad_events,
        bad_subscriptions,
        bad_events,
    )


def _checked_columns(subscriptions: DataFrame, events: DataFrame) -> tuple[str, ...]:
    """Return the attributes among the events' columns, after a look at the types."""
    for table, frame, needed in (
        ("subscriptions", subscriptions, (SUBSCRIPTION, ATTRIBUTE, LOW, HIGH)),
        ("events", events, (EVENT,)),
    ):
        missing = [name for name in needed if name not in frame.columns]
        if missing:
            raise UserError(f"the {table} have no column '{missing[0]}'; they have: {', '.join(frame.columns)}")
    columns = tuple(name for name in events.columns if name != EVENT)
    for table, frame, names in (("subscriptions", subscriptions, (LOW, HIGH)), ("events", events, columns)):
        for name in names:
            kind = frame.schema[name].dataType
            if not isinstance(kind, (*_WHOLE, *_REAL)):
                raise UserError(f"the {table}' column '{name}' is {kind.simpleString()}: must be of numbers")
    return columns


def _space(
    asked: pa.Table, events: DataFrame, columns: Sequence[str], declared: Mapping[str, Limits]
) -> AttributeSpace:
    """Return all attributes with the limits that are declared or, where none are, those of what occurs."""
    names = [name for name in pc.unique(asked[ATTRIBUTE]).to_pylist() if name is not None]
    every = list(dict.fromkeys([*columns, *names]))
    found: dict[str, list[float]] = {name: [] for name in every}
    ends = asked.select([ATTRIBUTE, LOW, HIGH]).to_pandas()
    for end in (LOW, HIGH):
        finite = ends[np.isfinite(ends[end].astype(float))]
        for name, low, high in finite.groupby(ATTRIBUTE)[end].agg(["min", "max"]).itertuples():
            found[name] += [float(low), float(high)]
    undeclared = [name for name in columns if name not in declared]
    if undeclared:
        kept = {
            name: F.when(F.abs(F.col(_quoted(name)).cast("double")) < np.inf, F.col(_quoted(name)).cast("double"))
            for name in undeclared
        }
        extremes = [each for name, value in kept.items() for each in (F.min(value), F.max(value))]
        row = events.agg(*(each.alias(str(at)) for at, each in enumerate(extremes))).toArrow().to_pylist()[0]
        for at, name in enumerate(undeclared):
            found[name] += [value for value in (row[str(2 * at)], row[str(2 * at + 1)]) if value is not None]
    return AttributeSpace(
        {
            name: declared.get(name) or Limits(min(found[name], default=0.0), max(found[name], default=0.0))
            for name in every
        }
    )


def _parts(asked: pa.Table, space: AttributeSpace, part_size: int) -> tuple[list[SubscriptionPart], int]:
    """Return the good subscriptions in parts, at least one, and how many are bad."""
    coded = pc.dictionary_encode(asked[SUBSCRIPTION].combine_chunks(), null_encoding="encode")
    names = coded.dictionary
    owner = coded.indices.to_numpy().astype(np.int64)
    places = {name: place for place, name in enumerate(space)}
    coded = pc.dictionary_encode(asked[ATTRIBUTE].combine_chunks(), null_encoding="encode")
    known = np.array([places.get(name, -1) for name in coded.dictionary.to_pylist()], np.int64)
    attribute = known[coded.indices.to_numpy()] if len(known) else np.empty(0, np.int64)
    low, high = (
        asked[end].combine_chunks().cast(pa.float64(), safe=False).fill_null(open_end).to_numpy()
        for end, open_end in ((LOW, -np.inf), (HIGH, np.inf))
    )
    bounded = RangeTable(owner, np.maximum(attribute, 0), low, high).bounded(space) if len(owner) else None
    is_bad = np.zeros(len(names), np.bool_)
    if bounded is not None:
        for _, is_wrong in bounded.problems(space):
            is_bad[owner[is_wrong]] = True
        is_bad[owner[attribute < 0]] = True
        is_bad |= names.is_null().to_numpy(zero_copy_only=False)
    kept = np.flatnonzero(~is_bad)
    limits = {name: space[name] for name in space}
    parts = []
    for first in range(0, max(len(kept), 1), part_size):
        chosen = kept[first : first + part_size]
        new_place = np.full(len(names), -1, np.int64)
        new_place[chosen] = np.arange(len(chosen))
        rows = np.flatnonzero(new_place[owner] >= 0) if len(owner) else np.empty(0, np.int64)
        table = RangeTable(new_place[owner[rows]], attribute[rows], low[rows], high[rows])
        parts.append(SubscriptionPart(limits, names.take(pa.array(chosen)), table))
    return parts, int(is_bad.sum())


def _is_bad(events: DataFrame, columns: Sequence[str], space: AttributeSpace) -> Column:
    """Return whether an event cannot be matched: it has no name, or a value that is none or outside its limits."""
    bad = F.col(EVENT).isNull()
    for name in columns:
        value, limits = F.col(_quoted(name)), space[name]
        outside = ~value.cast("double").between(limits.low, limits.high)  # NaN is above everything in Spark
        if limits.whole:
            outside = outside | (value.cast("double") != F.floor(value))
        if isinstance(events.schema[name].dataType, T.LongType):
            outside = outside | (value > int(WHOLE_MAX)) | (value < -int(WHOLE_MAX))
        bad = bad | F.coalesce(outside, F.lit(False))
    return bad


def _spread(events: DataFrame) -> DataFrame:
    """Return events in parts enough for all cores: a file that is small for Spark may be much work for us."""
    cores = events.sparkSession.sparkContext.defaultParallelism
    return events if events.rdd.getNumPartitions() >= cores else events.repartition(TASKS_PER_CORE * cores)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _result_type(subscriptions: DataFrame, events: DataFrame, counts_only: bool) -> T.StructType:
    event = T.StructField(EVENT, events.schema[EVENT].dataType)
    if counts_only:
        return T.StructType([event, T.StructField(MATCHES, T.LongType())])
    return T.StructType([event, T.StructField(SUBSCRIPTION, subscriptions.schema[SUBSCRIPTION].dataType)])


def _matched(
    events: DataFrame, part: SubscriptionPart, columns: tuple[str, ...], result: T.StructType, counts_only: bool
) -> DataFrame:
    sent = events.sparkSession.sparkContext.broadcast(part)
    return events.mapInArrow(MatchTask(sent, uuid.uuid4().hex, columns, counts_only), result)
