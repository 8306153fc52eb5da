"""docs/python.md prints what it says it prints."""

import doctest
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.usefixtures("spark")
def test_the_examples_on_the_page_give_what_stands_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    monkeypatch.chdir(tmp_path)
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    found = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False, optionflags=options)
    assert found.failed == 0
    assert found.attempted >= 15


@pytest.mark.usefixtures("spark")
def test_the_comparison_among_the_examples_prints_a_tidy_table_and_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    monkeypatch.chdir(tmp_path)
    example = str(ROOT / "examples" / "compare_protocols.py")
    runpy.run_path(example)
    printed = capsys.readouterr().out
    assert printed.startswith("<CompareResult rescue: frugal, flooding, gossip; 36 runs; results/example-ranges>\n")
    assert re.search(r"^ +40\.0 +frugal +0\.\d+", printed, re.MULTILINE)
    assert re.search(r"^flooding sends \d+\.\d times the bytes of frugal at 40 m$", printed, re.MULTILINE)
    assert (tmp_path / "results" / "example-ranges" / "figures" / "compare.png").exists()
    runpy.run_path(example)
    assert capsys.readouterr().out == printed
