"""``roamcast list``: what there is to choose from, found by the files that are there."""

import argparse
import json
from collections.abc import Callable

from roamcast.cli.output import say
from roamcast.measuring.metrics import known_metrics
from roamcast.papers import load_paper, paper_names
from roamcast.protocols import load_protocol, protocol_names
from roamcast.report.text_tables import table
from roamcast.sim.dcf.parameters import load_mac, mac_names
from roamcast.sim.mobility import load_mobility, mobility_names
from roamcast.sim.radio import load_radio, radio_names
from roamcast.sim.workload import load_workload, workload_names


def _papers() -> dict[str, str]:
    found = {name: load_paper(name) for name in paper_names()}
    return {name: f"{paper.title} ({paper.source})" for name, paper in found.items()}


METRICS = "metrics"
LISTS: dict[str, Callable[[], dict[str, str]]] = {
    "protocols": lambda: {name: load_protocol(name).summary for name in protocol_names()},
    "mobility": lambda: {name: load_mobility(name).summary for name in mobility_names()},
    "radio": lambda: {name: load_radio(name).summary for name in radio_names()},
    "mac": lambda: {name: load_mac(name).summary for name in mac_names()},
    "workload": lambda: {name: load_workload(name).summary for name in workload_names()},
    "papers": _papers,
    METRICS: lambda: {name: metric.description for name, metric in known_metrics().items()},
}


def list_names(arguments: argparse.Namespace) -> int:
    """Print the names and what stands behind them."""
    if arguments.what == METRICS:
        return _list_metrics(arguments)
    found = LISTS[arguments.what]()
    if arguments.json:
        say(json.dumps(found, indent=2))
    else:
        say(table([[name, summary] for name, summary in found.items()], ["name", "what it is"]))
    return 0


def _list_metrics(arguments: argparse.Namespace) -> int:
    """Print the table of metrics: what each is, in which unit, and which values are better."""
    metrics = known_metrics().values()
    if arguments.json:
        columns = ("unit", "group", "higher_is_better", "description")
        say(
            json.dumps({each.name: {column: getattr(each, column) for column in columns} for each in metrics}, indent=2)
        )
    else:
        rows = [[metric.name, metric.unit, metric.direction, metric.description] for metric in metrics]
        say(table(rows, ["name", "unit", "better", "what it is"]))
    return 0
