"""A package outside the repository, installed with pip, offers its components and passes ``roamcast check``.

``test_cluster`` compares its protocol with Frugal.
"""

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest
from installed_package import SOURCE, install_outside_package

import roamcast
from roamcast.cli import main


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder into which pip has installed the package."""
    return install_outside_package(tmp_path_factory.mktemp("outside"))


def test_the_installed_package_offers_its_components_by_entry_points(site: Path) -> None:
    (package,) = (each for each in distributions(path=[str(site)]) if each.metadata["Name"] == "harbour")
    assert {(point.group, point.name, point.value) for point in package.entry_points} == {
        ("roamcast.protocols", "fog-horn", "harbour.protocol:FogHorn"),
        ("roamcast.workload", "harbour-alarms", "harbour.workload:HarbourAlarms"),
        ("roamcast.metrics", "deliveries_per_event", "harbour.metric:DELIVERIES_PER_EVENT"),
    }


def test_it_passes_the_conformance_suite_in_a_process_of_its_own(site: Path) -> None:
    path = os.pathsep.join([str(site), str(Path(roamcast.__file__).parents[1])])
    command = [sys.executable, "-m", "roamcast", "check", "fog-horn", "--json"]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    document = json.loads(done.stdout)
    assert document["holds"]
    assert {check["result"] for check in document["checks"]} == {"ok"}


@pytest.mark.usefixtures("fresh_plugins")
def test_its_protocol_alone_can_be_checked_as_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = shutil.copy(SOURCE / "src" / "harbour" / "protocol.py", tmp_path / "fog.py")
    assert main(["check", "fog-horn", "--plugin", str(file), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["protocol"], document["holds"]) == ("fog-horn", True)
