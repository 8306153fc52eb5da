"""Modules that run as C where they have been compiled, and as Python otherwise: the same files, the same traces.

``python -m roamcast.routing.native`` compiles them with mypyc, which needs mypy, setuptools and a C compiler; ``make
install`` calls it. The result is put into a folder named after the contents of all files that the modules depend on, so
that a changed file is never shadowed by the result of an older one. ``ROAMCAST_PURE=1`` forces the Python files: for
debuggers, and for code that replaces functions.
"""

import os
import shutil
import sys
import sysconfig
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import roamcast.core
from roamcast.core.content_digest import content_digest

ROOT = Path(__file__).parents[2]
MODULES = (
    "routing/aodv/discovery.py",
    "routing/aodv/protocol.py",
    "routing/aodv/replies.py",
    "routing/aodv/request_receivers.py",
    "routing/aodv/route_errors.py",
    "routing/aodv/route_table.py",
    "routing/aodv/sequence_numbers.py",
    "routing/shared/bounded_memory.py",
    "routing/shared/packets.py",
)
"""The compiled modules: AODV, whose floods are most of what Python does in its runs. Its messages are not compiled,
since mypyc does not support frozen dataclasses with slots."""
DEPENDENCIES = (
    "__init__.py",
    f"{Path(roamcast.core.__file__).parent.name}/**/[!.]*.py",
    "routing/__init__.py",
    "routing/aodv/[!.]*.py",
    "routing/native/[!.]*.py",
    "routing/shared/[!.]*.py",
)
"""Everything that the modules import. Other routers are not included: adding one does not require compiling again."""
SHARED = "roamcast_native"
"""The name of the module that holds what the compiled modules have in common."""
PREFIX = f"native-{sysconfig.get_config_var('SOABI') or sys.implementation.cache_tag}-"
"""Every Python version and kind of machine has its own folders."""
PURE = "ROAMCAST_PURE"


def with_native(package: str, path: Sequence[str]) -> list[str]:
    """Return the search path of a package's modules: the compiled ones first, if there are any."""
    made = usable_folder(ROOT)
    return list(path) if made is None else [str(made.joinpath(*package.split("."))), *path]


@cache
def usable_folder(root: Path) -> Path | None:
    """Return the folder of the compiled modules, if they exist, are wanted and can be loaded here."""
    if os.environ.get(PURE, "0") != "0":
        return None
    try:
        made = native_folder(root)
    except OSError:  # a file appeared or vanished meanwhile
        return None
    if not made.is_dir():  # also when the package is in a zip file on a cluster's executor
        return None
    sys.path.insert(0, str(made))
    try:
        import_module(f"{SHARED}__mypyc")
    except ImportError:  # compiled for another machine that shares the folder
        return None
    finally:
        sys.path.remove(str(made))
    return made


def native_folder(root: Path) -> Path:
    """Return the folder for the compiled form of the modules' current contents."""
    return root / "__pycache__" / f"{PREFIX}{_digest(root)}"


def make(root: Path) -> Path:
    """Compile the modules, unless that has been done, and return their folder."""
    made = native_folder(root)
    if made.is_dir():
        return made
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    if shutil.which(compiler) is None:
        raise FileNotFoundError(f"there is no C compiler {compiler}")
    made.parent.mkdir(exist_ok=True)
    with TemporaryDirectory(prefix="making-native-", dir=made.parent) as name:
        folder = Path(name)
        copied = folder / "source" / root.name  # nobody edits the copy, so its contents can name the folder
        for source in _sources(root):
            (copied / source).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / source, copied / source)
        made = made.with_name(PREFIX + _digest(copied))
        _compile(copied, folder / "made")
        try:
            (folder / "made").rename(made)
        except OSError:
            if not made.is_dir():  # if it is there, another process was faster
                raise
    for older in set(made.parent.glob(f"{PREFIX}*")) - {made, native_folder(root)}:
        shutil.rmtree(older, ignore_errors=True)
    return made


def _sources(root: Path) -> list[Path]:
    return sorted({file.relative_to(root) for pattern in DEPENDENCIES for file in root.glob(pattern)})


def _digest(root: Path) -> str:
    return content_digest((source.as_posix(), (root / source).read_bytes()) for source in _sources(root))


def _compile(root: Path, into: Path) -> None:
    from mypyc.build import mypycify  # imported here: only compiling needs them
    from setuptools import setup  # type: ignore[import-untyped]

    before, temporary = Path.cwd(), into.with_name("temporary")
    os.chdir(root.parent)  # mypyc takes the modules' names from their paths
    try:
        extensions = mypycify(
            [f"--cache-dir={os.devnull}", *(f"{root.name}/{module}" for module in MODULES)],
            group_name=SHARED,
            target_dir=str(temporary),
        )
        folders = ["--build-lib", str(into), "--build-temp", str(temporary)]
        setup(name=SHARED, ext_modules=extensions, script_args=["--quiet", "build_ext", *folders])
    finally:
        os.chdir(before)


def main() -> int:
    """Compile, or say in one line why that failed."""
    try:
        make(ROOT)
    except ImportError as error:
        reason = f"{error.name} is missing; pip install mypy setuptools"
    except KeyboardInterrupt:
        reason = "interrupted"
    except SystemExit as error:
        reason = error.code if isinstance(error.code, str) else "mypyc found the errors above"
    except OSError as error:
        reason = str(error)
    else:
        return 0
    sys.stderr.write(f"roamcast: nothing compiled: {reason}\n")
    return 1
