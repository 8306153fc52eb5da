"""A package outside the repository, installed with pip: its protocol, workload and metric are compared and checked."""

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest
from standalone_cluster import environment, running_cluster

import roamcast

SOURCE = Path(__file__).parents[1] / "outside_package"
ROAMCAST = "import sys; from roamcast.cli import main; sys.exit(main())"
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


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder into which pip has installed the package, without a network."""
    folder = tmp_path_factory.mktemp("outside")
    copied = shutil.copytree(SOURCE, folder / "source")  # a build leaves files beside its sources
    options = ["--no-index", "--no-build-isolation", "--no-deps", "--quiet", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(folder / "site"), str(copied)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return folder / "site"


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "harbour.toml"
    path.write_text(SCENARIO)
    return path


def call(site: Path, variables: dict[str, str], *arguments: str | Path) -> Any:
    """Call roamcast with the package on its path and return the document that it prints."""
    path = os.pathsep.join([str(site), str(Path(roamcast.__file__).parents[1])])
    command = [sys.executable, "-c", ROAMCAST, *map(str, arguments), "--json"]
    done = subprocess.run(command, env=variables | {"PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return json.loads(done.stdout)


def compare(site: Path, variables: dict[str, str], scenario: Path, master: str, out: Path) -> dict[Any, float]:
    """Return the means of a comparison with Frugal by protocol and metric."""
    options = ["--protocols", "frugal,fog-horn", "--seeds", "2", "--master", master, "--out", str(out)]
    document = call(site, variables, "compare", scenario, *options)
    rows = [row for row in document["measurements"] if row["kind"] == "value"]
    return {(row["point"]["protocol.name"], row["metric"]): row["mean"] for row in rows}


def test_the_installed_package_offers_its_components_by_entry_points(site: Path) -> None:
    (package,) = (each for each in distributions(path=[str(site)]) if each.metadata["Name"] == "harbour")
    assert {(point.group, point.name, point.value) for point in package.entry_points} == {
        ("roamcast.protocols", "fog-horn", "harbour.protocol:FogHorn"),
        ("roamcast.workload", "harbour-alarms", "harbour.workload:HarbourAlarms"),
        ("roamcast.metrics", "deliveries_per_event", "harbour.metric:DELIVERIES_PER_EVENT"),
    }


def test_it_is_compared_with_frugal_on_one_machine_and_on_a_cluster_with_the_same_result(
    site: Path, scenario: Path, tmp_path: Path
) -> None:
    here = compare(site, dict(os.environ), scenario, "local[*]", tmp_path / "here")
    for protocol in ("frugal", "fog-horn"):
        assert here[protocol, "delivery_ratio"] > 0.5
        delivered = here[protocol, "delivery_ratio"] * (NODES - 1)  # every other node asks for every alarm
        assert here[protocol, "deliveries_per_event"] == pytest.approx(delivered)
    # The cluster's Python does not have the package on its path: what its workers import was sent to them.
    with running_cluster(tmp_path, 1) as cluster:
        there = compare(site, environment(tmp_path), scenario, cluster.url, tmp_path / "there")
    assert there == here


def test_it_passes_the_conformance_suite(site: Path) -> None:
    document = call(site, dict(os.environ), "check", "fog-horn")
    assert document["holds"]
    assert {check["result"] for check in document["checks"]} == {"ok"}


def test_its_protocol_alone_can_be_checked_as_a_file(tmp_path: Path) -> None:
    file = shutil.copy(SOURCE / "src" / "harbour" / "protocol.py", tmp_path / "fog.py")
    document = call(tmp_path, dict(os.environ), "check", "fog-horn", "--plugin", file)
    assert (document["protocol"], document["holds"]) == ("fog-horn", True)
