"""Standard output that takes nothing: one line, an exit code that is not 0, and no traceback, not even at the end."""

import subprocess
import sys
from pathlib import Path

import pytest

RESCUE = str(Path(__file__).parents[2] / "scenarios" / "rescue.toml")
PROGRAM = "import sys; from roamcast.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.mark.parametrize(
    "arguments",
    [["list", "protocols", "--json"], ["list", "papers"], ["run", RESCUE], ["run", RESCUE, "--json"], ["--help"]],
    ids=" ".join,
)
def test_a_full_disk_under_standard_output_is_one_line(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-c", PROGRAM, *arguments]
        child = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert child.stderr.splitlines()[-1] == "roamcast: standard output: no space left on device"
    assert "Traceback" not in child.stderr
    assert "Exception ignored" not in child.stderr
    assert child.returncode == 2


def test_more_than_a_buffer_of_output_on_a_full_disk_is_one_line_too() -> None:
    program = "from roamcast.cli import output; from roamcast.core.errors import UserError\n"
    program += "try: output.say('x' * 1_000_000)\nexcept UserError as error: raise SystemExit(str(error)) from None"
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-c", program]
        child = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (child.returncode, child.stderr) == (1, "standard output: no space left on device\n")


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    command = [sys.executable, "-c", PROGRAM, "list", "protocols"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout is not None
    child.stdout.close()
    assert child.stderr is not None
    assert child.stderr.read() == ""
    child.stderr.close()
    assert child.wait() == 0
