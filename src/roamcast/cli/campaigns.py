"""What the commands that use the pipeline share: the runs made with progress, then measured."""

import sys
from collections.abc import Sequence
from pathlib import Path

from roamcast.experiments.measurements import Measurements
from roamcast.experiments.plan import PlannedRun

SOME_RUNS_FAILED = 1
FAILURES_SHOWN = 5


def measured_campaign(
    runs: Sequence[PlannedRun],
    out: Path,
    master: str | None,
    validities_s: Sequence[float] = (),
    reference: str | None = None,
) -> tuple[Measurements, int]:
    """Make the runs that are missing, measure all of them, and return the exit code with the measurements.

    ``reference`` is the protocol that the others are compared with.
    """
    # Here: Spark takes a second to import, and a mistake on the command line need not wait for it.
    from roamcast.pipeline.campaign import run_campaign
    from roamcast.pipeline.master import DEFAULT_MASTER
    from roamcast.pipeline.measure import Comparison, measure
    from roamcast.pipeline.progress import Progress

    master = master or DEFAULT_MASTER
    progress = Progress()
    result = run_campaign(runs, out, master, progress)
    progress.begin("measure: metrics and intervals on Spark")
    comparison = Comparison("protocol.name", reference) if reference else None
    measured = measure(result.tables, master, validities_s, comparison)
    progress.end()
    for failure in result.failed[:FAILURES_SHOWN]:
        print(f"roamcast: run {failure.run_id} {failure.status}: {failure.reason}", file=sys.stderr)
    if len(result.failed) > FAILURES_SHOWN:
        print(f"roamcast: {len(result.failed) - FAILURES_SHOWN} more runs failed", file=sys.stderr)
    return measured, SOME_RUNS_FAILED if result.failed else 0
