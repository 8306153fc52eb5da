"""Python's build variables and the kind of build that they tell of, as five kinds of build record them."""

import sysconfig
from pathlib import Path
from typing import Any

import pytest

from roamcast.cli import interpreter_build
from roamcast.cli.interpreter_build import ADVICE, is_profile_guided

STOCK = {"PGO_PROF_GEN_FLAG": "-fprofile-generate", "PGO_PROF_USE_FLAG": "-fprofile-use -fprofile-correction"}
"""As ``configure`` records them for GCC, whatever it was asked for."""


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        (STOCK | {"CONFIG_ARGS": "'--enable-shared'", "CFLAGS": "-O3 -Wall"}, False),
        (STOCK | {"CONFIG_ARGS": "'--enable-shared' '--enable-optimizations'"}, True),
        (STOCK | {"CONFIG_ARGS": "'--prefix=/usr'", "PGO_PROF_USE_FLAG": ""}, True),
        (STOCK | {"CONFIG_ARGS": "'--prefix=/usr'", "PY_CORE_CFLAGS": "-O2 -fprofile-use"}, True),
        ({"VERSION": "3.11"}, None),
    ],
    ids=["by hand", "asked for", "Debian", "flags kept", "Windows"],
)
def test_a_build_is_recognised_by_its_variables(variables: dict[str, Any], expected: bool | None) -> None:
    assert is_profile_guided(variables) is expected


@pytest.mark.parametrize(("asked", "printed"), [("'--enable-shared'", ADVICE + "\n"), ("--enable-optimizations", "")])
def test_only_a_build_without_is_mentioned(
    asked: str, printed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sysconfig, "get_config_vars", lambda: STOCK | {"CONFIG_ARGS": asked})
    interpreter_build.main()
    assert capsys.readouterr().out == printed


def test_make_says_it_at_set_up_and_nowhere_else() -> None:
    makefile = (Path(__file__).parents[2] / "Makefile").read_text("utf-8")
    set_up = makefile[makefile.index("$(STAMP): ") : makefile.index("\nlock: ")]
    assert makefile.count("roamcast.cli.interpreter_build") == set_up.count("roamcast.cli.interpreter_build") == 1
