"""Reading Parquet: plain tables and SUMO's floating car data, by column names; a task reads some row groups."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from roamcast.core.errors import UserError
from roamcast.recordings.row_tables import MOVEMENT_ROWS, Report, clean_names, row_problem, valid_rows
from roamcast.recordings.source_files import Piece
from roamcast.recordings.table_headers import Layout, Mover

_BROKEN = (OSError, UnicodeDecodeError, pa.ArrowException)
"""The exceptions that Arrow raises for a damaged file or for columns that are not numbers."""


def open_parquet(path: str | Path) -> pq.ParquetFile:
    """Open a file, or raise an error that says in one line why it cannot be opened."""
    try:
        return pq.ParquetFile(path)
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except _BROKEN as error:
        raise UserError(f"{path}: is not a complete Parquet file ({str(error).splitlines()[0][:120]})") from None


def parquet_pieces(path: Path) -> list[Piece]:
    """Return a piece for each row group with rows; its bounds are numbers of row groups, not bytes."""
    metadata = open_parquet(path).metadata
    groups = [group for group in range(metadata.num_row_groups) if metadata.row_group(group).num_rows]
    return [Piece(str(path), group, group + 1) for group in groups]


def read_parquet(piece: Piece, layout: Layout, report: Report) -> Iterator[pa.Table]:
    """Yield the rows of some row groups."""
    file = open_parquet(piece.path)
    groups = range(piece.start, file.num_row_groups if piece.end is None else piece.end)
    names = file.schema_arrow.names
    wanted = [names[at] for mover in layout.movers for at in (layout.time, mover.node, mover.x, mover.y)]
    try:
        for batch in file.iter_batches(row_groups=list(groups), columns=list(dict.fromkeys(wanted))):
            line = np.arange(report.lines + 1, report.lines + 1 + len(batch))
            report.lines += len(batch)
            columns = {name: batch.column(batch.schema.names.index(name)) for name in wanted}
            time_s = _numbers(columns[names[layout.time]])
            for mover in layout.movers:
                values = [columns[names[at]] for at in (mover.node, mover.x, mover.y)]
                yield _checked(line, time_s, values, mover, layout.is_geographic, report)
    except _BROKEN as error:
        raise UserError(f"{piece.path}: cannot be read ({str(error).splitlines()[0][:120]})") from None


def _checked(line: Any, time_s: Any, values: list[Any], mover: Mover, geographic: bool, report: Report) -> pa.Table:
    """Return the valid rows of a batch; a row with nothing but a time means that nobody was there."""
    name = clean_names(pc.fill_null(pc.cast(values[0], pa.string()), ""), mover.prefix)
    x, y = _numbers(values[1]), _numbers(values[2])
    nobody = np.asarray(pc.equal(name, "")) & np.isnan(x) & np.isnan(y)
    fine = valid_rows(name, time_s, x, y, geographic)
    for at in np.flatnonzero(~fine & ~nobody).tolist():
        reason = row_problem(name[at].as_py(), float(time_s[at]), float(x[at]), float(y[at]), geographic)
        report.skip(int(line[at]), reason or "")
    report.rows += int(fine.sum())
    return pa.table([name, time_s, x, y, line], schema=MOVEMENT_ROWS).filter(pa.array(fine))


def _numbers(column: pa.Array) -> np.ndarray:
    """Return a column as numbers: timestamps as seconds since 1970, missing values as NaN."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_timestamp(column.type):
        # Fractions of a microsecond may be lost.
        moments = pc.cast(column, pa.timestamp("us"), safe=column.type.unit != "ns")
        column = pc.divide(pc.cast(moments, pa.int64()).cast(pa.float64()), 1e6)
    numbers: np.ndarray = pc.cast(column, pa.float64()).to_numpy(zero_copy_only=False)
    return numbers
