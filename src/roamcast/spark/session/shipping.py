"""Code on its way to a cluster: zips of the source that runs here, of this package and of plug-ins.

This package is sent when the session starts; the packages of plug-ins when a campaign needs them. Plug-in files travel
with the tasks themselves (``SimulateTask.plugins``). On one machine nothing is sent: workers find what the driver does.
"""

import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from pyspark.sql import SparkSession

import roamcast
from roamcast.campaigns.plan import PlannedRun
from roamcast.campaigns.run_identity import packages_of
from roamcast.core.cache_folder import temporary_folder
from roamcast.core.components import PLUGIN_METRICS
from roamcast.core.content_digest import content_digest
from roamcast.core.plugin_packages import is_compiled, package_files, root_names
from roamcast.core.plugins import PackagedComponent, Plugins, known_plugins
from roamcast.measuring.metrics import plugin_metrics
from roamcast.spark.session.master import Master

_shipped: set[tuple[str, str]] = set()
"""The applications and the zips that they have been sent."""


def ship_package(spark: SparkSession) -> None:
    """Put this very version of roamcast on the path of every executor."""
    spark.sparkContext.addPyFile(str(zip_package(temporary_folder())))


def zip_package(folder: Path) -> Path:
    """Write the zip and return where it is."""
    path = folder / "roamcast.zip"
    source = Path(roamcast.__file__).parent
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(source.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                archive.write(file, Path("roamcast") / file.relative_to(source))
        # The package asks for its version by the metadata that an installer leaves, under one of several names.
        metadata = f"Metadata-Version: 2.1\nName: roamcast\nVersion: {roamcast.__version__}\n"
        archive.writestr(f"roamcast-{roamcast.__version__}.dist-info/METADATA", metadata)
    return path


def ship_plugins(spark: SparkSession, runs: Iterable[PlannedRun]) -> Iterator[str]:
    """Put the packages of the plug-ins that runs use on the path of every executor; yield what a person must do."""
    context = spark.sparkContext
    if _is_local(spark):
        return
    for component in _packages(runs):
        if is_compiled(component):
            yield f"{component.origin} has compiled modules: it must be installed on the cluster's machines"
            continue
        zipped = zip_plugin(component, temporary_folder())
        if (context.applicationId, zipped.name) not in _shipped:
            _shipped.add((context.applicationId, zipped.name))
            context.addPyFile(str(zipped))


def worker_plugins(spark: SparkSession) -> Plugins:
    """Return the plug-ins of this process as a worker is told of them.

    On one machine a worker finds a package in the driver's folder. On a cluster it finds what was sent or installed
    there: a folder of that name on another machine may hold anything.
    """
    known = known_plugins()
    if _is_local(spark):
        return known
    return replace(known, packaged=tuple(replace(each, location="") for each in known.packaged))


def _is_local(spark: SparkSession) -> bool:
    return Master(spark.sparkContext.master or "").is_local


def zip_plugin(component: PackagedComponent, folder: Path) -> Path:
    """Write the zip of a plug-in's packages and return where it is; other contents have another name."""
    contents = package_files(component)
    path = folder / f"{component.package}-{content_digest(contents)[:12]}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for folder_name in sorted({f"{above}/" for name, _ in contents for above in _folders(name)}):
            archive.writestr(folder_name, b"")  # without these, Python finds no namespace in a zip
        for name, content in contents:
            archive.writestr(name, content)
    return path


def _folders(name: str) -> list[str]:
    parts = name.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]


def _packages(runs: Iterable[PlannedRun]) -> list[PackagedComponent]:
    """Return a component of each package that the workers need: those of the scenarios and of all metrics."""
    used = {each for scenario_json in {run.scenario_json for run in runs} for each in packages_of(scenario_json)}
    sources = [PLUGIN_METRICS.source(name) for name in plugin_metrics()]
    used.update(each for each in sources if isinstance(each, PackagedComponent))
    return list({root_names(each): each for each in sorted(used, key=lambda each: (each.group, each.name))}.values())
