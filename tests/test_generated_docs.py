"""The generated blocks of the documentation hold what the code says now (``make docs`` writes them)."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


def load_generator() -> Any:
    """Return docs/generate.py as a module; it stands outside of every package."""
    specification = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


generate = load_generator()


def test_no_generated_block_is_stale() -> None:
    stale = {page.name: generate.stale_blocks(page.read_text("utf-8")) for page in generate.pages()}
    assert {name: blocks for name, blocks in stale.items() if blocks} == {}, "run make docs"


def test_every_generator_fills_a_block_and_every_table_of_keys_only_one() -> None:
    blocks = [found["name"] for page in generate.pages() for found in generate.BLOCK.finditer(page.read_text("utf-8"))]
    assert set(blocks) == set(generate.GENERATORS)
    assert [name for name in blocks if name.endswith("-keys") and blocks.count(name) > 1] == []


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one page that has a stale block."""
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    monkeypatch.setitem(generate.GENERATORS, "moon", lambda: "The moon is full; see docs/sky.md.")
    page = tmp_path / "docs" / "night.md"
    page.write_text("Before.\n\n<!-- generated: moon -->\nThe moon is new.\n<!-- end -->\n\nAfter.\n", "utf-8")
    return page


def test_the_check_names_a_stale_block_and_writes_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = project.read_text("utf-8")
    assert generate.main(["--check"]) == 1
    assert capsys.readouterr().out == "docs/night.md: moon is stale; run make docs\n"
    assert project.read_text("utf-8") == before


def test_a_stale_block_is_written_anew_and_nothing_else_is_touched(project: Path) -> None:
    assert generate.main([]) == 0
    written = "<!-- generated: moon -->\nThe moon is full; see [sky.md](sky.md).\n<!-- end -->"
    assert project.read_text("utf-8") == f"Before.\n\n{written}\n\nAfter.\n"
    assert generate.main(["--check"]) == 0


def test_a_block_that_nothing_writes_is_an_error_that_names_the_known_ones(project: Path) -> None:
    project.write_text("<!-- generated: sun -->\n<!-- end -->\n", "utf-8")
    with pytest.raises(ValueError, match=r"no generator writes the block 'sun'; known: .*moon"):
        generate.main([])
