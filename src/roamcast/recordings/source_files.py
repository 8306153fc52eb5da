"""Files of other tools: opened whether packed or not, cut into pieces at line ends, with one line for every failure."""

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
"""What one task reads of a file that can be cut."""
LINE_BYTES_MAX = 64_000_000
"""No line is longer: the longest known, a BonnMotion node with a point a second for a month, has 60 MB."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a file, from a byte to a byte: whole lines."""

    path: str
    start: int = 0
    end: int | None = None
    """None: to the end of the file."""


def check_ordinary(path: Path) -> None:
    """Say so if there is no ordinary file to read: a pipe, say, would be waited for, perhaps for ever."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({(error.strerror or str(error)).lower()})") from None
    if S_ISDIR(mode):
        raise UserError(f"{path}: is a folder; a file is needed")
    if not S_ISREG(mode):
        raise UserError(f"{path}: is no ordinary file")


def is_packed(path: Path) -> bool:
    """Tell whether a file is packed with gzip; such a file cannot be cut."""
    return path.suffix == ".gz"


@contextmanager
def opened(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file, unpacked if it is packed; what goes wrong while it is read becomes one line."""
    path = Path(path)
    check_ordinary(path)
    try:
        with cast(IO[bytes], gzip.open(path, "rb") if is_packed(path) else path.open("rb")) as file:
            yield file
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UserError(f"{path}: cannot be unpacked ({' '.join(str(error).split())}); is it whole?") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({(error.strerror or str(error)).lower()})") from None


def pieces(path: Path, start: int = 0) -> list[Piece]:
    """Cut a file of independent lines, from a byte on, into pieces that end where a line ends."""
    if is_packed(path):
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
    """Yield a piece in blocks of whole lines; ``skip_lines`` are left out where the piece is a whole packed file."""
    with opened(piece.path) as file:
        if is_packed(Path(piece.path)):
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
    """Yield the lines of a text with their numbers, from 1."""
    with opened(path) as file:
        number = 0
        while line := _read_line(file, Path(path)):
            number += 1
            yield number, decoded(line).strip()


def decoded(line: bytes) -> str:
    """Return a line as text: in UTF-8, or else in Latin-1, in which different bytes stay different names."""
    line = line.removeprefix(BOM_UTF8)
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")


def is_comment(text: str) -> bool:
    """Tell whether a line says nothing: it is blank, or begins with #."""
    return not text or text.isspace() or text.startswith("#")


def head(path: Path, size_bytes: int = 65_536) -> bytes:
    """Return the beginning of a file, unpacked."""
    with opened(path) as file:
        return file.read(size_bytes)


def first_lines(begin: bytes, size_bytes: int = 65_536) -> list[str]:
    """Return the lines with which a file begins, but for comments and a last one that ``head`` has cut."""
    whole = begin.rpartition(b"\n")[0] or begin if len(begin) >= size_bytes else begin
    return [text for text in (decoded(line).strip() for line in whole.split(b"\n")) if not is_comment(text)]


def _read_line(file: IO[bytes], path: Path) -> bytes:
    line = file.readline(LINE_BYTES_MAX + 1)
    if len(line) > LINE_BYTES_MAX:
        raise UserError(f"{path}: has a line of more than {LINE_BYTES_MAX:,} bytes; is it a text?")
    return line
