"""``roamcast claims``: a verdict on what a paper says, or on what all of them say."""

import argparse
import json
from pathlib import Path
from typing import Any

from roamcast import __version__
from roamcast.api.claim_decision import MINUTES, Budget
from roamcast.api.paper_campaign import judge_paper
from roamcast.api.reproduce import default_folder, paper_request, written_result
from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.cli import options
from roamcast.cli.campaign_outcome import report_outcome
from roamcast.cli.output import say
from roamcast.cli.plugin_option import add_plugin_option
from roamcast.core.errors import InvalidValueError
from roamcast.papers import load_paper, paper_names
from roamcast.report.claim_tables import claim_details, claim_lines, matrix_table

EXAMPLE = "roamcast claims frugal --decide --minutes 20"
ALL = "all"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    options.add_paper(parser, "the paper's name, or all; see roamcast list papers")
    parser.add_argument(
        "--decide", action="store_true", help="add seeds where claims are open, at planned looks, until all are decided"
    )
    parser.add_argument(
        "--minutes",
        type=options.minutes,
        metavar="M",
        help=f"for --decide: begin no further runs that would take longer for a paper (default: {MINUTES:g})",
    )
    options.add_readings(parser)
    options.add_campaign(parser, "results/PAPER-SCALE")
    options.add_json(parser)
    add_plugin_option(parser, measures=True)
    parser.set_defaults(command=claims)


def claims(arguments: argparse.Namespace) -> int:
    """Check the claims of a paper, or of all papers."""
    if arguments.minutes is not None and not arguments.decide:
        raise InvalidValueError("--minutes", arguments.minutes, "is only for --decide")
    names = paper_names() if arguments.paper == ALL else (arguments.paper,)
    papers = {name: load_paper(name) for name in names}
    folders = {name: _folder(name, arguments) for name in papers}
    for folder in folders.values():  # the last paper's, too, before the first one has taken its hour
        CampaignFolder(folder.absolute()).check_ours()
    documents: list[dict[str, Any]] = []
    exit_code = 0
    budget = Budget(arguments.minutes or MINUTES) if arguments.decide else None
    for name, paper in papers.items():
        request = paper_request(
            name,
            paper,
            arguments.scale,
            paper.figure_numbers,
            readings=arguments.readings,
            out=folders[name],
            options=options.campaign_options(arguments),
        )
        found = judge_paper(request, budget)
        exit_code = max(exit_code, report_outcome(found.campaign.outcome))
        documents += [{"paper": name, **each.document()} for each in found.judged]
        if arguments.json:
            continue
        default = found.under(paper.readings[0].name)
        say("\n".join(["", paper.title, paper.source, "", claim_lines(default)]))
        if arguments.readings:
            say(f"\n{matrix_table(found.judged)}")
        if arguments.details:
            say(f"\n{claim_details(default)}")
        for reached in found.campaign.reached:
            say(reached.line("--seeds-max"))
        if arguments.decide:
            say(f"\nPage: {written_result(name, request, found, decided=True).page}")
    if arguments.json:
        say(json.dumps({"version": __version__, "scale": arguments.scale, "claims": documents}, indent=2))
    return exit_code


def _folder(paper: str, arguments: argparse.Namespace) -> Path:
    """Return where a paper's results go: of all papers, each has a folder below the one that was named."""
    out: Path | None = arguments.out
    if out is None:
        return default_folder(paper, arguments.scale)
    return out / paper if arguments.paper == ALL else out
