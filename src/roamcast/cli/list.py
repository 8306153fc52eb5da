"""``roamcast list``: the protocols, models and papers to choose from, found by their files."""

import argparse
import json
from collections.abc import Callable

from roamcast.cli import options
from roamcast.cli.output import say
from roamcast.papers import load_paper, paper_names
from roamcast.protocols import load_protocol, protocol_names
from roamcast.report.text_tables import table
from roamcast.sim.dcf.parameters import load_mac, mac_names
from roamcast.sim.mobility import load_mobility, mobility_names
from roamcast.sim.radio import load_radio, radio_names
from roamcast.sim.workload import load_workload, workload_names

EXAMPLE = "roamcast list protocols"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("what", choices=sorted(LISTS), help="what to list")
    options.add_json(parser)
    parser.set_defaults(command=list_components)


def _papers() -> dict[str, str]:
    found = {name: load_paper(name) for name in paper_names()}
    return {name: f"{paper.title} ({paper.source})" for name, paper in found.items()}


LISTS: dict[str, Callable[[], dict[str, str]]] = {
    "protocols": lambda: {name: load_protocol(name).summary for name in protocol_names()},
    "mobility": lambda: {name: load_mobility(name).summary for name in mobility_names()},
    "radio": lambda: {name: load_radio(name).summary for name in radio_names()},
    "mac": lambda: {name: load_mac(name).summary for name in mac_names()},
    "workload": lambda: {name: load_workload(name).summary for name in workload_names()},
    "papers": _papers,
}


def list_components(arguments: argparse.Namespace) -> int:
    """Print the names of components and what each is."""
    found = LISTS[arguments.what]()
    if arguments.json:
        say(json.dumps(found, indent=2))
    else:
        say(table([[name, summary] for name, summary in found.items()], ["name", "what it is"]))
    return 0
