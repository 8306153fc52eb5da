"""``roamcast new protocol``: the package that it writes works, and it never overwrites anything."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import roamcast
from roamcast.cli import main
from roamcast.testing import CHECKS


@pytest.fixture
def package(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Path]:
    """Return a new package, which the next test does not know any more."""
    assert main(["new", "protocol", "fair-wind", "--into", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{tmp_path / 'fair-wind'}: a package with the protocol fair-wind. Next:\n")
    yield tmp_path / "fair-wind"
    for name in [name for name in sys.modules if name.split(".")[0] == "fair_wind"]:
        del sys.modules[name]


def test_the_package_has_an_entry_point_a_protocol_a_test_and_a_readme(package: Path) -> None:
    found = sorted(str(path.relative_to(package)) for path in package.rglob("*") if path.is_file())
    assert found == [
        "README.md",
        "pyproject.toml",
        "src/fair_wind/__init__.py",
        "src/fair_wind/protocol.py",
        "src/fair_wind/py.typed",
        "tests/test_fair_wind.py",
    ]
    project = tomllib.loads((package / "pyproject.toml").read_text("utf-8"))["project"]
    assert (project["name"], project["dependencies"]) == ("fair-wind", ["roamcast"])
    assert project["entry-points"] == {"roamcast.protocols": {"fair-wind": "fair_wind.protocol:FairWind"}}
    assert not [path for path in package.rglob("*") if path.is_file() and "$" in path.read_text("utf-8")]


def test_its_own_test_passes_the_conformance_suite_included(package: Path) -> None:
    path = os.pathsep.join([str(package / "src"), str(Path(roamcast.__file__).parents[1])])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    ran = subprocess.run(
        command, cwd=package, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-1000:]
    assert f"{len(CHECKS) + 4} passed" in ran.stdout, "each check, and four tests of its own"


def test_it_is_clean_for_linters_and_type_checkers(package: Path) -> None:
    path = Path(roamcast.__file__).parents[1]
    for command in (["ruff", "check", "--isolated", "--line-length", "120", "."], ["mypy", "--strict", "src"]):
        ran = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=package,
            env={**os.environ, "MYPYPATH": str(path), "PYTHONPATH": str(path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("FairWind", "must be lower-case words joined by hyphens"),
        ("fair_wind", "must be lower-case words joined by hyphens"),
        ("fair--wind", "must be lower-case words joined by hyphens"),
        ("1-wind", "must be lower-case words joined by hyphens"),
        ("../wind", "must be lower-case words joined by hyphens"),
        ("", "must be lower-case words joined by hyphens"),
        ("w" * 51, "at most 50 characters"),
        ("class", "Python or an installed package already uses the name class"),
        ("random", "Python or an installed package already uses the name random"),
        ("frugal", "a protocol with this name already exists"),
    ],
)
def test_a_name_that_a_protocol_cannot_have_is_refused_and_nothing_is_written(
    name: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", "protocol", "--into", str(tmp_path), "--", name]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"roamcast: new protocol '{name}': ")
    assert reason in said
    assert len(said.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_what_exists_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "fair-wind").mkdir()
    (tmp_path / "fair-wind" / "notes.txt").write_text("mine")
    (tmp_path / "light-wind").symlink_to(tmp_path / "nowhere")
    for name in ("fair-wind", "light-wind"):
        assert main(["new", "protocol", name, "--into", str(tmp_path)]) == 2
        expected = f"roamcast: {tmp_path / name}: exists already; choose another name, or another folder with --into\n"
        assert capsys.readouterr().err == expected
    assert [path.name for path in (tmp_path / "fair-wind").iterdir()] == ["notes.txt"]


def test_a_folder_that_is_not_there_is_a_persons_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "protocol", "fair-wind", "--into", str(tmp_path / "nowhere")]) == 2
    assert capsys.readouterr().err == f"roamcast: {tmp_path / 'nowhere'}: is not a folder\n"
