"""``roamcast runs``: the state of the runs in a results folder; those that failed can be repeated."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.failed_runs import FailedFile, failed_runs
from roamcast.campaigns.plan import PlannedRun, run_id
from roamcast.campaigns.stored_plan import load_plan, planned_here
from roamcast.cli import options
from roamcast.cli.campaign_outcome import report_outcome
from roamcast.cli.output import say
from roamcast.cli.plugin_option import add_plugin_option
from roamcast.core.errors import UserError
from roamcast.report.text_tables import table

EXAMPLE = "roamcast runs results/frugal-quick --failed"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "folder", type=options.folder, metavar="DIR", help="the results folder of compare, reproduce or claims"
    )
    parser.add_argument("--failed", action="store_true", help="show the runs that failed, with the reason of each")
    parser.add_argument(
        "--retry", action="store_true", help="repeat the failed runs and make the missing ones, on Spark"
    )
    options.add_cluster(parser)
    options.add_json(parser)
    add_plugin_option(parser)
    parser.set_defaults(command=runs)


def runs(arguments: argparse.Namespace) -> int:
    """Count the finished, failed and missing runs of the last plan; show or repeat those that failed."""
    folder = CampaignFolder(Path(arguments.folder).absolute())
    plan = load_plan(folder)
    exit_code = _retry(arguments, plan) if arguments.retry else 0
    planned = {run.run_id for run in plan}
    finished = folder.finished() if (folder.root / "runs").is_dir() else set()
    failed = [each for each in failed_runs(folder) if each.run_id in planned - finished]
    counts = {
        "planned": len(planned),
        "ok": len(planned & finished),
        "failed": len(failed),
        "missing": len(planned - finished) - len(failed),
        "of_other_plans": len(finished - planned),
    }
    if arguments.json:
        say(json.dumps({**counts, "failed_runs": [asdict(each) for each in failed]}, indent=2))
        return exit_code
    say(_summary(arguments.folder, counts))
    if failed and (arguments.failed or arguments.retry):
        say("\n" + _failed_table(failed, {run.run_id: run.point for run in plan}))
    elif failed:
        say(f"roamcast runs {arguments.folder} --failed shows why; --retry repeats them")
    return exit_code


def _summary(folder: Path, counts: dict[str, int]) -> str:
    text = "{planned} runs planned: {ok} ok, {failed} failed, {missing} missing".format(**counts)
    if counts["of_other_plans"]:
        text += f"; {counts['of_other_plans']} more belong to other plans or versions and are in none of the tables"
    return f"{folder}: {text}"


def _failed_table(failed: Sequence[FailedFile], points: dict[str, str]) -> str:
    rows = [[each.run_id, each.status, str(each.seed), points[each.run_id], each.reason] for each in failed]
    return table(rows, ["run", "status", "seed", "point", "reason"], "llr")


def _retry(arguments: argparse.Namespace, plan: Sequence[PlannedRun]) -> int:
    """Make the runs of the plan that failed or are missing."""
    if any(run.run_id != run_id(run.scenario_json, run.seed) for run in plan):
        is_same_version = planned_here(CampaignFolder(Path(arguments.folder).absolute()))
        changed = "the code of a component, or of the simulator, has changed since this was planned"
        reason = changed if is_same_version else "was planned by another version of roamcast"
        raise UserError(f"{arguments.folder}: {reason}; repeat the command that made it, which makes its runs again")
    # Here: Spark takes a second to import, and someone who only looks need not wait for it.
    from roamcast.campaigns.progress import Progress
    from roamcast.spark.runs.campaign import run_campaign
    from roamcast.spark.session.master import DEFAULT_MASTER

    master = arguments.master or DEFAULT_MASTER
    result = run_campaign(plan, Path(arguments.folder), master, Progress(), limits=options.run_limits(arguments))
    return report_outcome(result, show_failures=False)
