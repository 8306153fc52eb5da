"""Importing recorded movement on Spark: files are read in pieces, nodes are numbered, rows are sorted by time.

Spark runs the tasks, and rows go from one task to the next by files that are mapped into memory, sorted by time within
each (``staged_chunks``), so that a task that writes a window of time finds its rows without a shuffle. Memory holds
only one table of a piece or the rows of one window (some 200,000), and a few numbers for each node. A row that goes
back in its node's time, or repeats a time, is a broken line like one that cannot be read.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from roamcast.campaigns.progress import NoProgress, Progress
from roamcast.campaigns.whole_files import write_parquet
from roamcast.core.errors import UserError
from roamcast.recordings.broken_lines import BrokenLines
from roamcast.recordings.formats import WAYPOINT_FORMATS, Source, find_sources
from roamcast.recordings.projection import Projection, projection_for
from roamcast.recordings.recording_layout import LAYOUT, MOVEMENT, Imported, open_imported
from roamcast.spark.movement.import_folder import ImportFolder, import_folder
from roamcast.spark.movement.movement_tasks import CheckTask, ReadTask, Windows, WriteTask
from roamcast.spark.movement.node_tracks import FAULTS, NodeTracks, first_fault
from roamcast.spark.movement.staged_chunks import Chunk
from roamcast.spark.session.session import open_session

WORKER_DAEMON = "roamcast.spark.movement.movement_daemon"
ROWS_PER_WINDOW = 200_000
"""Rows per file: about 3 MB, and enough files for all cores."""
GAP_STEPS = 3
"""By default a node without a row for more than this many of the most common steps is absent in between."""
NODES_MAX = 1_000_000
WAYPOINTS_STEP_S = 1.0
"""The step of files that record where nodes are going, not where they were seen."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Options for reading files."""

    format: str | None = None
    """None: detected for each file from its beginning."""
    is_geographic: bool = False
    """x and y are longitude and latitude, whatever the format."""
    gap_s: float | None = None
    broken_max: float = 0.01
    """The share of broken lines above which nothing is imported."""


def import_movement(
    files: Sequence[Path], out: Path, master: str, options: ImportOptions, progress: Progress | None = None
) -> Imported:
    """Import files into a folder, which is complete afterwards or unchanged."""
    progress = progress or NoProgress()
    sources = find_sources(files, options.format, options.is_geographic)
    try:
        with import_folder(out, MOVEMENT) as folder:
            progress.begin("starting Spark")
            spark = open_session(master, folder.log_file, daemon=WORKER_DAEMON)
            _Import(spark, sources, options, folder, progress).make()
    finally:
        progress.end()
    return open_imported(out, MOVEMENT)


_Extreme = tuple[float, int, int, int]
"""A value with its file, piece and line."""


@dataclass(frozen=True, slots=True)
class _Read:
    """The contents of the files, as reported by the tasks that read them."""

    rows: int
    extremes: dict[str, tuple[_Extreme, _Extreme]]
    """Of time_s, x and y: the lowest and the highest value."""
    step_s: float
    chunks: list[Chunk]
    """The staged rows, in the order of the files."""


@dataclass(frozen=True, slots=True)
class _Import:
    spark: SparkSession
    sources: tuple[Source, ...]
    options: ImportOptions
    folder: ImportFolder
    progress: Progress

    def make(self) -> None:
        """Read the files, number the nodes, sort the rows and write them."""
        broken = BrokenLines([source.path for source in self.sources], [source.head_lines for source in self.sources])
        self.progress.begin(f"import: reading {len(self.sources)} files")
        read = self._read(broken)
        broken.check(self.options.broken_max)
        projection = self._projection(read, broken)
        self.progress.begin(f"import: sorting {read.rows:,} rows")
        tracks = NodeTracks(self.folder.staging)
        chunks = self._checked(read.chunks, tracks, broken)
        broken.check(self.options.broken_max)
        nodes = tracks.link(chunks)
        windows = self._windows(read)
        written = self._written(read, chunks, windows, projection)
        write_parquet(nodes, self.folder.root / "nodes.parquet")
        # The earliest rows may have been left out, so windows need not begin with the first remaining row.
        windowing = {"windows_from_s": windows.first_s, "window_s": windows.length_s}
        summary = self._summary(written, read, broken, projection)
        self.folder.write_summary(MOVEMENT, {**summary, **windowing, "nodes": len(nodes)})

    def _read(self, broken: BrokenLines) -> _Read:
        """Read the pieces in tasks, and combine their reports."""
        pieces = [(file, piece) for file, source in enumerate(self.sources) for piece in range(len(source.pieces))]
        task = ReadTask(self.sources, self.folder.staging)
        reports = self.folder.run_tasks(self.spark, "read", task, pieces)
        extremes: dict[str, tuple[_Extreme, _Extreme]] = {}
        steps_ms: Counter[int] = Counter()
        chunks: list[Chunk] = []
        for report in reports:
            if "error" in report:
                raise UserError(report["error"])
            file, piece = report["file"], report["piece"]
            chunks += report["chunks"]
            broken.add_piece(file, piece, report["lines"], report["rows"], report["broken"], report["examples"])
            for name, ends in report["extremes"].items():
                low, high = ((value, file, piece, line) for value, line in ends)
                before = extremes.get(name, (low, high))
                extremes[name] = (min(low, before[0]), max(high, before[1]))
            steps_ms.update({int(step): count for step, count in report["steps_ms"]})
        if not extremes:
            broken.check(self.options.broken_max)
            raise UserError(f"{self.sources[0].path}: has no rows")
        return _Read(sum(report["rows"] for report in reports), extremes, self._step_s(steps_ms), chunks)

    def _step_s(self, steps_ms: Counter[int]) -> float:
        """Return the most common time between two rows of a node."""
        if self._are_waypoints or not steps_ms:
            return WAYPOINTS_STEP_S
        most = max(steps_ms.values())
        step_ms = min(step for step, count in steps_ms.items() if count == most)
        if not step_ms:
            raise UserError(
                f"{self.sources[0].path}: the rows of a node are mostly less than a millisecond apart; "
                "are its times in seconds?"
            )
        return step_ms / 1000

    @property
    def _are_waypoints(self) -> bool:
        return any(source.format in WAYPOINT_FORMATS for source in self.sources)

    def _checked(self, chunks: Sequence[Chunk], tracks: NodeTracks, broken: BrokenLines) -> tuple[Chunk, ...]:
        """Take conflicting rows out of the chunks that have some, in tasks; most files have none."""
        suspects = []
        for at, chunk in enumerate(chunks):
            if tracks.add(chunk):
                suspects.append(at)
            if len(tracks) > NODES_MAX:
                raise UserError(f"{self.sources[0].path}: has more than {NODES_MAX:,} nodes; is the node column right?")
        suspected = [chunks[at] for at in suspects]
        reports = self.folder.run_tasks(self.spark, "check", CheckTask(self.folder.staging), suspected)
        for fault, reason in FAULTS.items():
            broken.add_rows(*first_fault(suspected, reports, fault), reason)
        checked = set(suspects)
        return tuple(chunk.checked() if at in checked else chunk for at, chunk in enumerate(chunks))

    def _windows(self, read: _Read) -> Windows:
        """Divide the time so that windows have about as many rows each as fit into one file."""
        (first_s, *_), (last_s, *_) = read.extremes["time_s"]
        count = max(1, round(read.rows / ROWS_PER_WINDOW))
        length_s = ceil((last_s - first_s) / count / read.step_s + 1e-9) * read.step_s
        return Windows(first_s, max(read.step_s, length_s))

    def _written(
        self, read: _Read, chunks: tuple[Chunk, ...], windows: Windows, projection: Projection | None
    ) -> list[dict[str, Any]]:
        """Write the windows in tasks, and return a report on each that has rows."""
        folder = self.folder.root / MOVEMENT
        folder.mkdir()
        last = max(windows.of(chunk.high_s) for chunk in chunks)
        task = WriteTask(
            self.folder.staging, folder, chunks, windows, projection, self._gap_s(read), self._are_waypoints
        )
        reports = self.folder.run_tasks(self.spark, "write", task, range(last + 1))
        return [report for report in reports if report is not None]

    def _projection(self, read: _Read, broken: BrokenLines) -> Projection | None:
        if not self.sources[0].is_geographic:
            return None
        (west, east), (south, north) = read.extremes["x"], read.extremes["y"]
        try:
            return projection_for(west[0], south[0], east[0], north[0])
        except UserError as error:
            ends = (west, east) if east[0] - west[0] > north[0] - south[0] else (south, north)
            locations = " and ".join(broken.location(*location) for _, *location in ends)
            raise UserError(f"{locations}: {error}") from None

    def _gap_s(self, read: _Read) -> float | None:
        if self.options.gap_s is not None:
            return self.options.gap_s
        return None if self._are_waypoints else GAP_STEPS * read.step_s

    def _summary(
        self, written: list[dict[str, Any]], read: _Read, broken: BrokenLines, projection: Projection | None
    ) -> dict[str, Any]:
        bounds = {
            name: [min(part["bounds"][name][0] for part in written), max(part["bounds"][name][1] for part in written)]
            for name in ("time_s", "x_m", "y_m")
        }
        return {
            "layout": LAYOUT,
            "rows": sum(part["rows"] for part in written),
            "first_s": bounds["time_s"][0],
            "last_s": bounds["time_s"][1],
            "x_m": bounds["x_m"],
            "y_m": bounds["y_m"],
            "step_s": read.step_s,
            "are_waypoints": self._are_waypoints,
            "gap_s": self._gap_s(read),
            "windows": 1 + max(part["window"] for part in written),
            "broken": broken.count,
            "examples": broken.examples(),
            "sources": [{"file": source.path.name, "format": source.format} for source in self.sources],
            "touches_at_deg": None if projection is None else [projection.latitude_deg, projection.longitude_deg],
        }
