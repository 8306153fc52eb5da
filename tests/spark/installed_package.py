"""The package of ``tests/outside_package``, installed with pip into a folder, and a scenario that needs it."""

import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "outside_package"
NODES = 10
SCENARIO = f"""\
name = "harbour"
duration_s = 12
[area]
width_m = 300
height_m = 300
[nodes]
count = {NODES}
[mobility]
model = "random-waypoint"
speed_mps = [2, 10]
[radio]
model = "range"
range_m = 150
[workload]
model = "harbour-alarms"
alarms = 2
[protocol]
name = "frugal"
"""


def install_outside_package(folder: Path) -> Path:
    """Let pip install the package without a network, and return the folder to put on the path."""
    copied = shutil.copytree(SOURCE, folder / "source")  # a build leaves files beside its sources
    options = ["--no-index", "--no-build-isolation", "--no-deps", "--quiet", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(folder / "site"), str(copied)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return folder / "site"
