import sys
from pathlib import Path

import pytest

from roamcast.core.cache_folder import cache_folder, put_folder
from roamcast.spark.session import class_archive, make_archive
from roamcast.spark.session.java import Java

JAVA = Java(Path("/some/java"), "21.0.1")


@pytest.fixture
def user_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be outside of a virtual environment."""
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "roamcast"


def test_a_virtual_environment_keeps_its_own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert cache_folder() == tmp_path / "var" / "cache" / "roamcast"


def test_without_one_the_users_cache_is_taken(user_cache: Path) -> None:
    assert cache_folder() == user_cache


def test_where_nothing_can_be_written_there_is_no_cache_and_no_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "file"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert cache_folder() is None
    assert class_archive.find_archive(JAVA) is None
    monkeypatch.setattr(make_archive, "find_java", lambda: JAVA)
    assert make_archive.make_archive() is None


def test_an_archive_is_found_by_the_java_that_it_was_made_with(user_cache: Path) -> None:
    path = class_archive.archive_path(JAVA)
    assert path is not None
    assert class_archive.find_archive(JAVA) is None
    path.touch()
    assert path.parent == user_cache
    assert class_archive.find_archive(JAVA) == path
    assert class_archive.find_archive(Java(JAVA.home, "21.0.2")) is None


@pytest.mark.usefixtures("user_cache")
def test_an_archive_that_is_there_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    path = class_archive.archive_path(JAVA)
    assert path is not None
    path.touch()
    monkeypatch.setattr(make_archive, "find_java", lambda: JAVA)
    assert make_archive.make_archive() == path


def test_a_folder_that_fails_while_it_is_filled_leaves_nothing(tmp_path: Path) -> None:
    def fill(making: Path) -> None:
        (making / "half").touch()
        raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        put_folder(tmp_path / "wanted", fill)
    assert list(tmp_path.iterdir()) == []


def test_whoever_is_faster_wins_and_nobody_fails(tmp_path: Path) -> None:
    def slow(making: Path) -> None:
        put_folder(tmp_path / "wanted", lambda other: (other / "fast").touch())
        (making / "slow").touch()

    put_folder(tmp_path / "wanted", slow)
    assert [each.name for each in tmp_path.iterdir()] == ["wanted"]
    assert [each.name for each in (tmp_path / "wanted").iterdir()] == ["fast"]
