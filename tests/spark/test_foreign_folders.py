"""A folder in which somebody keeps their own things is no place for results; one that a campaign has left is."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fake_runs import planned
from test_commands import SCENARIO

from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.stored_plan import store_plan
from roamcast.cli import main
from roamcast.core.errors import UserError

OWN = {
    "tables/mine.csv": "1,2",
    "started/notes.txt": "begun",
    "spark.log": "another Spark",
    "figures/compare.png": "a picture",
    "plan.parquet": "no Parquet",
}


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with somebody's own files, inside of the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "square.toml").write_text(SCENARIO)
    for name, text in OWN.items():
        (tmp_path / "mine" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "mine" / name).write_text(text)
    return tmp_path / "mine"


def files(folder: Path) -> dict[Path, bytes | None]:
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize("out", ["mine", "."])
@pytest.mark.parametrize(
    "command",
    [
        ["compare", "square.toml", "--protocols", "frugal,flooding", "--seeds", "2"],
        ["reproduce", "frugal", "--figure", "17"],
        ["claims", "frugal"],
    ],
    ids=lambda command: command[0],
)
def test_a_campaign_refuses_a_foreign_folder_before_anything_is_written(
    mine: Path, capsys: pytest.CaptureFixture[str], command: list[str], out: str
) -> None:
    before = files(mine.parent)
    assert main([*command, "--out", out]) == 2
    holds = "figures" if out == "mine" else "mine"
    said = f"{Path(out).absolute()}: holds {holds} and was not made by a campaign; name a new or empty folder"
    assert capsys.readouterr().err == f"roamcast: {said}\n"
    assert files(mine.parent) == before


def test_claims_of_all_papers_look_at_every_folder_before_the_first_run(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (mine / "all").mkdir()
    (mine / "tables").rename(mine / "all" / "tree-group")
    before = files(mine)
    assert main(["claims", "all", "--out", str(mine / "all")]) == 2
    assert "tree-group: holds mine.csv and was not made by a campaign" in capsys.readouterr().err
    assert files(mine) == before


@pytest.mark.parametrize("command", [["movement", "import", "t.csv"], ["contacts", "t.csv", "--format", "haggle"]])
def test_an_import_refuses_a_foreign_folder(mine: Path, capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    Path("t.csv").write_text("time,node,x,y\n0,a,1,2\n" if command[0] == "movement" else "1 2 0 10 1 0\n")
    before = files(mine.parent)
    assert main([*command, "--out", "mine"]) == 2
    assert f"--out {mine}: exists and holds something else; name a new folder" in capsys.readouterr().err
    assert files(mine.parent) == before


def test_a_match_refuses_a_foreign_folder(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pq.write_table(pa.table({"subscription": ["s"], "attribute": ["a"], "low": [0.0], "high": [1.0]}), "s.parquet")
    pq.write_table(pa.table({"event": [1], "a": [0.5]}), "e.parquet")
    before = files(mine.parent)
    assert main(["match", "s.parquet", "e.parquet", "--out", "mine"]) == 2
    said = "--out mine: holds figures, which roamcast match did not make; name a new or empty folder"
    assert capsys.readouterr().err == f"roamcast: {said}\n"
    assert files(mine.parent) == before


@pytest.mark.parametrize("left", ["nothing", "lock", "empty-plan", "plan", "finished-run", "started-run"])
def test_what_any_campaign_may_have_left_is_gone_on_with(tmp_path: Path, left: str) -> None:
    folder = CampaignFolder(tmp_path)
    (tmp_path / "figures").mkdir()
    (tmp_path / "runs").mkdir()
    if left == "nothing":
        (tmp_path / "figures").rmdir()
        (tmp_path / "runs").rmdir()
    elif left == "lock":
        (tmp_path / ".lock").touch()
    elif left == "empty-plan":
        folder.plan_file.touch()
    elif left == "plan":  # as in a copy without hidden files
        store_plan(folder, [planned("a", 1)])
    else:
        name = f"{'0a' * 16}.parquet" if left == "finished-run" else f".{'0a' * 16}.parquet.77.0f.tmp"
        (tmp_path / "runs" / name).touch()
    with folder.opened():
        assert (tmp_path / ".lock").is_file()


def test_a_call_that_is_killed_at_once_has_left_the_mark_of_a_campaign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = Path.mkdir

    def killed(path: Path, *, parents: bool = False, exist_ok: bool = False) -> None:
        if path.name == "runs":
            raise KeyboardInterrupt
        make(path, parents=parents, exist_ok=exist_ok)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "mkdir", killed)
        with pytest.raises(KeyboardInterrupt):
            CampaignFolder(tmp_path / "out").opened().__enter__()
    assert [each.name for each in (tmp_path / "out").iterdir()] == [".lock"]
    with CampaignFolder(tmp_path / "out").opened():
        pass


def test_an_empty_lock_beside_what_no_campaign_makes_is_somebody_elses(tmp_path: Path) -> None:
    (tmp_path / ".lock").touch()
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(UserError, match=r"was not made by a campaign"):
        CampaignFolder(tmp_path).check_ours()


def test_a_lock_with_a_text_in_it_is_somebody_elses(tmp_path: Path) -> None:
    (tmp_path / ".lock").write_text("pid 77")
    with pytest.raises(UserError, match=r"holds \.lock and was not made by a campaign"):
        CampaignFolder(tmp_path).check_ours()
