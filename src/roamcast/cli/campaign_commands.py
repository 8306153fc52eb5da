"""What the commands that use the pipeline share: the runs made with progress, then measured."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from roamcast.campaigns.plan import PlannedRun
from roamcast.campaigns.precision import Precision, Reached, more_runs, reached
from roamcast.campaigns.run_limits import RunLimits
from roamcast.core.errors import InvalidValueError
from roamcast.measuring.measurements import Measurements

if TYPE_CHECKING:
    from roamcast.spark.runs.campaign import CampaignResult

SOME_RUNS_FAILED = 1
FAILURES_SHOWN = 5


@dataclass(frozen=True, slots=True)
class MeasuredCampaign:
    """What a campaign gave."""

    measurements: Measurements
    exit_code: int
    runs: Sequence[PlannedRun]
    """All that were planned in the end, with the seeds that a precision asked for."""
    reached: Sequence[Reached]
    """What became of each precision that was asked for."""


def measured_campaign(
    runs: Sequence[PlannedRun],
    out: Path,
    arguments: argparse.Namespace,
    validities_s: Sequence[float] = (),
    reference: str | None = None,
) -> MeasuredCampaign:
    """Make the runs that are missing, measure all of them, and add seeds as long as a precision asks for them.

    ``reference`` is the protocol that the others are compared with.
    """
    # Here: Spark takes a second to import, and a mistake on the command line need not wait for it.
    from roamcast.campaigns.progress import Progress
    from roamcast.spark.runs.campaign import run_campaign
    from roamcast.spark.runs.measure import Comparison, measure
    from roamcast.spark.session.master import DEFAULT_MASTER

    master = arguments.master or DEFAULT_MASTER
    asked: Sequence[Precision] = arguments.precision
    seeds = len({run.seed for run in runs})
    if asked and arguments.seeds_max < seeds:
        raise InvalidValueError("--seeds-max", arguments.seeds_max, f"must be at least {seeds}, with which it begins")
    comparison = Comparison("protocol.name", reference) if reference else None
    progress = Progress()
    while True:
        result = run_campaign(runs, out, master, progress, limits=limits_of(arguments))
        progress.begin("measure: metrics and intervals on Spark")
        measured = measure(result.tables, master, validities_s, comparison)
        progress.end()
        failed = {each.run_id for each in result.failed}
        more = more_runs(runs, measured, asked, arguments.seeds_max, failed) if asked else []
        if not more:
            return MeasuredCampaign(measured, tell_outcome(result), runs, reached(runs, measured, asked, failed))
        runs = [*runs, *more]


def limits_of(arguments: argparse.Namespace) -> RunLimits:
    """Return what the command line allows each run."""
    return RunLimits(arguments.run_limit_s, arguments.run_memory_mb)


def tell_outcome(result: "CampaignResult", *, show_failures: bool = True) -> int:
    """Say what went wrong on the way, and return the exit code."""
    if result.torn:
        print(f"roamcast: {result.torn} files of runs were cut off; those runs were made again", file=sys.stderr)
    shown = FAILURES_SHOWN if show_failures else 0
    for failure in result.failed[:shown]:
        print(f"roamcast: run {failure.run_id} {failure.status}: {failure.reason}", file=sys.stderr)
    if len(result.failed) > shown:
        folder = result.tables.parent
        more = len(result.failed) - shown
        print(
            f"roamcast: {more}{' more' if shown else ''} runs failed; see roamcast runs {folder} --failed",
            file=sys.stderr,
        )
    return SOME_RUNS_FAILED if result.failed else 0
