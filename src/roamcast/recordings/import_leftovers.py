"""What an import leaves beside its folder while it works, and how that goes away whatever ends the import.

    .NAME.CALL.log    what Java and the workers say; locked as long as the import lives, so that others see it does
    .NAME.CALL.tmp    the folder on its way
    .NAME.CALL.old    the older import, for the moment in which the new one takes its place
    .NAME.CALL.gone   a folder that is being removed

The lock goes with the process, also when that is killed. The next import to the same folder then removes what is left,
and puts an older import back that was just being replaced.
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
class Trails:
    """The paths of one call."""

    out: Path
    call: str

    @classmethod
    def new(cls, out: Path) -> "Trails":
        """Return paths that no other call has."""
        return cls(out, uuid.uuid4().hex[:8])

    @property
    def log_file(self) -> Path:
        """Return the file whose lock says that the import lives."""
        return self._path("log")

    @property
    def making(self) -> Path:
        """Return the folder on its way."""
        return self._path("tmp")

    @property
    def old(self) -> Path:
        """Return where the older import is while the new one takes its place."""
        return self._path("old")

    def _path(self, ending: str) -> Path:
        return self.out.parent / f".{self.out.name}.{self.call}.{ending}"

    @contextmanager
    def owned(self) -> Iterator[None]:
        """Show that this call lives, and remove all that it has left in the end, but for a log that an error names.

        What dead calls have left is removed first.
        """
        self.out.parent.mkdir(parents=True, exist_ok=True)
        remove_dead(self.out)
        keep_log = False
        # The log has its name only once it is locked, so that nobody takes a call that begins for one that has died.
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

    def put_in_place(self) -> None:
        """Let the new folder take the place of the old one; interrupted in between, ``remove`` puts that back."""
        if self.out.exists():
            self.out.rename(self.old)
        self.making.rename(self.out)

    def remove(self, *, keep_log: bool = False) -> None:
        """Remove all that is left of this call."""
        if self.old.exists() and not self.out.exists():
            self.old.rename(self.out)
        with suppress(OSError):  # tasks that still write must not find the folder again while it is being removed
            self.making.rename(self._path("gone"))
        for path in (self._path("gone"), self.making, self.old):
            if path.is_symlink():
                path.unlink(missing_ok=True)
            shutil.rmtree(path, ignore_errors=True)
        if not keep_log:
            with suppress(OSError):
                self.log_file.unlink(missing_ok=True)


def remove_dead(out: Path) -> None:
    """Remove what imports to a folder have left that have died."""
    pattern = re.compile(rf"\.{re.escape(out.name)}\.([0-9a-f]{{8}})\.(log|tmp|old|gone)")
    calls = {found[1] for each in out.parent.iterdir() if (found := pattern.fullmatch(each.name))}
    for call in sorted(calls):
        trails = Trails(out, call)
        if not _is_alive(trails.log_file):
            trails.remove()


def _is_alive(log_file: Path) -> bool:
    """Tell whether the owner of a log lives; where there are no locks, it might."""
    try:
        with log_file.open("rb") as log:
            return not _lock(log.fileno())
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _lock(descriptor: int) -> bool:
    """Lock a file, which the system takes back however this process ends; tell whether that is done."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
