"""Computing contacts from movement on Spark, and writing tables of contacts.

Time is sampled at ticks: the recording's own times (``ticks``), or every ``step_s``. A pair that is in range at a tick
is in contact from that tick to the next; so a contact consists of whole ticks, and is exact at the recording's
resolution. We measured the alternatives (``python -m benchmarks.contacts``): a compiled grid for each tick inside an
Arrow function is several times as fast as a join of grid cells in SQL.
"""

from math import floor
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from roamcast.campaigns.progress import NoProgress, Progress
from roamcast.campaigns.whole_files import write_parquet
from roamcast.core.errors import UserError
from roamcast.recordings.recording_layout import CONTACTS, MOVEMENT, Imported, open_imported
from roamcast.spark.contacts.contact_tables import WORKER_DAEMON, join_stretches, prepare, write_contacts
from roamcast.spark.contacts.contact_tasks import Ticks, WindowTask
from roamcast.spark.contacts.resampling import TickTask, resampled
from roamcast.spark.contacts.stretches import Stretches
from roamcast.spark.contacts.ticks import TICKS_MAX, ChosenTicks, choose_ticks, existing_windows
from roamcast.spark.movement.import_folder import ImportFolder, import_folder
from roamcast.spark.movement.movement_import import ROWS_PER_WINDOW
from roamcast.spark.session.session import open_session

PARTS_MAX = 2_000


def contacts_of_movement(
    folder: Path, out: Path, master: str, range_m: float, step_s: float | None = None, progress: Progress | None = None
) -> Imported:
    """Compute the contacts of a folder of movement and write them to another folder."""
    progress = progress or NoProgress()
    movement = open_imported(folder.absolute(), MOVEMENT)
    movement.check_whole()
    summary = movement.summary
    coarse_s = float(step_s or summary["step_s"])
    if (summary["last_s"] - summary["first_s"]) / coarse_s > TICKS_MAX:
        raise UserError(f"--step-s {coarse_s:g}: yields more than {TICKS_MAX:,} points in time; choose a larger step")
    try:
        with import_folder(out, CONTACTS) as target:
            progress.begin("starting Spark")
            spark = open_session(master, target.log_file, daemon=WORKER_DAEMON)
            progress.begin(f"contacts: {summary['rows']:,} rows, finding pairs within {range_m:g} m")
            prepare(target)
            chosen = choose_ticks(spark, target, movement, step_s)
            ticks = chosen.ticks
            stretches = find_stretches(spark, target, movement, chosen, range_m)
            progress.begin("contacts: joining")
            joined = join_stretches(spark, target, stretches, ticks.first_s, ticks.step_s)
            found = write_contacts(spark, target, ticks, joined)
            write_parquet(pq.read_table(movement.nodes_file), target.root / "nodes.parquet")
            described = {"nodes": summary["nodes"], "range_m": range_m, "source": movement.root.name}
            recorded_s = [summary["first_s"], summary["last_s"] + ticks.step_s]
            left_out = {"rows_between_looks": chosen.between, "broken": 0, "momentary": 0}
            target.write_summary(CONTACTS, {**found, **described, "recorded_s": recorded_s, **left_out})
    finally:
        progress.end()
    return open_imported(out, CONTACTS)


def find_stretches(
    spark: SparkSession, target: ImportFolder, movement: Imported, chosen: ChosenTicks, range_m: float
) -> list[Stretches]:
    """Find the pairs in range at each tick, in tasks, and return the files of stretches."""
    ticks = chosen.ticks
    if chosen.are_even:
        task = WindowTask(movement.root, target.root, ticks, range_m)
        found = target.run_tasks(spark, "who", task, existing_windows(movement))
    else:
        last = floor((movement.summary["last_s"] - ticks.first_s) / ticks.step_s + ticks.near)
        positions = tuple(resampled(spark, target, movement, ticks, last))
        parts = _parts(movement, ticks, last)
        found = target.run_tasks(
            spark, "who", TickTask(target.root, positions, ticks, range_m, parts, last), range(parts)
        )
    return [file for files in found for file in files]


def _parts(movement: Imported, ticks: Ticks, last: int) -> int:
    """Return how many tasks to distribute the ticks over, from the expected number of rows."""
    summary = movement.summary
    rows: float = (last + 1) * summary["nodes"]
    if not summary["are_waypoints"]:
        rows = min(rows, summary["rows"] * max(1.0, summary["step_s"] / ticks.step_s))
    return max(1, min(PARTS_MAX, last + 1, round(rows / ROWS_PER_WINDOW)))
