"""The commands: found, described, helped with, and missed by a letter."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from roamcast import __version__, cli
from roamcast.cli import main
from roamcast.cli.main import COMMANDS, make_parser

NAMES = [name for group in COMMANDS.values() for name in group]


def test_every_file_with_arguments_is_a_command_and_every_command_a_file() -> None:
    folder = Path(cli.__file__).parent
    files = {path.stem for path in folder.glob("*.py") if "\ndef add_arguments(" in path.read_text(encoding="utf-8")}
    assert files == set(NAMES)


def test_the_page_about_plugins_names_every_command_that_takes_them() -> None:
    page = (Path(cli.__file__).parents[3] / "docs" / "plugins.md").read_text(encoding="utf-8")
    (sentence,) = [line for line in page.splitlines() if " take `--plugin`" in line]
    named = re.findall(r"`(\w+)`", sentence.partition(" take ")[0])
    assert set(named) == {name for name in NAMES if "--plugin" in make_parser(name).format_help()}


@pytest.mark.parametrize("name", NAMES)
def test_the_help_of_a_command_says_what_it_does_and_has_an_example_that_it_accepts(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="0"):
        main([name, "--help"])
    text = capsys.readouterr().out
    assert text.startswith(f"usage: roamcast {name}")
    _, example = text.split("\nexample:\n")
    program, command, *arguments = example.split()
    assert (program, command) == ("roamcast", name)
    assert callable(make_parser(name).parse_args(arguments).command)


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_without_a_command_there_is_help_with_a_line_for_each(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 0
    text = capsys.readouterr().out
    for title, group in COMMANDS.items():
        assert f"\n{title}:\n" in text
        for name, summary in group.items():
            assert f"  {name} " in text
            assert f"  {summary}\n" in text


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["comprae"], "unknown command 'comprae'; did you mean 'compare'? see roamcast --help"),
        (["frobnicate"], "unknown command 'frobnicate'; see roamcast --help"),
        (["--versoin"], "unknown option '--versoin'; did you mean '--version'? see roamcast --help"),
        (
            ["run", "a.toml", "--protocl", "x"],
            "unknown option --protocl; did you mean '--protocol'? see roamcast run --help",
        ),
        (["run", "a.toml", "--sed=1"], "unknown option --sed; did you mean '--seed'? see roamcast run --help"),
        (["run", "a.toml", "b.toml"], "unexpected argument 'b.toml'; see roamcast run --help"),
        (
            ["movement", "import", "a.csv", "--out", "o", "--fromat", "csv"],
            "unknown option --fromat; did you mean '--format'? see roamcast movement import --help",
        ),
        (
            ["movement", "imprt"],
            "unknown word 'imprt'; did you mean 'import'? known: import, show; see roamcast movement",
        ),
        (["list", "protocol"], "unknown kind of component 'protocol'; did you mean 'protocols'? known: "),
        (["claims", "frugal", "--scale", "ful"], "unknown word 'ful'; did you mean 'full'? known: quick, full"),
    ],
)
def test_a_name_that_nobody_knows_comes_with_the_closest_known_one(
    arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert line in printed.err


def test_python_runs_the_package_as_a_command() -> None:
    command = [sys.executable, "-m", "roamcast", "--version"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout == f"roamcast {__version__}\n"
