"""Parquet: plain tables and SUMO's floating car data, by the names of their columns; a task reads some row groups."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from roamcast.core.errors import UserError
from roamcast.recorded.files import Piece
from roamcast.recorded.rows import MOVEMENT_ROWS, Report, well_placed


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """Which columns hold the four values."""

    time: str
    node: str
    x: str
    y: str
    is_geographic: bool = False


def open_parquet(path: str | Path) -> pq.ParquetFile:
    """Open a file, or say in one line why it cannot be."""
    try:
        return pq.ParquetFile(path)
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file") from None
    except (OSError, pa.ArrowInvalid) as error:
        raise UserError(f"{path}: is not a whole Parquet file ({str(error).splitlines()[0][:120]})") from None


def parquet_pieces(path: Path) -> list[Piece]:
    """Return a piece for each row group; its bounds are numbers of row groups, not bytes."""
    groups = open_parquet(path).num_row_groups
    return [Piece(str(path), group, group + 1) for group in range(groups)]


def read_parquet(piece: Piece, names: ColumnNames, report: Report) -> Iterator[pa.Table]:
    """Yield the rows of some row groups."""
    file = open_parquet(piece.path)
    groups = range(piece.start, file.num_row_groups if piece.end is None else piece.end)
    try:
        for batch in file.iter_batches(row_groups=list(groups), columns=[names.time, names.node, names.x, names.y]):
            yield _checked(batch, names, report)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise UserError(f"{piece.path}: cannot be read ({str(error).splitlines()[0][:120]})") from None


def _checked(batch: pa.RecordBatch, names: ColumnNames, report: Report) -> pa.Table:
    """Return the rows of a batch that are possible; where nothing but the time is given, nobody was there."""
    values = {each: batch.column(each) for each in (names.time, names.node, names.x, names.y)}
    time_s, x, y = (_numbers(values[each]) for each in (names.time, names.x, names.y))
    name = pc.fill_null(pc.cast(values[names.node], pa.string()), "")
    line = np.arange(report.lines + 1, report.lines + 1 + len(batch))
    report.lines += len(batch)
    nobody = np.asarray(pc.equal(name, "")) & np.isnan(x) & np.isnan(y)
    fine = well_placed(time_s, x, y, names.is_geographic) & np.asarray(pc.not_equal(name, ""))
    for at in np.flatnonzero(~fine & ~nobody):
        report.skip(int(line[at]), f"node '{name[at].as_py()[:40]}' at time {time_s[at]:g} in ({x[at]:g}, {y[at]:g})")
    report.rows += int(fine.sum())
    return pa.table([name, time_s, x, y, line], schema=MOVEMENT_ROWS).filter(pa.array(fine))


def _numbers(column: pa.Array) -> np.ndarray:
    """Return a column in numbers: seconds since 1970 where it holds moments, NaN where it holds nothing."""
    if pa.types.is_timestamp(column.type):
        column = pc.divide(pc.cast(pc.cast(column, pa.timestamp("us")), pa.int64()).cast(pa.float64()), 1e6)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    numbers: np.ndarray = pc.cast(column, pa.float64()).to_numpy(zero_copy_only=False)
    return numbers
