"""``roamcast reproduce``: a paper's figures drawn from new runs, and a verdict on each of its claims."""

import argparse

from roamcast.api.reproduce import ReproduceResult, checked_figures, paper_request, reproduce_paper
from roamcast.cli import options
from roamcast.cli.campaign_outcome import report_outcome
from roamcast.cli.output import say
from roamcast.cli.plugin_option import add_plugin_option
from roamcast.papers import load_paper
from roamcast.report.claim_tables import claim_details, claim_lines, figure_table, matrix_table

EXAMPLE = "roamcast reproduce frugal --figure 17 18 19 20"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    options.add_paper(parser, "the paper's name; see roamcast list papers")
    parser.add_argument("--figure", type=int, nargs="+", metavar="N", help="only these figures")
    options.add_readings(parser)
    options.add_campaign(parser, "results/PAPER-SCALE")
    add_plugin_option(parser, measures=True)
    parser.set_defaults(command=reproduce)


def reproduce(arguments: argparse.Namespace) -> int:
    """Make a paper's figures, print a line for each claim, and say where everything is."""
    paper = load_paper(arguments.paper)
    numbers = checked_figures(paper, arguments.figure, "--figure")
    request = paper_request(
        arguments.paper,
        paper,
        arguments.scale,
        numbers,
        readings=arguments.readings,
        out=arguments.out,
        options=options.campaign_options(arguments),
    )
    result = reproduce_paper(arguments.paper, request)
    exit_code = report_outcome(result.campaign.outcome)
    say(f"\n{paper.title}\n{paper.source}")
    if arguments.details:
        for figure in result.figures:
            say(f"\n{figure_table(figure)}")
    say(f"\n{claim_lines(result.claims)}")
    if arguments.readings:
        say(f"\n{matrix_table(result.judged)}")
    if arguments.details:
        say(f"\n{claim_details(result.claims)}")
    if result.campaign.reached:
        say("\n" + "\n".join(each.line("--seeds-max") for each in result.campaign.reached))
    say(f"\nPage:     {result.page}\nPictures: {result.page.parent}\nTables:   {result.folder / 'tables'} (Parquet)")
    say(_next_steps(result, all_figures=set(numbers) == set(paper.figure_numbers)))
    return exit_code


def _next_steps(result: ReproduceResult, *, all_figures: bool) -> str:
    """Return commands to try, and after two spaces or more what each does; these stand below each other."""
    steps = []
    if not all_figures:
        steps.append(f"roamcast reproduce {result.name}  every figure of the paper, quickly")
    if result.scale == "quick":
        steps.append(f"roamcast reproduce {result.name} --scale full  the paper's own grid, many seeds")
    if any(each.finding.is_open and not (each.cost and each.cost.last_look) for each in result.claims):
        steps.append(f"roamcast claims {result.name} --decide  more seeds, only where a claim is open")
    steps += [*result.paper.next_steps, "roamcast list protocols"]
    parts = [step.partition("  ") for step in steps]
    width = max((len(command) for command, _, said in parts if said), default=0)
    lines = (f"  {command:{width}}  {said.strip()}".rstrip() for command, _, said in parts)
    return "\nTry next:\n" + "\n".join(lines)
