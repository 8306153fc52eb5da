"""A docstring begins with what the thing does or is, never with "What" (STYLE.md)."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "benchmarks", "docs", "examples", "tests")


def docstrings(text: str) -> Iterator[tuple[int, str]]:
    """Yield every docstring of a file with its line, those below fields and constants too."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value.strip()


def complaints(text: str) -> list[int]:
    """Return the lines of the docstrings that begin with "What"."""
    return [line for line, docstring in docstrings(text) if docstring.split()[:1] == ["What"]]


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_docstring_begins_with_what(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    found = {str(path.relative_to(ROOT)): complaints(path.read_text(encoding="utf-8")) for path in files}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "planted",
    ['"""What this is."""', 'A = 1\n"""What A is."""', 'class A:\n    a: int\n    """\n    What a is.\n    """'],
)
def test_a_planted_docstring_is_caught(planted: str) -> None:
    assert len(complaints(planted)) == 1


def test_other_uses_of_the_word_are_allowed() -> None:
    assert complaints('"""Whatever peers send."""\nprint("What now?")') == []
