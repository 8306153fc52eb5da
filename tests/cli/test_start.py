"""A command does not wait at its start for what only others need."""

import subprocess
import sys

SLOW = ("matplotlib", "numba", "pyspark", "pandas")


def test_the_command_line_loads_no_large_library_before_it_is_needed() -> None:
    code = f"import sys, roamcast.cli.main; print([each for each in {SLOW} if each in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
