"""Machine code is kept for the very files that it was made of, and found again by whoever has the same files."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import roamcast
from roamcast.core import compiled
from roamcast.core.compiled import Compiler

TWICE = "test_compiled.twice"


def twice(number: int) -> int:
    return 2 * number


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path)


def test_code_is_kept_once_it_has_been_compiled() -> None:
    compiler = Compiler("roamcast.core.predicates")
    assert not compiler.has_compiled(TWICE)
    assert compiler.compile(twice)(21) == 42
    assert compiler.has_compiled(TWICE)
    assert not compiler.has_compiled("test_compiled.thrice")
    again = Compiler("roamcast.core.predicates")
    assert again.has_compiled(TWICE)
    loaded = again.compile(twice)
    assert loaded(21) == 42
    assert sum(loaded.stats.cache_hits.values()) == 1  # type: ignore[attr-defined]


def test_code_of_other_files_is_not_taken_for_it() -> None:
    Compiler("roamcast.core.predicates").compile(twice)(1)
    assert not Compiler("roamcast.core").has_compiled(TWICE)


def test_without_a_cache_folder_code_is_compiled_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "cache_folder", lambda: None)
    compiler = Compiler("roamcast.core.predicates")
    assert compiler.compile(twice)(21) == 42
    assert not compiler.has_compiled(TWICE)


PROGRAM = """
import sys; sys.path.insert(0, sys.argv[1])
from pathlib import Path
from roamcast.core import compiled
compiled.cache_folder = lambda: Path(sys.argv[2])
from roamcast.routing.gpsr import neighbours
neighbours._oldest(neighbours.np.zeros((4, 3)), 2)
print(neighbours.__file__, sum(neighbours._oldest.stats.cache_hits.values()))
"""


def test_what_is_imported_from_a_zip_finds_the_code_that_an_earlier_zip_left(tmp_path: Path) -> None:
    source = Path(roamcast.__file__).parent
    for folder, hits in (("first", "0"), ("second", "1")):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "roamcast.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for file in source.rglob("*.py"):
                archive.write(file, Path("roamcast") / file.relative_to(source))
        command = [sys.executable, "-c", PROGRAM, str(path), str(tmp_path / "cache")]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.split() == [str(path / "roamcast" / "routing" / "gpsr" / "neighbours.py"), hits]
