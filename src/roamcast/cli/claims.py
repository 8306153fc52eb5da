"""``roamcast claims``: a verdict on what a paper says, or on what all of them say."""

import argparse
import json
from pathlib import Path
from typing import Any

from roamcast import __version__
from roamcast.api.reproduce import default_folder, measure_paper, paper_findings
from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.cli import options
from roamcast.cli.campaign_outcome import report_outcome
from roamcast.cli.output import say
from roamcast.cli.plugin_option import add_plugin_option
from roamcast.papers import load_paper, paper_names
from roamcast.report.claim_tables import claims_table, finding_document

EXAMPLE = "roamcast claims frugal"
ALL = "all"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    options.add_paper(parser, "the paper's name, or all; see roamcast list papers")
    options.add_campaign(parser, "results/PAPER-SCALE")
    options.add_json(parser)
    add_plugin_option(parser, measures=True)
    parser.set_defaults(command=claims)


def claims(arguments: argparse.Namespace) -> int:
    """Check the claims of a paper, or of all papers."""
    names = paper_names() if arguments.paper == ALL else (arguments.paper,)
    papers = {name: load_paper(name) for name in names}
    folders = {name: _folder(name, arguments) for name in papers}
    for folder in folders.values():  # the last paper's, too, before the first one has taken its hour
        CampaignFolder(folder.absolute()).check_ours()
    documents: list[dict[str, Any]] = []
    exit_code = 0
    for name, paper in papers.items():
        numbers = paper.figure_numbers
        campaign = measure_paper(paper, arguments.scale, numbers, folders[name], options.campaign_options(arguments))
        exit_code = max(exit_code, report_outcome(campaign.outcome))
        findings = paper_findings(paper, campaign.measurements, numbers)
        documents += [{"paper": name, **finding_document(each)} for each in findings]
        if not arguments.json:
            say("\n".join(["", paper.title, paper.source, "", claims_table(findings)]))
            say("\n".join(each.line("--seeds-max") for each in campaign.reached), end="\n" if campaign.reached else "")
    if arguments.json:
        say(json.dumps({"version": __version__, "scale": arguments.scale, "claims": documents}, indent=2))
    return exit_code


def _folder(paper: str, arguments: argparse.Namespace) -> Path:
    """Return where a paper's results go: of all papers, each has a folder below the one that was named."""
    out: Path | None = arguments.out
    if out is None:
        return default_folder(paper, arguments.scale)
    return out / paper if arguments.paper == ALL else out
