"""Tables as text and in Parquet: the quick way and the careful way give the same rows, whatever the lines are like."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roamcast.core.errors import UserError
from roamcast.recordings import tabular
from roamcast.recordings.formats import find_source, find_sources
from roamcast.recordings.row_tables import Report

Row = tuple[str, float, float, float, int]


def read(path: Path, **how: object) -> tuple[list[Row], list[tuple[int, str]]]:
    """Return the rows of a file with their lines, and the broken lines."""
    source, report = find_source(path, **how), Report()  # type: ignore[arg-type]
    rows = [row for piece in source.pieces for table in source.read(piece, report) for row in table.to_pylist()]
    found = [(row["name"], row["time_s"], row["x"], row["y"], row["line"] + source.head_lines) for row in rows]
    return found, [(each.line + source.head_lines, each.reason) for each in report.examples]


def read_text(tmp_path: Path, text: str | bytes, name: str = "file.csv", **how: object) -> tuple[list[Row], list[int]]:
    """Write a file and return its rows and the numbers of its broken lines."""
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    rows, broken = read(tmp_path / name, **how)
    return rows, [line for line, _ in broken]


BROKEN = "x,x,x,x\n"
"""A line that makes the whole of a block be looked at line by line."""


def test_blanks_around_a_name_are_no_part_of_it_on_either_way(tmp_path: Path) -> None:
    text = "time,node,x,y\n0, car 7\t,1,2\n1,car 7,1,2\n"
    quick, _ = read_text(tmp_path, text)
    careful, _ = read_text(tmp_path, text + BROKEN)
    assert quick == careful == [("car 7", 0.0, 1.0, 2.0, 2), ("car 7", 1.0, 1.0, 2.0, 3)]
    pq.write_table(pa.table({"time": [0.0], "node": [" car 7 "], "x": [1.0], "y": [2.0]}), tmp_path / "file.parquet")
    assert read(tmp_path / "file.parquet")[0][0][0] == "car 7"


@pytest.mark.parametrize(("length", "broken"), [(200, []), (201, [2])])
def test_a_name_has_at_most_200_characters_on_either_way(tmp_path: Path, length: int, broken: list[int]) -> None:
    text = f"time,node,x,y\n0,{'ü' * length},1,2\n"
    assert read_text(tmp_path, text)[1] == broken
    assert read_text(tmp_path, text + BROKEN)[1] == [*broken, 3]
    table = pa.table({"time": [0.0], "node": ["ü" * length], "x": [1.0], "y": [2.0]})
    pq.write_table(table, tmp_path / "file.parquet")
    assert len(read(tmp_path / "file.parquet")[1]) == len(broken)


SUMO = (
    "timestep_time;vehicle_id;vehicle_x;vehicle_y;person_id;person_x;person_y;container_id;container_x;container_y\n"
    "0.00;1;5.0;6.0;;;;;;\n0.00;;;;1;7.0;8.0;;;\n1.00;;;;;;;;;\n2.00;;;;;;;box;1;2\n"
)
MOVERS = [("1", 0.0, 5.0, 6.0, 2), ("container box", 2.0, 1.0, 2.0, 5), ("person 1", 0.0, 7.0, 8.0, 3)]


def test_persons_and_containers_in_sumos_tables_are_nodes_as_they_are_in_its_xml(tmp_path: Path) -> None:
    rows, broken = read_text(tmp_path, SUMO)
    assert (sorted(rows), broken) == (MOVERS, [])
    rows, broken = read_text(tmp_path, SUMO + "broken\n3;;;;2;7.0;;;;\n")
    assert (sorted(rows), broken) == (MOVERS, [6, 7])
    columns = {
        "timestep_time": [0.0, 0.0, 1.0, 2.0],
        "vehicle_id": ["1", None, None, None], "vehicle_x": [5.0, None, None, None],
        "vehicle_y": [6.0, None, None, None],
        "person_id": [None, "1", None, ""], "person_x": [None, 7.0, None, None], "person_y": [None, 8.0, None, None],
        "container_id": [None, None, None, "box"], "container_x": [None, None, None, 1.0],
        "container_y": [None, None, None, 2.0],
    }  # fmt: skip
    pq.write_table(pa.table(columns), tmp_path / "file.parquet")
    rows, shown = read(tmp_path / "file.parquet")
    assert (sorted(rows), shown) == ([(*row[:4], row[4] - 1) for row in MOVERS], [])


def test_the_lines_of_a_sumo_table_in_which_nobody_moves_are_read_the_quick_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tabular, "_line_by_line", None)
    assert sorted(read_text(tmp_path, SUMO)[0]) == MOVERS


def test_a_table_with_tabs_comments_and_blank_lines_is_recognised_and_read(tmp_path: Path) -> None:
    text = "# made by hand\n\ntime\tnode\tx\ty\n0\ta b\t1\t2\n\n#1\ta b\t9\t9\n2\t\t\t\n3\ta b\t3\t4\n"
    assert find_source_of(tmp_path, text) == "csv"
    assert read_text(tmp_path, text) == ([("a b", 0.0, 1.0, 2.0, 4), ("a b", 3.0, 3.0, 4.0, 8)], [])
    first = "node,time,x,y\n#1,0,1,2\nb,0,1,2\n"  # a line that would be whole without its mark
    assert [row[0] for row in read_text(tmp_path, first)[0]] == ["b"]
    one = "# The ONE\n0 5 100 1000 -50 1000\n# nobody yet\n0 a 110 -30\n"
    assert read_text(tmp_path, one) == ([("a", 0.0, 10.0, 20.0, 4)], [])


def find_source_of(tmp_path: Path, text: str) -> str:
    (tmp_path / "file.csv").write_text(text)
    return find_source(tmp_path / "file.csv").format


def test_a_line_ends_with_a_line_feed_and_with_nothing_else(tmp_path: Path) -> None:
    text = "time,node,x,y\n0,a\x0cb,1,2\n1,a\x85\u2028b,1,2\nbroken\n3,a\rb,1,2\n4,c,1,2\r\n"
    rows, broken = read_text(tmp_path, text)
    assert [(row[0], row[4]) for row in rows] == [("a\x0cb", 2), ("a\x85\u2028b", 3), ("a\rb", 5), ("c", 6)]
    assert broken == [4]


def test_a_quotation_mark_without_its_end_breaks_its_own_line_alone(tmp_path: Path) -> None:
    rows, broken = read_text(tmp_path, 'time,node,x,y\n0,"a\nb",1,2\n2,c,1,2\n3,"d,e",1,2\n')
    assert [(row[0], row[4]) for row in rows] == [("c", 4), ("d,e", 5)]
    assert broken == [2, 3]


def test_names_in_latin_1_stay_apart(tmp_path: Path) -> None:
    rows, broken = read_text(tmp_path, "time,node,x,y\n0,José,1,2\n0,Josè,3,4\n".encode("latin-1"))
    assert ([row[0] for row in rows], broken) == (["José", "Josè"], [])


def test_a_fix_at_0_0_is_a_broken_line_where_places_are_degrees(tmp_path: Path) -> None:
    text = "time,node,lat,lon\n0,a,48.1,11.5\n1,a,0.0,-0.0\n2,a,0.0,11.5\n"
    rows, broken = read_text(tmp_path, text)
    assert ([row[1] for row in rows], broken) == ([0.0, 2.0], [3])
    assert len(read_text(tmp_path, "time,node,x,y\n0,a,0,0\n")[0]) == 1
    degrees = {"time": [0.0, 1.0], "node": ["a", "a"], "lat": [0.0, 48.1], "lon": [0.0, 11.5]}
    pq.write_table(pa.table(degrees), tmp_path / "file.parquet")
    assert "(0, 0) is what a receiver writes" in read(tmp_path / "file.parquet")[1][0][1]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("setdest", "$node_(0) set X_ 1\n$node_(0) set Y_ 1\n"),
        ("bonnmotion", "0 1 2 3 4 5\n"),
        ("the-one", "0 5 0 9 0 9\n0 a 1 2\n"),
    ],
)
def test_degrees_are_refused_where_a_format_has_metres(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / "file.movements" if name == "bonnmotion" else tmp_path / "file"
    path.write_text(text)
    with pytest.raises(UserError, match=f"--geo: .*file.* is {name}, whose positions are in metres, not in degrees"):
        find_source(path, geographic=True)


def test_files_that_cannot_be_one_recording_are_refused_with_both_names(tmp_path: Path) -> None:
    for name, text in (
        ("way.movements", "0 1 2 3 4 5\n"),
        ("seen.csv", "time,node,x,y\n0,a,1,2\n"),
        ("gps.csv", "time,node,lat,lon\n0,a,48,11\n"),
        ("none.csv", "# nothing\ntime,node,x,y\n"),
    ):
        (tmp_path / name).write_text(text)
    way, seen, gps, none = (tmp_path / name for name in ("way.movements", "seen.csv", "gps.csv", "none.csv"))
    for files in ([way, seen], [seen, way]):
        with pytest.raises(
            UserError, match=r"way.movements: is bonnmotion, .*seen.csv \(csv\) records where they were"
        ):
            find_sources(files)
    with pytest.raises(UserError, match=r"gps.csv: has degrees, .*seen.csv has metres; import them separately"):
        find_sources([seen, gps])
    with pytest.raises(UserError, match=r"none\.csv: has no rows"):
        find_sources([none])
    assert len(find_sources([none, seen])) == 2


_VALUES = st.sampled_from(
    ["0", "1.5", " 2", "-3e0", "", "nan", "1e300", "a", " b ", "#c", '"d"', '"', "é", "\r", "\x0c", "a b", "ü" * 201]
)


@settings(deadline=None, max_examples=300)
@given(
    st.lists(st.lists(_VALUES, min_size=3, max_size=5), min_size=1, max_size=4),
    st.sampled_from([",", ";", "\t", " "]),
    st.booleans(),
)
def test_the_quick_way_gives_what_the_careful_way_gives(
    tmp_path_factory: pytest.TempPathFactory, lines: list[list[str]], delimiter: str, geographic: bool
) -> None:
    path = tmp_path_factory.mktemp("ways") / "file"
    head = "0 9 0 9 0 9" if delimiter == " " else delimiter.join(("time", "node", "x", "y"))
    path.write_text("\n".join([head, *(delimiter.join(line) for line in lines)]), encoding="utf-8")
    how = {"format_name": "the-one" if delimiter == " " else "csv", "geographic": geographic and delimiter != " "}
    found = read(path, **how)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tabular, "_at_once", lambda *_: None)
        assert read(path, **how) == found
