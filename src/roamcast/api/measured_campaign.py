"""A campaign from its planned runs to its measurements: what ``compare``, ``reproduce`` and ``claims`` share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from roamcast.api.run_progress import is_shown
from roamcast.campaigns.paired_messages import MessagePair, paired_measurements
from roamcast.campaigns.plan import PlannedRun
from roamcast.campaigns.precision import Precision, Reached, more_runs, reached
from roamcast.campaigns.python_values import as_written
from roamcast.campaigns.run_limits import NO_LIMITS, RunLimits
from roamcast.campaigns.scenario_choices import PROTOCOL_KEY
from roamcast.core.errors import InvalidValueError, UnknownNameError
from roamcast.measuring.measurements import Measurements
from roamcast.measuring.metrics import known_metrics

if TYPE_CHECKING:
    from roamcast.campaigns.progress import Progress
    from roamcast.spark.runs.campaign import CampaignResult

SEEDS_MAX = 100
"""How many seeds a point gets at most if a precision asks for more and more."""


@dataclass(frozen=True, slots=True)
class CampaignOptions:
    """Where runs are made, what each may take, and how precise the result must be."""

    master: str | None = None
    """The Spark master; None: all cores of this machine."""
    limits: RunLimits = NO_LIMITS
    precision: Sequence[Precision] = ()
    """Seeds are added until the intervals of these metrics are narrow enough, or ``seeds_max`` is reached."""
    seeds_max: int = SEEDS_MAX
    progress: bool | None = None
    """Whether to show progress on standard error; None: on a terminal only."""
    seeds_max_name: str = "seeds_max"
    """The name that the caller gives to ``seeds_max``, for errors."""


@dataclass(frozen=True, slots=True)
class MeasuredCampaign:
    """A campaign whose runs were made and measured."""

    measurements: Measurements
    outcome: "CampaignResult"
    """The runs that failed, and the files that were damaged."""
    runs: Sequence[PlannedRun]
    """All runs that were planned in the end, with the seeds that a precision asked for."""
    reached: Sequence[Reached]
    """How far each precision that was asked for was reached."""


def measured_campaign(
    runs: Sequence[PlannedRun],
    out: Path,
    options: CampaignOptions,
    validities_s: Sequence[float] = (),
    reference: str | None = None,
    pairs: Mapping[str, MessagePair] = MappingProxyType({}),
) -> MeasuredCampaign:
    """Make the runs that a folder lacks, measure all of them, and add seeds as long as a precision asks for them.

    ``reference`` is the protocol that the others are compared with; ``pairs`` are the sweeps in which two curves are
    compared message by message.
    """
    # Here: Spark takes a second to import, and a mistake in the arguments need not wait for it.
    from roamcast.spark.runs.campaign import run_campaign
    from roamcast.spark.runs.measure import Comparison, measure
    from roamcast.spark.session.master import DEFAULT_MASTER

    master = options.master or DEFAULT_MASTER
    seeds = len({run.seed for run in runs})
    if options.precision and options.seeds_max < seeds:
        expected = f"must be at least {seeds}, the number of seeds at the start"
        raise InvalidValueError(options.seeds_max_name, options.seeds_max, expected)
    comparison = Comparison(PROTOCOL_KEY, reference) if reference else None
    progress = campaign_progress(options.progress)
    while True:
        outcome = run_campaign(runs, out, master, progress, limits=options.limits, validities_s=validities_s)
        progress.begin("measure: metrics and intervals")
        measured = measure(outcome.tables, master, validities_s, comparison)
        if pairs:
            measured = Measurements([*measured, *paired_measurements(outcome.tables, pairs)])
        progress.end()
        failed = {run.run_id for run in outcome.failed}
        more = more_runs(runs, measured, options.precision, options.seeds_max, failed) if options.precision else []
        if not more:
            return MeasuredCampaign(measured, outcome, runs, reached(runs, measured, options.precision, failed))
        runs = [*runs, *more]


def campaign_progress(progress: bool | None) -> "Progress":
    """Return what shows the progress of a campaign, or nothing at all."""
    from roamcast.campaigns.progress import NoProgress, Progress

    return Progress() if is_shown(progress) else NoProgress()


def checked_precision(metric: str, half_width_max: float, source: str) -> Precision:
    """Return a precision whose metric exists and whose half width is a number above 0."""
    if metric not in known_metrics():
        raise UnknownNameError("metric", metric, known_metrics(), source)
    width = as_written(half_width_max)
    is_number = isinstance(width, (int, float)) and not isinstance(width, bool)
    if not is_number or not 0 < width < inf:
        raise InvalidValueError(f"{source} {metric}", width, "must be a number above 0")
    return Precision(metric, width)
