"""A folder that an import makes: there and whole afterwards, or as it was before; and jobs whose tasks speak."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from roamcast.core.errors import UserError
from roamcast.recordings.import_leftovers import Trails
from roamcast.spark.jobs import SPARK_ERRORS, failure, watched

T = TypeVar("T")

ENTRIES = {
    "movement": frozenset({"movement", "movement.json", "nodes.parquet"}),
    "contacts": frozenset({"contacts", "contacts.json", "nodes.parquet", "degrees", "components", "figures"}),
}
"""What an import leaves in its folder; where there is anything else, somebody keeps things of their own there."""


@dataclass(frozen=True, slots=True)
class Making:
    """A folder on its way, beside the one that is wanted."""

    out: Path
    """The one that is wanted."""
    root: Path
    log_file: Path
    """What Java and the workers say; it stays if something fails."""

    @property
    def staging(self) -> Path:
        """Return a folder for what is needed on the way."""
        return self.root / "staging"

    def run(self, spark: SparkSession, name: str, act: Callable[[], T]) -> T:
        """Run a Spark action that can be interrupted, and return what it gives."""
        try:
            return watched(spark, name, act)
        except SPARK_ERRORS as error:
            raise self.for_a_person(failure(error, self.out, self.log_file)) from None

    def for_a_person(self, error: UserError) -> UserError:
        """Return an error that names the folder that is wanted, never the one that is gone when it is read."""
        return UserError(str(error).replace(str(self.root), str(self.out)))

    def said(self, spark: SparkSession, name: str, frame: DataFrame) -> list[dict[str, Any]]:
        """Run a job whose tasks yield documents, and return these."""
        texts = self.run(spark, name, lambda: frame.toArrow().column("document").to_pylist())
        return [json.loads(text) for text in texts]

    def write_summary(self, kind: str, summary: dict[str, Any]) -> None:
        """Write the file that makes the folder one of movement or contacts."""
        (self.root / f"{kind}.json").write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")


@contextmanager
def making(out: Path, kind: str) -> Iterator[Making]:
    """Give an empty folder that takes the place of ``out`` in the end.

    What is at ``out`` must be an older import of the same kind and nothing beside it, or empty. Two calls at once have
    a folder each, so that the last one to end stays, whole.
    """
    with ExitStack() as stack:
        try:
            out = _target(out.absolute())
            trails = Trails.new(out)
            stack.enter_context(trails.owned())
            _check_replaceable(out, kind)
            folder = Making(out, trails.making, trails.log_file)
            folder.staging.mkdir(parents=True)
        except OSError as error:
            raise UserError(f"--out {out}: cannot be written ({(error.strerror or str(error)).lower()})") from None
        try:
            yield folder
            shutil.rmtree(folder.staging)
            _check_replaceable(out, kind)
            trails.put_in_place()
        except PySparkException as error:
            said = UserError(f"{out}: Spark gave up ({str(error).splitlines()[0][:200]}); see {folder.log_file}")
            raise folder.for_a_person(said) from None
        except KeyboardInterrupt:
            state = f"nothing is kept, {out} is as it was before" if folder.root.exists() else f"{out} is whole"
            raise KeyboardInterrupt(state) from None


def _target(out: Path) -> Path:
    """Return the folder that a link leads to; another path stays as it is."""
    if not out.is_symlink():
        return out
    if not out.exists():
        raise UserError(f"--out {out}: is a link to {out.readlink()}, which is not there")
    return out.resolve()


def _check_replaceable(out: Path, kind: str) -> None:
    """Say so if something would be lost that is not an older import."""
    if not out.exists():
        return
    names = {each.name for each in out.iterdir()} if out.is_dir() else {out.name}
    if not out.is_dir() or (names and f"{kind}.json" not in names):
        raise UserError(f"--out {out}: is there and holds something else; name a new folder")
    others = sorted(names - ENTRIES[kind])
    if others:
        raise UserError(f"--out {out}: holds {others[0]}, which is no part of an import; name a new folder")
