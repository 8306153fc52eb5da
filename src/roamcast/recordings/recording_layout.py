"""The layout of recorded movement and contacts on disk (docs/tables.md), and functions to find and read its files.

    movement.json                          a summary: rows, times, bounds, source
    nodes.parquet                          the number of each name
    movement/window=00000/part.parquet     the rows of a period of time, sorted by time and node

Contacts have ``contacts.json``, ``nodes.parquet`` and the folders ``contacts``, ``degrees`` and ``components``. All
rows of one point in time are in the same window, so that each window can be read on its own.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from roamcast.core.errors import UserError
from roamcast.recordings.import_summary import CONTACTS as CONTACTS
from roamcast.recordings.import_summary import LAYOUT as LAYOUT
from roamcast.recordings.import_summary import MOVEMENT as MOVEMENT
from roamcast.recordings.import_summary import check_summary
from roamcast.recordings.parquet_columns import open_parquet

MOVEMENT_SCHEMA = pa.schema(
    [
        pa.field("node", pa.int32(), nullable=False),
        pa.field("time_s", pa.float64(), nullable=False),
        pa.field("x_m", pa.float64(), nullable=False),
        pa.field("y_m", pa.float64(), nullable=False),
        pa.field("goes_on", pa.bool_(), nullable=False),
    ]
)
NODES_SCHEMA = pa.schema(
    [
        pa.field("node", pa.int32(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("first_s", pa.float64(), nullable=False),
        pa.field("last_s", pa.float64(), nullable=False),
        pa.field("rows", pa.int64(), nullable=False),
    ]
)
CONTACTS_SCHEMA = pa.schema(
    [
        pa.field("a", pa.int32(), nullable=False),
        pa.field("b", pa.int32(), nullable=False),
        pa.field("start_s", pa.float64(), nullable=False),
        pa.field("end_s", pa.float64(), nullable=False),
        pa.field("duration_s", pa.float64(), nullable=False),
        pa.field("inter_contact_s", pa.float64()),
    ]
)
DEGREES_SCHEMA = pa.schema(
    [
        pa.field("time_s", pa.float64(), nullable=False),
        pa.field("node", pa.int32(), nullable=False),
        pa.field("degree", pa.int32(), nullable=False),
    ]
)
COMPONENTS_SCHEMA = pa.schema(
    [
        pa.field("time_s", pa.float64(), nullable=False),
        pa.field("nodes", pa.int32(), nullable=False),
        pa.field("links", pa.int64(), nullable=False),
        pa.field("components", pa.int32(), nullable=False),
        pa.field("largest", pa.int32(), nullable=False),
        pa.field("isolated", pa.int32(), nullable=False),
    ]
)
DEGREES, COMPONENTS = "degrees", "components"
_MADE_BY = {MOVEMENT: "roamcast movement import", CONTACTS: "roamcast contacts"}


@dataclass(frozen=True, slots=True)
class Imported:
    """A folder of imported movement or contacts."""

    root: Path
    kind: str
    """``movement`` or ``contacts``."""
    summary: dict[str, Any]

    @property
    def table(self) -> Path:
        """Return the folder of the table itself."""
        return self.root / self.kind

    @property
    def nodes_file(self) -> Path:
        """Return the file with the names of the nodes."""
        return self.root / "nodes.parquet"

    def files(self) -> list[Path]:
        """Return the table's files in order of their names, which for movement is the order of time."""
        return sorted(self.table.rglob("*.parquet"))

    def window_file(self, window: int) -> Path:
        """Return the file with the movement of a period of time."""
        return self.table / window_name(window) / "part.parquet"

    def check_whole(self) -> None:
        """Raise an error if a file of movement is missing or truncated, before anything is computed from it."""
        nodes = _opened(self.nodes_file, NODES_SCHEMA).metadata.num_rows
        rows = sum(_opened(file, MOVEMENT_SCHEMA).metadata.num_rows for file in self.files())
        for key, found in (("nodes", nodes), ("rows", rows)):
            if found != self.summary[key]:
                mismatch = f"{self.root}: has {found:,} {key}, but {self.kind}.json says {self.summary[key]}"
                raise UserError(f"{mismatch}; import it again")

    def digest(self) -> str:
        """Return the digest of the table's contents."""
        files = self.files()
        return _digest(tuple((str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files), self.root)


def window_name(window: int) -> str:
    """Return the name of the folder of a period of time."""
    return f"window={window:05}"


def open_imported(root: Path, kind: str) -> Imported:
    """Open a folder written by an import, or raise an error that says what is wrong with it."""
    file = root / f"{kind}.json"
    try:
        summary = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        command = _MADE_BY[kind]
        raise UserError(f"{root}: is not a folder of {kind} (no {file.name}); make one with {command}") from None
    except OSError as error:
        raise UserError(f"{file}: cannot be read ({(error.strerror or str(error)).lower()})") from None
    except (ValueError, RecursionError):
        raise UserError(f"{file}: is not JSON in UTF-8; import it again") from None
    check_summary(file, kind, summary)
    found = Imported(root, kind, summary)
    if not found.files():
        raise UserError(f"{found.table}: has no files; import it again")
    return found


def read_part(file: Path, schema: pa.Schema) -> pa.Table:
    """Return the rows of a table's file, or raise an error if an import cannot have written it."""
    part = _opened(file, schema)
    try:
        return part.read(columns=schema.names)
    except (OSError, pa.ArrowException) as error:
        raise UserError(f"{file}: cannot be read ({str(error).splitlines()[0][:120]}); import it again") from None


def _opened(file: Path, schema: pa.Schema) -> pq.ParquetFile:
    """Open one of our files and check its columns; only its footer is read."""
    try:
        opened = open_parquet(file)
    except UserError as error:
        raise UserError(f"{error}; import it again") from None
    types = {column.name: column.type for column in opened.schema_arrow}
    if len(types) < len(opened.schema_arrow) or any(types.get(column.name) != column.type for column in schema):
        raise UserError(f"{file}: has other columns than {', '.join(schema.names)}; import it again")
    return opened


@lru_cache(maxsize=64)
def _digest(files: tuple[tuple[str, int, int], ...], root: Path) -> str:
    """Return the digest of files; sizes and modification times are part of the cache key, to notice changes."""
    digest = hashlib.blake2b(digest_size=8)
    for name, size, _ in files:
        digest.update(f"{Path(name).relative_to(root)} {size}\n".encode())
        with Path(name).open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()
