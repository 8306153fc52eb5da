"""Reading XML of any length in bounded memory, safe against malicious files.

Document type declarations are refused, and with them every entity that could expand; so are elements of more than some
megabytes and deep nesting. Nothing is ever fetched. If a file ends too soon, as when a program was killed, this counts
as one broken line, and everything before it is kept.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.parsers import expat

from roamcast.core.errors import UserError
from roamcast.recordings.row_tables import Report
from roamcast.recordings.source_files import opened

_CHUNK_BYTES = 1_000_000
TOKEN_BYTES_MAX = 16_000_000
DEPTH_MAX = 100
_ENDS_TOO_SOON = {
    expat.errors.codes[text]
    for text in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    )
}


class _RefusedError(ValueError):
    """A file contains something that is not allowed."""


class Handler:
    """Callbacks for elements, overridden by subclasses."""

    line: Callable[[], int]
    """Returns the number of the line that is being read."""

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """Handle the beginning of an element."""

    def text(self, text: str) -> None:
        """Handle some text between elements."""

    def end(self, name: str) -> None:
        """Handle the end of an element."""


def stream(path: str, handler: Handler, report: Report) -> Iterator[None]:
    """Read a file, and yield from time to time so that the caller can take the rows."""
    parser = _parser(handler)
    fed = 0
    with opened(path) as file:
        try:
            while chunk := file.read(_CHUNK_BYTES):
                fed += len(chunk)
                parser.Parse(chunk, False)
                _check_token(fed - max(parser.CurrentByteIndex, 0))
                yield
            parser.Parse(b"", True)
        except _RefusedError as refused:
            raise UserError(f"{path}:{parser.CurrentLineNumber}: {refused}; such files are refused") from None
        except expat.ExpatError as error:
            if fed == 0 or error.code not in _ENDS_TOO_SOON or file.read(1):
                raise UserError(f"{path}:{error.lineno}: is not XML: {expat.ErrorString(error.code)}") from None
            report.skip(error.lineno, f"the file ends in the middle ({expat.ErrorString(error.code)})")
        except (LookupError, ValueError):  # raised by Python's wrapper of the parser for an unknown encoding
            raise UserError(f"{path}: is XML in an unknown encoding; UTF-8 is expected") from None
        report.lines = parser.CurrentLineNumber


class _Root(Handler):
    name = ""

    def begin(self, name: str, attributes: dict[str, str]) -> None:  # noqa: ARG002
        self.name = self.name or name


def root_of(path: str | Path) -> str:
    """Return the name of the root element; refuses the same files as ``stream``."""
    root = _Root()
    for _ in stream(str(path), root, Report()):
        if root.name:
            break
    return root.name


def _check_token(unread_bytes: int) -> None:
    """Refuse an element that is too long: the parser keeps all of it in memory."""
    if unread_bytes > TOKEN_BYTES_MAX:
        raise _RefusedError(f"has an element of more than {TOKEN_BYTES_MAX:,} bytes")


def _parser(handler: Handler) -> Any:
    parser: Any = expat.ParserCreate()
    depth = 0

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEPTH_MAX:
            raise _RefusedError(f"has elements nested more than {DEPTH_MAX} deep")
        handler.begin(name, attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        handler.end(name)

    def refuse(*_: Any) -> None:
        raise _RefusedError("has a document type declaration")

    handler.line = lambda: int(parser.CurrentLineNumber)
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.CharacterDataHandler = handler.text
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    return parser


def stem(path: str) -> str:
    """Return a file's name without its suffixes."""
    return Path(path).name.split(".")[0]
