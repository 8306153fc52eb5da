"""The folder that an import writes, which is complete afterwards or unchanged, and running the import's Spark jobs."""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from roamcast.core.errors import UserError
from roamcast.recordings.import_leftovers import WorkingPaths
from roamcast.spark.jobs import SPARK_ERRORS, failure, wait_for_job

T = TypeVar("T")
Item = TypeVar("Item")

ENTRIES = {
    "movement": frozenset({"movement", "movement.json", "nodes.parquet"}),
    "contacts": frozenset({"contacts", "contacts.json", "nodes.parquet", "degrees", "components", "figures"}),
}
"""The entries of an import's folder; if there are others, the folder is used for something else too."""


@dataclass(frozen=True, slots=True)
class ImportFolder:
    """A folder that is being written, next to the final one."""

    out: Path
    """The final folder."""
    root: Path
    log_file: Path
    """The output of Java and the workers; it is kept if something fails."""

    @property
    def staging(self) -> Path:
        """Return a folder for intermediate files."""
        return self.root / "staging"

    def run(self, spark: SparkSession, name: str, act: Callable[[], T]) -> T:
        """Run a Spark action that can be interrupted, and return its result."""
        try:
            return wait_for_job(spark, name, act)
        except SPARK_ERRORS as error:
            raise self.with_final_path(failure(error, self.out, self.log_file)) from None

    def with_final_path(self, error: UserError) -> UserError:
        """Return an error that names the final folder, not the temporary one, which is gone when a person reads it."""
        return UserError(str(error).replace(str(self.root), str(self.out)))

    def run_tasks(self, spark: SparkSession, name: str, task: Callable[[Item], T], items: Sequence[Item]) -> list[T]:
        """Call a task for each item, in a Spark task of its own, and return the results in order.

        Items and results are small, and rows go by files. So these are plain tasks without a query: the first query of
        a session takes a second of CPU time more than the first plain job.
        """
        if not items:
            return []
        context = spark.sparkContext
        return self.run(spark, name, lambda: context.parallelize(items, len(items)).map(task).collect())

    def write_summary(self, kind: str, summary: dict[str, Any]) -> None:
        """Write the file that makes the folder one of movement or contacts."""
        (self.root / f"{kind}.json").write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")


@contextmanager
def import_folder(out: Path, kind: str) -> Iterator[ImportFolder]:
    """Provide an empty folder that replaces ``out`` in the end.

    ``out`` must be absent, empty, or an older import of the same kind with nothing else in it. Two simultaneous calls
    have a folder each, so that the last one to finish remains, complete.
    """
    with ExitStack() as stack:
        try:
            out = _target(out.absolute())
            paths = WorkingPaths.new(out)
            stack.enter_context(paths.owned())
            _check_replaceable(out, kind)
            folder = ImportFolder(out, paths.new_folder, paths.log_file)
            folder.staging.mkdir(parents=True)
        except OSError as error:
            raise UserError(f"--out {out}: cannot be written ({(error.strerror or str(error)).lower()})") from None
        try:
            yield folder
            shutil.rmtree(folder.staging)
            _check_replaceable(out, kind)
            paths.install()
        except PySparkException as error:
            one_line = UserError(f"{out}: Spark gave up ({str(error).splitlines()[0][:200]}); see {folder.log_file}")
            raise folder.with_final_path(one_line) from None
        except KeyboardInterrupt:
            state = f"nothing is kept, {out} is unchanged" if folder.root.exists() else f"{out} is complete"
            raise KeyboardInterrupt(state) from None


def _target(out: Path) -> Path:
    """Return the folder that a symbolic link leads to; other paths stay as they are."""
    if not out.is_symlink():
        return out
    if not out.exists():
        raise UserError(f"--out {out}: is a link to {out.readlink()}, which does not exist")
    return out.resolve()


def _check_replaceable(out: Path, kind: str) -> None:
    """Raise an error if anything but an older import would be lost."""
    if not out.exists():
        return
    names = {entry.name for entry in out.iterdir()} if out.is_dir() else {out.name}
    if not out.is_dir() or (names and f"{kind}.json" not in names):
        raise UserError(f"--out {out}: exists and holds something else; name a new folder")
    others = sorted(names - ENTRIES[kind])
    if others:
        raise UserError(f"--out {out}: holds {others[0]}, which is not part of an import; name a new folder")
