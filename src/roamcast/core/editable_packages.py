"""The packages of a distribution in development (``pip install --editable``).

Its installer notes the project's folder and how Python gets there, by a ``.pth`` file with folders or by a hook that it
runs; of what there is to import, only setuptools keeps a list. So we look into the folders, and ask Python which of the
names that we find there it would import from them.
"""

import json
from collections.abc import Collection, Iterable, Iterator
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

BUILD_FILES = {"setup", "conftest", "noxfile"}
"""Modules in a project's folder that build or test it."""


def editable_roots(distribution: metadata.Distribution) -> set[str]:
    """Return the outermost packages and modules of a distribution in development; none if it is not in development."""
    project = _project_folder(distribution)
    if project is None:
        return set()
    own = {point.module.partition(".")[0] for point in distribution.entry_points}
    folders = list(_folders_on_path(distribution)) or [project / "src", project]
    names = {name for folder in folders if folder.is_dir() for name in _importable(folder, own)}
    return {name for name in names if _is_found_in(name, [project, *folders])}


def _project_folder(distribution: metadata.Distribution) -> Path | None:
    """Return the folder that an editable installation leads to; None: the installation is another, or says nothing."""
    try:
        noted: Any = json.loads(distribution.read_text("direct_url.json") or "null")
        is_editable, url = noted["dir_info"]["editable"], urlsplit(str(noted["url"]))
    except (ValueError, TypeError, KeyError):
        return None
    return Path(url2pathname(url.path)) if is_editable and url.scheme == "file" else None


def _folders_on_path(distribution: metadata.Distribution) -> Iterator[Path]:
    """Yield the folders that the distribution's ``.pth`` files put on the path."""
    site = Path(str(distribution.locate_file("")))
    for file in distribution.files or ():
        if file.suffix == ".pth" and len(file.parts) == 1 and (site / file).is_file():
            for line in (site / file).read_text(encoding="utf-8", errors="replace").splitlines():
                if (
                    line.strip()
                    and not line.startswith(("#", "import ", "import\t"))
                    and (site / line.strip()).is_dir()
                ):
                    yield site / line.strip()


def _importable(folder: Path, own: Collection[str], above: str = "") -> Iterator[str]:
    """Yield the packages and modules in a folder; of namespaces only those in ``own``, since any folder may be one."""
    for entry in sorted(folder.iterdir()):
        name = entry.name.removesuffix(".py")
        if not name.isidentifier() or name == "__pycache__" or (not above and name in BUILD_FILES):
            continue
        if (entry.is_file() and entry.suffix == ".py") or (entry / "__init__.py").is_file():
            yield f"{above}{name}"
        elif entry.is_dir() and (above or name in own):
            yield from _importable(entry, own, f"{above}{name}.")


def _is_found_in(name: str, folders: Iterable[Path]) -> bool:
    """Tell whether Python would import a package or module from one of some folders."""
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return False
    if spec is None or not spec.has_location or spec.origin is None:
        return False
    place = Path(spec.origin).resolve()
    return any(place.is_relative_to(folder.resolve()) for folder in folders)
