"""Compiled modules: the same traces as Python's, and never of files that have changed since."""

import os
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from roamcast.core import native
from roamcast.core.native import MODULES, PACKAGES, PURE, ROOT, SHARED, main, native_folder, usable_folder, with_native
from roamcast.routing import Router
from roamcast.routing.aodv import Aodv
from roamcast.routing.gpsr import Gpsr

PROJECT = Path(__file__).parents[2]
WHERE = """
from importlib import import_module
for module in {modules}:
    print(import_module("roamcast." + module).__file__)
"""


def python(*arguments: str, pure: bool = False) -> str:
    """Run Python with the compiled modules or without them, and return what it prints."""
    environment = {name: value for name, value in os.environ.items() if name != PURE}
    environment.update({PURE: "1"} if pure else {})
    done = subprocess.run([sys.executable, *arguments], cwd=PROJECT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files_in_use(pure: bool) -> list[str]:
    names = [module.removesuffix(".py").replace("/", ".") for module in MODULES]
    return python("-c", WHERE.format(modules=names), pure=pure).splitlines()


def test_what_has_been_compiled_is_used_unless_it_is_not_wanted() -> None:
    python("-m", "roamcast.core.native")  # has been done by make test, and takes a minute if not
    assert [file.endswith(tuple(EXTENSION_SUFFIXES)) for file in files_in_use(pure=False)] == [True] * len(MODULES)
    assert files_in_use(pure=True) == [str(ROOT / module) for module in MODULES]


def test_python_s_own_traces_are_the_golden_ones_too() -> None:
    assert "passed" in python("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/golden", pure=True)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a package whose modules are empty, in a Python that has loaded nothing compiled."""
    for package in PACKAGES:
        (tmp_path / package).mkdir()
    for module in MODULES:
        (tmp_path / module).touch()
    monkeypatch.delenv(PURE, raising=False)
    monkeypatch.delitem(sys.modules, f"{SHARED}__mypyc", raising=False)
    monkeypatch.setattr(sys, "path", [])
    return tmp_path


def compiled(root: Path) -> Path:
    made = native_folder(root)
    made.mkdir(parents=True)
    (made / f"{SHARED}__mypyc.py").touch()
    return made


def test_what_was_made_of_older_files_is_not_used(root: Path) -> None:
    made = compiled(root)
    assert usable_folder(root) == made
    assert sys.path == [str(made)]
    for changed in (root / MODULES[0], root / "core" / "new.py"):
        changed.write_text("changed = 1\n", encoding="utf-8")
        usable_folder.cache_clear()
        assert usable_folder(root) is None
        assert native_folder(root) != made


def test_nothing_compiled_is_used_where_it_is_not_wanted(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled(root)
    monkeypatch.setenv(PURE, "1")
    assert usable_folder(root) is None


def test_what_cannot_be_loaded_here_is_not_used(root: Path) -> None:
    native_folder(root).mkdir(parents=True)
    assert usable_folder(root) is None
    assert sys.path == []


def test_a_package_without_files_is_used_as_it_is(root: Path) -> None:
    assert usable_folder(root / "roamcast.zip") is None


def test_compiled_modules_come_before_the_package_s_own(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "ROOT", root)
    assert with_native("roamcast.sim", ["here"]) == ["here"]
    made = compiled(root)
    usable_folder.cache_clear()
    assert with_native("roamcast.sim", ["here"]) == [str(made / "roamcast" / "sim"), "here"]


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ModuleNotFoundError("no", name="mypyc"), "mypyc is missing; make install brings it"),
        (SystemExit("error: command 'gcc' failed"), "error: command 'gcc' failed"),
        (PermissionError(13, "Permission denied", "native"), "[Errno 13] Permission denied: 'native'"),
    ],
)
def test_where_nothing_can_be_compiled_one_line_says_why(
    error: BaseException, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: Path) -> Path:
        raise error

    monkeypatch.setattr(native, "make", fail)
    assert main() == 1
    assert capsys.readouterr().err == f"roamcast: nothing compiled: {line}\n"


def test_a_compiled_class_is_told_from_its_siblings() -> None:
    assert issubclass(Gpsr, Router)
    assert not issubclass(Gpsr, Aodv)
    assert not issubclass(Aodv, Gpsr)
