"""A command does not wait at its start for what only others need."""

import subprocess
import sys
from pathlib import Path

SLOW = ("matplotlib", "numba", "pyspark", "pandas", "numpy", "pyarrow")
NEEDED_BY_A_RUN = {"llvmlite", "numba", "numpy", "pyarrow", "scipy"}
"""Numba asks for SciPy's version, which costs next to nothing; its quantiles are for intervals, and a run has none."""
FRUGAL = str(Path(__file__).parents[2] / "scenarios" / "frugal.toml")


def test_the_command_line_loads_no_large_library_before_it_is_needed() -> None:
    code = f"import sys, roamcast.cli.main; print([each for each in {SLOW} if each in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_help_loads_no_command() -> None:
    code = "import sys; from roamcast.cli import main; main([]); print(*sys.modules, file=sys.stderr)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"roamcast.cli.run", "roamcast.cli.list", *SLOW} & set(found.stderr.split())


def test_a_run_loads_no_more_libraries_than_it_needs() -> None:
    code = (
        "import sys; from roamcast.cli import main; main(sys.argv[1:])\n"
        "files = {name: getattr(module, '__file__', None) or '' for name, module in list(sys.modules.items())}\n"
        "print('scipy.special' in sys.modules, file=sys.stderr)\n"
        "print(*{name.split('.')[0] for name, file in files.items() if 'site-packages' in file}, file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, "run", FRUGAL, "--set", "duration_s=10"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    *_, has_quantiles, names = found.stderr.splitlines()
    assert has_quantiles == "False"
    loaded = {name for name in names.split() if not name.startswith(("_", "roamcast"))}
    assert loaded - {"sitecustomize"} <= NEEDED_BY_A_RUN
