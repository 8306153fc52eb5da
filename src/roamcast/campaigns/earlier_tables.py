"""The flat tables that an earlier call left, as a source for the next ones: what they hold need not be read run by run.

A file of a run takes milliseconds to open, a hundred times as long as its rows in the tables of 250 runs. So a call
that adds some runs to many reads the files of the new ones only.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from roamcast.campaigns.run_files import OK

_UNREADABLE = (OSError, pa.ArrowException)


def part_file(tables: Path, name: str, part: int) -> Path:
    """Return the file of a table with the runs of a part."""
    return tables / name / f"part-{part:05}.parquet"


def parts_of_runs(tables: Path, schemas: Mapping[str, pa.Schema]) -> dict[str, int]:
    """Return the part in which each run is that ended well; none if a table is missing or has other columns."""
    found: dict[str, int] = {}
    try:
        if not all(pq.read_schema(part_file(tables, name, 0)).equals(schema) for name, schema in schemas.items()):
            return {}
        for part in range(len(list((tables / "runs").glob("part-*.parquet")))):
            runs = pq.ParquetFile(part_file(tables, "runs", part)).read(columns=["run_id", "status"])
            ended = zip(*(column.to_pylist() for column in runs.columns), strict=True)
            found.update((run_id, part) for run_id, status in ended if status == OK)
    except _UNREADABLE:
        return {}
    return found


def rows_of_runs(tables: Path, names: Sequence[str], part: int) -> dict[str, dict[str, pa.Table]] | None:
    """Return the rows of a part's runs in some tables, by table and run; None if a file cannot be read."""
    try:
        return {name: dict(by_run(pq.ParquetFile(part_file(tables, name, part)).read())) for name in names}
    except _UNREADABLE:
        return None


def by_run(table: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """Yield the rows of each run in a table in which they are together."""
    if not len(table):
        return
    runs = pc.run_end_encode(table.column("run_id").combine_chunks())
    chunk = runs.chunk(0) if isinstance(runs, pa.ChunkedArray) else runs
    begin = 0
    for run_id, end in zip(chunk.values.to_pylist(), chunk.run_ends.to_pylist(), strict=True):
        yield run_id, table.slice(begin, end - begin)
        begin = end
