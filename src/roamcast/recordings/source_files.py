"""Opening files of other tools, compressed or not, and cutting them into pieces at line ends; one-line errors."""

import gzip
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import IO, cast

from roamcast.core.errors import UserError

PIECE_BYTES = 32_000_000
"""How much of a file one task reads, if the file can be cut."""
LINE_BYTES_MAX = 64_000_000
"""The longest line: a BonnMotion node with a point per second for a month has 60 MB."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a file between two byte offsets, consisting of whole lines."""

    path: str
    start: int = 0
    end: int | None = None
    """None: to the end of the file."""


def check_ordinary(path: Path) -> None:
    """Raise an error if a path is not an ordinary file: reading from a pipe might never end."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({(error.strerror or str(error)).lower()})") from None
    if S_ISDIR(mode):
        raise UserError(f"{path}: is a folder; a file is needed")
    if not S_ISREG(mode):
        raise UserError(f"{path}: is not an ordinary file")


def is_compressed(path: Path) -> bool:
    """Tell whether a file is compressed with gzip; such a file cannot be cut."""
    return path.suffix == ".gz"


@contextmanager
def opened(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file, decompressed if necessary; errors while it is read become one line."""
    path = Path(path)
    check_ordinary(path)
    try:
        with cast(IO[bytes], gzip.open(path, "rb") if is_compressed(path) else path.open("rb")) as file:
            yield file
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UserError(f"{path}: cannot be decompressed ({' '.join(str(error).split())}); is it complete?") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({(error.strerror or str(error)).lower()})") from None


def pieces(path: Path, start: int = 0) -> list[Piece]:
    """Cut a file of independent lines, from a byte offset on, into pieces that end at line ends."""
    if is_compressed(path):
        return [Piece(str(path))]
    size = path.stat().st_size
    if start >= size:
        return []
    bounds = [start]
    with opened(path) as file:
        while bounds[-1] + PIECE_BYTES < size:
            file.seek(bounds[-1] + PIECE_BYTES)
            _read_line(file, path)
            if file.tell() >= size:
                break
            bounds.append(file.tell())
    ends: list[int | None] = [*bounds[1:], None]
    return [Piece(str(path), low, high) for low, high in zip(bounds, ends, strict=True)]


def blocks(piece: Piece, skip_lines: int = 0, block_bytes: int = 8_000_000) -> Iterator[bytes]:
    """Yield a piece in blocks of whole lines; ``skip_lines`` are skipped if the piece is a whole compressed file."""
    with opened(piece.path) as file:
        if is_compressed(Path(piece.path)):
            for _ in range(skip_lines):
                _read_line(file, Path(piece.path))
        else:
            file.seek(piece.start)
        left = None if piece.end is None else piece.end - piece.start
        while left is None or left > 0:
            block = file.read(block_bytes if left is None else min(block_bytes, left))
            if not block:
                return
            if left is None or len(block) < left:
                block += _read_line(file, Path(piece.path))
            left = None if left is None else left - len(block)
            yield block


def lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file with their numbers, from 1."""
    with opened(path) as file:
        number = 0
        while line := _read_line(file, Path(path)):
            number += 1
            yield number, decoded(line).strip()


def decoded(line: bytes) -> str:
    """Decode a line as UTF-8, or else as Latin-1, in which different bytes remain different names."""
    line = line.removeprefix(BOM_UTF8)
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")


def is_comment(text: str) -> bool:
    """Tell whether a line is blank or begins with #."""
    return not text or text.isspace() or text.startswith("#")


def head(path: Path, size_bytes: int = 65_536) -> bytes:
    """Return the beginning of a file, decompressed."""
    with opened(path) as file:
        return file.read(size_bytes)


def first_lines(begin: bytes, size_bytes: int = 65_536) -> list[str]:
    """Return the first lines of a file, except for comments and a last one that ``head`` has cut off."""
    whole = begin.rpartition(b"\n")[0] or begin if len(begin) >= size_bytes else begin
    return [text for text in (decoded(line).strip() for line in whole.split(b"\n")) if not is_comment(text)]


def _read_line(file: IO[bytes], path: Path) -> bytes:
    line = file.readline(LINE_BYTES_MAX + 1)
    if len(line) > LINE_BYTES_MAX:
        raise UserError(f"{path}: has a line of more than {LINE_BYTES_MAX:,} bytes; is it a text file?")
    return line
