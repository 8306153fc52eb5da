"""Checking the Parquet files of a table with pyarrow, to report which file is wrong and why.

They are checked before Spark is started, which takes long, and again if Spark could not read them, since it reports
neither the file nor the column.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from roamcast.core.errors import UserError, one_line

FIRST_BYTES = b"PAR1"
REASON_LENGTH_MAX = 100
BATCH_ROWS = 65_536
NOT_READ = ", which Spark does not read"


@dataclass(frozen=True, slots=True)
class InputTable:
    """A file, or a folder of files that form one table."""

    what: str
    """The plural name of the rows, for error messages."""
    path: Path
    needed: tuple[str, ...]
    """The columns that each file must have, in the file or in the names of its folders (``COLUMN=VALUE``)."""

    def check(self) -> None:
        """Raise an error if a file is not Parquet or a column is missing."""
        files = list(_files(self.path))
        if not files:
            raise UserError(f"{self.path}: contains no Parquet file")
        for file in files:
            metadata = _metadata(file)
            columns = [*metadata.schema.to_arrow_schema().names, *self._columns_of_folders(file)]
            nanoseconds = _nanosecond_columns(metadata)
            for name in self.needed:
                if name not in columns:
                    listed = one_line(", ".join(columns)) or "none"
                    raise UserError(f"{file}: the {self.what} have no column '{name}'; they have: {listed}")
                if name in nanoseconds:
                    raise UserError(f"{file}: column '{name}' is timestamp[ns]{NOT_READ}; write timestamp[us]")

    def nanosecond_columns(self) -> set[str]:
        """Return the columns that are times in nanoseconds."""
        return {name for file in _files(self.path) for name in _nanosecond_columns(_metadata(file))}

    def unread(self) -> UserError:
        """Return the reason why Spark cannot read the files: a column's type, or types that differ between files."""
        first_of: dict[str, tuple[Path, pa.DataType]] = {}
        for file in _files(self.path):
            for field in _metadata(file).schema.to_arrow_schema():
                column = f"{file}: column '{one_line(field.name)}' is {one_line(str(field.type))}"
                if pa.types.is_time(field.type) or pa.types.is_float16(field.type):
                    return UserError(f"{column}{NOT_READ}")
                first, kind = first_of.setdefault(field.name, (file, field.type))
                if _stored(kind) != _stored(field.type):
                    other = f"{one_line(str(kind))} in {first.relative_to(self.path)}"
                    return UserError(f"{column}, but {other}: must have the same type in all files")
        return UserError(f"{self.path}: cannot be read as a Parquet table")

    def damage(self) -> UserError | None:
        """Return an error about the first file that cannot be read to its end, if there is one."""
        for file in _files(self.path):
            try:
                with pq.ParquetFile(file, page_checksum_verification=True) as source:
                    for _ in source.iter_batches(BATCH_ROWS):
                        pass
            except (OSError, pa.ArrowInvalid) as error:
                return _unreadable(file, error)
        return None

    def _columns_of_folders(self, file: Path) -> list[str]:
        return [unquote(part.partition("=")[0]) for part in file.relative_to(self.path).parts[:-1]]


def _files(path: Path) -> Iterator[Path]:
    """Yield the files of a table that Spark reads, in the order of their names."""
    if not path.is_dir():
        yield path
        return
    for entry in sorted(path.iterdir()):
        is_column = entry.is_dir() and "=" in entry.name
        if entry.name.startswith(".") or (entry.name.startswith("_") and not is_column):
            continue
        if entry.is_dir() and not is_column:  # Spark would silently ignore it
            raise UserError(f"{entry}: a folder in a table must be named COLUMN=VALUE")
        yield from _files(entry)


def _metadata(file: Path) -> pq.FileMetaData:
    with file.open("rb") as source:
        if source.read(len(FIRST_BYTES)) != FIRST_BYTES:
            raise UserError(f"{file}: is not a Parquet file; docs/matching.md explains how to convert CSV")
        try:
            return pq.read_metadata(source)
        except (OSError, pa.ArrowException) as error:
            raise _unreadable(file, error) from error


def _nanosecond_columns(metadata: pq.FileMetaData) -> set[str]:
    """Return the columns that are times in nanoseconds, except for Spark's own old 96-bit times, which it reads."""
    columns = (metadata.schema.column(index) for index in range(metadata.num_columns))
    return {
        column.path
        for column in columns
        if "timeUnit=nanoseconds" in str(column.logical_type) and column.path == column.name
    }


def _unreadable(file: Path, error: Exception) -> UserError:
    reason = one_line(str(error).partition(". ")[0].removesuffix("."))[:REASON_LENGTH_MAX]
    return UserError(f"{file}: cannot be read as a Parquet table ({reason})")


def _stored(kind: pa.DataType) -> str:
    """Return a type as Spark sees it: Arrow's different in-memory types for texts are the same in a file."""
    return str(kind.value_type if pa.types.is_dictionary(kind) else kind).removeprefix("large_")
