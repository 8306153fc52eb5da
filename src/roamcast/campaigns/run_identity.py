"""A fingerprint of the code that decides a run, so that results of changed code are never taken for those of the old.

The version alone cannot tell: who writes a protocol changes it many times between two releases.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from roamcast.core.content_digest import content_digest

DECIDING_PACKAGES = ("core", "matching", "recorded", "protocols", "routing", "sim", "experiments")
"""What lies below the pipeline; how results are measured and shown does not change them."""
DECIDING_ENDINGS = (".py", ".toml")


@cache
def source_digest() -> str:
    """Return the fingerprint of the package's deciding files."""
    root = files("roamcast")
    return digest_of(root / name for name in DECIDING_PACKAGES if (root / name).is_dir())


def digest_of(folders: Iterable[Traversable]) -> str:
    """Return the fingerprint of all deciding files in some folders: their names and contents."""
    found = sorted((each for folder in folders for each in _files(folder, folder.name)), key=lambda each: each[0])
    return content_digest((name, file.read_bytes()) for name, file in found)


def _files(folder: Traversable, above: str) -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        name = f"{above}/{entry.name}"
        if entry.is_dir():
            yield from _files(entry, name)
        elif entry.name.endswith(DECIDING_ENDINGS):
            yield name, entry
