"""Compiled modules: the same traces as Python's, and never of files that have changed since."""

import ast
import os
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from roamcast.routing import native
from roamcast.routing.native import MODULES, PREFIX, PURE, ROOT, SHARED, main, make, native_folder, usable_folder

PROJECT = Path(__file__).parents[2]
WHERE = """
from importlib import import_module
for module in {modules}:
    print(import_module("roamcast." + module).__file__)
"""
STANDS_ON_TOO = (
    "__init__.py",
    "core/messages.py",
    "core/predicates/limits.py",
    "routing/__init__.py",
    "routing/shared/other.py",
)
DERIVED = """
from roamcast.routing import Router, load_router
Aodv, Gpsr = load_router("aodv"), load_router("gpsr")

class Deaf(Aodv):
    def handler(self, kind):
        return print

class Host:
    node, now = 1, 0.0

deaf = Deaf(Host(), Aodv.Parameters(), None)
deaf.on_message("said", 7)
print(issubclass(Aodv, Router), isinstance(deaf, Aodv), isinstance(deaf, Gpsr), issubclass(Gpsr, Aodv))
"""


def python(*arguments: str, pure: bool = False) -> str:
    """Run Python with the compiled modules or without them, and return what it prints."""
    environment = {name: value for name, value in os.environ.items() if name != PURE}
    environment.update({PURE: "1"} if pure else {})
    done = subprocess.run([sys.executable, *arguments], cwd=PROJECT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files_in_use(pure: bool = False) -> list[str]:
    names = [module.removesuffix(".py").replace("/", ".") for module in MODULES]
    return python("-c", WHERE.format(modules=names), pure=pure).splitlines()


def test_what_has_been_compiled_is_used_unless_it_is_not_wanted() -> None:
    """``make test`` has compiled before; where there is no C compiler, Python's own files are used."""
    command = [sys.executable, "-m", "roamcast.routing.native"]
    compiling = subprocess.run(command, check=False, cwd=PROJECT, capture_output=True, text=True)
    assert native_folder(ROOT).is_dir() or "nothing compiled: there is no C compiler" in compiling.stderr
    is_compiled = [file.endswith(tuple(EXTENSION_SUFFIXES)) for file in files_in_use()]
    assert is_compiled == [native_folder(ROOT).is_dir()] * len(MODULES)
    assert files_in_use(pure=True) == [str(ROOT / module) for module in MODULES]


def test_python_s_own_traces_are_the_golden_ones_too() -> None:
    assert "passed" in python("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/golden", "-k", "aodv", pure=True)


@pytest.mark.parametrize("pure", [False, True])
def test_a_compiled_class_can_be_derived_from_and_is_told_from_its_siblings(pure: bool) -> None:
    assert python("-c", DERIVED, pure=pure) == "said 7\nTrue True False False\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a package whose modules are empty, in a Python that has loaded nothing compiled."""
    root = tmp_path / "package"
    for name in STANDS_ON_TOO + MODULES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    monkeypatch.delenv(PURE, raising=False)
    monkeypatch.setitem(sys.modules, f"{SHARED}__mypyc", sys)  # so that what was there, or was not, is so again
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    (tmp_path / f"{SHARED}__mypyc.py").write_text("raise ImportError('of somebody else')", encoding="utf-8")
    return root


def fake_compile(root: Path, into: Path) -> None:
    """Leave a shared module that says what was compiled."""
    into.mkdir()
    (into / f"{SHARED}__mypyc.py").write_text((root / MODULES[0]).read_text("utf-8"), encoding="utf-8")


@pytest.fixture
def _compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "_compile", fake_compile)
    monkeypatch.setattr(shutil, "which", lambda _: "/bin/cc")


def usable(root: Path) -> Path | None:
    usable_folder.cache_clear()
    sys.modules.pop(f"{SHARED}__mypyc", None)
    return usable_folder(root)


def imported(file: Path) -> set[Path]:
    """Return the files of the package that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [str(node.module), *(f"{node.module}.{each.name}" for each in node.names)]
        for name in names:
            path = ROOT.parent.joinpath(*name.split("."))
            found |= {each for each in (path.with_suffix(".py"), path / "__init__.py") if each.is_file()}
    return {each for each in found if each.is_relative_to(ROOT)}


def test_the_name_is_of_everything_that_the_modules_import() -> None:
    stands_on, left = set[Path](), {ROOT / module for module in MODULES}
    while left:
        file = left.pop()
        stands_on.add(file)
        left |= imported(file) - stands_on
    assert len(stands_on) > 20
    assert stands_on <= {ROOT / source for source in native._sources(ROOT)}


@pytest.mark.usefixtures("_compiles")
@pytest.mark.parametrize("changed", [*STANDS_ON_TOO, MODULES[0], "core/new.py", "routing/aodv/new.py"])
def test_what_was_made_of_older_files_is_not_used(changed: str, root: Path) -> None:
    made, before = make(root), list(sys.path)
    assert usable(root) == made
    assert sys.path == before
    (root / changed).write_text("changed = 1\n", encoding="utf-8")
    assert usable(root) is None
    newer = make(root)
    assert usable(root) == newer != made
    assert [each.name for each in newer.parent.iterdir()] == [newer.name]
    (root / changed).rename((root / changed).with_name("_renamed.py"))
    assert usable(root) is None


@pytest.mark.usefixtures("_compiles")
def test_other_routers_and_what_editors_leave_behind_change_nothing(root: Path) -> None:
    made = make(root)
    (root / "routing" / "mine.py").touch()
    (root / "core" / ".#messages.py").symlink_to("nobody@nowhere.123")
    assert usable(root) == made


@pytest.mark.usefixtures("_compiles")
def test_a_file_that_changes_while_it_is_compiled_is_not_taken_for_what_it_was(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def edited(source: Path, copied: Path) -> None:
        (root / MODULES[0]).write_text("edited = 1\n", encoding="utf-8")
        copied.write_text(source.read_text("utf-8"), encoding="utf-8")

    monkeypatch.setattr(shutil, "copyfile", edited)
    made = make(root)
    assert (made / f"{SHARED}__mypyc.py").read_text("utf-8") == "edited = 1\n"
    assert usable(root) == made
    (root / MODULES[0]).write_text("", encoding="utf-8")
    assert usable(root) is None


@pytest.mark.usefixtures("_compiles")
def test_who_is_slower_leaves_what_was_made_of_newer_files(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def overtaken(source: Path, into: Path) -> None:
        fake_compile(source, into)
        (root / MODULES[0]).write_text("newer = 1\n", encoding="utf-8")
        fake_compile(root, native_folder(root))

    monkeypatch.setattr(native, "_compile", overtaken)
    assert make(root) != native_folder(root)
    assert usable(root) == native_folder(root)


@pytest.mark.usefixtures("_compiles")
def test_who_is_second_uses_what_the_first_has_made(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def overtaken(source: Path, into: Path) -> None:
        fake_compile(source, into)
        shutil.copytree(into, native_folder(root))

    monkeypatch.setattr(native, "_compile", overtaken)
    assert make(root) == usable(root) == native_folder(root)
    assert len(list((root / "__pycache__").iterdir())) == 1


@pytest.mark.usefixtures("_compiles")
def test_what_another_python_has_made_stays(root: Path) -> None:
    other = root / "__pycache__" / "native-cpython-399-0"
    other.mkdir(parents=True)
    make(root)
    assert other.is_dir()


@pytest.mark.usefixtures("_compiles")
def test_a_compilation_that_fails_leaves_nothing_behind(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Path, into: Path) -> None:
        into.mkdir()
        raise SystemExit("error: command 'cc' failed")

    monkeypatch.setattr(native, "_compile", fail)
    with pytest.raises(SystemExit):
        make(root)
    assert list((root / "__pycache__").iterdir()) == []


def test_without_a_c_compiler_nothing_is_begun(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler -O2")
    with pytest.raises(FileNotFoundError, match="there is no C compiler no-such-compiler"):
        make(root)
    assert not (root / "__pycache__").exists()


@pytest.mark.usefixtures("_compiles")
def test_nothing_compiled_is_used_where_it_is_not_wanted(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(root)
    monkeypatch.setenv(PURE, "1")
    assert usable(root) is None
    monkeypatch.setenv(PURE, "0")
    assert usable(root) is not None


def test_what_cannot_be_loaded_here_is_not_used(root: Path) -> None:
    native_folder(root).mkdir(parents=True)
    before = list(sys.path)
    assert usable(root) is None
    assert sys.path == before


def test_a_file_that_cannot_be_read_is_no_error(root: Path) -> None:
    (root / "core" / "gone.py").symlink_to("nowhere")
    assert usable(root) is None


def test_a_package_in_a_zip_file_is_used_as_it_is(tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path / "roamcast"), "zip", ROOT.parent, "roamcast")
    script = (
        f"import sys; sys.path.insert(0, {archive!r}); import roamcast.routing.aodv.protocol as it; print(it.__file__)"
    )
    assert python("-c", script).strip() == f"{archive}/roamcast/routing/aodv/protocol.py"


@pytest.mark.usefixtures("_compiles")
def test_compiled_modules_come_before_the_package_s_own(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "ROOT", root)
    assert native.with_native("roamcast.routing", ["here"]) == ["here"]
    made = make(root)
    usable_folder.cache_clear()
    assert native.with_native("roamcast.routing", ["here"]) == [str(made / "roamcast" / "routing"), "here"]
    assert made.name.startswith(PREFIX)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ModuleNotFoundError("no", name="mypyc"), "mypyc is missing; pip install mypy setuptools"),
        (SystemExit("error: command 'gcc' failed"), "error: command 'gcc' failed"),
        (SystemExit(1), "mypyc found the errors above"),
        (PermissionError(13, "Permission denied", "native"), "[Errno 13] Permission denied: 'native'"),
        (KeyboardInterrupt(), "interrupted"),
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
