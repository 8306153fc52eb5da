"""The package on its way to a cluster: a zip of the source that runs here, made when the session starts."""

import zipfile
from importlib.metadata import distribution
from pathlib import Path

from pyspark.sql import SparkSession

import roamcast
from roamcast.spark.session.cache_folder import temporary_folder


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
        # The package asks for its version by the metadata that an installer leaves.
        metadata = distribution("roamcast").read_text("METADATA") or ""
        archive.writestr(f"roamcast-{roamcast.__version__}.dist-info/METADATA", metadata)
    return path
