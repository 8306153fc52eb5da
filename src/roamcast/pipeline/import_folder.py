"""A folder that an import makes: there and whole afterwards, or as it was before; and jobs whose tasks speak."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pyspark.sql import DataFrame, SparkSession

from roamcast.core.errors import UserError
from roamcast.pipeline.watching import failure, watched

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Making:
    """A folder on its way, beside the one that is wanted."""

    root: Path
    log_file: Path
    """What Java and the workers say; it stays if something fails."""

    @property
    def staging(self) -> Path:
        """Return a folder for what is needed on the way."""
        return self.root / "staging"

    def run(self, spark: SparkSession, name: str, act: Callable[[], T]) -> T:
        """Run a Spark action that can be interrupted, and return what it gives."""
        given: list[T] = []
        error = watched(spark, name, lambda: given.append(act()))
        if not given:
            raise failure(error, self.root, self.log_file)
        return given[0]

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

    What is at ``out`` must be an older import of the same kind, or empty.
    """
    out = out.absolute()
    if out.exists() and not (out.is_dir() and ((out / f"{kind}.json").exists() or not any(out.iterdir()))):
        raise UserError(f"--out {out}: is there and holds something else; name a new folder")
    folder = Making(out.parent / f".{out.name}.tmp", out.parent / f".{out.name}.log")
    shutil.rmtree(folder.root, ignore_errors=True)
    try:
        folder.staging.mkdir(parents=True)
    except OSError as error:
        raise UserError(f"--out {out}: cannot be written ({(error.strerror or str(error)).lower()})") from None
    try:
        yield folder
        shutil.rmtree(folder.staging)
        if out.exists():
            shutil.rmtree(out)
        folder.root.rename(out)
        folder.log_file.unlink(missing_ok=True)
    except UserError as error:
        if str(folder.log_file) not in str(error):
            folder.log_file.unlink(missing_ok=True)
        raise
    finally:
        shutil.rmtree(folder.root, ignore_errors=True)
