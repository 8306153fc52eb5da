"""Importing recorded contacts on Spark: files are read, nodes numbered, overlapping contacts of a pair joined.

The network over time (degrees, components) is sampled every ``step_s``; the contacts themselves keep their exact times.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import ceil, floor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession

from roamcast.campaigns.progress import NoProgress, Progress
from roamcast.campaigns.whole_files import write_parquet
from roamcast.core.errors import UserError
from roamcast.recordings.broken_lines import BrokenLines
from roamcast.recordings.contact_files import SOCIOPATTERNS_WINDOW_S, detect_contacts, read_contacts
from roamcast.recordings.node_names import numbered
from roamcast.recordings.recording_layout import CONTACTS, NODES_SCHEMA, Imported, open_imported
from roamcast.recordings.row_tables import Report
from roamcast.spark.contacts.contact_tables import WORKER_DAEMON, join_stretches, prepare, write_contacts
from roamcast.spark.contacts.contact_tasks import Ticks
from roamcast.spark.contacts.network_task import NetworkTask, links_of
from roamcast.spark.contacts.stretches import JOINED, Joined, Stretches, pair_of, write_rows
from roamcast.spark.contacts.ticks import TICKS_MAX
from roamcast.spark.mapped_files import map_arrays, map_batch, write_mapped
from roamcast.spark.movement.import_folder import ImportFolder, import_folder
from roamcast.spark.session.session import open_session

LINKS_PER_PART = 2_000_000


def import_contacts(
    files: Sequence[Path],
    out: Path,
    master: str,
    kind: str | None = None,
    step_s: float | None = None,
    broken_max: float = 0.01,
    progress: Progress | None = None,
) -> Imported:
    """Import files of recorded contacts into a folder."""
    progress = progress or NoProgress()
    kinds = [kind or detect_contacts(file) for file in files]
    try:
        with import_folder(out, CONTACTS) as target:
            progress.begin("starting Spark")
            spark = open_session(master, target.log_file, daemon=WORKER_DAEMON)
            prepare(target)
            progress.begin(f"contacts: reading {len(files)} files")
            read = _read(spark, target, files, kinds)
            broken, momentary = read.broken, read.momentary
            broken.check(broken_max)
            progress.begin("contacts: joining")
            found = _write(spark, target, files, step_s or SOCIOPATTERNS_WINDOW_S, read)
            left_out = {"momentary": momentary, "broken": broken.count, "examples": broken.examples()}
            described = {"range_m": None, "source": ", ".join(file.name for file in files)}
            recorded_s = [found["first_s"], found["last_s"]]
            target.write_summary(CONTACTS, {**found, **described, "recorded_s": recorded_s, **left_out})
    finally:
        progress.end()
    return open_imported(out, CONTACTS)


@dataclass(frozen=True, slots=True)
class _Read:
    """The contents of the files, as reported by the tasks that read them."""

    broken: BrokenLines
    momentary: int
    """Contacts without a length."""
    tables: list[str]
    """The names of the staged tables, in the order of the files."""


@dataclass(frozen=True, slots=True)
class _ReadTask:
    """Reads a file, stages its contacts table by table, and returns a report."""

    paths: tuple[str, ...]
    kinds: tuple[str, ...]
    staging: Path

    def __call__(self, file: int) -> dict[str, Any]:
        """Read one file, given by its number."""
        report, tables = Report(), list[str]()
        try:
            for table in read_contacts(self.paths[file], self.kinds[file], report):
                if len(table):
                    tables.append(f"{file:05}-{len(tables):05}")
                    _stage(self.staging, tables[-1], table)
        except UserError as error:
            return {"error": str(error)}
        return {**asdict(report), "tables": tables}


def _stage(staging: Path, name: str, table: pa.Table) -> None:
    """Write a table's contacts with codes for names, and for each code the name, its extreme times and its contacts."""
    start_s, end_s = (table.column(column).to_numpy() for column in ("start_s", "end_s"))
    both = pa.concat_arrays([chunk for column in ("one", "other") for chunk in table.column(column).chunks])
    names = both.dictionary_encode()
    codes = names.indices.to_numpy()
    low_s, high_s = np.full(len(names.dictionary), np.inf), np.full(len(names.dictionary), -np.inf)
    np.minimum.at(low_s, codes, np.tile(start_s, 2))
    np.maximum.at(high_s, codes, np.tile(end_s, 2))
    one, other = np.split(codes, 2)
    write_mapped(staging / f"{name}.rows", one=one, other=other, start_s=start_s, end_s=end_s)
    summary = {"low_s": low_s, "high_s": high_s, "rows": np.bincount(codes)}
    write_mapped(staging / f"{name}.nodes", name=names.dictionary, **summary)


def _read(spark: SparkSession, target: ImportFolder, files: Sequence[Path], kinds: Sequence[str]) -> _Read:
    """Read the files in tasks."""
    task = _ReadTask(tuple(map(str, files)), tuple(kinds), target.staging)
    reports = target.run_tasks(spark, "read", task, range(len(files)))
    broken = BrokenLines(list(files))
    for file, report in enumerate(reports):
        if "error" in report:
            raise UserError(report["error"])
        broken.add_piece(file, 0, report["lines"], report["rows"], report["broken"], report["examples"])
    tables = [name for report in reports for name in report["tables"]]
    return _Read(broken, sum(report["momentary"] for report in reports), tables)


def _write(
    spark: SparkSession, target: ImportFolder, files: Sequence[Path], step_s: float, read: _Read
) -> dict[str, Any]:
    """Number the nodes, join overlapping contacts, and write all tables."""
    if not read.tables:
        but = f" of any length; {read.momentary:,} begin and end at the same time" if read.momentary else ""
        raise UserError(f"{files[0]}: has no contacts{but}")
    nodes = _number(target.staging, read.tables)
    write_parquet(nodes, target.root / "nodes.parquet")
    first_s, last_s = nodes.column("first_s").to_numpy().min(), nodes.column("last_s").to_numpy().max()
    ticks = Ticks(float(first_s), step_s)
    last = ceil((float(last_s) - ticks.first_s) / step_s) - 1
    if last > TICKS_MAX:
        raise UserError(f"--step-s {step_s:g}: yields more than {TICKS_MAX:,} points in time; choose a larger step")
    stretches = target.run_tasks(spark, "number", _NumberTask(target.root), read.tables)
    joined = join_stretches(spark, target, stretches, 0.0, 1.0)
    found = write_contacts(spark, target, ticks, joined)
    _write_network(spark, target, joined, ticks, last, len(nodes))
    return {**found, "nodes": len(nodes)}


def _number(staging: Path, tables: Sequence[str]) -> pa.Table:
    """Write the numbers of each table's names, and return the table of nodes."""
    known: dict[str, list[Any]] = {}
    for table in tables:
        for row in map_batch(staging / f"{table}.nodes").to_pylist():
            node = known.setdefault(row["name"], [row["low_s"], row["high_s"], 0])
            node[:] = [min(node[0], row["low_s"]), max(node[1], row["high_s"]), node[2] + row["rows"]]
    names = numbered([*known], [node[0] for node in known.values()])
    number = {name: at for at, name in enumerate(names)}
    for table in tables:
        own = map_batch(staging / f"{table}.nodes").column("name").to_pylist()
        write_mapped(staging / f"{table}.numbers", number=np.array([number[name] for name in own], np.int64))
    columns = [[known[name][at] for name in names] for at in range(3)]
    return pa.table([range(len(names)), names, *columns], schema=NODES_SCHEMA)


@dataclass(frozen=True, slots=True)
class _NumberTask:
    """Writes a table's contacts as stretches of numbered pairs."""

    folder: Path

    def __call__(self, table: str) -> Stretches:
        staging = self.folder / "staging"
        rows, number = map_arrays(staging / f"{table}.rows"), map_arrays(staging / f"{table}.numbers")["number"]
        pair = pair_of(number[rows["one"]], number[rows["other"]])
        order = np.argsort(pair, kind="stable")
        return write_rows(self.folder, table, pair[order], rows["start_s"][order], rows["end_s"][order])


def _write_network(
    spark: SparkSession, target: ImportFolder, joined: Sequence[Joined], ticks: Ticks, last: int, nodes: int
) -> None:
    """Write degrees and components at every tick with a contact."""
    total = 0
    for file in joined:
        first, end = links_of(map_arrays(target.staging / JOINED / file.name), ticks)
        total += int(np.maximum(0, end - first).sum())
    parts = max(1, floor(total / LINKS_PER_PART))
    task = NetworkTask(target.root, tuple(joined), ticks, nodes, parts, last)
    target.run_tasks(spark, "network", task, range(parts))
