"""The cost of commands on recordings: the processes that count, and the line that is shown."""

from pathlib import Path

import pytest
from benchmarks.process_tree import Cost, Process, below, measured_command
from benchmarks.recordings import RecordingMeasurement, _digest, shown


def test_everything_that_was_started_counts_also_without_its_parent() -> None:
    def look(parent: int) -> Process:
        return Process(parent, "python", 1.0, 1.0)

    looks = {10: look(1), 11: look(10), 12: look(11), 20: look(1), 21: look(20), 30: look(1)}
    assert set(below(looks, {10, 30, 99})) == {10, 11, 12, 30}


def test_a_command_has_a_cost_and_one_that_fails_ends_the_benchmark() -> None:
    cost = measured_command(["true"], {})
    assert cost.cpu_s >= 0
    assert cost.wall_s > 0
    with pytest.raises(SystemExit, match="failed with exit code 1"):
        measured_command(["false"], {})


def test_tables_differ_by_their_names_and_contents(tmp_path: Path) -> None:
    digests = []
    for number, (name, text) in enumerate((("a", "x"), ("a", "y"), ("b", "x"), ("a", "x"))):
        out = tmp_path / str(number)
        (out / "movement").mkdir(parents=True)
        (out / "nodes.parquet").touch()
        (out / "movement" / f"{name}.parquet").write_text(text)
        digests.append(_digest(out))
    assert digests[0] == digests[3]
    assert len(set(digests)) == 3


def test_a_line_says_whether_the_target_is_reached_and_the_tables_are_the_same() -> None:
    ours, other = Cost(5.0, 6.0, 900.0, 150.0), Cost(20.0, 30.0, 2000.0, 400.0)
    line = shown(RecordingMeasurement("import", ours, 5.5, other, 21.0, 4.0, True, 8.0))
    assert "5.0 s of CPU (first 5.5 s)" in line
    assert "ratio 4.00, DuckDB 4.0 s; target 8 s reached; tables same" in line
    line = shown(RecordingMeasurement("import", other, 21.0, other, 21.0, None, False, 8.0))
    assert "ratio 1.00; target 8 s NOT reached; tables DIFFERENT" in line
