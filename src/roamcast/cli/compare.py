"""``roamcast compare``: several protocols on one scenario, with the same movement and publications for each seed."""

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any

from roamcast import __version__
from roamcast.api.compare import (
    SEEDS,
    CompareResult,
    checked_protocols,
    compare_protocols,
    compared_scenario,
    difference_to_reference,
    is_significant,
)
from roamcast.api.comparison_figure import SHOWN, SWEEP, swept_labels
from roamcast.campaigns.assignment import parse_assignments
from roamcast.campaigns.scenario_choices import PROTOCOL_KEY
from roamcast.cli import options
from roamcast.cli.campaign_outcome import report_outcome
from roamcast.cli.output import say
from roamcast.cli.plugin_option import add_plugin_option
from roamcast.measuring.measurements import Kind, Measurement, Measurements, over_seeds
from roamcast.measuring.metrics import axis_label, known_metrics, plugin_metrics
from roamcast.report.text_tables import number, ratio, table

PLUGIN_COLUMNS = len(SHOWN)
"""How many metrics of plug-ins stand side by side, in tables of their own below the first."""
EXAMPLE = "roamcast compare scenarios/campus.toml --protocols frugal,flooding --seeds 5"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    options.add_scenario(parser)
    parser.add_argument(
        "--protocols", required=True, metavar="A,B,C", help="the protocols; the others are compared with the first"
    )
    parser.add_argument(
        "--seeds", type=options.positive, default=SEEDS, metavar="N", help=f"the number of seeds (default: {SEEDS})"
    )
    options.add_campaign(parser, "results/compare-NAME")
    options.add_json(parser)
    add_plugin_option(parser, measures=True)
    parser.set_defaults(command=compare)


def compare(arguments: argparse.Namespace) -> int:
    """Run every protocol over the seeds and print them side by side."""
    protocols = checked_protocols([name.strip() for name in arguments.protocols.split(",")], "--protocols")
    values = parse_assignments(arguments.assignments)
    scenario = compared_scenario(arguments.scenario, values, protocols, "--set")
    result = compare_protocols(
        scenario, protocols, arguments.seeds, out=arguments.out, options=options.campaign_options(arguments)
    )
    exit_code = report_outcome(result.campaign.outcome)
    _, picture = result.draw()
    if arguments.json:
        say(json.dumps(_document(result), indent=2))
        return exit_code
    say(_text(scenario.name, result.reference, result.measurements))
    if result.campaign.reached:
        say("\n" + "\n".join(each.line("--seeds-max") for each in result.campaign.reached))
    say(f"\nPicture: {picture}\nTables (Parquet): {result.folder / 'tables'}")
    return exit_code


def _text(title: str, reference: str, measured: Measurements) -> str:
    rows = measured.where(SWEEP, "delivery_ratio") or measured.where(SWEEP, "bytes_sent_per_node")
    lines = [
        f"{title}: values {over_seeds(rows)}; x: times {reference}'s value; "
        f"*: differs from {reference} on the same movement and publications (paired by seed, 95 %)",
        "",
    ]
    metrics = known_metrics()
    for shown in (SHOWN, *_batched(plugin_metrics(), PLUGIN_COLUMNS)):
        lines += [_columns(measured, rows, shown, reference), ""]
        lines += [*(f"{metric}: {metrics[metric].description}" for metric in shown), ""]
    return "\n".join(lines[:-1])


def _columns(measured: Measurements, rows: Sequence[Measurement], metrics: Sequence[str], reference: str) -> str:
    """Return a table with a row for each protocol and point, and a column for each metric."""
    keys = list(swept_labels(rows[0].point)) if rows else []
    body = []
    for row in rows:
        cells = [str(row.point[PROTOCOL_KEY]), *(str(row.point[key]) for key in keys)]
        body.append(cells + [_cell(measured, metric, row, reference) for metric in metrics])
    return table(body, ["protocol", *keys, *map(axis_label, metrics)])


def _batched(names: Iterable[str], size: int) -> Iterator[tuple[str, ...]]:
    """Yield names in groups of a size; Python's own function of this name came with 3.12."""
    left = iter(names)
    while group := tuple(islice(left, size)):
        yield group


def _cell(measured: Measurements, metric: str, at: Measurement, reference: str) -> str:
    found = measured.find(at.sweep, metric, at.point)
    if found is None:
        return "-"
    times = measured.find(at.sweep, metric, at.point, Kind.RATIO)
    apart = difference_to_reference(measured, found, reference)
    star = "*" if apart is not None and is_significant(apart) else ""
    shown = number(found.mean, found.low, found.high)
    return f"{shown}{star}" if times is None else f"{shown} ({ratio(times.mean)}{star})"


def _document(result: CompareResult) -> dict[str, Any]:
    measured, reference = result.measurements, result.reference
    differences = ((row, difference_to_reference(measured, row, reference)) for row in measured)
    return {
        "scenario": result.scenario.name,
        "version": __version__,
        "seeds": sorted({run.seed for run in result.campaign.runs}),
        "precision": [asdict(each) for each in result.campaign.reached],
        "measurements": [
            {
                "point": dict(row.point),
                "metric": row.metric,
                "kind": row.kind.value,
                "mean": row.mean,
                "low": row.low,
                "high": row.high,
                "seeds": row.seeds,
            }
            for row in measured
        ],
        "differences": [
            {
                "point": dict(row.point),
                "metric": row.metric,
                "kind": row.kind.value,
                "reference": reference,
                "difference": apart.mean,
                "low": apart.low,
                "high": apart.high,
                "seeds": apart.seeds,
                "significant": is_significant(apart),
            }
            for row, apart in differences
            if apart is not None
        ],
    }
