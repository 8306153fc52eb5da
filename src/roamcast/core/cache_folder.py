"""The cache folder for files that can always be recreated: inside the environment, otherwise in the user's cache.

Everything kept there (a Java home, a class-data archive, compiled code) belongs to the installed wheels, so it lives in
the same environment, and removing the environment removes everything.
"""

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path


def cache_folder() -> Path | None:
    """Return a folder that outlives this process, or None if no such folder is writable."""
    for folder in _candidates():
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK | os.X_OK):
            return folder
    return None


def put_folder(folder: Path, fill: Callable[[Path], None]) -> None:
    """Create a folder atomically: it is filled under a temporary name, then renamed."""
    temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        fill(temporary)
        temporary.chmod(0o755)
        temporary.rename(folder)
    except OSError:
        shutil.rmtree(temporary, ignore_errors=True)
        if not folder.is_dir():  # otherwise another process was faster, and its folder is as good
            raise


def temporary_folder() -> Path:
    """Return a folder that lives as long as this process."""
    folder = Path(tempfile.mkdtemp(prefix="roamcast-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _candidates() -> list[Path]:
    user_cache = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))  # noqa: PTH111 - no HOME, no error
    inside = [Path(sys.prefix, "var", "cache", "roamcast")] if sys.prefix != sys.base_prefix else []
    return [*inside, user_cache / "roamcast"]
