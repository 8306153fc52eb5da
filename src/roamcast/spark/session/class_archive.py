"""The class-data archive of Spark: Java's parsed classes in one file, which halves the start of every session.

Making it takes about 10 s of CPU time and 150 MB, so no command makes it in passing; the set-up does, with
``python -m roamcast.spark.session.make_archive``. Without it, or if it is outdated, sessions start anyway, a few
seconds later.
"""

import hashlib
from pathlib import Path

import pyspark

from roamcast.core.cache_folder import cache_folder
from roamcast.spark.session.java import Java


def find_archive(java: Java) -> Path | None:
    """Return the archive for this Java and this Spark if it exists."""
    path = archive_path(java)
    return path if path is not None and path.is_file() else None


def archive_path(java: Java) -> Path | None:
    """Return the path of the archive for this Java and this Spark, or None if no folder is writable.

    Java refuses an archive if the path or the modification time of its jars has changed, so both are in the name.
    """
    folder = cache_folder()
    if folder is None:
        return None
    jars = Path(pyspark.__file__).parent / "jars"
    made_from = f"{java} {pyspark.__version__} {jars} {max(jar.stat().st_mtime_ns for jar in jars.iterdir())}"
    return folder / f"spark-{hashlib.blake2b(made_from.encode(), digest_size=6).hexdigest()}.jsa"
