"""Recorded movement through Spark: one layout from every format, broken lines counted with file and line."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from roamcast.cli import main
from roamcast.recordings import source_files as files
from roamcast.recordings.recording_layout import MOVEMENT, MOVEMENT_SCHEMA, NODES_SCHEMA, Imported, open_imported
from roamcast.spark.movement import movement_import
from roamcast.spark.movement.movement_import import ImportOptions, import_movement

HERE = Path(__file__).parent
DATA = HERE.parent / "recordings" / "data"
MALFORMED = HERE.parent / "recordings" / "malformed"
Row = tuple[int, float, float, float, bool]

pytestmark = pytest.mark.usefixtures("spark")


def rows_of(imported: Imported) -> list[Row]:
    """Return the rows in order of time and node."""
    table = [row for file in imported.files() for row in pq.ParquetFile(file).read().to_pylist()]
    return [(row["node"], row["time_s"], row["x_m"], row["y_m"], row["goes_on"]) for row in table]


def imported_text(tmp_path: Path, text: str, name: str = "file.csv", **options: object) -> Imported:
    """Import one file with a text."""
    (tmp_path / name).write_text(text)
    return import_movement([tmp_path / name], tmp_path / "out", "local[2]", ImportOptions(**options))  # type: ignore[arg-type]


def test_sumos_xml_csv_and_parquet_of_one_run_give_the_same_movement(tmp_path: Path) -> None:
    found = {}
    for ending in ("xml.gz", "csv.gz", "parquet"):
        out = tmp_path / ending
        assert main(["movement", "import", str(DATA / f"sumo-grid.{ending}"), "--out", str(out)]) == 0
        found[ending] = open_imported(out, MOVEMENT)
    xml, csv, parquet = (rows_of(each) for each in found.values())
    assert len(xml) == 1888
    assert xml == csv
    assert [(row[0], row[1], row[4]) for row in parquet] == [(row[0], row[1], row[4]) for row in xml]
    assert all(a[2:4] == pytest.approx(b[2:4], abs=0.0051) for a, b in zip(parquet, xml, strict=True))
    assert found["xml.gz"].digest() == found["csv.gz"].digest() != found["parquet"].digest()
    assert pq.read_schema(found["xml.gz"].files()[0]).remove_metadata() == MOVEMENT_SCHEMA
    assert pq.read_schema(found["xml.gz"].nodes_file).remove_metadata() == NODES_SCHEMA


def test_nodes_are_numbered_by_appearance_and_come_and_go(tmp_path: Path) -> None:
    text = "time,node,x,y\n" + "".join(f"{t},car10,{t},0\n{t},car9,{t},1\n" for t in (0, 1, 2, 3, 4, 20, 21))
    imported = imported_text(tmp_path, text + "2,late,5,5\n3,late,6,5\n")
    names = pq.read_table(imported.nodes_file).to_pylist()
    assert [(row["node"], row["name"], row["first_s"], row["last_s"], row["rows"]) for row in names] == [
        (0, "car9", 0.0, 21.0, 7),
        (1, "car10", 0.0, 21.0, 7),
        (2, "late", 2.0, 3.0, 2),
    ]
    away = {(node, time_s) for node, time_s, _, _, goes_on in rows_of(imported) if not goes_on}
    assert away == {(0, 4.0), (1, 4.0), (0, 21.0), (1, 21.0), (2, 3.0)}
    assert imported.summary["gap_s"] == 3.0


def test_a_longer_gap_can_be_asked_for(tmp_path: Path) -> None:
    text = "time,node,x,y\n0,a,0,0\n1,a,1,0\n2,a,2,0\n20,a,3,0\n"
    assert [row[4] for row in rows_of(imported_text(tmp_path, text, gap_s=18.0))] == [True, True, True, False]


def test_waypoints_have_no_gaps_and_stay_at_the_last(tmp_path: Path) -> None:
    imported = imported_text(tmp_path, "0 1 2 500 3 4\n0 5 6\n", "two.movements")
    assert rows_of(imported) == [(0, 0.0, 1.0, 2.0, True), (1, 0.0, 5.0, 6.0, True), (0, 500.0, 3.0, 4.0, True)]
    assert imported.summary["are_waypoints"]


def test_files_cut_into_pieces_and_windows_give_what_one_piece_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"{t},n{n},{t + n},{n}\n" for t in range(60) for n in range(5)]
    lines[100] = "broken\n"
    text = "time,node,x,y\n" + "".join(lines)
    whole = imported_text(tmp_path, text)
    monkeypatch.setattr(files, "PIECE_BYTES", 500)
    monkeypatch.setattr(movement_import, "ROWS_PER_WINDOW", 40)
    (tmp_path / "cut").mkdir()
    cut = imported_text(tmp_path / "cut", text)
    assert cut.summary["windows"] >= 6
    assert rows_of(cut) == rows_of(whole)
    for imported in (whole, cut):
        assert imported.summary["broken"] == 1
        assert imported.summary["examples"][0].endswith("file.csv:102: has 1 values, not 4")


def test_rows_that_go_back_in_time_or_name_a_time_twice_are_broken_lines(tmp_path: Path) -> None:
    allowed = ImportOptions(broken_max=0.5)
    back = import_movement([MALFORMED / "csv-time-backwards.csv"], tmp_path / "back", "local[2]", allowed)
    assert [row[1] for row in rows_of(back)] == [0.0, 5.0, 6.0]
    assert back.summary["examples"] == [f"{MALFORMED / 'csv-time-backwards.csv'}:4: time runs backwards"]
    twice = import_movement([MALFORMED / "csv-node-twice.csv"], tmp_path / "twice", "local[2]", allowed)
    assert [row[1:3] for row in rows_of(twice)] == [(0.0, 1.0), (1.0, 2.0), (2.0, 4.0)]
    assert twice.summary["examples"] == [
        f"{MALFORMED / 'csv-node-twice.csv'}:4: the node already has a row at this time"
    ]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "csv-nan.csv",
            "csv-nan.csv:3: the position (nan, 3) must be finite and at most 1e+08 m; 3 of 5 lines are broken",
        ),
        (
            "csv-node-twice.csv",
            "csv-node-twice.csv:4: the node already has a row at this time; 1 of 4 lines are broken",
        ),
        ("sumo-bomb.xml", "has a document type declaration; such files are refused"),
        ("csv-no-rows.csv", "csv-no-rows.csv: has no rows"),
        ("gps-two-continents.csv", "gps-two-continents.csv:3: the tracks lie between longitude 11.5 and 151.2, "),
        ("truncated.xml.gz", "is it complete?"),
    ],
)
def test_too_many_broken_lines_or_a_broken_file_are_one_line_and_leave_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, said: str
) -> None:
    assert main(["movement", "import", str(MALFORMED / name), "--out", str(tmp_path / "out")]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("roamcast: ")]
    assert len(lines) == 1
    assert said in lines[0]
    assert list(tmp_path.iterdir()) == []


def test_degrees_become_metres_from_the_south_west(tmp_path: Path) -> None:
    text = "time,node,lat,lon\n0,a,48.10,11.50\n1,a,48.11,11.50\n2,a,48.11,11.52\n"
    imported = imported_text(tmp_path, text)
    (_, _, x0, y0, _), (_, _, x1, y1, _), (_, _, x2, y2, _) = rows_of(imported)
    # A hundredth of a degree of latitude there is 1112.0 m, two of longitude 1490 m.
    assert [x1 - x0, y2 - y1] == pytest.approx([0.0, 0.0], abs=0.3)
    assert [y1 - y0, x2 - x1] == pytest.approx([1112.0, 1490.0], abs=1.5)
    assert min(x0, y0) >= 0
    assert imported.summary["touches_at_deg"] == [pytest.approx(48.105), pytest.approx(11.51)]


def test_a_folder_is_shown_and_one_that_holds_something_else_is_not_touched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    imported_text(tmp_path, "time,node,x,y\n0,a,0,0\n1,a,1,0\n")
    assert main(["movement", "show", str(tmp_path / "out"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 2
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis.tex").write_text("\\end{document}")
    file = str(tmp_path / "file.csv")
    assert main(["movement", "import", file, "--out", str(tmp_path / "precious")]) == 2
    assert "holds something else" in capsys.readouterr().err
    assert (tmp_path / "precious" / "thesis.tex").exists()
    (tmp_path / "out" / "notes.txt").write_text("mine")  # beside an older import, and so not ours to remove
    assert main(["movement", "import", file, "--out", str(tmp_path / "out")]) == 2
    assert "holds notes.txt, which is not part of an import" in capsys.readouterr().err
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"
    (tmp_path / "out" / "notes.txt").unlink()
    assert main(["movement", "import", file, "--out", str(tmp_path / "out")]) == 0
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file.csv", "out", "precious"]


FAMILIES = ("flooding", "frugal", "gossip", "hint-driven", "broker-gpsr", "rendezvous-aodv", "tree-group")
SCENARIO = """
duration_s = 60
settle_s = 20
[area]
width_m = 620
height_m = 620
[nodes]
count = 30
[mobility]
model = "trace"
path = "grid"
begin_s = 15
offset_m = [5, 5]
[radio]
model = "range"
range_m = 250
[workload]
model = "single-topic"
subscriber_fraction = 0.8
validity_s = 30
events = 4
interval_s = 5
publisher = "any"
[protocol]
name = "frugal"
"""


def test_one_protocol_of_each_family_runs_on_an_imported_sumo_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every protocol has a golden trace on the same recording besides."""
    import_movement([DATA / "sumo-grid.xml.gz"], tmp_path / "grid", "local[2]", ImportOptions())
    (tmp_path / "city.toml").write_text(SCENARIO)
    for protocol in FAMILIES:
        assert main(["run", str(tmp_path / "city.toml"), "--protocol", protocol, "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert document["metrics"]["delivery_ratio"] > 0, protocol
        assert document["receptions"] > 50, protocol
