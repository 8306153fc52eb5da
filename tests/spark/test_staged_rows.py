"""Movement from files to windows without Spark: the tasks are called one after the other, and a plain loop agrees."""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roamcast.campaigns.progress import NoProgress
from roamcast.core.errors import UserError
from roamcast.recordings import source_files
from roamcast.recordings.formats import find_sources
from roamcast.recordings.recording_layout import CONTACTS_SCHEMA, MOVEMENT, open_imported
from roamcast.spark import mapped_files
from roamcast.spark.mapped_files import highest_before, map_arrays, write_mapped
from roamcast.spark.movement import movement_import, movement_tasks, window_files
from roamcast.spark.movement.import_folder import ImportFolder
from roamcast.spark.movement.movement_import import ImportOptions, _Import
from roamcast.spark.movement.staged_chunks import node_order
from roamcast.spark.movement.window_files import WindowFile
from roamcast.spark.session.master import Master
from roamcast.spark.session.session import _settings

Row = tuple[int, str]
"""A time and a name; its position follows from where it is in the file."""


class HereFolder(ImportFolder):
    """Runs tasks in this process."""

    def run_tasks(self, spark: Any, name: str, task: Any, items: Any) -> list[Any]:  # noqa: ARG002
        """Call the task for each item."""
        return [task(item) for item in items]


def imported(folder: Path, rows: list[Row], broken_max: float = 1.0) -> tuple[dict[str, Any], list[Any], list[Any]]:
    """Import rows in pieces of two or three lines; return the summary, the rows by time, and the nodes."""
    file, root = folder / "rows.csv", folder / "out"
    file.write_text("time,node,x,y\n" + "".join(f"{time},{name},{at},{at}\n" for at, (time, name) in enumerate(rows)))
    place = HereFolder(root, root, folder / "log")
    place.staging.mkdir(parents=True)
    unused: Any = None
    with mock.patch.object(source_files, "PIECE_BYTES", 20):
        _Import(unused, find_sources([file]), ImportOptions(broken_max=broken_max), place, NoProgress()).make()
    found = open_imported(root, MOVEMENT)
    table = [tuple(row.values()) for part in found.files() for row in pq.ParquetFile(part).read().to_pylist()]
    return found.summary, table, [tuple(row.values()) for row in pq.read_table(found.nodes_file).to_pylist()]


def by_a_loop(rows: list[Row], gap_s: float) -> tuple[dict[str, int], list[Any], list[Any]]:
    """Return the faults, the rows by time and the nodes."""
    latest: dict[str, float] = {}
    first: dict[str, float] = {}
    kept: list[tuple[str, float, int]] = []
    faults = {"twice": 0, "back": 0}
    for at, (time, name) in enumerate(rows):
        first[name] = min(first.get(name, time), time)
        if name in latest and time <= latest[name]:
            faults["twice" if time == latest[name] else "back"] += 1
        else:
            latest[name] = time
            kept.append((name, time, at))
    names = sorted(first, key=lambda name: (first[name], name))
    table = []
    for name, time_s, at in kept:
        later = [other for node, other, _ in kept if node == name and other > time_s]
        table.append((names.index(name), time_s, at, at, bool(later) and min(later) - time_s <= gap_s))
    times = {name: [time_s for node, time_s, _ in kept if node == name] for name in names}
    nodes = [(at, name, times[name][0], times[name][-1], len(times[name])) for at, name in enumerate(names)]
    return faults, sorted(table, key=lambda row: (row[1], row[0])), nodes


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 12), st.sampled_from("abcd")), min_size=1, max_size=40), st.integers(1, 20))
def test_an_import_in_pieces_and_windows_is_what_a_loop_over_all_rows_gives(rows: list[Row], per_window: int) -> None:
    with (
        pytest.MonkeyPatch.context() as patched,
        TemporaryDirectory() as folder,
    ):
        patched.setattr(movement_import, "ROWS_PER_WINDOW", per_window)
        patched.setattr(movement_tasks, "ROWS_AT_ONCE", 3)
        patched.setattr(mapped_files, "SAMPLED_ROWS", 1)
        summary, table, nodes = imported(Path(folder), rows)
    faults, expected, expected_nodes = by_a_loop(rows, summary["gap_s"])
    assert table == expected
    assert nodes == expected_nodes
    assert (summary["rows"], summary["broken"]) == (len(expected), sum(faults.values()))
    reasons = " ".join(summary["examples"])
    assert ("already has a row" in reasons, "runs backwards" in reasons) == (faults["twice"] > 0, faults["back"] > 0)


def test_the_first_of_several_conflicts_is_named_with_its_line_wherever_the_file_is_cut(tmp_path: Path) -> None:
    rows = [(0, "a"), (1, "a"), (2, "a"), (0, "b"), (1, "a"), (3, "a"), (2, "a"), (3, "a"), (4, "a")]
    summary, table, _ = imported(tmp_path, rows)
    file = tmp_path / "rows.csv"
    assert summary["examples"] == [
        f"{file}:6: time runs backwards (the first of 2)",
        f"{file}:9: the node already has a row at this time",
    ]
    assert [row[1] for row in table] == [0.0, 0.0, 1.0, 2.0, 3.0, 4.0]


def test_too_many_conflicts_and_too_many_nodes_are_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one").mkdir()
    with pytest.raises(UserError, match=r"rows.csv:3: time runs backwards; 1 of 3 lines are broken"):
        imported(tmp_path / "one", [(1, "a"), (0, "a"), (2, "a")], broken_max=0.1)
    monkeypatch.setattr(movement_import, "NODES_MAX", 2)
    with pytest.raises(UserError, match="has more than 2 nodes; is the node column right"):
        imported(tmp_path, [(0, "a"), (0, "b"), (0, "c")])


def test_a_time_far_away_does_not_make_a_task_hold_all_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With it, all other rows are in one window."""
    monkeypatch.setattr(movement_import, "ROWS_PER_WINDOW", 100)
    monkeypatch.setattr(movement_tasks, "ROWS_AT_ONCE", 20)
    monkeypatch.setattr(mapped_files, "SAMPLED_ROWS", 1)
    held = []
    add = WindowFile.add

    def noted(self: WindowFile, rows: pa.Table) -> None:
        held.append(len(rows))
        add(self, rows)

    monkeypatch.setattr(WindowFile, "add", noted)
    rows = [(time, name) for time in range(50) for name in "abcd"] + [(1_000_000, "e")]
    _, table, _ = imported(tmp_path, rows)
    assert len(table) == sum(held) == 201
    assert max(held) <= 24  # so many as asked for, and the rest of a time


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), min_size=1, max_size=30))
def test_the_highest_before_is_that_of_the_own_group(rows: list[tuple[int, int]]) -> None:
    rows = sorted(rows, key=lambda row: row[0])
    groups, values = (np.array(column) for column in zip(*rows, strict=True))
    expected = [
        max([value for g, value in rows[:at] if g == group], default=-np.inf) for at, (group, _) in enumerate(rows)
    ]
    assert highest_before(groups, values.astype(float)).tolist() == expected


@pytest.mark.parametrize("nodes", [5, 200_000])
def test_rows_by_node_keep_their_order(nodes: int) -> None:
    codes = np.random.default_rng(1).integers(0, nodes, 5_000).astype(np.int32)
    assert node_order(codes, nodes).tolist() == np.argsort(codes.astype(np.int64), kind="stable").tolist()


def test_row_groups_have_one_size_whatever_was_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_files, "ROWS_PER_GROUP", 10)
    schema = pa.schema([CONTACTS_SCHEMA.field("start_s")])
    file = WindowFile(tmp_path, 3, schema, ("start_s",))
    for low, high in ((0, 4), (4, 27), (27, 33)):
        file.add(pa.table([np.arange(low, high, dtype=float)], schema=schema))
    assert file.close() == {"window": 3, "rows": 33, "bounds": {"start_s": (0.0, 32.0)}}
    written = pq.ParquetFile(tmp_path / "window=00003" / "part.parquet")
    assert [written.metadata.row_group(at).num_rows for at in range(4)] == [10, 10, 10, 3]
    assert written.read().column(0).to_pylist() == list(range(33))


def test_a_mapped_file_gives_back_its_columns_also_without_rows(tmp_path: Path) -> None:
    for count in (3, 0):
        write_mapped(tmp_path / "file", a=np.arange(count), b=np.full(count, np.nan))
        found = map_arrays(tmp_path / "file")
        assert found["a"].tolist() == list(range(count))
        assert np.isnan(found["b"]).all()


@pytest.mark.parametrize(
    ("module", "unneeded"),
    [
        ("roamcast.spark.movement.movement_daemon", ("roamcast.sim.simulation", "numba")),
        ("roamcast.spark.contacts.contacts_daemon", ("roamcast.sim.simulation",)),
        ("roamcast.spark.contacts.contact_search", ("numba",)),
    ],
)
def test_a_process_loads_only_what_its_tasks_need(module: str, unneeded: tuple[str, ...]) -> None:
    program = f"import sys, {module}; sys.exit(' '.join(set({unneeded!r}) & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False).stderr == "\n"


def test_workers_are_forked_from_the_daemon_that_was_asked_for() -> None:
    assert _settings(Master("local[2]"), None, "own.daemon")["spark.python.daemon.module"] == "own.daemon"
    assert "spark.python.daemon.module" not in _settings(Master("spark://host:7077"), None, "own.daemon")
