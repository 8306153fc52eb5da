"""The folder of a campaign: where each file is, and the promise that a file with its real name is whole.

    runs/<run_id>.parquet      a finished run, one row
    failed/<run_id>.parquet    a run that raised or crashed, one row with the reason; it is tried again next time
    started/<call>/<run_id>    one byte for each time that this call started the run
    started/<call>/<run_id>.note   where a run was when its worker had to be ended
    plan.parquet               the plan of the last call
    tables/<table>/*.parquet   the flat tables, written when a campaign ends
    verdicts.json              the record of a paper's verdicts, with the bands that each rests on
    spark.log                  the output of Java and the workers
    .lock                      empty; the first thing that a call makes, and so the mark of a campaign's folder

A folder that is not empty and has no mark of a campaign belongs to somebody else: nothing is written there.

Every file is written under a temporary name (``.*.tmp``) and renamed. What a killed process leaves behind is ignored
and removed by the next call. One call at a time works in a folder; where the file system has no locks, two of them
disturb each other's work but not the files: each name is a whole file of the same run.
"""

import fcntl
import os
import re
import shutil
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from roamcast.campaigns.whole_files import LEFTOVERS
from roamcast.core.errors import UserError
from roamcast.recordings.import_summary import CONTACTS, MOVEMENT

NOTE = ".note"
LOCK = ".lock"
RUN_FILE = re.compile(r"[0-9a-f]{32}\.parquet|\..+\.parquet\.\d+\.[0-9a-f]+\.tmp")
"""The names in ``runs``: of finished runs, and of those that a killed worker was about to write."""
ENTRIES = {LOCK, "runs", "failed", "started", "plan.parquet", "tables", "figures", "spark.log", "verdicts.json"}
"""The files and folders that a campaign makes."""
PLAN_COLUMNS = {"run_id", "seed", "scenario_json"}
PARQUET_MARK = b"PAR1"
PARQUET_BYTES_MIN = 12
"""The mark at both ends, and the length of the footer."""


@dataclass(frozen=True, slots=True)
class CampaignFolder:
    """A campaign's files; the driver and every worker see the same ones."""

    root: Path

    @property
    def tables(self) -> Path:
        """Return the folder of the flat tables."""
        return self.root / "tables"

    @property
    def log_file(self) -> Path:
        """Return the file for what Java and the workers say."""
        return self.root / "spark.log"

    @property
    def plan_file(self) -> Path:
        """Return the file of the last call's plan."""
        return self.root / "plan.parquet"

    def run_file(self, run_id: str) -> Path:
        """Return the file of a finished run."""
        return self.root / "runs" / f"{run_id}.parquet"

    def failed_file(self, run_id: str) -> Path:
        """Return the file of a run that did not finish."""
        return self.root / "failed" / f"{run_id}.parquet"

    def outcome_file(self, run_id: str) -> Path | None:
        """Return the file of a run that has ended in whichever way, or None."""
        files = (self.run_file(run_id), self.failed_file(run_id))
        return next((file for file in files if file.exists()), None)

    def ended(self) -> set[str]:
        """Return the runs that have ended in whichever way."""
        return _names(self.root / "runs") | _names(self.root / "failed")

    def finished(self) -> set[str]:
        """Return the runs that never have to be made again."""
        return _names(self.root / "runs")

    def forget_failures(self, run_ids: Iterable[str]) -> None:
        """Let runs that failed in an earlier call be tried again."""
        for run_id in _names(self.root / "failed").intersection(run_ids):
            self.failed_file(run_id).unlink(missing_ok=True)

    def remove_torn(self, run_ids: Iterable[str]) -> int:
        """Remove files of runs that a file system lost a part of, and return how many those were."""
        torn = [file for run_id in run_ids if not _is_whole(file := self.run_file(run_id))]
        for file in torn:
            file.unlink(missing_ok=True)
        return len(torn)

    def mark_started(self, call: str, run_id: str) -> None:
        """Count one more start of a run; if its worker dies, this stays."""
        with (self.root / "started" / call / run_id).open("ab") as marker:
            marker.write(b"s")

    def take_back_start(self, call: str, run_id: str) -> None:
        """Forget the last start of a run, whose end nobody could write down."""
        marker = self.root / "started" / call / run_id
        with suppress(OSError):
            os.truncate(marker, max(0, marker.stat().st_size - 1))

    def note_file(self, call: str, run_id: str) -> Path:
        """Return the file for where a run was when its worker had to be ended."""
        return self.root / "started" / call / f"{run_id}{NOTE}"

    def starts(self, call: str, run_id: str) -> int:
        """Return how many times a run was started in this call."""
        marker = self.root / "started" / call / run_id
        return marker.stat().st_size if marker.exists() else 0

    def all_starts(self, call: str) -> int:
        """Return how many starts there were in this call."""
        markers = (self.root / "started" / call).iterdir()
        return sum(marker.stat().st_size for marker in markers if marker.suffix != NOTE)

    @contextmanager
    def opened(self) -> Iterator[str]:
        """Make the folder ready for one call, which no other may enter meanwhile, and give that call a name."""
        call = uuid.uuid4().hex[:12]
        try:
            self.check_ours()
            self.root.mkdir(parents=True, exist_ok=True)
            lock = (self.root / LOCK).open("ab")  # first: killed from here on, the folder is known for a campaign's
            for name in ("runs", "failed", "started"):
                (self.root / name).mkdir(exist_ok=True)
        except OSError as error:
            raise UserError(f"{self.root}: cannot be written ({(error.strerror or str(error)).lower()})") from None
        with lock:
            if self._locked(lock.fileno()):
                self._sweep()
            (self.root / "started" / call).mkdir(parents=True)
            yield call
            shutil.rmtree(self.root / "started" / call, ignore_errors=True)
            with suppress(OSError):  # another call's marks are there
                (self.root / "started").rmdir()

    def check_ours(self) -> None:
        """Refuse a folder in which somebody keeps other things: a campaign would write among them and remove some."""
        for kind in (MOVEMENT, CONTACTS):
            if (self.root / f"{kind}.json").is_file():
                raise UserError(f"{self.root}: is a folder of imported {kind}; name another for runs")
        names = sorted(each.name for each in self.root.iterdir()) if self.root.exists() else []
        if names and not (self._has_lock() or self._has_plan() or self._has_runs()):
            raise UserError(f"{self.root}: holds {names[0]} and was not made by a campaign; name a new or empty folder")

    def _has_lock(self) -> bool:
        """Tell whether there is an empty lock and only what a campaign makes: other programs have such locks, too."""
        lock = self.root / LOCK
        others = {each.name for each in self.root.iterdir() if not each.match(LEFTOVERS)} - ENTRIES
        return lock.is_file() and lock.stat().st_size == 0 and not others

    def _has_plan(self) -> bool:
        """Tell whether a plan is there, which a copy without hidden files has; a power cut may have emptied it."""
        if not self.plan_file.is_file():
            return False
        try:
            return self.plan_file.stat().st_size == 0 or set(pq.read_schema(self.plan_file).names) >= PLAN_COLUMNS
        except (OSError, pa.ArrowException):
            return False

    def _has_runs(self) -> bool:
        runs = self.root / "runs"
        return runs.is_dir() and any(RUN_FILE.fullmatch(each.name) for each in os.scandir(runs))

    def _locked(self, descriptor: int) -> bool:
        """Take the lock, which the system takes back however this process ends; say whether there is such a thing."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                f"{self.root}: another roamcast is working in this folder; wait for it or use another"
            ) from None
        except OSError:  # some network file systems have no locks
            return False
        return True

    def _sweep(self) -> None:
        """Remove what a killed call left behind."""
        shutil.rmtree(self.root / "started", ignore_errors=True)
        (self.root / "started").mkdir()
        for leftover in [
            *self.root.glob(LEFTOVERS),
            *(self.root / "runs").glob(LEFTOVERS),
            *(self.root / "failed").glob(LEFTOVERS),
            *(self.root / "figures").glob(LEFTOVERS),
        ]:
            if leftover.is_dir():
                shutil.rmtree(leftover, ignore_errors=True)
            else:
                leftover.unlink(missing_ok=True)


def _is_whole(file: Path) -> bool:
    """Tell whether a Parquet file begins and ends as one; after a power cut it may be empty, short or full of zeros."""
    try:
        with file.open("rb") as opened:
            size = opened.seek(0, os.SEEK_END)
            if size < PARQUET_BYTES_MIN:
                return False
            opened.seek(size - 8)
            footer, mark = int.from_bytes(opened.read(4), "little"), opened.read(4)
            opened.seek(0)
            return opened.read(4) == mark == PARQUET_MARK and footer <= size - PARQUET_BYTES_MIN
    except OSError:
        return False


def _names(folder: Path) -> set[str]:
    if not folder.exists():  # no call has worked here yet
        return set()
    return {file.name.removesuffix(".parquet") for file in os.scandir(folder) if not file.name.startswith(".")}
