"""``roamcast reproduce`` and ``roamcast claims``: a paper's figures made again, and a verdict on what it says."""

import argparse
import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from roamcast import __version__
from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.whole_files import write_bytes
from roamcast.cli.campaign_commands import MeasuredCampaign, measured_campaign
from roamcast.cli.findings import claims_page_table, claims_table, figure_table, finding_document
from roamcast.cli.output import say
from roamcast.core.errors import UnknownNameError
from roamcast.measuring.claims import Finding, examine
from roamcast.measuring.measurements import Measurements
from roamcast.papers import Paper, load_paper, paper_names
from roamcast.report.draw import draw
from roamcast.report.figure import Figure
from roamcast.report.page import Making, Section, write_page


def reproduce(arguments: argparse.Namespace) -> int:
    """Make a paper's figures, print the measured tables and the claims, and say where everything is."""
    paper = load_paper(arguments.paper)
    numbers = _figure_numbers(paper, arguments.figure)
    out = arguments.out or default_folder(arguments.paper, arguments.scale)
    campaign = _measured(paper, arguments, out, numbers)
    measured = campaign.measurements
    figures = [each for each in paper.figures(measured) if _number(each) in numbers]
    findings = _findings(paper, measured, numbers)
    page = _write(paper, arguments, out / "figures", figures, findings)
    say(f"\n{paper.title}\n{paper.source}")
    for figure in figures:
        say(f"\n{figure_table(figure)}")
    say(f"\n{claims_table(findings)}")
    if campaign.reached:
        say("\n" + "\n".join(each.line() for each in campaign.reached))
    say(f"\nPage:     {page}\nPictures: {page.parent} ({', '.join(f'{each.name}.png' for each in figures)})")
    say(f"Tables:   {out / 'tables'} (Parquet)")
    say(_next_steps(paper, arguments, set(numbers) == set(paper.figure_numbers)))
    return campaign.exit_code


def _write(
    paper: Paper,
    arguments: argparse.Namespace,
    folder: Path,
    figures: Sequence[Figure],
    findings: Sequence[Finding],
) -> Path:
    """Write the pictures, the page that shows them and the claims as JSON; return the page's path."""
    for figure in figures:
        draw(figure, folder, tuple(paper.series_names.values()))
    documents = [finding_document(each) for each in findings]
    write_bytes(folder / "claims.json", (json.dumps(documents, indent=2) + "\n").encode())
    chosen = f" --figure {' '.join(map(str, arguments.figure))}" if arguments.figure else ""
    making = Making(
        command_line=f"roamcast reproduce {arguments.paper}{chosen} --scale {arguments.scale}",
        version=__version__,
        seeds="as each figure says",
        facts=(("scale", arguments.scale),),
    )
    claims_section = Section(
        "Claims",
        "Each claim of the paper against the 95 % interval of what was measured: inside what the claim allows, "
        "outside of it, or across the border and so undecided with this many seeds.",
        claims_page_table(findings),
    )
    return write_page(folder, paper.title, paper.source, figures, [claims_section], making)


def claims(arguments: argparse.Namespace) -> int:
    """Check the claims of a paper, or of all papers."""
    names = paper_names() if arguments.paper == "all" else (arguments.paper,)
    papers = {name: load_paper(name) for name in names}
    folders = {name: _folder(name, arguments, of_many=len(papers) > 1) for name in papers}
    for folder in folders.values():  # the last paper's, too, before the first one has taken its hour
        CampaignFolder(folder.absolute()).check_ours()
    documents: list[dict[str, Any]] = []
    exit_code = 0
    for name, paper in papers.items():
        campaign = _measured(paper, arguments, folders[name], paper.figure_numbers)
        exit_code = max(exit_code, campaign.exit_code)
        findings = _findings(paper, campaign.measurements, paper.figure_numbers)
        documents += [{"paper": name, **finding_document(each)} for each in findings]
        if not arguments.json:
            say("\n".join(["", paper.title, paper.source, "", claims_table(findings)]))
            say("\n".join(each.line() for each in campaign.reached), end="\n" if campaign.reached else "")
    if arguments.json:
        say(json.dumps({"version": __version__, "scale": arguments.scale, "claims": documents}, indent=2))
    return exit_code


def default_folder(paper: str, scale: str) -> Path:
    """Return where a paper's results go unless somebody says otherwise."""
    return Path("results") / f"{paper}-{scale}"


def _folder(paper: str, arguments: argparse.Namespace, *, of_many: bool) -> Path:
    out: Path | None = arguments.out
    if out is None:
        return default_folder(paper, arguments.scale)
    return out / paper if of_many else out


def _measured(paper: Paper, arguments: argparse.Namespace, out: Path, numbers: Collection[int]) -> MeasuredCampaign:
    """Make and measure the runs behind some figures."""
    sweeps = [each for each in paper.sweeps(arguments.scale) if set(each.figures) & set(numbers)]
    runs = [run for sweep in sweeps for run in sweep.runs]
    validities_s = sorted({validity_s for sweep in sweeps for validity_s in sweep.validities_s})
    return measured_campaign(runs, out, arguments, validities_s, paper.reference_protocol)


def _figure_numbers(paper: Paper, asked: Sequence[int] | None) -> Collection[int]:
    for each in asked or ():
        if each not in paper.figure_numbers:
            raise UnknownNameError("figure", str(each), map(str, paper.figure_numbers), "--figure")
    return asked or paper.figure_numbers


def _number(figure: Figure) -> int:
    return int(figure.name.removeprefix("figure-"))


def _findings(paper: Paper, measured: Measurements, numbers: Collection[int]) -> list[Finding]:
    return examine([each for each in paper.claims() if set(each.figures) & set(numbers)], measured)


def _next_steps(paper: Paper, arguments: argparse.Namespace, all_figures: bool) -> str:
    steps = []
    if not all_figures:
        steps.append(f"roamcast reproduce {arguments.paper}                      every figure of the paper, quickly")
    if arguments.scale == "quick":
        steps.append(f"roamcast reproduce {arguments.paper} --scale full         the paper's own grid, many seeds")
    steps += [*paper.next_steps, "roamcast list protocols"]
    return "\nTry next:\n" + "\n".join(f"  {step}" for step in steps)
