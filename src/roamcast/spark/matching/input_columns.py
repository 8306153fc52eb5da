"""The columns of the two tables that are matched: required columns, their types, and names that are safe for Spark.

An attribute may have any name. Spark takes a dot in a column's name for a field of a struct, a backtick for a quote,
and ``age`` and ``Age`` for the same column; so columns are renamed by their index before anything else is done.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses
from pyspark.sql import types as T  # noqa: N812 - likewise

from roamcast.core.errors import InvalidValueError, UserError, one_line
from roamcast.spark.matching.match_task import EVENT, SUBSCRIPTION
from roamcast.spark.matching.subscription_checks import ATTRIBUTE, HIGH, LOW

SAFE_NAME = "attribute_{}"
SUBSCRIPTION_COLUMNS = (SUBSCRIPTION, ATTRIBUTE, LOW, HIGH)
EVENT_COLUMNS = (EVENT,)
"""The required columns."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A set of types that a column may have."""

    has: Callable[[T.DataType], bool]
    """Tells whether a type is one of them."""
    usual: T.DataType
    expected: str


def _is_name(kind: T.DataType) -> bool:
    return isinstance(kind, (T.StringType, T.BinaryType, T.BooleanType, T.NumericType, T.DateType, *_TIMES))


def _is_text(kind: T.DataType) -> bool:
    return isinstance(kind, T.StringType)


def _is_number(kind: T.DataType) -> bool:
    return isinstance(kind, _NUMBERS) or (isinstance(kind, T.DecimalType) and kind.scale == 0)


_TIMES = (T.TimestampType, T.TimestampNTZType)
_NUMBERS = (T.ByteType, T.ShortType, T.IntegerType, T.LongType, T.FloatType, T.DoubleType)
NAME = Kind(_is_name, T.StringType(), "a name must be a text, bytes, a number, a truth value, a date or a time")
TEXT = Kind(_is_text, T.StringType(), "must contain texts")
NUMBER = Kind(
    _is_number,
    T.DoubleType(),
    "must contain numbers: byte to long, float, double, or decimal without decimal places, as which uint64 is read",
)


def safe_subscriptions(subscriptions: DataFrame) -> DataFrame:
    """Return the four required columns of subscriptions."""
    _check_columns("subscriptions", subscriptions, SUBSCRIPTION_COLUMNS)
    safe = (
        name if name in SUBSCRIPTION_COLUMNS else SAFE_NAME.format(at) for at, name in enumerate(subscriptions.columns)
    )
    frame = subscriptions.toDF(*safe).select(*SUBSCRIPTION_COLUMNS)
    for name, kind in zip(SUBSCRIPTION_COLUMNS, (NAME, TEXT, NUMBER, NUMBER), strict=True):
        frame = _with_kind(frame, name, kind, "subscriptions", name)
    return frame


def safe_events(events: DataFrame, needed: Collection[str]) -> tuple[DataFrame, dict[str, str], tuple[str, ...]]:
    """Return the events with safe names, the column of each attribute, and the columns that are left out.

    Columns that are not numbers are left out unless they are needed: they cannot change the result.
    """
    _check_columns("events", events, EVENT_COLUMNS)
    safe = {name: EVENT if name == EVENT else SAFE_NAME.format(at) for at, name in enumerate(events.columns)}
    is_number = {field.name: NUMBER.has(field.dataType) for field in events.schema.fields}
    columns = {name: column for name, column in safe.items() if name != EVENT and (is_number[name] or name in needed)}
    frame = events.toDF(*safe.values()).select(EVENT, *columns.values())
    frame = _with_kind(frame, EVENT, NAME, "events", EVENT)
    for name, column in columns.items():
        frame = _with_kind(frame, column, NUMBER, "events", name)
    return frame, columns, tuple(name for name in safe if name != EVENT and name not in columns)


def _check_columns(table: str, frame: object, needed: tuple[str, ...]) -> None:
    """Raise an error if a value is not a frame, a column is missing, or two columns have the same name."""
    if not isinstance(frame, DataFrame):
        given = f"{type(frame).__module__.partition('.')[0]}.{type(frame).__name__}"
        raise InvalidValueError(table, given, "must be a Spark DataFrame, as returned by spark.createDataFrame")
    listed = one_line(", ".join(frame.columns))
    for name in needed:
        if name not in frame.columns:
            raise UserError(f"the {table} have no column '{name}'; they have: {listed}")
    if len(set(frame.columns)) < len(frame.columns):
        raise UserError(f"the {table} have two columns with the same name; they have: {listed}")


def _with_kind(frame: DataFrame, column: str, kind: Kind, table: str, name: str) -> DataFrame:
    """Return the frame with a column of the required kind; a column without values is converted, whatever its type.

    pandas cannot know the type of a column without values, and Spark reads what it writes as integers.
    """
    found = frame.schema[column].dataType
    if kind.has(found):
        return frame
    if frame.where(F.col(column).isNotNull()).isEmpty():
        return frame.withColumn(column, F.lit(None).cast(kind.usual))
    raise UserError(f"the {table}' column '{one_line(name)}' is {one_line(found.simpleString())}: {kind.expected}")
