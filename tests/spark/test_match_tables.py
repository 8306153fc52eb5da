"""Tables of subscriptions and events matched on Spark, as plain Python matches them."""

import json
import math
import re
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import MASTER
from pyspark.sql import SparkSession
from small_frames import small_frame

from roamcast.cli import main
from roamcast.cli.main import make_parser
from roamcast.cli.match import EXAMPLE
from roamcast.core.errors import UserError
from roamcast.matching.attribute_space import Limits
from roamcast.spark.matching import match_task
from roamcast.spark.matching.match_tables import match_tables

SUBSCRIPTIONS = "subscription string, attribute string, low double, high double"
EVENTS = "event long, age long, price double"
Row = tuple[Any, ...]


def drawn(random: Random) -> tuple[list[Row], list[Row]]:
    """Return 300 subscriptions and 200 events over two attributes; some ends are open, some values missing."""
    asked: list[Row] = []
    for number in range(300):
        for name, limit in random.sample([("age", 100), ("price", 50)], random.randint(1, 2)):
            low, high = sorted(random.randint(0, limit) for _ in range(2))
            asked.append((f"s{number}", name, random.choice([low, None]), random.choice([high, None])))
    events: list[Row] = [
        (number, random.choice([random.randint(0, 100), None]), random.choice([random.uniform(0, 50), None]))
        for number in range(200)
    ]
    return [(s, a, *(None if x is None else float(x) for x in ends)) for s, a, *ends in asked], events


def plain_pairs(asked: list[Row], events: list[Row]) -> set[tuple[int, str]]:
    ranges: dict[str, list[Row]] = {}
    for name, *rest in asked:
        ranges.setdefault(name, []).append(tuple(rest))
    found = set()
    for event, age, price in events:
        values = {"age": age, "price": price}
        for name, each in ranges.items():
            if all(
                values[a] is not None and (low is None or low <= values[a]) and (high is None or values[a] <= high)
                for a, low, high in each
            ):
                found.add((event, name))
    return found


@pytest.fixture(scope="module")
def tables() -> tuple[list[Row], list[Row]]:
    return drawn(Random(3))


def test_pairs_are_those_of_plain_python_whatever_the_parts(
    spark: SparkSession, tables: tuple[list[Row], list[Row]]
) -> None:
    asked, events = tables
    frames = small_frame(spark, asked, SUBSCRIPTIONS), small_frame(spark, events, EVENTS)
    wanted = plain_pairs(asked, events)
    for part in (1_000_000, 120):
        found = match_tables(*frames, part_subscriptions=part)
        rows = [(row.event, row.subscription) for row in found.matches.collect()]
        assert (len(rows), set(rows)) == (len(wanted), wanted)
        assert (found.subscriptions, found.events, found.bad_subscriptions, found.bad_events) == (300, 200, 0, 0)
    counted = match_tables(*frames, counts_only=True, part_subscriptions=120).matches.collect()
    assert {row.event: row.matches for row in counted} == {
        number: sum(event == number for event, _ in wanted) for number in range(200)
    }


def test_bad_rows_are_left_out_and_counted_if_that_is_asked_for(spark: SparkSession) -> None:
    asked = [
        ("good", "age", 10.0, 20.0),
        ("turned", "age", 20.0, 10.0),
        ("nan", "age", math.nan, 10.0),
        ("outside", "age", -5.0, 10.0),
        ("twice", "age", 1.0, 50.0),
        ("twice", "age", 2.0, 50.0),
        ("half bad", "age", 1.0, 50.0),
        ("half bad", "price", 3.0, 1.0),
        ("nameless", None, 1.0, 2.0),
        (None, "age", 1.0, 50.0),
        ("never", "colour", 1.0, 2.0),
    ]
    events = [(1, 15, 1.0), (2, 15, math.nan), (3, 101, 1.0), (4, 15, math.inf), (None, 15, 1.0), (6, 15, None)]
    found = match_tables(
        small_frame(spark, asked, SUBSCRIPTIONS),
        small_frame(spark, events, EVENTS),
        {"age": Limits(0, 100, whole=True)},
        skip_bad=True,
    )
    assert sorted((row.event, row.subscription) for row in found.matches.collect()) == [(1, "good"), (6, "good")]
    assert (found.subscriptions, found.bad_subscriptions) == (1, 8)
    assert (found.events, found.bad_events) == (2, 4)


GOOD_EVENT, GOOD_RANGE = (1, 15, 1.0), ("good", "age", 10.0, 20.0)


@pytest.mark.parametrize(
    ("asked", "event", "words"),
    [
        (("s", "age", 20.0, 10.0), GOOD_EVENT, "subscription 's': age = [20.0, 10.0]: the range is reversed"),
        (("s", "age", math.nan, 10.0), GOOD_EVENT, "subscription 's': age = [nan, 10.0]: must be numbers, not NaN"),
        (("s", "age", -0.5, 10.0), GOOD_EVENT, "subscription 's': age = [-0.5, 10.0]: must be within the attribute's"),
        (("s", "age", None, 100.5), GOOD_EVENT, "subscription 's': age = [None, 100.5]: must be within the"),
        (("s", "agge", 1.0, 2.0), GOOD_EVENT, "subscription 's': no limits declared: unknown attribute 'agge'"),
        (("good", "age", 1.0, 2.0), GOOD_EVENT, "subscription 'good': age = [1.0, 2.0]: the subscription has another"),
        (("s", None, 1.0, 2.0), GOOD_EVENT, "subscription 's': no attribute = [1.0, 2.0]: every row must have an attr"),
        ((None, "age", 1.0, 2.0), GOOD_EVENT, "subscriptions: age = [1.0, 2.0]: every row must have a subscription"),
        (GOOD_RANGE, (7, 101, 1.0), "event 7: age = 101.0: must be within its limits 0 to 100"),
        (GOOD_RANGE, (7, 15, math.nan), "event 7: price = nan: must be a number, not NaN"),
        (GOOD_RANGE, (7, 15, math.inf), "event 7: price = inf: must be within its limits"),
        (GOOD_RANGE, (None, 15, 1.0), "the events' column 'event' has a null"),
    ],
)  # fmt: skip
def test_the_first_bad_row_is_named_with_its_attribute(spark: SparkSession, asked: Row, event: Row, words: str) -> None:
    rows = [GOOD_RANGE] if asked is GOOD_RANGE else [GOOD_RANGE, asked, ("later", "age", 3.0, 1.0)]
    frames = small_frame(spark, rows, SUBSCRIPTIONS), small_frame(spark, [GOOD_EVENT, event], EVENTS)
    with pytest.raises(UserError) as raised:
        match_tables(*frames, {"age": Limits(0, 100, whole=True)})
    assert str(raised.value).startswith(words)


EXACT = 2**53
WHOLE = "subscription string, attribute string, low long, high long"
WHOLE_RANGES = [("at", "age", EXACT, EXACT), ("open", "age", None, EXACT - 1)]
WHOLE_EVENTS = [(1, EXACT, 0.0), (2, EXACT - 1, 0.0)]


def test_whole_numbers_are_exact_as_far_as_floats_are(spark: SparkSession) -> None:
    found = match_tables(small_frame(spark, WHOLE_RANGES, WHOLE), small_frame(spark, WHOLE_EVENTS, EVENTS))
    assert sorted((row.event, row.subscription) for row in found.matches.collect()) == [(1, "at"), (2, "open")]


@pytest.mark.parametrize("large", [EXACT + 1, -EXACT - 1, 2**63 - 1])
def test_a_whole_number_that_a_float_may_not_hold_is_refused_and_never_rounded(spark: SparkSession, large: int) -> None:
    ends = (0, large) if large > 0 else (large, 0)
    with pytest.raises(UserError) as raised:
        match_tables(small_frame(spark, [("s", "age", *ends)], WHOLE), small_frame(spark, WHOLE_EVENTS, EVENTS))
    assert str(raised.value).startswith(f"subscription 's': age = {list(ends)}: must be at most 2^53")
    asked, events = small_frame(spark, WHOLE_RANGES, WHOLE), small_frame(spark, [(7, large, 0.0)], EVENTS)
    with pytest.raises(UserError) as raised:
        match_tables(asked, events)
    assert str(raised.value).startswith(f"event 7: age = {large}: must be ")
    left = match_tables(asked, events, skip_bad=True)
    assert (left.events, left.bad_events) == (0, 1)


def test_limits_of_an_attribute_that_is_in_neither_table_are_a_slip_of_the_pen(spark: SparkSession) -> None:
    frames = small_frame(spark, [GOOD_RANGE], SUBSCRIPTIONS), small_frame(spark, [GOOD_EVENT], EVENTS)
    with pytest.raises(UserError, match=r"limits: unknown attribute 'agge'; did you mean 'age'\? known: age, price"):
        match_tables(*frames, {"agge": Limits(0, 1)})
    declared = small_frame(spark, [("s", "colour", 1.0, 2.0)], SUBSCRIPTIONS)
    assert match_tables(declared, frames[1], {"colour": Limits(0, 9)}).subscriptions == 1  # no event has it yet


def test_tables_of_the_wrong_shape_are_refused_by_name(spark: SparkSession) -> None:
    asked = small_frame(spark, [("s", "age", 1.0, 2.0)], SUBSCRIPTIONS)
    events = small_frame(spark, [(1, 2, 3.0)], EVENTS)
    with pytest.raises(UserError, match="the subscriptions have no column 'low'; they have: subscription"):
        match_tables(asked.drop("low"), events)
    with pytest.raises(UserError, match="the events have no column 'event'"):
        match_tables(asked, events.drop("event"))


def test_the_example_in_the_help_is_a_command() -> None:
    _, name, *arguments = EXAMPLE.split()
    assert make_parser(name).parse_args(arguments).counts


def test_pairs_are_handed_over_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_task, "PAIRS_MAX", 10)
    assert list(match_task._cuts([4, 4, 4, 0, 30, 1, 0])) == [3, 5, 7]
    assert list(match_task._cuts([0, 0])) == []


def test_the_command_writes_the_pairs_and_says_what_it_did(
    spark: SparkSession,  # noqa: ARG001 - the command finds the running session
    tables: tuple[list[Row], list[Row]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked, events = tables
    names = ("subscription", "attribute", "low", "high"), ("event", "age", "price")
    for file, rows, columns in (("s", asked, names[0]), ("e", events, names[1])):
        written = [dict(zip(columns, row, strict=True)) for row in rows]
        pq.write_table(pa.Table.from_pylist(written), tmp_path / f"{file}.parquet")
    command = ["match", str(tmp_path / "s.parquet"), str(tmp_path / "e.parquet"), "--master", MASTER]
    out = tmp_path / "out"
    assert main([*command, "--out", str(out), "--limit", "age=0:89", "--json", "--skip-bad"]) == 1  # some are older
    report = json.loads(capsys.readouterr().out)
    good_events = [row for row in events if row[1] is None or row[1] <= 89]
    bad = {row[0] for row in asked if row[1] == "age" and max(row[2] or 0, row[3] or 0) > 89}
    wanted = plain_pairs([row for row in asked if row[0] not in bad], good_events)
    assert 0 < report["bad_events"] == len(events) - len(good_events)
    found = pq.read_table(out / "matches").to_pylist()
    assert {(row["event"], row["subscription"]) for row in found} == wanted
    assert (report["matches"], report["bad_subscriptions"]) == (len(wanted), len(bad))
    assert main([*command, "--out", str(out)]) == 2
    assert "exists already" in capsys.readouterr().err
    other = tmp_path / "other"
    assert main([*command, "--out", str(other), "--limit", "age=0:89"]) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("roamcast:")]
    assert re.fullmatch(
        r"roamcast: subscription 's\d+': age = \[.*\]: must be within the attribute's limits 0 to 89", line
    )
    assert not (other / "matches").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.parquet", "e.parquet"], "none.parquet: no such table"),
        (["e.parquet", "e.parquet", "--limit", "age"], '--limit = "age": must be NAME=LOW:HIGH'),
        (["e.parquet", "e.parquet", "--limit", "age=nan:1"], "age low limit = nan: must be a number, not NaN"),
        (
            ["e.parquet", "e.parquet", "--limit", "a=0:1", "--limit", "a=0:2"],
            '--limit = "a": must give the limits of an attribute only once',
        ),
        (["e.parquet", "e.parquet", "--limit", "age=9:1"], "age limits = [9.0, 1.0]: the low limit must not be above"),
        (["e.parquet", "e.parquet"], "the subscriptions have no column 'subscription'; they have: event"),
        (["text.parquet", "e.parquet"], "text.parquet: is not a Parquet file; docs/matching.md explains how"),
        (["s.parquet", "e.parquet", "--out", "e.parquet/x"], "e.parquet/x: cannot be written"),
    ],
)
def test_a_mistake_on_the_command_line_is_one_line(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"event": [1], "age": [2]}), "e.parquet")
    pq.write_table(pa.table({"subscription": ["s"], "attribute": ["age"], "low": [1], "high": [2]}), "s.parquet")
    (tmp_path / "text.parquet").write_text("no Parquet")
    assert main(["match", "--out", "out", *arguments, "--master", MASTER]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("roamcast: ")
    assert words in last
