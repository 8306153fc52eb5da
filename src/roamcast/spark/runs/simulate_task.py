"""The Spark task that makes runs: simulate each, write a file for each, and stop for none.

A run that raises becomes a row with its reason. A run that kills its worker process (a segmentation fault, no memory
left) is noticed by the mark that was made when it started: Spark gives the task to a new worker, which skips what is
finished, and a run that was started twice and never ended is reported as crashed. A full disk is not the run's fault:
it ends the task, and a later call makes the run. Nor is a metric that cannot be computed: the run is stored without
metrics, and the error is reported when they are computed later from its facts.
"""

import gc
import json
import os
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from roamcast.campaigns import run_limits
from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.run_files import CRASHED, FAILED, OK, RunOutcome, run_row
from roamcast.campaigns.run_limits import NO_LIMITS, RunLimitReached, RunLimits, location_in
from roamcast.campaigns.whole_files import flush_names, write_parquet
from roamcast.core.errors import UserError
from roamcast.core.plugins import Plugins, use_plugins
from roamcast.measuring.metrics import DriverMetrics, RunMetrics, evaluate
from roamcast.sim.facts import Facts

if TYPE_CHECKING:
    from roamcast.campaigns.checked_scenario import Scenario

RunFunction = Callable[[str, int], Facts]
"""From a scenario in JSON and a seed to the facts of the run."""

STARTS_MAX = 2
"""A run that was started this often and never ended is taken to be what killed its workers."""
RUNS_PER_COLLECTION = 50
"""A finished simulation is a cycle of references around large arrays. Python's own collector, which counts objects and
not bytes, would let hundreds of them pile up in a task of many short runs."""
NAMES_PERIOD_S = 1.0
"""The names of finished runs are flushed to the disk together, when a run ends this long after the last time and at the
end of the task: a task of short runs would otherwise wait for the disk twice for each. Only a power cut makes the
difference, and then some short runs are made again. A run that takes longer than this is flushed at once."""
SCENARIOS_KEPT = 64
"""Checked scenarios that a worker keeps: a task has the runs of similar cost, so those of one scenario are near."""
REASON_LENGTH_MAX = 500
STATUS_SCHEMA = "run_id string, status string"

_STATUS_ARROW = pa.schema([("run_id", pa.string()), ("status", pa.string())])


def simulate_scenario(scenario_json: str, seed: int) -> Facts:
    """Make one run."""
    from roamcast.sim.simulation import simulate  # here, so that the driver never loads the simulator

    return simulate(_scenario(scenario_json).setup(), seed)


@lru_cache(maxsize=SCENARIOS_KEPT)
def _scenario(scenario_json: str) -> "Scenario":
    """Check a scenario once for all of its seeds, which takes a tenth of a short run's time."""
    from roamcast.campaigns.checked_scenario import Scenario

    return Scenario.from_json(scenario_json)


@cache
def load_simulator() -> None:
    """Load and compile the simulator once, so that it is not the first run's time and memory."""
    document = {
        "duration_s": 1,
        "area": {"width_m": 10, "height_m": 10},
        "nodes": {"count": 2},
        "mobility": {"model": "static"},
        "radio": {"model": "range", "range_m": 20},
        "workload": {"model": "single-topic", "subscriber_fraction": 1, "validity_s": 1},
        "protocol": {"name": "flooding"},
    }
    simulate_scenario(json.dumps(document), 1)


@dataclass(frozen=True, slots=True)
class SimulateTask:
    """The function for ``mapInArrow``: planned runs in, a status row for each out."""

    folder: CampaignFolder
    call: str
    simulate: RunFunction
    plugins: Plugins
    """The plug-ins that the driver knows; the worker knows these and no others."""
    metrics: DriverMetrics
    limits: RunLimits = NO_LIMITS

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Make the runs of a task, the long ones first."""
        rows = [row for batch in batches for row in batch.to_pylist()]
        self._know_plugins()
        if self.simulate is simulate_scenario:
            self._prepare(rows)
        flushed_s = monotonic()
        for number, row in enumerate(sorted(rows, key=lambda row: int(row["rank"])), start=1):
            status = self._ensure(row["run_id"], row["seed"], row["scenario_json"])
            if number == len(rows) or monotonic() - flushed_s >= NAMES_PERIOD_S:
                with self._disk():
                    flush_names(self.folder.run_file(row["run_id"]).parent)
                flushed_s = monotonic()
            _freeze_worker()
            if number % RUNS_PER_COLLECTION == 0:
                gc.collect()
            yield pa.RecordBatch.from_pylist([{"run_id": row["run_id"], "status": status}], _STATUS_ARROW)

    def _know_plugins(self) -> None:
        """Know the driver's plug-ins and metrics; a worker that cannot use one of them makes no run."""
        try:
            use_plugins(self.plugins)
        except UserError as error:
            raise UserError(f"a worker cannot use a plug-in: {error}") from None
        _scenario.cache_clear()  # a scenario knows the components that were known when it was checked
        self.metrics.table()

    def _prepare(self, rows: list[dict[str, Any]]) -> None:
        """Make sure that this worker's code is the driver's, and that no run's limits are spent on loading it.

        A run is known by the code that decides it: what this worker would call otherwise, it must not make.
        """
        from roamcast.campaigns.plan import run_id  # here, as in ``simulate_scenario``

        try:
            same = all(row["run_id"] == run_id(row["scenario_json"], row["seed"]) for row in rows)
        except UserError as error:
            raise UserError(f"a worker cannot use a plug-in: {error}") from None
        if not same:
            expected = "do not change code during a campaign"
            raise UserError(f"a worker has different code of roamcast or of a plug-in than the driver; {expected}")
        if self.limits.any:
            load_simulator()

    def _ensure(self, run_id: str, seed: int, scenario_json: str) -> str:
        """Leave a file for the run if an earlier attempt has not, and return how it ended."""
        ended = self.folder.outcome_file(run_id)
        if ended is not None:
            return OK if ended == self.folder.run_file(run_id) else FAILED
        location = location_in(self.folder.note_file(self.call, run_id))
        if location is not None:
            reason = f"took longer than {self.limits.duration_s_max:g} s in compiled code ({location})"
            outcome = RunOutcome(FAILED, reason)
            row = run_row(run_id, seed, scenario_json, outcome)
        elif self.folder.starts(self.call, run_id) >= STARTS_MAX:
            outcome = RunOutcome(CRASHED, f"the worker process died {STARTS_MAX} times during this run")
            row = run_row(run_id, seed, scenario_json, outcome)
        else:
            with self._disk():
                self.folder.mark_started(self.call, run_id)
            outcome, row = self._run(run_id, seed, scenario_json)
        is_ok = outcome.status == OK
        path = self.folder.run_file(run_id) if is_ok else self.folder.failed_file(run_id)
        with self._disk(run_id):
            write_parquet(row, path, flush_name=not is_ok)
        return outcome.status

    def _run(self, run_id: str, seed: int, scenario_json: str) -> tuple[RunOutcome, pa.Table]:
        begin_s = time.process_time()
        try:
            with self.limits.applied(self.folder.note_file(self.call, run_id)):
                facts = self.simulate(scenario_json, seed)
                cpu_s = time.process_time() - begin_s
                outcome = RunOutcome(OK, cpu_s=cpu_s, facts=facts, metrics=self._measured(facts))
                row = run_row(run_id, seed, scenario_json, outcome)
        except (Exception, RunLimitReached, SystemExit) as error:  # noqa: BLE001 - whatever a run does wrong, the others go on
            outcome = RunOutcome(FAILED, reason_of(error), time.process_time() - begin_s)
            row = run_row(run_id, seed, scenario_json, outcome)
        return outcome, row

    def _measured(self, facts: Facts) -> RunMetrics | None:
        """Return the metrics of a run; None if one of them raises."""
        try:
            return RunMetrics(self.metrics.digest, evaluate(facts, self.metrics.table().values()))
        except (UserError, SystemExit):
            return None

    @contextmanager
    def _disk(self, run_id: str | None = None) -> Iterator[None]:
        """Say what the disk refused; a run that was started for nothing was not started."""
        try:
            yield
        except OSError as error:
            if run_id is not None:
                self.folder.take_back_start(self.call, run_id)
            reason = os.strerror(error.errno) if error.errno else str(error)
            raise UserError(f"{self.folder.root}: cannot be written ({reason.lower()})") from None


def reason_of(error: BaseException) -> str:
    """Return an exception as one line: its type, what it says and the location it came from."""
    frames = list(traceback.extract_tb(error.__traceback__))
    if isinstance(error, RunLimitReached):  # the location is where the run was, not where its limit is watched
        frames = [frame for frame in frames if frame.filename != run_limits.__file__] or frames
    parts = Path(frames[-1].filename).parts
    inside = parts[parts.index("roamcast") :] if "roamcast" in parts else parts[-1:]
    location = f"{'/'.join(inside)}:{frames[-1].lineno}"
    message = " ".join(str(error).split())[:REASON_LENGTH_MAX]
    if isinstance(error, RunLimitReached):
        return f"{message} ({location})"
    return f"{type(error).__name__}: {message} ({location})"


@cache
def _freeze_worker() -> None:
    """Take all that a worker has loaded out of the collector's sight, once.

    PySpark collects garbage after every task, which takes 45 ms with everything loaded and next to nothing after this.
    """
    gc.collect()
    gc.freeze()
