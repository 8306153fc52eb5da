"""A campaign: every run of a plan made once, on all cores or on a cluster, whatever happens on the way.

plan -> ``mapInArrow`` over the runs that are missing, the long ones first -> one file per run -> flat tables. What is
finished is durable at once and never made again; a second call makes only what is missing. If the table of metrics has
changed since, the metrics are computed again from the stored facts, and no run is made for that.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.plan import PlannedRun
from roamcast.campaigns.progress import NoProgress, Progress
from roamcast.campaigns.run_costs import learnt_costs
from roamcast.campaigns.run_counter import RunCounter
from roamcast.campaigns.run_files import OK
from roamcast.campaigns.run_limits import NO_LIMITS, RunLimits
from roamcast.campaigns.scenario_choices import PROTOCOL_KEY
from roamcast.campaigns.stored_plan import store_plan
from roamcast.core.errors import UserError
from roamcast.measuring.metrics import DriverMetrics, MetricsFunction, known_metrics
from roamcast.spark.jobs import SPARK_ERRORS, failure, needs_a_person, wait_for_job
from roamcast.spark.partitions import share_out, spread
from roamcast.spark.runs.compaction import compact, is_compacted
from roamcast.spark.runs.simulate_task import STATUS_SCHEMA, RunFunction, SimulateTask, simulate_scenario
from roamcast.spark.session.master import DEFAULT_MASTER, check_master
from roamcast.spark.session.session import open_session
from roamcast.spark.session.shipping import ship_plugins, worker_plugins

CLUSTER_CORES_MIN = 20
"""A cluster's cores join one by one, so their number is not known when the tasks are made."""
SHORT_CAMPAIGN_RUNS = 100_000
"""Up to here a quick start of Java is worth more than its compiler's second tier: Java only hands rows to workers."""
LOOPBACK = "127.0.0.1"
"""The driver's address in a session that does not leave this machine."""


@dataclass(frozen=True, slots=True)
class FailedRun:
    """A run that gave no facts."""

    run_id: str
    status: str
    """``failed`` or ``crashed``."""
    reason: str
    seed: int
    point: str
    """Where in its sweep it stands: the labels as canonical JSON."""

    def __str__(self) -> str:
        """Return the protocol, the rest of the point, the seed and the identifier, for a person."""
        labels = json.loads(self.point)
        protocol = [str(labels.pop(PROTOCOL_KEY))] if PROTOCOL_KEY in labels else []
        others = [f"{key} = {value}" for key, value in labels.items()]
        return f"{', '.join([*protocol, *others, f'seed {self.seed}'])} (run {self.run_id})"


@dataclass(frozen=True, slots=True)
class CampaignResult:
    """The outcome of a campaign."""

    tables: Path
    """The folder of the flat tables."""
    planned: int
    """Distinct runs of the plan."""
    kept: int
    """Runs that were finished before this call."""
    simulated: int
    """Runs that this call finished."""
    failed: tuple[FailedRun, ...]
    """Runs that raised or crashed, in the order of the plan; the tables hold them without facts."""
    torn: int = 0
    """Files of finished runs that were found empty or cut off; those runs were made again."""


def run_campaign(
    plan: Sequence[PlannedRun],
    out_dir: Path,
    master: str = DEFAULT_MASTER,
    progress: Progress | None = None,
    *,
    simulate: RunFunction = simulate_scenario,
    limits: RunLimits = NO_LIMITS,
    metrics: MetricsFunction = known_metrics,
    validities_s: Sequence[float] = (),
) -> CampaignResult:
    """Make the runs of a plan that are missing in a folder, then its tables.

    ``validities_s`` are the shorter validities of events at which ``measure`` will be asked for metrics. On
    KeyboardInterrupt the running tasks are cancelled, and what is finished stays.
    """
    folder = CampaignFolder(out_dir.absolute())
    progress = progress or NoProgress()
    check_master(master)
    if not plan:
        raise UserError(f"{out_dir}: no runs are planned; a paper's sweeps must have at least one run")
    with folder.opened() as call:
        runs = {run.run_id: run for run in plan}
        torn = folder.remove_torn(folder.finished().intersection(runs))
        kept = folder.finished().intersection(runs)
        missing = [run for run_id, run in runs.items() if run_id not in kept]
        store_plan(folder, plan)
        try:
            if missing or not is_compacted(folder, plan, metrics, validities_s):
                progress.begin("starting Spark")
                quick_start = len(runs) <= SHORT_CAMPAIGN_RUNS
                spark = open_session(master, folder.log_file, quick_start=quick_start, makes_runs=bool(missing))
                for note in ship_plugins(spark, missing):
                    progress.begin(note)
                    progress.end()
                if missing:
                    folder.forget_failures(run.run_id for run in missing)
                    missing = learnt_costs(folder, missing, [runs[run_id] for run_id in kept])
                    _Simulation(spark, folder, call, progress, simulate, limits, metrics).make(missing, len(kept))
                compact(spark, folder, plan, metrics, validities_s)
        finally:
            progress.end()
        failed = _failures(folder.tables, runs)
        simulated = len(runs) - len(kept) - len(failed)
        return CampaignResult(folder.tables, len(runs), len(kept), simulated, failed, torn)


@dataclass(frozen=True, slots=True)
class _Simulation:
    """The part of a campaign that makes runs."""

    spark: SparkSession
    folder: CampaignFolder
    call: str
    progress: Progress
    simulate: RunFunction
    limits: RunLimits
    metrics: MetricsFunction

    def make(self, missing: Sequence[PlannedRun], kept: int) -> None:
        """Make runs until each has ended in some way.

        Spark gives up on a task after some attempts, and one task may hold several runs that kill their workers. So
        there are as many rounds as it takes, as long as each makes progress. From the second on, each run is alone in
        its task: giving up ends all tasks, and a run that merely shared a task must not be blamed for the crash. There
        is no further round if a person has to act first, for example because the disk is full.
        """
        counter = RunCounter(self.folder, missing, kept)
        self.progress.begin("simulate: loading the simulator")
        again = False
        while missing:
            before = self._progress_made()
            error = self._round(missing, counter, alone=again)
            again = True
            ended = self.folder.ended()
            missing = [run for run in missing if run.run_id not in ended]
            if missing and (needs_a_person(error) or self._progress_made() == before):
                raise failure(error, self.folder.root, self.folder.log_file)
        self.progress.end(counter.count())

    def _progress_made(self) -> tuple[int, int]:
        return len(self.folder.ended()), self.folder.all_starts(self.call)

    def _cores(self) -> int:
        cores = self.spark.sparkContext.defaultParallelism
        return cores if self.spark.conf.get("spark.driver.host") == LOOPBACK else max(cores, CLUSTER_CORES_MIN)

    def _round(self, missing: Sequence[PlannedRun], counter: RunCounter, *, alone: bool) -> Exception | None:
        """Let Spark make runs, show how far it is, and return what made it stop early."""
        task = SimulateTask(
            self.folder,
            self.call,
            self.simulate,
            worker_plugins(self.spark),
            DriverMetrics.of(self.metrics),
            self.limits,
        )
        rows, tasks = share_out(missing, self._cores(), alone=alone)
        frame = spread(self.spark, rows, tasks).mapInArrow(task, STATUS_SCHEMA)
        try:
            wait_for_job(self.spark, self.call, frame.toArrow, lambda: self.progress.update(counter.standing()))
        except SPARK_ERRORS as error:
            return error
        return None


def _failures(tables: Path, planned: Mapping[str, PlannedRun]) -> tuple[FailedRun, ...]:
    columns = ["run_id", "status", "reason"]
    rows = pq.read_table(tables / "runs", columns=columns, filters=[("status", "!=", OK)]).to_pylist()
    failed = {row["run_id"]: row for row in rows}
    return tuple(
        FailedRun(**failed[run_id], seed=run.seed, point=run.point)
        for run_id, run in planned.items()
        if run_id in failed
    )
