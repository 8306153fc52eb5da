"""Every file in the folder of malformed ones gives one clear error or a counted skip, and none hangs."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from roamcast.core.errors import UserError
from roamcast.recordings import source_files as files
from roamcast.recordings.formats import find_source
from roamcast.recordings.row_tables import Report

FOLDER = Path(__file__).parent / "malformed"


@dataclass(frozen=True)
class Skips:
    """The remains of a file: rows that are read, and the lines that are not."""

    rows: int
    broken: tuple[tuple[int, str], ...]


EXPECTED: dict[str, str | Skips] = {
    "binary.csv": r"its format is not recognised; choose one with --format",
    "csv-huge.csv": Skips(2, ((2, r"\(1e\+300, 3\) must be finite"), (3, r"\(3, -1e\+300\) must be finite"))),
    "csv-nan.csv": Skips(2, ((2, r"\(nan, 3\)"), (3, r"\(inf, 3\)"), (4, "the time nan"))),
    "csv-no-rows.csv": Skips(0, ()),
    "csv-node-twice.csv": Skips(4, ()),  # the pipeline leaves one out: test_movement_import
    "csv-time-backwards.csv": Skips(4, ()),  # so with these
    "csv-truncated-line.csv": Skips(3, ((3, "has 3 values, not 4"),)),
    "csv-words.csv": Skips(2, ((2, "name must have 1 to 200"), (3, "'three' is not a number"))),
    "csv-wrong-columns.csv": r"no column for the node \(node or id or .*\); it has time, name_of_it, east, north",
    "empty.csv": r"its format is not recognised",
    "gps-latitude.csv": Skips(2, ((2, "latitude within 90"),)),
    "gps-two-continents.csv": Skips(2, ()),  # the pipeline refuses to project them
    "nan.parquet": Skips(1, ((2, r"\(nan, 2\) must be finite"), (3, "name must have"))),
    "nodes.movements": Skips(6, ((2, "has 5 values; t x y"),)),
    "one-header.txt": r"its format is not recognised",
    "one.txt": Skips(3, ((3, "has 3 values, not at least 4"), (4, r"\(nan, 4\)"))),
    "script-lines.tcl": Skips(
        3,
        (
            (4, "the time 3 is before 5"),
            (5, "node 7 has no position"),
            (6, r"\(1e\+300, 1\)"),
            (7, "neither a position nor a setdest"),
            (8, "nan is not a finite number"),
        ),
    ),
    "script-without-nodes.tcl": r"sets no node's position",
    "sumo-attributes.xml": Skips(1, ((4, "'' is not a number"), (5, "name must have"), (6, r"\(nan, 1e\+300\)"))),
    "sumo-bomb.xml": r"has a document type declaration; such files are refused",
    "sumo-deep.xml": r"nested more than 100 deep",
    "sumo-fetches.xml": r"has a document type declaration",
    "sumo-network.xml": r"begins with <net>; SUMO's <fcd-export> is expected",
    "sumo-not-well-formed.xml": r":4: is not XML: mismatched tag",
    "sumo-truncated.csv": Skips(2, ((2, "has 3 values, not 4"),)),
    "sumo-truncated.xml": Skips(1, ((7, "the file ends in the middle"),)),
    "text-times.parquet": r"cannot be read \(Failed to parse string: 'one'",
    "track-bad-time.gpx": Skips(1, ((1, "'noon' is not a number"),)),
    "truncated.parquet": r"is not a complete Parquet file",
    "truncated.xml.gz": r"cannot be decompressed \(.*\); is it complete\?",
    "wrong-columns.parquet": r"has no column for the time",
}


def read_all(path: Path, report: Report) -> int:
    """Read a file to its end and return how many rows it has."""
    source = find_source(path)
    return sum(len(table) for piece in source.pieces for table in source.read(piece, report))


def test_every_malformed_file_is_expected_to_do_something() -> None:
    assert {file.name for file in FOLDER.iterdir()} == EXPECTED.keys()


@pytest.mark.parametrize("name", sorted(name for name, what in EXPECTED.items() if isinstance(what, str)))
def test_a_file_that_cannot_be_read_is_one_line_that_names_it(name: str) -> None:
    expected = EXPECTED[name]
    assert isinstance(expected, str)
    with pytest.raises(UserError, match=expected) as error:
        read_all(FOLDER / name, Report())
    assert str(FOLDER / name) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", sorted(name for name, what in EXPECTED.items() if isinstance(what, Skips)))
def test_a_broken_line_is_counted_with_its_number_and_the_others_are_read(name: str) -> None:
    expected = EXPECTED[name]
    assert isinstance(expected, Skips)
    report = Report()
    rows = read_all(FOLDER / name, report)
    assert (rows, report.rows, report.broken) == (expected.rows, expected.rows, len(expected.broken))
    assert [each.line for each in report.examples] == [line for line, _ in expected.broken]
    for example, (_, reason) in zip(report.examples, expected.broken, strict=True):
        assert re.search(reason, example.reason), example.reason


def test_an_element_without_an_end_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "endless.xml"
    path.write_bytes(b'<fcd-export><timestep time="0"><vehicle id="' + b"x" * 20_000_000)
    with pytest.raises(UserError, match="has an element of more than 16,000,000 bytes; such files are refused"):
        read_all(path, Report())


def test_a_line_without_an_end_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LINE_BYTES_MAX", 100_000)
    path = tmp_path / "endless.movements"
    path.write_text("0 1 2 " * 50_000)
    with pytest.raises(UserError, match=r"has a line of more than 100,000 bytes; is it a text file\?"):
        read_all(path, Report())
