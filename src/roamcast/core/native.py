"""Modules that run as C where they have been compiled, and as Python where not: the same files, the same traces.

``python -m roamcast.core.native`` compiles them with mypyc, which needs mypy, setuptools and a C compiler; ``make
install`` calls it. What it makes stands in a folder named after the contents of all that the modules may stand on, so
that a file which has changed is never shadowed by what was made of an older one. ``ROAMCAST_PURE=1`` has the Python
files used in any case: for debuggers and for tests that put something in the place of a function.
"""

import hashlib
import os
import shutil
import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("core", "routing", "sim")
"""Where the modules are, and all that they may import."""
MODULES = (
    "routing/_aodv_discovery.py",
    "routing/_aodv_errors.py",
    "routing/_aodv_numbers.py",
    "routing/_aodv_replies.py",
    "routing/_aodv_routes.py",
    "routing/_memory.py",
    "routing/_packets.py",
    "routing/_planar.py",
    "routing/aodv.py",
    "routing/gpsr.py",
    "sim/host.py",
    "sim/kernel.py",
    "sim/simulation.py",
)
"""What is compiled: where runs spend their time in Python. Messages are not: mypyc knows no slots of dataclasses."""
SHARED = "roamcast_native"
"""What the compiled modules have in common is a module of its own, with this name."""
PURE = "ROAMCAST_PURE"


def with_native(package: str, path: Sequence[str]) -> list[str]:
    """Return where a package's modules are to be looked for: first among those that are compiled, if there are any."""
    made = usable_folder(ROOT)
    return list(path) if made is None else [str(made.joinpath(*package.split("."))), *path]


@cache
def usable_folder(root: Path) -> Path | None:
    """Return where the compiled modules stand, if they are there and wanted and can be loaded here."""
    if os.environ.get(PURE) or not (root / MODULES[0]).is_file():  # in a zip file, on a cluster's executor
        return None
    made = native_folder(root)
    if not made.is_dir():
        return None
    sys.path.append(str(made))
    try:
        import_module(f"{SHARED}__mypyc")
    except ImportError:  # made for another machine, which shares the folder
        sys.path.remove(str(made))
        return None
    return made


def native_folder(root: Path) -> Path:
    """Return where the compiled form of the modules as they are now belongs."""
    digest = hashlib.blake2b(EXTENSION_SUFFIXES[0].encode(), digest_size=8)
    for file in sorted(file for package in PACKAGES for file in (root / package).rglob("*.py")):
        digest.update(str(file.relative_to(root)).encode() + file.read_bytes())
    return root / "__pycache__" / f"native-{digest.hexdigest()}"


def make(root: Path) -> Path:
    """Compile the modules, unless that has been done, and return where they are."""
    made = native_folder(root)
    if made.is_dir():
        return made
    from mypyc.build import mypycify  # here: only who compiles needs them
    from setuptools import setup  # type: ignore[import-untyped]

    making = made.with_name(f"making-native-{os.getpid()}")
    temporary = making / "temp"
    os.chdir(root.parent)  # mypyc takes the modules' names from their paths
    setup(
        name=SHARED,
        ext_modules=mypycify(
            [f"--cache-dir={os.devnull}", *(f"{root.name}/{module}" for module in MODULES)],
            group_name=SHARED,
            target_dir=str(temporary),
        ),
        script_args=["--quiet", "build_ext", "--build-lib", str(making), "--build-temp", str(temporary)],
    )
    shutil.rmtree(temporary)
    for older in made.parent.glob("native-*"):
        shutil.rmtree(older, ignore_errors=True)
    making.rename(made)
    return made


def main() -> int:
    """Compile, or say in one line why that cannot be."""
    try:
        make(ROOT)
    except ImportError as error:
        sys.stderr.write(f"roamcast: nothing compiled: {error.name} is missing; make install brings it\n")
    except (OSError, SystemExit) as error:
        sys.stderr.write(f"roamcast: nothing compiled: {error}\n")
    else:
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
