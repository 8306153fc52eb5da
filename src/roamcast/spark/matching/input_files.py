"""The Parquet files of a table, as pyarrow sees them: which of them is wrong, and why.

They are looked at before Spark is started, which takes long, and again if Spark could not read them: it says neither
which file nor which column it was.
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
    """A file, or a folder of files that are one table."""

    what: str
    """What the rows are, for messages."""
    path: Path
    needed: tuple[str, ...]
    """The columns that each file must have, or the names of the folders that it is in (``COLUMN=VALUE``)."""

    def check(self) -> None:
        """Complain of what is no Parquet file and of a column that is missing."""
        files = list(_files(self.path))
        if not files:
            raise UserError(f"{self.path}: there is no Parquet file in this folder")
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
        """Say why Spark does not read the files: a column's type, or one that is not the same in all."""
        first_of: dict[str, tuple[Path, pa.DataType]] = {}
        for file in _files(self.path):
            for field in _metadata(file).schema.to_arrow_schema():
                place = f"{file}: column '{one_line(field.name)}' is {one_line(str(field.type))}"
                if pa.types.is_time(field.type) or pa.types.is_float16(field.type):
                    return UserError(f"{place}{NOT_READ}")
                first, kind = first_of.setdefault(field.name, (file, field.type))
                if _stored(kind) != _stored(field.type):
                    other = f"{one_line(str(kind))} in {first.relative_to(self.path)}"
                    return UserError(f"{place}, but {other}: must be of one type in all files")
        return UserError(f"{self.path}: cannot be read as a Parquet table")

    def damage(self) -> UserError | None:
        """Return which file cannot be read to its end, if one cannot."""
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
    """Yield the files that Spark reads of a table, in the order of their names."""
    if not path.is_dir():
        yield path
        return
    for each in sorted(path.iterdir()):
        is_column = each.is_dir() and "=" in each.name
        if each.name.startswith(".") or (each.name.startswith("_") and not is_column):
            continue
        if each.is_dir() and not is_column:  # Spark would pass over it in silence
            raise UserError(f"{each}: a folder in a table must be called COLUMN=VALUE")
        yield from _files(each)


def _metadata(file: Path) -> pq.FileMetaData:
    with file.open("rb") as source:
        if source.read(len(FIRST_BYTES)) != FIRST_BYTES:
            raise UserError(f"{file}: is no Parquet file; docs/matching.md says how to convert CSV")
        try:
            return pq.read_metadata(source)
        except (OSError, pa.ArrowException) as error:
            raise _unreadable(file, error) from error


def _nanosecond_columns(metadata: pq.FileMetaData) -> set[str]:
    """Return the columns that are times in nanoseconds; Spark's own old ones of 96 bits it reads."""
    columns = (metadata.schema.column(at) for at in range(metadata.num_columns))
    return {
        each.path for each in columns if "timeUnit=nanoseconds" in str(each.logical_type) and each.path == each.name
    }


def _unreadable(file: Path, error: Exception) -> UserError:
    reason = one_line(str(error).partition(". ")[0].removesuffix("."))[:REASON_LENGTH_MAX]
    return UserError(f"{file}: cannot be read as a Parquet table ({reason})")


def _stored(kind: pa.DataType) -> str:
    """Return a type as Spark sees it: Arrow's other ways to hold a text in memory are one in a file."""
    return str(kind.value_type if pa.types.is_dictionary(kind) else kind).removeprefix("large_")
