"""Small files of every format, harmed at random: each is read, with broken lines counted, or refused in one line."""

import gzip
import io
import random
from collections.abc import Iterator
from math import isfinite
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roamcast.core.errors import UserError
from roamcast.recordings.contact_files import CONTACT_FORMATS, detect_contacts, read_contacts
from roamcast.recordings.formats import FORMATS, find_source
from roamcast.recordings.row_tables import COORDINATE_M_MAX, NAME_LENGTH_MAX, TIME_S_MAX, Report

_PLACES = [(0.0, "a", 10.0, 20.5), (0.0, "b c", 30.0, 40.0), (5.0, "a", 12.5, 20.0), (6.5, "b c", 30.25, 41.5)]


def _csv(names: str, delimiter: str) -> bytes:
    lines = [names.split(), *([str(each) for each in row] for row in _PLACES)]
    return "".join(delimiter.join(line) + "\n" for line in lines).encode()


def _parquet(names: str) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table([list(column) for column in zip(*_PLACES, strict=True)], names=names.split()), file)
    return file.getvalue()


_SUMO_NAMES = "timestep_time vehicle_id vehicle_x vehicle_y"
SEEDS = {
    "sumo-xml": b'<?xml version="1.0"?>\n<fcd-export>\n<timestep time="0.00">\n<vehicle id="1" x="5.0" y="6.0"/>\n'
    b'<person id="1" x="7" y="8"/>\n</timestep>\n<timestep time="1.00"/>\n</fcd-export>\n',
    "sumo-csv": b"timestep_time;vehicle_id;vehicle_x;vehicle_y;person_id;person_x;person_y\n"
    b"0.00;1;5.0;6.0;;;\n0.00;;;;1;7.0;8.0\n1.00;;;;;;\n",
    "sumo-parquet": _parquet(_SUMO_NAMES),
    "setdest": b"$node_(0) set X_ 10\n$node_(0) set Y_ 20\n$node_(0) set Z_ 0\n$node_(1) set X_ 1e1\n"
    b'$ns_ at 0.5 "$node_(0) setdest 12.5 20.0 0.5"\n$ns_ at 9.0 "$node_(0) setdest 1 2 3"\n'
    b'$ns_ at 9.0 "$god_ set-dist 0 1 1"\n',
    "bonnmotion": b"0.0 10 20 5 12.5 20\n0.0 30 40 5 30 41.5 9 3 4\n",
    "the-one": b"0 5 100 1000 -50 1000\n0 a 110 -30\n1.5 a 111 -31\n2 b 1e2 0\n",
    "csv": _csv("time node x y", ","),
    "parquet": _parquet("time node x y"),
    "gps-csv": b'time,node,lat,lon\n2026-05-01T12:00:00Z,"a",48.1,11.5\n1777636801,a,48.2,11.6\n',
    "gps-parquet": _parquet("timestamp id lon lat"),
    "gpx": b'<gpx><trk><name>a</name><trkseg><trkpt lat="48.1" lon="11.5"><ele>500</ele>'
    b"<time>2026-05-01T12:00:00Z</time></trkpt></trkseg></trk></gpx>",
    "the-one-contacts": b"0.5 CONN p1 p2 up\n2 CONN p3 p1 up\n4 CONN p2 p1 down\n5 C M1 p1 p2 100\n9 CONN p1 p2 up\n",
    "haggle": b"1 8 121 121 1 0\n2 1 130.5 160 2 9\n3 4 50 60\n",
    "sociopatterns": b"31220\t1558\t1567\t3B\t3B\n31240\t1558\t1560\t3B\t3B\n",
}
_TOKENS = (
    b"", b"\n", b"\r", b"\x0c", b"\x00", b'"', b"#", b" ", b"\t", b",", b";", b"<", b">", b"&", b"<!DOCTYPE a>", b"nan",
    b"-inf", b"1e300", b"1e-300", b"-1e400", b"9" * 5000, b"-", b"0", b"0001-01-01T00:00:00+14:00",
    b"9999-12-31T23:59:59-14:00",
    b"T", b":", b"\xff\xfe", b"\xc3", b"\xe2\x80\xa8", "ü".encode() * 300, b"\xef\xbb\xbf", b"a\n" * 20, b"PAR1",
    b"$node_(", b"setdest", b"CONN", b"up", b"[", b"\x1b[31m",
)  # fmt: skip


def mutated(seed: bytes, draw: random.Random) -> bytes:
    """Return a file with some bytes taken out, put in, changed or repeated."""
    found = bytearray(seed)
    for _ in range(draw.choice((1, 1, 2, 4, 8))):
        at = draw.randrange(len(found) + 1)
        end = min(len(found), at + draw.choice((0, 1, 1, 4, 30)))
        match draw.randrange(5):
            case 0:
                found[at:end] = draw.choice(_TOKENS)
            case 1:
                found[at:end] = draw.randbytes(end - at)
            case 2:
                found[at:at] = found[at:end] * draw.choice((1, 3))
            case 3:
                del found[at:]
            case _:
                other = draw.randrange(len(found) + 1)
                found[at:end] = found[other : other + 20]
    return bytes(found)


def read(path: Path, kind: str, told: str | None, geographic: bool, report: Report) -> Iterator[pa.Table]:
    """Read a file to its end, as what it is ``told`` to be or looks like."""
    if kind in CONTACT_FORMATS:
        yield from read_contacts(str(path), told or detect_contacts(path), report)
        return
    source = find_source(path, told, geographic)
    for piece in source.pieces:
        yield from source.read(piece, report)


def check_reading(path: Path, kind: str, told: str | None, geographic: bool) -> None:
    """Read a file, which gives possible rows and counts the others, or is refused in one line."""
    report, refusal = Report(), ""
    rows = list[dict[str, str | float]]()
    try:
        for table in read(path, kind, told, geographic, report):
            rows += table.to_pylist()
    except UserError as error:
        refusal = str(error)
    assert "\n" not in refusal
    assert bool(report.broken) == bool(report.examples)
    assert all(each.reason.isprintable() and each.line >= 0 for each in report.examples)
    for row in rows:
        for key, value in row.items():
            if isinstance(value, str):
                assert 1 <= len(value) <= NAME_LENGTH_MAX
                assert value == value.strip(" \t\r\n")
            elif key.endswith("_s"):
                assert isfinite(value)
                assert abs(value) <= TIME_S_MAX + 20
            elif key in ("x", "y"):
                assert abs(value) <= COORDINATE_M_MAX


def check_file(path: Path, kind: str, content: bytes, geographic: bool) -> None:
    """Read a file as what it was, and as what it looks like now."""
    path.write_bytes(content)
    check_reading(path, kind, kind, geographic)
    check_reading(path, kind, None, geographic)


def test_there_is_a_whole_file_of_every_format(tmp_path: Path) -> None:
    assert SEEDS.keys() == {*FORMATS, *CONTACT_FORMATS}
    for kind, seed in SEEDS.items():
        report = Report()
        (tmp_path / kind).write_bytes(seed)
        assert sum(map(len, read(tmp_path / kind, kind, kind, False, report))) > 0
        assert report.broken == 0


@pytest.mark.parametrize("kind", SEEDS)
@settings(deadline=None, max_examples=60)
@given(number=st.integers(0, 2**32), geographic=st.booleans())
def test_a_harmed_file_is_read_or_refused_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, kind: str, number: int, geographic: bool
) -> None:
    path = tmp_path_factory.mktemp("harmed") / "file"
    check_file(path, kind, mutated(SEEDS[kind], random.Random(number)), geographic)


@settings(deadline=None, max_examples=60)
@given(number=st.integers(0, 2**32))
def test_a_harmed_packed_file_is_read_or_refused_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, number: int
) -> None:
    path = tmp_path_factory.mktemp("harmed") / "file.csv.gz"
    check_file(path, "csv", mutated(gzip.compress(SEEDS["csv"], mtime=0), random.Random(number)), False)
