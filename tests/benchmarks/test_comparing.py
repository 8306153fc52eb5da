"""The comparison of two result files."""

import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks.__main__ import main

ROW: dict[str, Any] = {
    "benchmark": "heartbeats",
    "label": "150 nodes",
    "digest": "00ff",
    "cpu_s_best": 1.0,
    "cpu_s_median": 1.1,
    "us_per_reception": 2.0,
    "peak_memory_mb": 100.0,
}


def _file(path: Path, *rows: dict[str, Any], **more: Any) -> str:
    path.write_text(json.dumps({"measurements": [ROW | row for row in rows], **more}), "utf-8")
    return str(path)


def _compare(tmp_path: Path, old: dict[str, Any], new: dict[str, Any], *options: str) -> int:
    return main(["compare", _file(tmp_path / "old", old), _file(tmp_path / "new", new), *options])


def test_what_became_slower_is_marked_and_the_exit_code_is_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _compare(tmp_path, {}, {"cpu_s_best": 1.2}) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["heartbeats", "150", "nodes", "1.000", "1.200", "1.20", "1.00", "SLOWER"]
    assert lines[-1] == "more than 10 % slower or 25 % larger"


@pytest.mark.parametrize(("new_s", "code"), [(1.09, 0), (1.11, 1), (0.5, 0)])
def test_ten_percent_is_the_threshold(tmp_path: Path, new_s: float, code: int) -> None:
    assert _compare(tmp_path, {}, {"cpu_s_best": new_s}) == code


def test_the_threshold_can_be_chosen(tmp_path: Path) -> None:
    assert _compare(tmp_path, {}, {"cpu_s_best": 1.2}, "--threshold", "25") == 0
    assert _compare(tmp_path, {}, {"cpu_s_best": 1.03}, "--threshold", "2") == 1


@pytest.mark.parametrize(("factor", "code"), [(1.05, 0), (1.2, 1)])
def test_another_run_is_called_that_and_compared_by_the_cost_of_a_reception(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], factor: float, code: int
) -> None:
    old = {"us_per_reception": 2.0}
    new = {"cpu_s_best": 5.0, "us_per_reception": 2.0 * factor, "digest": "0000"}
    assert _compare(tmp_path, old, new) == code
    printed = capsys.readouterr().out
    assert "another run, by us/reception" in printed
    assert ("SLOWER" in printed) == bool(code)


@pytest.mark.parametrize(("factor", "code"), [(1.2, 0), (1.3, 1)])
def test_more_memory_is_worse_too(tmp_path: Path, capsys: pytest.CaptureFixture[str], factor: float, code: int) -> None:
    assert _compare(tmp_path, {"peak_memory_mb": 100.0}, {"peak_memory_mb": 100.0 * factor}) == code
    assert ("MORE MEMORY" in capsys.readouterr().out) == bool(code)


def test_what_became_faster_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _compare(tmp_path, {}, {"cpu_s_best": 0.5}) == 0
    assert "faster" in capsys.readouterr().out


def test_cases_of_one_file_alone_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = _file(tmp_path / "old", {}, {"label": "gone"})
    new = _file(tmp_path / "new", {}, {"label": "come"})
    assert main(["compare", old, new]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert any("gone" in line and line.endswith("only in OLD") for line in printed)
    assert any("come" in line and line.endswith("only in NEW") for line in printed)


def test_other_machines_are_pointed_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = _file(tmp_path / "old", {}, machine={"cores": 2})
    assert main(["compare", old, _file(tmp_path / "new", {}, machine={"cores": 2})]) == 0
    assert "different machines" not in capsys.readouterr().out
    assert main(["compare", old, _file(tmp_path / "new", {}, machine={"cores": 4})]) == 0
    assert "different machines" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, "No such file"),
        ("{", "is not JSON"),
        ("[]", "no list of measurements"),
        ('{"measurements": [1]}', "measurement 1 is not a table"),
        ('{"measurements": [{"benchmark": "x"}]}', "measurement 1 has no label"),
        (json.dumps({"measurements": [ROW, ROW | {"cpu_s_best": 0}]}), "measurement 2 has cpu_s_best = 0: must be"),
        (json.dumps({"measurements": [ROW | {"peak_memory_mb": "x"}]}), "peak_memory_mb = x: must be a number"),
        (json.dumps({"measurements": [ROW | {"label": "other"}]}), "has no case in common"),
    ],
)
def test_a_bad_file_is_one_line_and_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None, expected: str
) -> None:
    bad = tmp_path / "bad"
    if content is not None:
        bad.write_text(content, "utf-8")
    assert main(["compare", _file(tmp_path / "good", {}), str(bad)]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    (line,) = output.err.splitlines()
    assert line.startswith(str(bad))
    assert expected in line


@pytest.mark.parametrize("threshold", ["-1", "nan", "much"])
def test_a_wrong_threshold_is_refused(tmp_path: Path, threshold: str) -> None:
    with pytest.raises(SystemExit) as left:
        _compare(tmp_path, {}, {}, "--threshold", threshold)
    assert left.value.code == 2
