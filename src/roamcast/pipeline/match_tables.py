"""Tables of events matched against tables of subscriptions on Spark, with the exact index of ``roamcast.matching``.

    subscriptions   subscription, attribute, low, high     a row for each range; a null end is open
    events          event, and a column for each attribute; a null is an attribute that the event lacks
    matches         event, subscription                    or event, matches: how many there are

Both ends of a range are included. Limits that are not declared are those of the values that occur; an attribute that is
neither declared nor a column of the events has none. The first bad row is an error that names the subscription or the
event, the attribute and the value. Or bad rows are left out and counted (``skip_bad``): a subscription of which any row
is bad as a whole, for without that range it would match more than it asked for.

All numbers become 64-bit floats, which hold whole numbers up to 2^53 exactly. A whole number beyond that is bad: it is
never rounded in silence.
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

from roamcast.core.errors import InvalidValueError, UnknownNameError, UserError
from roamcast.matching.attribute_space import WHOLE_MAX, AttributeSpace, Limits
from roamcast.matching.range_table import RangeTable
from roamcast.pipeline.match_checks import ATTRIBUTE, EXACT, HIGH, LOW, CheckedRanges
from roamcast.pipeline.match_task import EVENT, MATCHES, SUBSCRIPTION, MatchTask, SubscriptionPart

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
    skip_bad: bool = False,
    part_subscriptions: int = PART_SUBSCRIPTIONS,
) -> MatchedTables:
    """Match every event with every subscription; complain of the first bad row, or leave bad rows out."""
    columns = _checked_columns(subscriptions, events)
    asked = subscriptions.select(SUBSCRIPTION, ATTRIBUTE, LOW, HIGH).toArrow().combine_chunks()
    space = _space(asked, events, columns, limits or {})
    checked = CheckedRanges.of(asked, space)
    if not skip_bad:
        checked.complain()
    parts = _parts(checked, space, part_subscriptions)
    is_bad = _is_bad(events, columns, space)
    counted = (
        events.agg(F.count(F.lit(1)).alias("all"), F.sum(is_bad.cast("long")).alias("bad")).toArrow().to_pylist()[0]
    )
    if counted["bad"] and not skip_bad:
        raise _event_error(events.where(is_bad), columns, space)
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
        int(checked.is_bad.sum()),
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
    """Return the declared attributes and the events', with the limits that are declared or else of what occurs."""
    names = [name for name in pc.unique(asked[ATTRIBUTE]).to_pylist() if name is not None]
    for name in declared:
        if name not in columns and name not in names:
            raise UnknownNameError("attribute", name, {*columns, *names}, "limits")
    every = list(dict.fromkeys([*columns, *declared]))
    found: dict[str, list[float]] = {name: [] for name in {*every, *names}}
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


def _parts(checked: CheckedRanges, space: AttributeSpace, part_size: int) -> list[SubscriptionPart]:
    """Return the good subscriptions in parts, at least one."""
    kept = np.flatnonzero(~checked.is_bad)
    limits = {name: space[name] for name in space}
    ranges, parts = checked.ranges, []
    for first in range(0, max(len(kept), 1), part_size):
        chosen = kept[first : first + part_size]
        new_place = np.full(len(checked.names), -1, np.int64)
        new_place[chosen] = np.arange(len(chosen))
        rows = np.flatnonzero(new_place[ranges.subscription] >= 0) if len(kept) else np.empty(0, np.int64)
        table = RangeTable(
            new_place[ranges.subscription[rows]], ranges.attribute[rows], ranges.low[rows], ranges.high[rows]
        )
        parts.append(SubscriptionPart(limits, checked.names.take(pa.array(chosen)), table))
    return parts


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


def _event_error(bad: DataFrame, columns: Sequence[str], space: AttributeSpace) -> UserError:
    """Say what is wrong with the first of some bad events."""
    first = bad.select(EVENT, *map(_quoted, columns)).orderBy(EVENT).limit(1).toArrow().to_pylist()[0]
    if first[EVENT] is None:
        return UserError("the events' column 'event' has a null: every event must have a name")
    place = f"event {first[EVENT]!r}"
    for name in columns:
        try:
            if first[name] is not None:
                space.value(name, first[name])
        except UserError as error:
            return UserError(f"{place}: {error}")
    large = [name for name in columns if isinstance(first[name], int) and abs(first[name]) > WHOLE_MAX]
    return InvalidValueError(f"{place}: {large[0]}", first[large[0]], EXACT)


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
