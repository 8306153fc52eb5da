"""Files that exist only when they are complete: every file that must survive a crash is written through here."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from roamcast.core.errors import UserError

if TYPE_CHECKING:
    import pyarrow as pa

LEFTOVERS = ".*.tmp"
"""Matches what a killed process leaves behind."""
NAME_BYTES_MAX = 255
"""The longest file name that common file systems allow."""


@contextmanager
def whole_file(path: Path, *, flush_name: bool = True) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; rename what was written there to ``path`` once it is on the disk.

    If the block raises, ``path`` stays as it was. A power cut never leaves the name without its content. Without
    ``flush_name``, the caller waits for the names of many files at once (``flush_names``): one name takes the disk as
    long as a file.
    """
    unique = f".{os.getpid()}.{uuid.uuid4().hex[:8]}.tmp"
    kept = os.fsencode(path.name)[: NAME_BYTES_MAX - len(unique) - 1].decode(errors="ignore")
    temporary = path.with_name(f".{kept}{unique}")
    try:
        yield temporary
        _flush(temporary)
        temporary.replace(path)
        if flush_name:
            flush_names(path.parent)
    finally:
        with suppress(OSError):  # it is not there: nothing was written, or all is in place
            temporary.unlink()


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file for a person, making its folder if need be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as temporary:
            temporary.write_bytes(content)
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({(error.strerror or str(error)).lower()})") from None


def flush_names(folder: Path) -> None:
    """Wait until the names of all files in a folder are on the disk."""
    _flush(folder)


def write_parquet(table: "pa.Table", path: Path, *, with_metadata: bool = False, flush_name: bool = True) -> None:
    """Write a table as a Parquet file, with the metadata of its schema if asked."""
    import pyarrow.parquet as pq  # here: a single run writes none

    with whole_file(path, flush_name=flush_name) as temporary:
        pq.write_table(table, temporary, compression="zstd", write_statistics=False, store_schema=with_metadata)


def _flush(path: Path) -> None:
    """Wait until a file, or a folder's list of names, is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
