"""A file is either there and whole or not there, whatever happens while it is written."""

from pathlib import Path

import pytest

from roamcast.campaigns import whole_files
from roamcast.campaigns.whole_files import whole_file, write_bytes
from roamcast.core.errors import UserError


class PowerCutError(Exception):
    """Ends the writing in these tests."""


def names(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


def write_half(path: Path) -> None:
    with whole_file(path) as temporary:
        temporary.write_text("ne")
        raise PowerCutError


def test_a_file_appears_with_all_of_its_content_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    with whole_file(tmp_path / "a.txt") as temporary:
        temporary.write_text("half")
        assert not (tmp_path / "a.txt").exists()
        temporary.write_text("all of it")
    assert (tmp_path / "a.txt").read_text() == "all of it"
    assert names(tmp_path) == ["a.txt"]


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(PowerCutError):
        write_half(tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_content_and_name_are_on_the_disk_before_and_after_the_renaming(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[tuple[Path, bool]] = []
    monkeypatch.setattr(whole_files, "_flush", lambda path: flushed.append((path, (tmp_path / "a").exists())))
    with whole_file(tmp_path / "a") as temporary:
        temporary.write_text("x")
    assert flushed == [(temporary, False), (tmp_path, True)]


def test_the_longest_name_that_a_file_can_have_can_be_written(tmp_path: Path) -> None:
    name = "ü" * 127 + "x"
    write_bytes(tmp_path / name, b"1")
    assert names(tmp_path) == [name]


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"file/a\.txt: cannot be written \(file exists\)"):
        write_bytes(tmp_path / "file" / "a.txt", b"1")
