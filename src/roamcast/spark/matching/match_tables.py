"""Matching tables of events against tables of subscriptions on Spark, with the exact index of ``roamcast.matching``.

    subscriptions   subscription, attribute, low, high     a row for each range; a null end is unbounded
    events          event, and a column for each attribute; a null is an attribute that the event lacks
    matches         event, subscription                    or event, matches: how many there are

Both ends of a range are inclusive. Limits that are not declared are those of the values that occur; an attribute that
is neither declared nor a column of the events has none. A column that is not numeric is left out unless a subscription
uses it: it cannot change the result. The first bad row is an error that names the subscription or the event, the
attribute and the value. Alternatively, bad rows are left out and counted (``skip_bad``): if any row of a subscription
is bad, the whole subscription is left out, since without that range it would match too much.

All numbers are converted to 64-bit floats, in which integers up to 2^53 are exact. A larger integer is bad: it is never
silently rounded. This is stricter than the index, which accepts any integer that is exact as a float: a table with such
numbers nearly always has others too.

Counts are per row: two events with the same name have a row each, whatever the number of parts.
"""

import math
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses
from pyspark.sql import types as T  # noqa: N812 - likewise

from roamcast.core.errors import InvalidValueError, UserError, one_line
from roamcast.matching.attribute_space import WHOLE_MAX, AttributeSpace, Limits
from roamcast.matching.range_table import RangeTable
from roamcast.matching.value_text import unknown_attribute
from roamcast.spark.matching.input_columns import safe_events, safe_subscriptions
from roamcast.spark.matching.match_task import EVENT, MATCHES, SUBSCRIPTION, MatchTask, SubscriptionPart, Wanted
from roamcast.spark.matching.subscription_checks import ATTRIBUTE, EXACT, HIGH, LOW, CheckedRanges

PART_SUBSCRIPTIONS = 1_000_000
"""The largest number of subscriptions in one index, which takes about 250 MB; more are matched in several parts."""
TASKS_PER_CORE = 4
"""The number of tasks per core for a table that has fewer parts than there are cores."""


@dataclass(frozen=True, slots=True)
class MatchedTables:
    """The matches, still to be computed, and the numbers of rows used and left out."""

    matches: DataFrame
    subscriptions: int
    events: int
    bad_subscriptions: int
    bad_events: int
    columns_left_out: tuple[str, ...]
    """Columns of the events that are not numbers and that no subscription uses."""


def match_tables(
    subscriptions: DataFrame,
    events: DataFrame,
    limits: Mapping[str, Limits] | None = None,
    *,
    counts_only: bool = False,
    skip_bad: bool = False,
    part_subscriptions: int = PART_SUBSCRIPTIONS,
) -> MatchedTables:
    """Match every event with every subscription; raise an error about the first bad row, or leave bad rows out."""
    if type(part_subscriptions) is not int or part_subscriptions < 1:
        raise InvalidValueError("part_subscriptions", part_subscriptions, "must be a whole number of at least 1")
    subscriptions = safe_subscriptions(subscriptions)
    ranges = subscriptions.toArrow().combine_chunks()
    limits = limits or {}
    events, columns, left_out = safe_events(events, {*pc.unique(ranges[ATTRIBUTE]).to_pylist(), *limits})
    space = _space(ranges, events, columns, limits)
    checked = CheckedRanges.of(ranges, space)
    if not skip_bad:
        checked.raise_first_problem()
    parts = _parts(checked, space, part_subscriptions)
    is_bad = _is_bad(events, columns, space)
    counted = (
        events.agg(F.count(F.lit(1)).alias("all"), F.sum(is_bad.cast("long")).alias("bad")).toArrow().to_pylist()[0]
    )
    if counted["bad"] and not skip_bad:
        raise _event_error(events.where(is_bad), columns, space)
    good = _spread(events.where(~is_bad))
    matches = _counted(good, parts, columns) if counts_only else _paired(good, parts, columns, subscriptions)
    bad_events = counted["bad"] or 0
    return MatchedTables(
        matches,
        sum(len(part.identifiers) for part in parts),
        counted["all"] - bad_events,
        int(checked.is_bad.sum()),
        bad_events,
        left_out,
    )


def _space(
    ranges: pa.Table, events: DataFrame, columns: Mapping[str, str], declared: Mapping[str, Limits]
) -> AttributeSpace:
    """Return the declared attributes and the events', with the declared limits or else those of the values."""
    names = [name for name in pc.unique(ranges[ATTRIBUTE]).to_pylist() if name is not None]
    for name in declared:
        if name not in columns and name not in names:
            raise unknown_attribute(name, {*columns, *names}, "limits")
    every = list(dict.fromkeys([*columns, *declared]))
    found: dict[str, list[float]] = {name: [] for name in {*every, *names}}
    floats = {end: ranges[end].cast(pa.float64(), safe=False) for end in (LOW, HIGH)}
    ends = pa.table({ATTRIBUTE: ranges[ATTRIBUTE], **floats}).to_pandas()
    for end in (LOW, HIGH):
        finite = ends[np.isfinite(ends[end])]
        for name, low, high in finite.groupby(ATTRIBUTE)[end].agg(["min", "max"]).itertuples():
            found[name] += [float(low), float(high)]
    undeclared = [name for name in columns if name not in declared]
    if undeclared:
        kept = {
            name: F.when(F.abs(F.col(columns[name]).cast("double")) < np.inf, F.col(columns[name]).cast("double"))
            for name in undeclared
        }
        extremes = [each for name, value in kept.items() for each in (F.min(value), F.max(value))]
        row = events.agg(*(each.alias(str(at)) for at, each in enumerate(extremes))).toArrow().to_pylist()[0]
        for at, name in enumerate(undeclared):
            found[name] += [value for value in (row[str(2 * at)], row[str(2 * at + 1)]) if value is not None]
    return AttributeSpace({name: declared.get(name) or _limits_of(name, found[name]) for name in every})


def _limits_of(name: str, values: Sequence[float]) -> Limits:
    """Return the limits of the values that occur."""
    limits = Limits(min(values, default=0.0), max(values, default=0.0))
    if not math.isfinite(limits.width):
        expected = "no limits are declared, and the lowest and the highest value that occur are too far apart"
        raise InvalidValueError(one_line(name), [limits.low, limits.high], expected)
    return limits


def _parts(checked: CheckedRanges, space: AttributeSpace, part_size: int) -> list[SubscriptionPart]:
    """Return the valid subscriptions in parts, at least one."""
    kept = np.flatnonzero(~checked.is_bad)
    limits = {name: space[name] for name in space}
    ranges, parts = checked.ranges, []
    for first in range(0, max(len(kept), 1), part_size):
        chosen = kept[first : first + part_size]
        new_index = np.full(len(checked.names), -1, np.int64)
        new_index[chosen] = np.arange(len(chosen))
        rows = np.flatnonzero(new_index[ranges.subscription] >= 0) if len(kept) else np.empty(0, np.int64)
        table = RangeTable(
            new_index[ranges.subscription[rows]], ranges.attribute[rows], ranges.low[rows], ranges.high[rows]
        )
        parts.append(SubscriptionPart(limits, checked.names.take(pa.array(chosen)), table))
    return parts


def _is_bad(events: DataFrame, columns: Mapping[str, str], space: AttributeSpace) -> Column:
    """Return whether an event cannot be matched: it has no name, or a value that is NaN or outside its limits."""
    bad = F.col(EVENT).isNull()
    for name, column in columns.items():
        value, limits = F.col(column), space[name]
        outside = ~value.cast("double").between(limits.low, limits.high)  # NaN is above everything in Spark
        if limits.whole:
            outside = outside | (value.cast("double") != F.floor(value))
        if isinstance(events.schema[column].dataType, (T.LongType, T.DecimalType)):
            outside = outside | (value > int(WHOLE_MAX)) | (value < -int(WHOLE_MAX))
        bad = bad | F.coalesce(outside, F.lit(False))
    return bad


def _event_error(bad: DataFrame, columns: Mapping[str, str], space: AttributeSpace) -> UserError:
    """Return the error about the first bad event."""
    first = bad.orderBy(EVENT).limit(1).toArrow().to_pylist()[0]
    if first[EVENT] is None:
        return UserError("the events' column 'event' has a null: every event must have a name")
    where = f"event {first[EVENT]!r}"
    values = {name: first[column] for name, column in columns.items() if first[column] is not None}
    values |= {name: int(value) for name, value in values.items() if isinstance(value, Decimal)}
    for name, value in values.items():
        try:
            space.value(name, value)
        except UserError as error:
            return UserError(f"{where}: {error}")
    large = next(name for name, value in values.items() if abs(value) > WHOLE_MAX)
    return InvalidValueError(f"{where}: {one_line(large)}", values[large], EXACT)


def _spread(events: DataFrame) -> DataFrame:
    """Return events in enough parts for all cores: a file that is small for Spark may be much work for us."""
    cores = events.sparkSession.sparkContext.defaultParallelism
    return events if events.rdd.getNumPartitions() >= cores else events.repartition(TASKS_PER_CORE * cores)


def _paired(
    events: DataFrame, parts: Sequence[SubscriptionPart], columns: Mapping[str, str], subscriptions: DataFrame
) -> DataFrame:
    """Return a row for each match."""
    result = T.StructType(
        [
            T.StructField(EVENT, events.schema[EVENT].dataType),
            T.StructField(SUBSCRIPTION, subscriptions.schema[SUBSCRIPTION].dataType),
        ]
    )
    return reduce(DataFrame.unionByName, [_matched(events, part, columns, result, Wanted.PAIRS) for part in parts])


def _counted(events: DataFrame, parts: Sequence[SubscriptionPart], columns: Mapping[str, str]) -> DataFrame:
    """Return a row for each event with its matches in all parts: two events with the same name are two rows."""
    count, name = T.StructField(MATCHES, T.LongType()), T.StructField(EVENT, events.schema[EVENT].dataType)
    if len(parts) == 1:
        return _matched(events, parts[0], columns, T.StructType([name, count]), Wanted.COUNTS)
    result = T.StructType([*events.schema.fields, count])
    found = [_matched(events, part, columns, result, Wanted.COUNTS_OF_ROWS) for part in parts]
    # Identical events have the same matches, so the total is divided equally among them.
    alike = reduce(DataFrame.unionByName, found).groupBy(*events.columns)
    total = alike.agg(F.sum(MATCHES).alias("total"), F.expr(f"int(count(1) div {len(parts)})").alias("times"))
    counts = F.explode(F.expr("array_repeat(total div times, times)"))
    return total.select(EVENT, counts.alias(MATCHES))


def _matched(
    events: DataFrame, part: SubscriptionPart, columns: Mapping[str, str], result: T.StructType, wanted: Wanted
) -> DataFrame:
    sent = events.sparkSession.sparkContext.broadcast(part)
    return events.mapInArrow(MatchTask(sent, uuid.uuid4().hex, dict(columns), wanted), result)
