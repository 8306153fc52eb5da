"""Files of subscriptions and events: of different columns, damaged, of nothing, and no Parquet at all."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import MASTER
from pyspark.sql import SparkSession

from roamcast.cli import main
from roamcast.spark.matching import match_files

ASKED = {"subscription": ["s"], "attribute": ["age"], "low": [1.0], "high": [2.0]}
EVENTS = {"event": [1], "age": [2]}


def write(path: Path, columns: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)


def matched(folder: Path, *more: str) -> int:
    """Match the tables ``s`` and ``e`` of a folder, which are new in it, and return the exit code."""
    command = ["match", str(folder / "s"), str(folder / "e"), "--out", str(folder / "out")]
    return main([*command, "--master", MASTER, *more])


def pairs(folder: Path) -> list[tuple[Any, Any]]:
    found = pq.read_table(folder / "out" / "matches").to_pylist()
    return sorted((row["event"], row["subscription"]) for row in found)


def without(columns: dict[str, Any], name: str) -> dict[str, Any]:
    return {each: values for each, values in columns.items() if each != name}


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        (
            "s",
            b"subscription,attribute,low,high\n",
            "s: is not a Parquet file; docs/matching.md explains how to convert CSV",
        ),
        ("e", b"", "e: is not a Parquet file; docs"),
        ("e", b"PAR1 and no more than this", "e: cannot be read as a Parquet table (Parquet magic bytes not found in"),
        (
            "s",
            without(ASKED, "low"),
            "s: the subscriptions have no column 'low'; they have: subscription, attribute, h",
        ),
        ("e", without(EVENTS, "event"), "e: the events have no column 'event'; they have: age"),
        ("e/b.parquet", {"age": [1]}, "e/b.parquet: the events have no column 'event'; they have: age"),
        ("e/b.parquet", b"event,age\n", "e/b.parquet: is not a Parquet file"),
        ("e/sub/b.parquet", EVENTS, "e/sub: a folder in a table must be named COLUMN=VALUE"),
        ("e/_ignored", b"", "e: contains no Parquet file"),
        ("e", EVENTS | {"event": pa.array([1], pa.timestamp("ns"))}, "e: column 'event' is timestamp[ns], which Spark"),
    ],
)
def test_what_no_table_can_be_is_said_before_spark_starts(
    file: str,
    content: bytes | dict[str, Any],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(match_files, "open_session", lambda *_: pytest.fail("Spark was started"))
    folder = tmp_path / file.partition("/")[0]
    for name, columns in (("s", ASKED), ("e", EVENTS)):
        if tmp_path / name != folder:
            write(tmp_path / name, columns)
        elif "/" in file and "_" not in file:
            write(folder / "a.parquet", columns)
    if isinstance(content, bytes):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes(content)
    else:
        write(tmp_path / file, content)
    assert matched(tmp_path) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"roamcast: {tmp_path}/{words}")
    assert not (tmp_path / "out").exists()


def test_files_of_a_table_may_have_different_columns(
    spark: SparkSession,  # noqa: ARG001 - the command finds the running session
    tmp_path: Path,
) -> None:
    write(tmp_path / "e" / "a.parquet", {"event": [1, 2], "age": [5, 50], "weight": [7.0, 7.0]})
    write(tmp_path / "e" / "b.parquet", {"event": [3, 4], "price": [1.0, 9.0], "age": [5, None]})
    write(tmp_path / "s" / "attribute=age" / "a.parquet", {"subscription": ["young"], "low": [0.0], "high": [9.0]})
    cheap = {"subscription": ["cheap"], "low": [0.0], "high": [5.0], "added": ["today"]}
    write(tmp_path / "s" / "attribute=price" / "a.parquet", cheap)
    heavy = {"subscription": ["heavy"], "low": [6.0], "high": pa.array([None], pa.float64())}
    write(tmp_path / "s" / "attribute=weight" / "a.parquet", heavy)
    assert matched(tmp_path) == 0
    assert pairs(tmp_path) == [(1, "heavy"), (1, "young"), (2, "heavy"), (3, "cheap"), (3, "young")]


def test_files_that_disagree_on_a_type_and_files_that_are_damaged_are_named(
    spark: SparkSession,  # noqa: ARG001 - the command finds the running session
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(tmp_path / "s", ASKED)
    write(tmp_path / "e" / "a.parquet", {"event": pa.array(["x"]), "age": [5], "price": [1.0]})
    write(tmp_path / "e" / "b.parquet", {"event": pa.array(["y"], pa.large_string()), "price": ["1"], "age": [5]})
    assert matched(tmp_path) == 2
    words = "column 'price' is string, but double in a.parquet: must have the same type in all files"
    assert capsys.readouterr().err.splitlines()[-1] == f"roamcast: {tmp_path}/e/b.parquet: {words}"

    damaged = tmp_path / "e" / "b.parquet"
    write(damaged, {"event": ["y"], "age": [5], "price": pa.array([1], pa.time64("us"))})
    assert matched(tmp_path) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == f"roamcast: {damaged}: column 'price' is time64[us], which Spark does not read"

    write(damaged, {"event": [f"event {at}" for at in range(3000)], "age": list(range(3000)), "price": [1.0] * 3000})
    content = bytearray(damaged.read_bytes())
    content[1000:1400] = bytes(each ^ 0xFF for each in content[1000:1400])
    damaged.write_bytes(content)
    assert matched(tmp_path) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(f"roamcast: {damaged}: cannot be read as a Parquet table (")
    assert not (tmp_path / "out" / "matches").exists()


def test_tables_of_nothing_as_pandas_writes_them_are_read(
    spark: SparkSession,  # noqa: ARG001 - the command finds the running session
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(tmp_path / "e", EVENTS)
    pd.DataFrame(columns=list(ASKED)).to_parquet(tmp_path / "s")
    assert matched(tmp_path) == 0
    assert "0 matches of 1 events with 0 subscriptions" in capsys.readouterr().out
    write(tmp_path / "s", ASKED)
    pd.DataFrame(columns=list(EVENTS)).to_parquet(tmp_path / "e")
    assert matched(tmp_path, "--counts") == 0
    assert "0 matches of 0 events with 1 subscriptions" in capsys.readouterr().out


def test_columns_that_nobody_asks_for_are_left_out_and_named(
    spark: SparkSession,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = spark.conf.get("spark.sql.legacy.parquet.nanosAsLong")
    write(tmp_path / "s", ASKED)
    times = pa.array(np.array(["2026-01-01"], "datetime64[ns]"))
    write(tmp_path / "e", EVENTS | {"two\nlines": ["here"], "back`tick": times})
    assert matched(tmp_path) == 0
    words = "event columns left out, since no subscription uses them and they are not numbers: two\\nlines, back`tick"
    assert capsys.readouterr().err.splitlines()[-1] == f"roamcast: {words}"
    assert pairs(tmp_path) == [(1, "s")]
    assert matched(tmp_path, "--counts", "--limit", "back`tick=0:1") == 2
    assert "column 'back`tick' is timestamp: must contain numbers" in capsys.readouterr().err.splitlines()[-1]
    assert spark.conf.get("spark.sql.legacy.parquet.nanosAsLong") == before
