"""The file of ``roamcast run --trace``: complete when the run has ended, and unchanged if it has not.

It is written under a temporary name beside it and renamed. Anything that is not an ordinary file (a pipe, a terminal,
``/dev/null``), and the target of standard output, is written directly.
"""

import csv
import errno
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from roamcast.campaigns.whole_files import whole_file
from roamcast.core.errors import UserError

if TYPE_CHECKING:
    from roamcast.sim.setup import FrameSent

COLUMNS = ("ended_at_s", "sender", "kind", "payload_bytes", "events", "receivers")
STANDARD_OUTPUT = 1
DEVICES = (Path("/dev"), Path("/proc"))
"""Where the system has devices and the files that a process has open; nothing can be renamed to these."""
_WORDS = {"map": "the map", "path": "the recording"}
"""The keys of a scenario that name what it reads: street maps, recorded movement and contacts."""


@contextmanager
def trace_file(path: Path, inputs: Mapping[Path, str]) -> "Iterator[Callable[[FrameSent], None]]":
    """Give a function that writes each frame as a line of a CSV file, which has its name in the end.

    ``inputs`` are the files and folders that the run reads, and what each is: none of them may be written to.
    """
    target = Path(os.path.realpath(path))  # a link stays a link
    replaced = ExitStack()
    try:
        found = path.stat() if path.exists() else None
        is_output = leads_to_output(path)
        if is_output:  # the place up to which it is written is shared; another opening would have its own
            file = os.fdopen(os.dup(STANDARD_OUTPUT), "w", newline="", encoding="utf-8")
        elif found and _is_written_directly(path, found):
            file = path.open("w", newline="", encoding="utf-8")
        else:
            _check_no_input(path, target, inputs)
            if found and not os.access(target, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            temporary = replaced.enter_context(whole_file(target))
            file = temporary.open("w", newline="", encoding="utf-8")
            if found:
                shutil.copymode(target, temporary)
    except OSError as error:
        replaced.__exit__(*sys.exc_info())
        raise _refused(path, error) from None
    try:
        trace = _Trace(path, file, is_output)
        yield trace.write_frame
        with trace.errors():
            file.close()
            replaced.close()
    except BaseException:
        replaced.__exit__(*sys.exc_info())
        raise
    finally:
        with suppress(OSError):  # a second error would hide the first
            file.close()


def leads_to_output(path: Path) -> bool:
    """Tell whether a path is where standard output goes."""
    try:
        return _is_output(path.stat())
    except OSError:  # there is no such file yet
        return False


def input_files(scenario_file: Path, document: Mapping[str, Any]) -> dict[Path, str]:
    """Return what a scenario reads, and what each is: the file itself, maps and recordings."""
    return {**{Path(name): what for name, what in _named(document)}, scenario_file: "the scenario"}


def _named(table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the paths in a table and the tables in it; in a sweep, a key has dots and a list of values."""
    for key, value in table.items():
        last = key.split(".")[-1]
        if isinstance(value, Mapping):
            yield from _named(value)
        elif last in _WORDS:
            names = [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]
            # A map without this ending is one that roamcast brings along.
            yield from ((name, f"{_WORDS[last]} {name}") for name in names if last == "path" or name.endswith(".toml"))


def _check_no_input(path: Path, target: Path, inputs: Mapping[Path, str]) -> None:
    for each, what in inputs.items():
        if each.is_dir() and target.is_relative_to(each.resolve()):
            raise UserError(f"--trace {path}: lies in {what}; name a file outside of it")
        if target.exists() and each.exists() and target.samefile(each):
            raise UserError(f"--trace {path}: is {what} of this run; name another file")


def _is_written_directly(path: Path, found: os.stat_result) -> bool:
    """Tell whether a path leads to no file of its own: a device, a pipe, a file that a process has open."""
    here = path.parent.resolve()
    return any(here.is_relative_to(each) for each in DEVICES) or not stat.S_ISREG(found.st_mode)


def _is_output(found: os.stat_result) -> bool:
    """Tell whether standard output goes there; a new file of that name would take from it what is printed."""
    try:
        return os.path.samestat(found, os.fstat(STANDARD_OUTPUT))
    except OSError:  # it is closed
        return False


class _Trace:
    """An open trace."""

    def __init__(self, path: Path, file: TextIO, is_output: bool) -> None:
        self._path = path
        self._file = file
        self._is_output = is_output
        self._writer = csv.writer(file)
        self._writer.writerow(COLUMNS)

    def write_frame(self, frame: "FrameSent") -> None:
        """Write a frame down."""
        message = frame.message
        events = " ".join(f"{event.id.publisher}/{event.id.number}" for event in message.events)
        receivers = " ".join(map(str, frame.receivers))
        time_s = f"{frame.ended_at_s:.9f}"
        with self.errors():
            self._writer.writerow([time_s, frame.sender, message.kind, message.size_bytes, events, receivers])

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn what the file refuses into a line for a person."""
        try:
            yield
        except OSError as error:
            if self._is_output and isinstance(error, BrokenPipeError):  # the reader, `head` say, has seen enough
                raise
            raise _refused(self._path, error) from None


def _refused(path: Path, error: OSError) -> UserError:
    return UserError(f"--trace {path}: cannot be written: {(error.strerror or str(error)).lower()}")
