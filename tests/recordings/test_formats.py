"""One small movement in every format gives the same rows, however the file is cut, and its format is recognised."""

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roamcast.core.errors import UserError
from roamcast.recordings import source_files as files
from roamcast.recordings.formats import FORMATS, find_source, find_sources
from roamcast.recordings.row_tables import Report
from roamcast.recordings.source_files import blocks, pieces

ROWS = [("0", 0.0, 10.0, 20.0), ("1", 0.0, 30.0, 40.0), ("0", 5.0, 12.5, 20.0), ("1", 5.0, 30.0, 41.5)]
"""(node, time, x, y) of two nodes; the last rows are where they come to stand."""


def _csv(delimiter: str, names: str) -> str:
    return (
        delimiter.join(names.split())
        + "\n"
        + "".join(f"{t:.2f}{delimiter}{n}{delimiter}{x}{delimiter}{y}\n" for n, t, x, y in ROWS)
    )


def _parquet(path: Path, *names: str) -> None:
    node, time_s, x, y = zip(*ROWS, strict=True)
    pq.write_table(pa.table([time_s, node, x, y], names=names), path)


def write(path: Path, kind: str) -> None:
    """Write the movement in a format."""
    texts = {
        "sumo-xml": '<?xml version="1.0"?>\n<!-- made by a test -->\n<fcd-export>\n'
        + "".join(
            f'<timestep time="{t:.2f}">\n<vehicle id="{n}" x="{x}" y="{y}" angle="0" speed="1"/>\n</timestep>\n'
            for n, t, x, y in ROWS
        )
        + "</fcd-export>\n",
        "sumo-csv": _csv(";", "timestep_time vehicle_id vehicle_x vehicle_y"),
        "setdest": "set ns_ [new Simulator]\n"
        + "".join(f"$node_({n}) set X_ {x}\n$node_({n}) set Y_ {y}\n$node_({n}) set Z_ 0\n" for n, _, x, y in ROWS[:2])
        + '$ns_ at 0.0 "$node_(0) setdest 12.5 20.0 0.5"\n$ns_ at 0.0 "$node_(1) setdest 30.0 41.5 0.3"\n'
        + '$ns_ at 9.0 "$god_ set-dist 0 1 1"\n',
        "bonnmotion": "0.0 10 20 5 12.5 20\n0.0 30 40 5 30 41.5\n",
        "the-one": "0 5 0 1000 0 1000\n" + "".join(f"{t} {n} {x} {y}\n" for n, t, x, y in ROWS),
        "csv": _csv(",", "time node x y"),
    }
    if kind in texts:
        path.write_text(texts[kind], encoding="utf-8")
    elif kind == "parquet":
        _parquet(path, "time_s", "node", "x_m", "y_m")
    else:
        _parquet(path, "timestep_time", "vehicle_id", "vehicle_x", "vehicle_y")


def read(path: Path, **how: object) -> list[tuple[str, float, float, float]]:
    """Return the rows of a file, whose lines must all be whole."""
    source, report = find_source(path, **how), Report()  # type: ignore[arg-type]
    tables = [table for piece in source.pieces for table in source.read(piece, report)]
    assert report.broken == 0
    rows = [row for table in tables for row in table.to_pylist()]
    return [(row["name"], row["time_s"], row["x"], row["y"]) for row in rows]


METRIC = [kind for kind in FORMATS if "gp" not in kind]


@pytest.mark.parametrize("kind", METRIC)
def test_every_format_is_recognised_and_gives_the_same_rows(tmp_path: Path, kind: str) -> None:
    path = tmp_path / ("file.movements" if kind == "bonnmotion" else "file")
    write(path, kind)
    assert find_source(path).format == kind
    assert sorted(read(path)) == sorted(ROWS)
    assert sorted(read(path, format_name=kind)) == sorted(ROWS)


@pytest.mark.parametrize("kind", [kind for kind in METRIC if "parquet" not in kind])
def test_a_packed_text_is_read_like_the_text(tmp_path: Path, kind: str) -> None:
    path = tmp_path / ("file.movements" if kind == "bonnmotion" else "file")
    write(path, kind)
    packed = path.with_name(path.name + ".gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert sorted(read(packed)) == sorted(ROWS)


def test_tracks_of_latitude_and_longitude_are_read_from_csv_parquet_and_gpx(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("time,node,lat,lon\n2026-05-01T12:00:00Z,a,48.1,11.5\n1777636801,a,48.2,11.6\n")
    _parquet(tmp_path / "t.parquet", "timestamp", "id", "lon", "lat")
    (tmp_path / "t.gpx").write_text(
        '<gpx><trk><name>a</name><trkseg><trkpt lat="48.1" lon="11.5"><ele>500</ele>'
        "<time>2026-05-01T12:00:00Z</time></trkpt></trkseg></trk></gpx>"
    )
    assert read(tmp_path / "t.csv") == [("a", 1777636800.0, 11.5, 48.1), ("a", 1777636801.0, 11.6, 48.2)]
    assert read(tmp_path / "t.gpx") == [("a", 1777636800.0, 11.5, 48.1)]
    assert read(tmp_path / "t.parquet") == ROWS
    assert all(find_source(tmp_path / f"t.{each}").is_geographic for each in ("csv", "gpx", "parquet"))


def test_the_bounds_of_the_ones_movement_are_taken_off_the_places(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text("0 5 100 1000 -50 1000\n0 a 110 -30\n")
    assert read(path) == [("a", 0.0, 10.0, 20.0)]


def test_persons_of_sumo_are_nodes_beside_the_vehicles(tmp_path: Path) -> None:
    path = tmp_path / "fcd.xml"
    path.write_text(
        '<fcd-export><timestep time="3"><vehicle id="1" x="1" y="2"/><person id="1" x="3" y="4"/>'
        "</timestep></fcd-export>"
    )
    assert read(path) == [("1", 3.0, 1.0, 2.0), ("person 1", 3.0, 3.0, 4.0)]


def test_an_unknown_format_is_an_error_with_the_known_names(tmp_path: Path) -> None:
    write(tmp_path / "file", "csv")
    with pytest.raises(
        UserError, match=r"--format: unknown format 'cvs'; did you mean 'csv'\? known: .*csv, .*setdest"
    ):
        find_source(tmp_path / "file", "cvs")


@settings(deadline=None)
@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=60), st.integers(1, 400), st.integers(1, 300))
def test_pieces_hold_every_line_once_wherever_a_file_is_cut(
    tmp_path_factory: pytest.TempPathFactory, numbers: list[int], piece_bytes: int, block_bytes: int
) -> None:
    path = tmp_path_factory.mktemp("cut") / "lines"
    text = "head\n" + "\n".join(map(str, numbers))
    path.write_text(text)
    before, files.PIECE_BYTES = files.PIECE_BYTES, piece_bytes
    try:
        cut = pieces(path, 5)
    finally:
        files.PIECE_BYTES = before
    found = [block for piece in cut for block in blocks(piece, block_bytes=block_bytes)]
    assert b"".join(found).decode() == text.removeprefix("head\n")
    assert all(block.endswith(b"\n") for block in found[:-1])


@pytest.mark.parametrize("kind", ["sumo-xml", "sumo-csv", "sumo-parquet", "csv"])
def test_x_and_y_are_longitude_and_latitude_if_somebody_says_so(tmp_path: Path, kind: str) -> None:
    write(tmp_path / "file", kind)
    source, report = find_source(tmp_path / "file", geographic=True), Report()
    assert source.is_geographic
    rows = sum(len(table) for piece in source.pieces for table in source.read(piece, report))
    assert (rows, report.broken) == (4, 0)
    text = (tmp_path / "file").read_bytes().replace(b"41.5", b"91.5")
    if kind != "sumo-parquet":
        (tmp_path / "file").write_bytes(text)
        assert sum(len(table) for piece in source.pieces for table in source.read(piece, report)) == 3
        assert "latitude within 90" in report.examples[0].reason


def gpx(*tracks: str | None) -> str:
    """Return a file with a point in each track; None: it has no name."""
    point = '<trkpt lat="48.1" lon="11.5"><name>not the track</name><time>2026-05-01T12:00:00Z</time></trkpt>'
    named = ("" if name is None else f"<name>{name}</name>" for name in tracks)
    return f"<gpx><metadata><name>a day</name></metadata>{''.join(f'<trk>{each}{point}</trk>' for each in named)}</gpx>"


def test_a_track_is_a_node_whatever_it_and_the_others_are_called(tmp_path: Path) -> None:
    (tmp_path / "monday.gpx").write_text(gpx("run", "run", None, "run-2", None))
    (tmp_path / "tuesday.gpx").write_text(gpx("run", "n" * 200, "n" * 200, "monday 3"))
    sources = find_sources([tmp_path / "monday.gpx", tmp_path / "tuesday.gpx"])
    tables = [table for source in sources for table in source.read(source.pieces[0], Report())]
    assert [name for table in tables for name in table.column("name").to_pylist()] == [
        "run", "run-2", "monday 3", "run-2-2", "monday 5", "run-3", "n" * 200, "n" * 198 + "-2", "monday 3-2",
    ]  # fmt: skip


@pytest.mark.parametrize("value", ["1_000", "١٢", "１２"])
def test_what_only_python_takes_for_a_number_is_a_broken_line(tmp_path: Path, value: str) -> None:
    (tmp_path / "t.csv").write_text(f"time,node,x,y\n0,a,1,2\n1,a,{value},2\n{value},a,1,2\n")
    source, report = find_source(tmp_path / "t.csv"), Report()
    assert sum(len(table) for piece in source.pieces for table in source.read(piece, report)) == 1
    assert [each.reason for each in report.examples] == [f"'{value}' is not a number"] * 2
