"""The columns of the two tables that are matched: which there must be, of what types, and names that Spark can bear.

An attribute may have any name. Spark takes a dot in a column's name for a field of a struct, a backtick for a quote,
and ``age`` and ``Age`` for one column; so columns are renamed by their place before anything else is done with them.
"""

from pyspark.sql import DataFrame
from pyspark.sql import types as T  # noqa: N812 - the name that every PySpark program uses

from roamcast.core.errors import UserError, one_line
from roamcast.pipeline.match_checks import ATTRIBUTE, HIGH, LOW
from roamcast.pipeline.match_task import EVENT, SUBSCRIPTION

SAFE_NAME = "attribute_{}"
NAMES = "a name must be a text, bytes, a number, a truth value, a date or a time"
NUMBERS = "must be of numbers: byte to long, float, double, or decimal without places, as which uint64 is read"
_NAMES = (
    T.StringType,
    T.BinaryType,
    T.BooleanType,
    T.NumericType,
    T.DateType,
    T.TimestampType,
    T.TimestampNTZType,
)
_NUMBERS = (T.ByteType, T.ShortType, T.IntegerType, T.LongType, T.FloatType, T.DoubleType)


def safe_subscriptions(subscriptions: DataFrame) -> DataFrame:
    """Return the four columns that subscriptions must have."""
    needed = (SUBSCRIPTION, ATTRIBUTE, LOW, HIGH)
    kinds = _kinds("subscriptions", subscriptions, needed)
    _check("subscriptions", SUBSCRIPTION, kinds[SUBSCRIPTION], isinstance(kinds[SUBSCRIPTION], _NAMES), NAMES)
    _check("subscriptions", ATTRIBUTE, kinds[ATTRIBUTE], isinstance(kinds[ATTRIBUTE], T.StringType), "must be of texts")
    for name in (LOW, HIGH):
        _check("subscriptions", name, kinds[name], _is_number(kinds[name]), NUMBERS)
    safe = (name if name in needed else SAFE_NAME.format(at) for at, name in enumerate(subscriptions.columns))
    return subscriptions.toDF(*safe).select(*needed)


def safe_events(events: DataFrame) -> tuple[DataFrame, dict[str, str]]:
    """Return the events with safe names, and the column of each attribute."""
    kinds = _kinds("events", events, (EVENT,))
    _check("events", EVENT, kinds[EVENT], isinstance(kinds[EVENT], _NAMES), NAMES)
    safe = {name: EVENT if name == EVENT else SAFE_NAME.format(at) for at, name in enumerate(events.columns)}
    columns = {name: column for name, column in safe.items() if name != EVENT}
    for name in columns:
        _check("events", name, kinds[name], _is_number(kinds[name]), NUMBERS)
    return events.toDF(*safe.values()), columns


def _kinds(table: str, frame: DataFrame, needed: tuple[str, ...]) -> dict[str, T.DataType]:
    """Return the types of the columns, of which each name must be that of one."""
    listed = one_line(", ".join(frame.columns))
    for name in needed:
        if name not in frame.columns:
            raise UserError(f"the {table} have no column '{name}'; they have: {listed}")
    kinds = {field.name: field.dataType for field in frame.schema.fields}
    if len(kinds) < len(frame.columns):
        raise UserError(f"the {table} have two columns of one name; they have: {listed}")
    return kinds


def _is_number(kind: T.DataType) -> bool:
    return isinstance(kind, _NUMBERS) or (isinstance(kind, T.DecimalType) and kind.scale == 0)


def _check(table: str, name: str, kind: T.DataType, is_right: bool, expected: str) -> None:
    if not is_right:
        raise UserError(f"the {table}' column '{one_line(name)}' is {one_line(kind.simpleString())}: {expected}")
