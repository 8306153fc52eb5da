"""``--plugin FILE.py``: components from files, for the commands that look for components by name.

Metrics are used without being named, so a command that measures says which of them it leaves out.
"""

import argparse
import sys
from typing import Any

from roamcast.core.components import PLUGIN_METRICS, ComponentKind
from roamcast.core.errors import PluginError, one_line
from roamcast.core.plugins import PluginFile, load_plugin_file


def add_plugin_option(parser: argparse.ArgumentParser, *, measures: bool = False) -> None:
    """Add the option to a command; ``measures`` tells whether the command computes metrics."""
    parser.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="FILE.py",
        dest="plugins",
        help="a file with protocols, models or metrics of your own; may be given several times",
    )
    parser.set_defaults(measures=measures)


def load_plugins(arguments: argparse.Namespace) -> None:
    """Load the files that a person named; one that fails gets a line, and its components are not there.

    A metric that cannot be used gets a line from a command that measures.
    """
    for path in getattr(arguments, "plugins", ()):
        try:
            file = load_plugin_file(path)
        except PluginError as error:
            _say_left_out(str(error))
            continue
        for line in _not_offered(file):
            _say_left_out(line)
    if getattr(arguments, "measures", False):
        from roamcast.measuring.metrics import unusable_metrics  # here: not every command measures

        for line in dict.fromkeys(unusable_metrics()):
            _say_left_out(line)


def _not_offered(file: PluginFile) -> list[str]:
    """Return a line for each class that lacks methods of a component, or one for a file without any component."""
    # Here: only commands with plug-ins need all of this.
    from roamcast.papers import PAPERS
    from roamcast.protocols import PROTOCOLS
    from roamcast.routing import ROUTERS
    from roamcast.sim.mobility import MOBILITY
    from roamcast.sim.radio import RADIO
    from roamcast.sim.workload import WORKLOAD

    kinds: tuple[ComponentKind[Any], ...] = (PROTOCOLS, ROUTERS, MOBILITY, RADIO, WORKLOAD, PAPERS)
    lines = [line for kind in kinds for line in kind.incomplete(file)]
    if lines or any(kind.offers(file) for kind in (*kinds, PLUGIN_METRICS)):
        return lines
    nouns = ", ".join(kind.noun for kind in kinds)
    return [f"{file.path}: has no component; must define a {nouns} or {PLUGIN_METRICS.noun}"]


def _say_left_out(line: str) -> None:
    print(f"roamcast: {one_line(line)}", file=sys.stderr)
