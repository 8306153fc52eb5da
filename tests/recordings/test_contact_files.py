"""Recorded contacts: The ONE's events, Haggle's and SocioPatterns' columns, and lines that are none."""

from pathlib import Path

import pytest

from roamcast.core.errors import UserError
from roamcast.recordings.contact_files import detect_contacts, read_contacts
from roamcast.recordings.row_tables import Report


def read(path: Path, report: Report | None = None) -> list[tuple[str, str, float, float]]:
    """Return the contacts of a file."""
    tables = list(read_contacts(str(path), detect_contacts(path), report or Report()))
    rows = [row for table in tables for row in table.to_pylist()]
    return [(row["one"], row["other"], row["start_s"], row["end_s"]) for row in rows]


def test_what_goes_up_is_paired_with_what_goes_down_and_the_rest_lasts_to_the_end(tmp_path: Path) -> None:
    path, report = tmp_path / "events.txt", Report()
    path.write_text(
        "0.5 CONN p1 p2 up\n2 CONN p3 p1 up\n4 CONN p2 p1 down\n5 C M1 p1 p2 100\n9 CONN p1 p2 up\n12 CONN p2 p3 up\n"
    )
    assert sorted(read(path, report)) == [("p1", "p2", 0.5, 4.0), ("p1", "p2", 9.0, 12.0), ("p1", "p3", 2.0, 12.0)]
    assert (report.momentary, report.broken) == (1, 0)  # p2 and p3, who have met when the file ends


def test_events_that_make_no_sense_are_counted(tmp_path: Path) -> None:
    path, report = tmp_path / "events.txt", Report()
    path.write_text(
        "1 CONN a b up\n2 CONN a b up\n0.5 CONN a c up\n3 CONN a b sideways\n"
        "4 CONN c d down\n5 CONN a a up\n6 CONN a b down\n"
    )
    assert read(path, report) == [("a", "b", 1.0, 6.0)]
    assert [each.line for each in report.examples] == [2, 3, 4, 5, 6]


def test_haggles_columns_are_two_nodes_and_two_times(tmp_path: Path) -> None:
    path, report = tmp_path / "haggle.dat", Report()
    path.write_text("1 8 121 121 1 0\n2 1 130.5 160 2 9\n3 4 50 40 1 0\n3 4 50 nan 1 0\n")
    assert read(path, report) == [("1", "2", 130.5, 160.0)]
    assert (report.rows, report.momentary) == (2, 1)  # 1 and 8 have met for no time
    assert [each.line for each in report.examples] == [3, 4]


def test_a_window_of_sociopatterns_ends_at_its_time(tmp_path: Path) -> None:
    path = tmp_path / "school.csv"
    path.write_text("31220\t1558\t1567\t3B\t3B\n31240\t1558\t1560\t3B\t3B\n")
    assert read(path) == [("1558", "1567", 31200.0, 31220.0), ("1558", "1560", 31220.0, 31240.0)]


def test_a_file_of_something_else_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "poem.txt"
    path.write_text("shall I compare thee\nto a summer's day\n")
    with pytest.raises(
        UserError, match="is not in a known format for contacts; choose one with --format the-one-contacts"
    ):
        detect_contacts(path)


HAGGLE_LINES = "".join(f"{a} {a + 1} {100 + a} {120 + a} 1 0\n" for a in range(30))


@pytest.mark.parametrize("broken", ["1 8 121", "1 8 121 1", "1 8 121 noon 1 0", "1", "# one two", "\x0c"])
def test_a_format_is_guessed_from_many_lines_and_not_from_a_broken_first_one(tmp_path: Path, broken: str) -> None:
    path = tmp_path / "haggle.dat"
    path.write_text(f"{broken}\n{HAGGLE_LINES}")
    assert detect_contacts(path) == "haggle"
    path.write_text("noon CONN a b up\n4 C M1 a b 100\n" + "5 CONN a b up\n6 CONN a b down\n")
    assert detect_contacts(path) == "the-one-contacts"


def test_a_file_that_could_be_of_two_formats_is_refused_with_their_names(tmp_path: Path) -> None:
    path = tmp_path / "mixed.dat"
    path.write_text("1 8 121 130\n20 1 2\n40 1 2\n")
    with pytest.raises(UserError, match=r"2 look like sociopatterns, 1 like haggle; .* --format sociopatterns\|haggle"):
        detect_contacts(path)


@pytest.mark.parametrize(
    ("kind", "line", "reason"),
    [
        ("haggle", "1 2 3", "a b start end is expected (has 3 values)"),
        ("haggle", "1 2 soon 5", "a b start end is expected ('soon' is not a number)"),
        ("haggle", "1 2 3 1_0", "a b start end is expected ('1_0' is not a number)"),
        ("sociopatterns", "20 1", "t i j is expected (has 2 values)"),
        ("sociopatterns", "x 1 2", "t i j is expected ('x' is not a number)"),
        ("the-one-contacts", "x", "time CONN a b up|down is expected (has 1 values)"),
        ("the-one-contacts", "1 CONN a b", "time CONN a b up|down is expected (has 4 values)"),
    ],
)
def test_a_broken_line_is_explained_in_our_words(tmp_path: Path, kind: str, line: str, reason: str) -> None:
    (tmp_path / "file").write_text(line + "\n")
    report = Report()
    assert sum(map(len, read_contacts(str(tmp_path / "file"), kind, report))) == 0
    assert [each.reason for each in report.examples] == [reason]
