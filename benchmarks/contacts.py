"""Who is in range of whom, four ways: ``python -m benchmarks.contacts [--steps 600] [--repeat 3]``.

- *windows*: the compiled grid on files of whole ticks; what ``roamcast contacts`` does with a recording whose rows are
  at the ticks;
- *ticks*: the same on positions that are brought to the ticks first; what it does with waypoints and with another step;
- *tree*: as *windows*, with a KD-tree a tick instead of the grid, if SciPy is installed, which is no dependency;
- *SQL*: a join of grid cells, each with half of its neighbourhood, then the same stretches by a window.

All end with the stretches of every pair, which must be the same.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from benchmarks.recorded import SIDE_M, write_parquet
from roamcast.recordings.recording_layout import CONTACTS, Imported
from roamcast.spark.contacts import contact_search as contacts
from roamcast.spark.contacts.contact_search import find_stretches
from roamcast.spark.contacts.contact_tables import join_stretches, prepare
from roamcast.spark.contacts.contact_tasks import Ticks, WindowTask
from roamcast.spark.contacts.links import network_of
from roamcast.spark.contacts.stretches import Stretches
from roamcast.spark.contacts.ticks import ChosenTicks
from roamcast.spark.movement.import_folder import import_folder
from roamcast.spark.movement.movement_import import ImportOptions, import_movement
from roamcast.spark.session.master import DEFAULT_MASTER
from roamcast.spark.session.session import open_session

RANGE_M = SIDE_M * (10 / 3.14159265 / 1_000) ** 0.5
"""About ten neighbours among the thousand nodes of the generated file."""


def main() -> int:
    """Measure all of them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.contacts", description=__doc__)
    parser.add_argument("--steps", type=int, default=600, help="rows of each of the 1,000 nodes (default: 600)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each (default: 3); the first warms up")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "movement.parquet"
        write_parquet(file, options.steps)
        spark = open_session(DEFAULT_MASTER, quick_start=False)
        movement = import_movement([file], Path(folder) / "movement", DEFAULT_MASTER, ImportOptions())
        ways = {name: way for name, way in WAYS.items() if name != "tree" or find_spec("scipy") is not None}
        for name, way in ways.items():
            took_s, found = [], 0
            for _ in range(options.repeat + 1):
                begin_s = time.monotonic()
                found = way(spark, movement, Path(folder) / "out")
                took_s.append(time.monotonic() - begin_s)
            best = min(took_s[1:] or took_s)
            rows = movement.summary["rows"]
            print(f"{name:8} {best:6.1f} s best of {options.repeat}, {found:,} contacts of {rows:,} rows", flush=True)
    return 0


def by_windows(spark: SparkSession, movement: Imported, out: Path, are_even: bool = True) -> int:
    """Find the contacts on files that hold whole ticks."""
    chosen = ChosenTicks(_ticks(movement), 0, are_even)
    with import_folder(out, CONTACTS) as place:
        prepare(place)
        found = find_stretches(spark, place, movement, chosen, RANGE_M)
        joined = join_stretches(spark, place, found, 0.0, 1.0)
        shutil.rmtree(place.root / CONTACTS)
        (place.root / f"{CONTACTS}.json").touch()  # so that the next run may take its place
        return sum(file.rows for file in joined)


def by_tree(spark: SparkSession, movement: Imported, out: Path) -> int:
    """Find the contacts as by windows, with a KD-tree a tick."""
    with mock.patch.object(contacts, "WindowTask", TreeTask):
        return by_windows(spark, movement, out)


class TreeTask(WindowTask):
    """Looks at windows with SciPy's KD-tree instead of the compiled grid."""

    def __call__(self, window: int) -> list[Stretches]:
        """Look at a window."""
        with mock.patch("roamcast.spark.contacts.links.LinkSearch", TreeSearch):
            return WindowTask.__call__(self, window)


class TreeSearch:
    """Stands in for ``LinkSearch``: all moments at once, each with a tree of its own."""

    def __init__(self, starts: Any, x_m: Any, y_m: Any, range_m: float) -> None:
        from scipy.spatial import KDTree

        self.done, self.is_done = 0, False
        self.degrees, self.networks = np.zeros(len(x_m), np.int64), np.zeros((len(starts) - 1, 4), np.int64)
        found = []
        for moment, (low, high) in enumerate(pairwise(starts)):
            tree = KDTree(np.column_stack((x_m[low:high], y_m[low:high])))
            one, other = tree.query_pairs(range_m, output_type="ndarray").T
            network_of(high - low, one, other, self.degrees[low:high], self.networks[moment])
            found.append((one + low, other + low, np.full(len(one), moment)))
        self.one, self.other, self.moments = (np.concatenate(column) for column in zip(*found, strict=True))

    def advance(self, pairs_max: int) -> None:
        """Say that it is done: it has looked at everything already."""
        del pairs_max
        self.done, self.is_done = len(self.networks), True


def by_ticks(spark: SparkSession, movement: Imported, out: Path) -> int:
    """Find the contacts on positions that are brought to the ticks."""
    return by_windows(spark, movement, out, are_even=False)


def by_sql(spark: SparkSession, movement: Imported, out: Path) -> int:
    """Find the contacts by a join of cells."""
    del out
    ticks = _ticks(movement)
    rows = spark.read.parquet(str(movement.table))
    tick = F.round((F.col("time_s") - F.lit(ticks.first_s)) / F.lit(ticks.step_s)).cast("long")
    return merged(sql_stretches(rows.select(tick.alias("tick"), "node", "x_m", "y_m"), RANGE_M)).count()


def sql_stretches(places: DataFrame, range_m: float) -> DataFrame:
    """Return the stretches of ticks during which pairs are in range, by SQL alone: (a, b, first, last)."""
    cells = places.withColumn("column", F.floor(F.col("x_m") / range_m)).withColumn(
        "row", F.floor(F.col("y_m") / range_m)
    )
    half = F.array(*(F.struct(F.lit(dx).alias("dx"), F.lit(dy).alias("dy")) for dx, dy in _HALF))
    asked = cells.withColumn("step", F.explode(half)).select(
        "tick",
        F.col("node").alias("p"),
        F.col("x_m").alias("px"),
        F.col("y_m").alias("py"),
        (F.col("column") + F.col("step.dx")).alias("column"),
        (F.col("row") + F.col("step.dy")).alias("row"),
        ((F.col("step.dx") == 0) & (F.col("step.dy") == 0)).alias("same"),
    )
    away_x, away_y = F.col("px") - F.col("x_m"), F.col("py") - F.col("y_m")
    pairs = (
        asked.join(cells, on=["tick", "column", "row"], how="inner")
        .where((~F.col("same")) | (F.col("p") < F.col("node")))
        .where(away_x * away_x + away_y * away_y <= F.lit(range_m * range_m))
        .select("tick", F.least("p", "node").alias("a"), F.greatest("p", "node").alias("b"))
    )
    by_pair = Window.partitionBy("a", "b").orderBy("tick")
    island = F.col("tick") - F.row_number().over(by_pair)
    found = pairs.withColumn("island", island).groupBy("a", "b", "island")
    return found.agg(F.min("tick").alias("first"), F.max("tick").alias("last")).select("a", "b", "first", "last")


_HALF = ((0, 0), (1, 0), (-1, 1), (0, 1), (1, 1))
"""A cell and half of its neighbours; the other half asks for it."""


def merged(found: DataFrame) -> DataFrame:
    """Join adjacent stretches of a pair: (a, b, first, last), in ticks."""
    by_pair = Window.partitionBy("a", "b").orderBy("first")
    before = F.max("last").over(by_pair.rowsBetween(Window.unboundedPreceding, -1))
    return (
        found.withColumn("before", before)
        .withColumn("begins", (F.col("before").isNull() | (F.col("first") > F.col("before") + 1)).cast("int"))
        .withColumn("island", F.sum("begins").over(by_pair))
        .groupBy("a", "b", "island")
        .agg(F.min("first").alias("first"), F.max("last").alias("last"))
        .select("a", "b", "first", "last")
    )


def _ticks(movement: Imported) -> Ticks:
    return Ticks(movement.summary["first_s"], movement.summary["step_s"])


WAYS: dict[str, Callable[[SparkSession, Imported, Path], int]] = {
    "windows": by_windows,
    "tree": by_tree,
    "ticks": by_ticks,
    "SQL": by_sql,
}

if __name__ == "__main__":
    sys.exit(main())
