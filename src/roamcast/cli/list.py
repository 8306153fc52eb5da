"""``roamcast list``: the protocols, models, metrics and papers to choose from, and where each comes from."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from roamcast.cli import options
from roamcast.cli.output import say
from roamcast.cli.plugin_option import add_plugin_option
from roamcast.core.components import PLUGIN_METRICS, Kind
from roamcast.core.errors import NameClashError, PluginError, UnknownNameError, one_line
from roamcast.core.plugins import unknown_groups
from roamcast.measuring.metrics import known_metrics, load_plugin_metric
from roamcast.papers import PAPERS, Paper
from roamcast.protocols import PROTOCOLS
from roamcast.report.text_tables import table
from roamcast.routing import ROUTERS
from roamcast.sim.dcf.parameters import load_mac, mac_names
from roamcast.sim.mobility import MOBILITY
from roamcast.sim.radio import RADIO
from roamcast.sim.workload import WORKLOAD

CLASH = 2
"""The exit code where two sources have a component of one name."""
EXAMPLE = "roamcast list protocols"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    topics = ", ".join(LISTS)
    parser.add_argument("what", nargs="?", metavar="KIND", help=f"one of {topics} (default: all of them)")
    options.add_json(parser)
    add_plugin_option(parser)
    parser.set_defaults(command=list_components)


@dataclass(frozen=True, slots=True)
class Listed:
    """A name, what stands behind it and where that comes from."""

    name: str
    summary: str
    origin: str


class Listing:
    """The components of a topic; what is wrong with one is noted, and the others are listed."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.has_clash = False

    def components(self, kind: Kind, load: Callable[[str], Any]) -> list[Listed]:
        """List the components of a kind."""
        found = []
        for name in kind.names():
            try:
                found.append(Listed(name, _summary(load(name)), kind.source(name).origin))
            except PluginError as error:
                self.problems.append(str(error))
            except NameClashError as error:
                self.problems.append(str(error))
                self.has_clash = True
        return found


def _macs(_: Listing) -> list[Listed]:
    return [Listed(name, load_mac(name).summary, "built in") for name in mac_names()]


def _metrics(listing: Listing) -> list[Listed]:
    """List the table of metrics, and note the plug-ins whose metrics cannot be used."""
    sources = {found.name: found.origin for found in listing.components(PLUGIN_METRICS, load_plugin_metric)}
    return [
        Listed(name, f"{metric.description} [{metric.unit}, better: {metric.direction}]", sources.get(name, "built in"))
        for name, metric in known_metrics().items()
    ]


LISTS: Mapping[str, Callable[[Listing], list[Listed]]] = {
    "protocols": lambda listing: listing.components(PROTOCOLS, PROTOCOLS.load),
    "routers": lambda listing: listing.components(ROUTERS, ROUTERS.load),
    "mobility": lambda listing: listing.components(MOBILITY, MOBILITY.load),
    "radio": lambda listing: listing.components(RADIO, RADIO.load),
    "mac": _macs,
    "workload": lambda listing: listing.components(WORKLOAD, WORKLOAD.load),
    "metrics": _metrics,
    "papers": lambda listing: listing.components(PAPERS, PAPERS.load),
}
"""The topics, in the order in which all are shown."""


def list_components(arguments: argparse.Namespace) -> int:
    """Print the names of a topic, or of all; what cannot be listed gets a line of its own on the error stream."""
    topics: Iterable[str] = LISTS if arguments.what is None else [arguments.what]
    if arguments.what is not None and arguments.what not in LISTS:
        raise UnknownNameError("kind of component", arguments.what, LISTS)
    listing = Listing()
    found = {topic: LISTS[topic](listing) for topic in topics}
    if arguments.json:
        documents = {topic: _document(rows) for topic, rows in found.items()}
        say(json.dumps(documents if arguments.what is None else documents[arguments.what], indent=2))
    else:
        texts = [_text(topic, rows, headed=arguments.what is None) for topic, rows in found.items()]
        say("\n\n".join(texts))
    for problem in dict.fromkeys([*listing.problems, *unknown_groups()]):
        print(f"roamcast: {one_line(problem)}", file=sys.stderr)
    return CLASH if listing.has_clash else 0


def _document(rows: Iterable[Listed]) -> dict[str, dict[str, str]]:
    return {row.name: {"summary": row.summary, "from": row.origin} for row in rows}


def _text(topic: str, rows: Iterable[Listed], *, headed: bool) -> str:
    listed = table([[row.name, row.origin, row.summary] for row in rows], ["name", "from", "what it is"])
    return f"{topic}\n{listed}" if headed else listed


def _summary(component: Any) -> str:
    """Return one line on a component."""
    if isinstance(component, type) and issubclass(component, Paper):
        return f"{component.title} ({component.source})"
    summary = getattr(component, "summary", None) or getattr(component, "description", None) or component.__doc__ or ""
    return str(summary).strip().partition("\n")[0]
