"""The folder of an import: whole or as it was before, and nothing is left beside it, whatever ends the import."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.core.errors import UserError
from roamcast.spark.movement.import_folder import import_folder

CHILD = """
import sys
from pathlib import Path
from roamcast.spark.movement.import_folder import import_folder
with import_folder(Path(sys.argv[1]), "movement") as place:
    place.write_summary("movement", {"made": "by the child"})
    print("ready", flush=True)
    sys.stdin.read()
"""


def made(out: Path, text: str = "{}") -> None:
    """Make a folder of movement as an import does."""
    with import_folder(out, "movement") as place:
        (place.root / "movement.json").write_text(text)


def names(folder: Path) -> list[str]:
    """Return what a folder holds."""
    return sorted(each.name for each in folder.iterdir())


def test_a_folder_takes_the_place_of_the_older_one_and_leaves_nothing_beside(tmp_path: Path) -> None:
    made(tmp_path / "out", "1")
    made(tmp_path / "out", "2")
    assert (tmp_path / "out" / "movement.json").read_text() == "2"
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("before", [False, True])
def test_ctrl_c_leaves_everything_as_it_was_before_and_says_so(tmp_path: Path, before: bool) -> None:
    out = tmp_path / "out"
    if before:
        made(out, "1")
    said = f"nothing is kept, {re.escape(str(out))} is unchanged"
    with pytest.raises(KeyboardInterrupt, match=said), import_folder(out, "movement") as place:  # noqa: PT012
        (place.root / "movement.json").write_text("2")
        raise KeyboardInterrupt
    assert names(tmp_path) == (["out"] if before else [])
    assert not before or (out / "movement.json").read_text() == "1"


def test_ctrl_c_between_the_older_folder_and_the_new_one_puts_the_older_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path / "out", "1")
    rename = Path.rename

    def interrupted(path: Path, target: Path) -> Path:
        if path.suffix == ".tmp" and target.name == "out":
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt, match="is unchanged"):
        made(tmp_path / "out", "2")
    assert (tmp_path / "out" / "movement.json").read_text() == "1"
    assert names(tmp_path) == ["out"]


def test_what_a_killed_import_has_left_goes_with_the_next_and_what_a_living_one_has_stays(tmp_path: Path) -> None:
    out = tmp_path / "o[u]t"
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(out)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    made(out)
    assert {Path(each).suffix for each in names(tmp_path) if each != out.name} == {".log", ".tmp"}
    child.send_signal(signal.SIGKILL)
    child.communicate()
    made(out)
    assert names(tmp_path) == [out.name]


def test_an_older_import_whose_replacement_was_killed_half_way_is_put_back(tmp_path: Path) -> None:
    made(tmp_path / "out", "1")
    (tmp_path / "out").rename(tmp_path / ".out.0123abcd.old")
    (tmp_path / ".out.0123abcd.log").touch()
    (tmp_path / ".outer.0123abcd.old").mkdir()  # of another folder
    with pytest.raises(UserError, match="no rows"), import_folder(tmp_path / "out", "movement"):
        raise UserError("no rows")
    assert (tmp_path / "out" / "movement.json").read_text() == "1"
    assert names(tmp_path) == [".outer.0123abcd.old", "out"]


def test_a_link_to_a_folder_stays_a_link_and_one_to_nowhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "disk")
    made(tmp_path / "out", "1")
    made(tmp_path / "out", "2")
    assert (tmp_path / "disk" / "movement.json").read_text() == "2"
    assert (tmp_path / "out").is_symlink()
    (tmp_path / "lost").symlink_to(tmp_path / "nowhere")
    with pytest.raises(UserError, match=r"lost: is a link to .*nowhere, which does not exist"):
        made(tmp_path / "lost")
    assert names(tmp_path) == ["disk", "lost", "out"]


@pytest.mark.parametrize("length", [250, 300])
def test_a_name_that_is_too_long_is_one_line(tmp_path: Path, length: int) -> None:
    with pytest.raises(UserError, match=r"cannot be written \(file name too long\)"):
        made(tmp_path / ("n" * length))
    assert names(tmp_path) == []


def test_runs_and_imports_do_not_share_a_folder(tmp_path: Path) -> None:
    made(tmp_path / "city")
    with (
        pytest.raises(UserError, match="city: is a folder of imported movement"),
        CampaignFolder(tmp_path / "city").opened(),
    ):
        pass
    assert names(tmp_path / "city") == ["movement.json"]
    with CampaignFolder(tmp_path / "runs").opened():
        pass
    for kind in ("movement", "contacts"):
        with (
            pytest.raises(UserError, match="runs: exists and holds something else"),
            import_folder(tmp_path / "runs", kind),
        ):
            pass
    with (
        pytest.raises(UserError, match="city: exists and holds something else"),
        import_folder(tmp_path / "city", "contacts"),
    ):
        pass
