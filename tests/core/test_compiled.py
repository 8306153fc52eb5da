"""Machine code is kept for the very files that it was made of."""

from pathlib import Path

from roamcast.core.compiled import Compiler

TWICE = "test_compiled.twice"


def twice(number: int) -> int:
    return 2 * number


def test_code_is_kept_once_it_has_been_compiled(tmp_path: Path) -> None:
    made_by = str(tmp_path / "kernels.py")
    compiler = Compiler(made_by, ("roamcast.core.predicates",))
    assert not compiler.has_compiled(TWICE)
    assert compiler.compile(twice)(21) == 42
    assert compiler.has_compiled(TWICE)
    assert not compiler.has_compiled("test_compiled.thrice")
    assert Compiler(made_by, ("roamcast.core.predicates",)).has_compiled(TWICE)


def test_code_of_other_files_is_not_taken_for_it(tmp_path: Path) -> None:
    made_by = str(tmp_path / "kernels.py")
    Compiler(made_by, ("roamcast.core.predicates",)).compile(twice)(1)
    assert not Compiler(made_by, ("roamcast.core",)).has_compiled(TWICE)
