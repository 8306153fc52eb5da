"""The messages of a campaign besides its results: damaged files, failed runs, and the exit code."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roamcast.spark.runs.campaign import CampaignResult

SOME_RUNS_FAILED = 1
FAILURES_SHOWN = 5


def report_outcome(outcome: "CampaignResult", *, show_failures: bool = True) -> int:
    """Print what went wrong on standard error and return the exit code."""
    if outcome.torn:
        message = f"{outcome.torn} files of runs were damaged; those runs were made again"
        print(f"roamcast: {message}", file=sys.stderr)
    shown = FAILURES_SHOWN if show_failures else 0
    for failure in outcome.failed[:shown]:
        print(f"roamcast: {failure} {failure.status}: {failure.reason}", file=sys.stderr)
    if len(outcome.failed) > shown:
        folder, others = outcome.tables.parent, len(outcome.failed) - shown
        more = " more" if shown else ""
        print(f"roamcast: {others}{more} runs failed; see roamcast runs {folder} --failed", file=sys.stderr)
    return SOME_RUNS_FAILED if outcome.failed else 0
