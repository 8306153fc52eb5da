"""Writing the table of contacts from files of stretches: joining these, and dividing the contacts into windows."""

from collections.abc import Sequence
from typing import Any

from pyspark.sql import SparkSession

from roamcast.campaigns.whole_files import write_parquet
from roamcast.recordings.recording_layout import COMPONENTS, CONTACTS, CONTACTS_SCHEMA, DEGREES, LAYOUT, window_name
from roamcast.spark.contacts.contact_tasks import Ticks
from roamcast.spark.contacts.stretches import (
    JOINED,
    STRETCHES,
    ContactsTask,
    ContactWindows,
    Joined,
    JoinTask,
    Stretches,
    pair_bounds,
)
from roamcast.spark.movement.import_folder import ImportFolder
from roamcast.spark.movement.movement_import import ROWS_PER_WINDOW

WORKER_DAEMON = "roamcast.spark.contacts.contacts_daemon"


def prepare(target: ImportFolder) -> None:
    """Make the folders that tasks write into."""
    for name in (DEGREES, COMPONENTS, CONTACTS, f"staging/{STRETCHES}", f"staging/{JOINED}"):
        (target.root / name).mkdir(parents=True)


def join_stretches(
    spark: SparkSession, target: ImportFolder, found: Sequence[Stretches], first_s: float, step_s: float
) -> list[Joined]:
    """Join the stretches of each pair, in tasks; ``first_s`` and ``step_s`` turn starts and ends into seconds."""
    found = [file for file in found if file.rows]
    if not found:
        return []
    task = JoinTask(target.root, tuple(found), first_s, step_s)
    return target.run_tasks(spark, "join", task, pair_bounds(target.root, found))


def write_contacts(spark: SparkSession, target: ImportFolder, ticks: Ticks, joined: Sequence[Joined]) -> dict[str, Any]:
    """Write the table of contacts, in tasks, and return its part of the summary."""
    joined = [file for file in joined if file.rows]
    count = sum(file.rows for file in joined)
    first_s = min((file.first_s for file in joined), default=ticks.first_s)
    last_s = max((file.last_s for file in joined), default=ticks.first_s)
    windows = max(1, round(count / ROWS_PER_WINDOW))
    if count:
        task = ContactsTask(
            target.root, tuple(joined), ContactWindows(windows, first_s, (last_s - first_s) / windows or 1.0)
        )
        target.run_tasks(spark, "write", task, range(windows))
    else:
        (target.root / CONTACTS / window_name(0)).mkdir()
        write_parquet(CONTACTS_SCHEMA.empty_table(), target.root / CONTACTS / window_name(0) / "part.parquet")
    return {
        "layout": LAYOUT,
        "contacts": count,
        "first_s": first_s,
        "last_s": last_s,
        "step_s": ticks.step_s,
        "windows": windows,
    }
