"""Temporary files next to an import's folder, and their removal however the import ends.

    .NAME.CALL.log    output of Java and the workers; locked while the import runs, so that others can tell that it does
    .NAME.CALL.tmp    the folder that is being written
    .NAME.CALL.old    the older import, while the new one replaces it
    .NAME.CALL.gone   a folder that is being removed

The lock ends with the process, even if that is killed. The next import to the same folder then removes what is left,
and restores an older import that was about to be replaced.
"""

import fcntl
import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from roamcast.core.errors import UserError


@dataclass(frozen=True, slots=True)
class WorkingPaths:
    """The temporary paths of one call."""

    out: Path
    call: str

    @classmethod
    def new(cls, out: Path) -> "WorkingPaths":
        """Return paths that no other call uses."""
        return cls(out, uuid.uuid4().hex[:8])

    @property
    def log_file(self) -> Path:
        """Return the file whose lock shows that the import is running."""
        return self._path("log")

    @property
    def new_folder(self) -> Path:
        """Return the folder that is being written."""
        return self._path("tmp")

    @property
    def old(self) -> Path:
        """Return the path of the older import while the new one replaces it."""
        return self._path("old")

    def _path(self, ending: str) -> Path:
        return self.out.parent / f".{self.out.name}.{self.call}.{ending}"

    @contextmanager
    def owned(self) -> Iterator[None]:
        """Hold the lock, and remove all temporary files in the end, except for a log that an error refers to.

        The leftovers of dead calls are removed first.
        """
        self.out.parent.mkdir(parents=True, exist_ok=True)
        remove_dead(self.out)
        keep_log = False
        # The log gets its name only once it is locked, so that nobody mistakes a starting call for a dead one.
        descriptor, name = tempfile.mkstemp(prefix=".roamcast-", dir=self.out.parent)
        try:
            _lock(descriptor)
            Path(name).rename(self.log_file)
            yield
        except UserError as error:
            keep_log = str(self.log_file) in str(error)
            raise
        finally:
            Path(name).unlink(missing_ok=True)
            self.remove(keep_log=keep_log)
            os.close(descriptor)

    def install(self) -> None:
        """Replace the old folder with the new one; if this is interrupted, ``remove`` restores the old one."""
        if self.out.exists():
            self.out.rename(self.old)
        self.new_folder.rename(self.out)

    def remove(self, *, keep_log: bool = False) -> None:
        """Remove all temporary files of this call."""
        if self.old.exists() and not self.out.exists():
            self.old.rename(self.out)
        with suppress(OSError):  # tasks that are still writing must not find the folder while it is being removed
            self.new_folder.rename(self._path("gone"))
        for path in (self._path("gone"), self.new_folder, self.old):
            if path.is_symlink():
                path.unlink(missing_ok=True)
            shutil.rmtree(path, ignore_errors=True)
        if not keep_log:
            with suppress(OSError):
                self.log_file.unlink(missing_ok=True)


def remove_dead(out: Path) -> None:
    """Remove the leftovers of dead imports to a folder."""
    pattern = re.compile(rf"\.{re.escape(out.name)}\.([0-9a-f]{{8}})\.(log|tmp|old|gone)")
    calls = {found[1] for path in out.parent.iterdir() if (found := pattern.fullmatch(path.name))}
    for call in sorted(calls):
        paths = WorkingPaths(out, call)
        if not _is_alive(paths.log_file):
            paths.remove()


def _is_alive(log_file: Path) -> bool:
    """Tell whether the owner of a log is running; if locks are not supported, assume that it is."""
    try:
        with log_file.open("rb") as log:
            return not _lock(log.fileno())
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _lock(descriptor: int) -> bool:
    """Lock a file until this process ends, and tell whether that succeeded."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
