"""Tables with columns that Spark finds odd: their names, their types, and events of one name."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import MASTER
from pyspark.sql import SparkSession
from small_frames import small_frame

from roamcast.cli import main
from roamcast.core.errors import UserError
from roamcast.matching.attribute_space import Limits
from roamcast.spark.matching.match_tables import match_tables

SUBSCRIPTIONS = "subscription string, attribute string, low double, high double"
ODD_NAMES = ("a.b", "a=b", "back`tick", "age", "Age", "two\nlines", "Event", "attribute_0")


def test_counts_are_of_rows_whatever_the_parts(spark: SparkSession) -> None:
    asked = [(f"s{number}", "age", 0.0, 10.0 + number) for number in range(4)]
    rows = [(1, 5.0), (1, 5.0), (1, 12.0), (2, None), (3, 13.0), (3, 13.0)]
    frames = small_frame(spark, asked, SUBSCRIPTIONS), small_frame(spark, rows, "event long, age double")
    for part in (1_000_000, 1):
        found = match_tables(*frames, counts_only=True, part_subscriptions=part).matches
        assert found.columns == ["event", "matches"]
        wanted = [(1, 2), (1, 4), (1, 4), (2, 0), (3, 1), (3, 1)]
        assert sorted((row.event, row.matches) for row in found.collect()) == wanted


def written(folder: Path, asked: list[tuple[Any, ...]], events: dict[str, Any]) -> list[str]:
    """Write two tables and return the beginning of the command that matches them."""
    columns = dict(zip(("subscription", "attribute", "low", "high"), map(list, zip(*asked, strict=True)), strict=True))
    pq.write_table(pa.table(columns), folder / "s.parquet")
    pq.write_table(pa.table(events), folder / "e.parquet")
    return ["match", str(folder / "s.parquet"), str(folder / "e.parquet"), "--master", MASTER, "--out"]


def test_an_attribute_may_have_any_name(spark: SparkSession, tmp_path: Path) -> None:
    before = spark.conf.get("spark.sql.caseSensitive")
    asked = [(f"s{at}", name, at, at) for at, name in enumerate(ODD_NAMES)]
    events = {"event": ["x", "y"]} | {name: [float(at), 100.0] for at, name in enumerate(ODD_NAMES)}
    command = written(tmp_path, asked, events)
    assert main([*command, str(tmp_path / "out"), "--limit", "a=b=0:100"]) == 0
    found = pq.read_table(tmp_path / "out" / "matches").to_pylist()
    wanted = [("x", f"s{at}") for at in range(len(ODD_NAMES))]
    assert sorted((row["event"], row["subscription"]) for row in found) == wanted
    assert spark.conf.get("spark.sql.caseSensitive") == before


def test_a_bad_value_of_an_oddly_named_attribute_is_one_line(spark: SparkSession) -> None:
    asked = small_frame(spark, [("s", "a.b", 0.0, 1.0)], SUBSCRIPTIONS)
    events = small_frame(spark, [(1, 5.0, 5.0)], "event long, `a.b` double, `two\nlines` double")
    with pytest.raises(UserError, match=r"^event 1: a\.b = 5\.0: must be within its limits 0 to 1$"):
        match_tables(asked, events, {"a.b": Limits(0, 1)})
    with pytest.raises(UserError, match=r"^event 1: two\\nlines = 5\.0: must be within its limits 0 to 1$"):
        match_tables(asked, events, {"two\nlines": Limits(0, 1)})


def test_a_column_that_spark_does_not_read_is_named(
    spark: SparkSession,  # noqa: ARG001 - the command finds the running session
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = written(tmp_path, [("s", "age", 1, 2)], {"event": pa.array([1], pa.timestamp("ns")), "age": [1.0]})
    assert main([*command, str(tmp_path / "out")]) == 2
    assert "column 'event' is timestamp[ns], which Spark does not read" in capsys.readouterr().err.splitlines()[-1]


def test_whole_numbers_may_be_decimals_without_places_as_far_as_they_are_exact(
    spark: SparkSession, tmp_path: Path
) -> None:
    large = pa.array([5, 2**53], pa.uint64())
    asked = [("in", "age", Decimal(5), Decimal(2**53)), ("open", "age", None, Decimal(6))]
    command = written(tmp_path, asked, {"event": [1, 2], "age": large})
    assert main([*command, str(tmp_path / "out")]) == 0
    found = pq.read_table(tmp_path / "out" / "matches").to_pylist()
    wanted = [(1, "in"), (1, "open"), (2, "in")]
    assert sorted((row["event"], row["subscription"]) for row in found) == wanted
    whole = "subscription string, attribute string, low decimal(20,0), high decimal(20,0)"
    events = small_frame(spark, [(1, Decimal(2**53 + 1))], "event long, age decimal(20,0)")
    with pytest.raises(UserError, match=f"subscription 's': age = .0, {2**53 + 1}.: must be at most 2.53"):
        match_tables(small_frame(spark, [("s", "age", Decimal(0), Decimal(2**53 + 1))], whole), events)
    with pytest.raises(UserError, match=f"event 1: age = {2**53 + 1}: must be a number that a 64-bit float holds"):
        match_tables(small_frame(spark, [("s", "age", Decimal(0), Decimal(1))], whole), events)


def test_a_column_of_a_type_that_cannot_be_is_named(spark: SparkSession) -> None:
    asked, events = "'s' subscription, 'age' attribute, 0.5D low, 1.5D high", "1L event, 1D age"
    cases = [
        (asked, "map('a', 1) event, 1D age", "the events' column 'event' is map<string,int>: a name"),
        (asked, "array(1) event, 1D age", "the events' column 'event' is array<int>: a name must be"),
        (asked, "1L event, 1.25BD age", "column 'age' is decimal(3,2): must contain numbers: byte to"),
        (asked.replace("'s'", "map(1, 1)"), events, "column 'subscription' is map<int,int>: a"),
        (asked.replace("'age'", "1"), events, "'attribute' is int: must contain"),
        (asked.replace("0.5D", "'low'"), events, "'low' is string: must contain numbers"),
    ]
    for asked_columns, event_columns, words in cases:
        with pytest.raises(UserError) as raised:
            match_tables(spark.sql(f"select {asked_columns}"), spark.sql(f"select {event_columns}"))
        assert words in str(raised.value)


def test_a_column_without_a_value_may_be_of_any_type(spark: SparkSession) -> None:
    """Pandas does not know what a column of nothing would be of, and Spark takes what it writes for whole numbers."""
    none = small_frame(spark, [], "subscription map<int,int>, attribute int, low string, high void")
    events = small_frame(spark, [(1, 2.0, None), (2, None, None)], "event long, age double, price string")
    found = match_tables(none, events, counts_only=True)
    assert sorted((row.event, row.matches) for row in found.matches.collect()) == [(1, 0), (2, 0)]
    assert (found.subscriptions, found.events) == (0, 2)
    asked = small_frame(spark, [("cheap", "price", None, 5.0), ("young", "age", None, 5.0)], SUBSCRIPTIONS)
    found = match_tables(asked, events)  # no event has a price
    assert [tuple(row) for row in found.matches.collect()] == [(1, "young")]
    assert found.columns_left_out == ()
    nameless = small_frame(spark, [], "event array<int>, age boolean, price double")
    assert match_tables(asked, nameless).matches.collect() == []


def test_a_column_that_is_no_number_is_left_out_if_nobody_asks_for_it(spark: SparkSession) -> None:
    asked = small_frame(spark, [("s", "age", 1.0, 2.0)], SUBSCRIPTIONS)
    odd = "'here' place, true `is.it`, date'2026-01-01' day, array(1) list, 1.25BD cost"
    events = spark.sql(f"select 1L event, {odd}, 2D age")
    found = match_tables(asked, events)
    assert [tuple(row) for row in found.matches.collect()] == [(1, "s")]
    assert found.columns_left_out == ("place", "is.it", "day", "list", "cost")
    with pytest.raises(UserError, match=r"the events' column 'is\.it' is boolean: must contain numbers"):
        match_tables(asked, events, {"is.it": Limits(0, 1)})
    with pytest.raises(UserError, match="the events' column 'place' is string: must contain numbers"):
        match_tables(small_frame(spark, [("s", "place", 1.0, 2.0)], SUBSCRIPTIONS), events)


def test_what_is_no_spark_dataframe_is_refused_by_its_type(spark: SparkSession) -> None:
    asked, events = small_frame(spark, [], SUBSCRIPTIONS), small_frame(spark, [], "event long")
    with pytest.raises(UserError, match=r'^subscriptions = "pandas\.DataFrame": must be a Spark DataFrame'):
        match_tables(asked.toPandas(), events)
    with pytest.raises(UserError, match=r'^events = "builtins\.NoneType": must be a Spark DataFrame'):
        match_tables(asked, None)  # type: ignore[arg-type]


def test_limits_of_values_that_are_too_far_apart_are_not_said_to_be_declared(spark: SparkSession) -> None:
    asked = small_frame(spark, [("s", "age", -1.7e308, 1.7e308)], SUBSCRIPTIONS)
    events = small_frame(spark, [(1, 2.0)], "event long, age double")
    with pytest.raises(
        UserError, match=r"^age = \[-1.7e\+308, 1.7e\+308\]: no limits are declared, and the lowest and"
    ):
        match_tables(asked, events)


def test_a_part_of_no_subscriptions_and_a_column_that_is_there_twice_are_refused(spark: SparkSession) -> None:
    asked, events = small_frame(spark, [], SUBSCRIPTIONS), small_frame(spark, [], "event long, age double")
    with pytest.raises(UserError, match="part_subscriptions = 0: must be a whole number of at least 1"):
        match_tables(asked, events, part_subscriptions=0)
    with pytest.raises(UserError, match="the events have two columns with the same name; they have: event, age, age"):
        match_tables(asked, events.select("event", "age", "age"))
