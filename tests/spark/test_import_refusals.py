"""Imports and searches for contacts are refused in one line, before Spark is started wherever that is possible."""

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException

from roamcast.cli import main
from roamcast.core.errors import UserError
from roamcast.recordings.formats import find_sources
from roamcast.recordings.recording_layout import CONTACTS, LAYOUT, MOVEMENT_SCHEMA, NODES_SCHEMA, Imported
from roamcast.spark.contacts import contact_import
from roamcast.spark.contacts import contact_search as contacts
from roamcast.spark.contacts import contact_statistics as contact_figures
from roamcast.spark.movement import import_folder, movement_import
from roamcast.spark.movement.import_folder import ImportFolder
from roamcast.spark.movement.movement_import import ImportOptions, _Import


@pytest.fixture
def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return a function that runs a command which must fail without Spark, and returns what it says."""

    def started(*_: object, **__: object) -> None:
        raise AssertionError("Spark was started")

    for module in (movement_import, contact_import, contacts):
        monkeypatch.setattr(module, "open_session", started)

    def run(*arguments: str | Path) -> str:
        assert main([*map(str, arguments), "--out", str(tmp_path / "out")]) == 2
        (line,) = [each for each in capsys.readouterr().err.splitlines() if each.startswith("roamcast: ")]
        assert not (tmp_path / "out").exists()
        return line

    return run


def written(path: Path, text: str) -> Path:
    """Write a file and return its path."""
    path.write_text(text)
    return path


def movement_folder(root: Path) -> Path:
    """Write a folder of movement: one node, two rows in two windows."""
    for window, time_s in enumerate((0.0, 1.0)):
        folder = root / "movement" / f"window={window:05}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table([[0], [time_s], [1.0], [2.0], [True]], schema=MOVEMENT_SCHEMA), folder / "part.parquet")
    pq.write_table(pa.table([[0], ["a"], [0.0], [1.0], [2]], schema=NODES_SCHEMA), root / "nodes.parquet")
    summary = {
        "layout": LAYOUT, "rows": 2, "nodes": 1, "first_s": 0.0, "last_s": 1.0, "x_m": [1.0, 1.0], "y_m": [2.0, 2.0],
        "step_s": 1.0, "are_waypoints": False, "window_s": 1.0, "windows": 2, "windows_from_s": 0.0,
    }  # fmt: skip
    (root / "movement.json").write_text(json.dumps(summary))
    return root


def cut_off(root: Path) -> None:
    part = root / "movement" / "window=00001" / "part.parquet"
    part.write_bytes(part.read_bytes()[:-7])


def without_a_window(root: Path) -> None:
    (root / "movement" / "window=00001" / "part.parquet").unlink()


def with_other_columns(root: Path) -> None:
    pq.write_table(pa.table({"node": [0]}), root / "movement" / "window=00001" / "part.parquet")


def without_nodes(root: Path) -> None:
    (root / "nodes.parquet").unlink()


def without_a_word_on_waypoints(root: Path) -> None:
    summary = json.loads((root / "movement.json").read_text())
    summary.pop("are_waypoints")
    (root / "movement.json").write_text(json.dumps(summary))


def with_a_step_of_nothing(root: Path) -> None:
    summary = json.loads((root / "movement.json").read_text())
    (root / "movement.json").write_text(json.dumps({**summary, "step_s": 0}))


def with_places_in_words(root: Path) -> None:
    part = root / "movement" / "window=00001" / "part.parquet"
    pq.write_table(pa.table({name: ["far"] for name in MOVEMENT_SCHEMA.names}), part)


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (with_a_step_of_nothing, "movement.json: step_s = 0: must be a number above 0; import it again"),
        (with_places_in_words, "part.parquet: has other columns than node, time_s"),
        (cut_off, "window=00001/part.parquet: is not a complete Parquet file"),
        (without_a_window, "has 1 rows, but movement.json says 2; import it again"),
        (with_other_columns, "part.parquet: has other columns than node, time_s, x_m, y_m, goes_on; import it again"),
        (without_nodes, "nodes.parquet: no such file; import it again"),
        (without_a_word_on_waypoints, "movement.json: has no are_waypoints; import it again"),
    ],
)
def test_a_folder_of_movement_that_is_not_whole_has_no_contacts(
    tmp_path: Path, refused: Callable[..., str], harm: Callable[[Path], None], said: str
) -> None:
    folder = movement_folder(tmp_path / "city")
    harm(folder)
    assert said in refused("contacts", folder, "--range-m", "50")


def test_files_that_no_import_can_use_are_named_at_once(tmp_path: Path, refused: Callable[..., str]) -> None:
    way, seen = (
        written(tmp_path / "way.movements", "0 1 2 3 4 5\n"),
        written(tmp_path / "s.csv", "time,node,x,y\n0,a,1,2\n"),
    )
    head = written(tmp_path / "head.csv", "time,node,x,y\n")
    pq.write_table(pa.table({"time": pa.array([], pa.float64()), "node": [], "x": [], "y": []}), tmp_path / "e.parquet")
    for files, said in (
        ([tmp_path], ": is a folder; a file is needed"),
        ([tmp_path / "nowhere"], "nowhere: no such file"),
        ([way, seen], "way.movements: is bonnmotion, which records where nodes are going"),
        ([way, "--geo"], "--geo: "),
        ([head], "head.csv: has no rows"),
        ([tmp_path / "e.parquet"], "e.parquet: has no rows"),
        ([written(tmp_path / "n.xml", "<net/>")], "n.xml: begins with <net>; SUMO's <fcd-export> is expected"),
        ([tmp_path / "n.xml", "--format", "gpx"], "n.xml: begins with <net>; <gpx> is expected"),
        ([written(tmp_path / "d.xml", "<!DOCTYPE a><fcd-export/>")], "d.xml:1: has a document type declaration"),
        ([seen, "--format", "the-one"], "s.csv:1: must be the numbers 'minTime maxTime minX maxX minY maxY'"),
    ):
        assert said in refused("movement", "import", *files)
    odd = written(tmp_path / "odd.xml", '<?xml version="1.0" encoding="klingon"?><fcd-export/>')
    wide = written(tmp_path / "wide.xml", '<?xml version="1.0" encoding="big5"?><fcd-export/>')
    for file in (odd, wide):
        assert "is XML in an unknown encoding; UTF-8 is expected" in refused("movement", "import", file)
    os.mkfifo(tmp_path / "pipe")
    for command in (["movement", "import"], ["contacts"]):
        assert "pipe: is not an ordinary file" in refused(*command, tmp_path / "pipe")
    mixed = written(tmp_path / "mixed.dat", "1 8 121 130\n20 1 2\n")
    assert "--format haggle|sociopatterns" in refused("contacts", mixed)


def test_a_message_names_the_folder_that_is_wanted_and_not_the_one_on_its_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = ImportFolder(tmp_path / "out", tmp_path / ".out.1234.tmp", tmp_path / ".out.1234.log")

    def fail(*_: object) -> NoReturn:
        raise PySparkException(f"OSError: [Errno 28] No space left on device: '{place.staging / 'read-1.parquet'}'")

    monkeypatch.setattr(import_folder, "wait_for_job", fail)
    with pytest.raises(
        UserError, match=r"out: Spark gave up \(OSError: .*out/staging/read-1.parquet'\); see"
    ) as raised:
        place.run(None, "read", lambda: None)  # type: ignore[arg-type]
    assert ".tmp" not in str(raised.value)


def test_an_interrupt_says_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    city, out = movement_folder(tmp_path / "city"), tmp_path / "met"
    with monkeypatch.context() as patched:
        patched.setattr(contacts, "open_session", interrupt)
        assert main(["contacts", str(city), "--range-m", "50", "--out", str(out)]) == 130
    assert f"interrupted; nothing is kept, {out} is unchanged" in capsys.readouterr().err
    assert [each.name for each in tmp_path.iterdir()] == ["city"]
    found = Imported(out, CONTACTS, {})
    monkeypatch.setattr(contacts, "contacts_of_movement", lambda *_: found)
    monkeypatch.setattr(contact_figures, "open_session", interrupt)
    assert main(["contacts", str(city), "--range-m", "50", "--out", str(out)]) == 130
    assert f"interrupted; the tables in {out} are complete, its pictures may be missing" in capsys.readouterr().err


def test_rows_less_than_a_millisecond_apart_are_refused(tmp_path: Path) -> None:
    seen = written(tmp_path / "s.csv", "time,node,x,y\n0,a,1,2\n0.0001,a,1,2\n")
    unused: Any = None
    reading = _Import(unused, find_sources([seen]), ImportOptions(), unused, unused)
    with pytest.raises(UserError, match=r"s\.csv: the rows of a node are mostly less than a millisecond apart"):
        reading._step_s(Counter({0: 5, 1000: 2}))
    assert reading._step_s(Counter({0: 1, 1: 2})) == 0.001
