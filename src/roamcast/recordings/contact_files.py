"""Reading recorded contacts: The ONE's connection events, Haggle's columns and SocioPatterns' windows.

- The ONE (``StandardEventsReader``): ``time CONN a b up`` and ``... down``. A connection that is still up at the end
  lasts to the last time in the file.
- Haggle (CRAWDAD ``cambridge/haggle``): ``a b start end``; further columns are ignored.
- SocioPatterns: ``t i j``: the two were seen within the 20 seconds that end at t; further columns are ignored.

A contact that begins and ends at the same time (Haggle's devices saw each other in one scan only) has no length, so
nothing could be sent during it. It is left out and counted, but is not a broken line.
"""

from collections import Counter
from collections.abc import Iterator
from math import isfinite
from pathlib import Path

import pyarrow as pa

from roamcast.core.errors import UserError
from roamcast.recordings.numerals import as_number, is_number
from roamcast.recordings.row_tables import CONTACT_ROWS, NAME_LENGTH_MAX, ROWS_PER_TABLE, TIME_S_MAX, Report
from roamcast.recordings.source_files import first_lines, head, is_comment, lines

THE_ONE, HAGGLE, SOCIOPATTERNS = "the-one-contacts", "haggle", "sociopatterns"
CONTACT_FORMATS = (THE_ONE, HAGGLE, SOCIOPATTERNS)
SOCIOPATTERNS_WINDOW_S = 20.0
OTHERS_MAX = 0.1
"""The share of a file's first lines that may look like another format, as truncated lines of Haggle do."""

_Contact = tuple[str, str, float, float]


def detect_contacts(path: Path) -> str:
    """Return the format of a file, on which nearly all of its first lines must agree."""
    votes = Counter(found for found in map(_looks_like, first_lines(head(path))) if found is not None)
    if not votes:
        raise UserError(
            f"{path}: is not in a known format for contacts; choose one with --format {'|'.join(CONTACT_FORMATS)}"
        )
    if votes[THE_ONE]:  # its other events may look like anything
        return THE_ONE
    (found, count), *others = votes.most_common()
    if others and others[0][1] > OTHERS_MAX * votes.total():
        other, times = others[0]
        raise UserError(
            f"{path}: of its first lines {count} look like {found}, {times} like {other}; "
            f"choose one with --format {found}|{other}"
        )
    return found


def _looks_like(line: str) -> str | None:
    """Return the format that a line can have, or None if it is broken in all of them."""
    values = line.replace(",", " ").split()
    if len(values) > 1 and values[1] == "CONN":
        return THE_ONE if len(values) == 5 and is_number(values[0]) else None
    if len(values) >= 4 and is_number(values[3]):  # SocioPatterns' fourth column, if there is one, is a word
        return HAGGLE if is_number(values[2]) and float(values[3]) >= float(values[2]) else None
    return SOCIOPATTERNS if len(values) >= 3 and is_number(values[0]) else None


def read_contacts(path: str, kind: str, report: Report) -> Iterator[pa.Table]:
    """Yield the contacts of a file in its order."""
    found: list[_Contact] = []
    source = _events(path, report) if kind == THE_ONE else _rows(path, kind, report)
    for contact in source:
        if contact[2] == contact[3]:
            report.momentary += 1
            continue
        found.append(contact)
        if len(found) >= ROWS_PER_TABLE:
            yield _table(found)
            found = []
    yield _table(found)


def _table(found: list[_Contact]) -> pa.Table:
    columns = zip(*found, strict=True) if found else ([], [], [], [])
    return pa.table([list(column) for column in columns], schema=CONTACT_ROWS)


def _values(path: str, report: Report) -> Iterator[tuple[int, list[str]]]:
    for number, text in lines(path):
        report.lines = number
        if not is_comment(text):
            yield number, text.replace(",", " ").split()


def _rows(path: str, kind: str, report: Report) -> Iterator[_Contact]:
    for line, values in _values(path, report):
        try:
            _check_count(values, 4 if kind == HAGGLE else 3)
            if kind == HAGGLE:
                contact = _checked(values[0], values[1], as_number(values[2]), as_number(values[3]))
            else:
                seen_s = as_number(values[0])
                contact = _checked(values[1], values[2], seen_s - SOCIOPATTERNS_WINDOW_S, seen_s)
        except ValueError as error:
            expected = "a b start end" if kind == HAGGLE else "t i j"
            report.skip(line, f"{expected} is expected ({error})")
            continue
        report.rows += 1
        yield contact


def _events(path: str, report: Report) -> Iterator[_Contact]:
    """Pair each "up" with its "down"."""
    up: dict[tuple[str, str], float] = {}
    now_s = -TIME_S_MAX
    for line, values in _values(path, report):
        if len(values) > 1 and values[1] != "CONN":
            continue  # other events of the same reader: messages made and removed
        try:
            _check_count(values, 5, exactly=True)
            time_s, (one, other, change) = as_number(values[0]), values[2:]
            pair = _checked(one, other, time_s, time_s)[:2]
            _check_change(change, time_s, now_s, pair in up)
        except ValueError as error:
            report.skip(line, f"time CONN a b up|down is expected ({error})")
            continue
        now_s = time_s
        report.rows += 1
        if change == "up":
            up[pair] = time_s
        else:
            yield *pair, up.pop(pair), time_s
    for pair, since_s in up.items():
        yield *pair, since_s, now_s


def _check_count(values: list[str], count: int, exactly: bool = False) -> None:
    if len(values) < count or (exactly and len(values) > count):
        raise ValueError(f"has {len(values)} values")


def _check_change(change: str, time_s: float, now_s: float, is_up: bool) -> None:
    if time_s < now_s:
        raise ValueError(f"the time {time_s:.12g} is before {now_s:.12g}")
    if change not in ("up", "down"):
        raise ValueError(f"'{change[:20]}' is neither up nor down")
    if (change == "up") == is_up:
        raise ValueError("the two are already up" if is_up else "the two are not up")


def _checked(one: str, other: str, start_s: float, end_s: float) -> _Contact:
    if one == other:
        raise ValueError("a node cannot meet itself")
    if max(len(one), len(other)) > NAME_LENGTH_MAX:
        raise ValueError(f"a name must have at most {NAME_LENGTH_MAX} characters")
    if not (isfinite(start_s) and isfinite(end_s) and max(abs(start_s), abs(end_s)) <= TIME_S_MAX):
        raise ValueError(f"times must be finite and at most {TIME_S_MAX:g}")
    if end_s < start_s:
        raise ValueError(f"ends at {end_s:.12g}, before it begins at {start_s:.12g}")
    return min(one, other), max(one, other), start_s, end_s
