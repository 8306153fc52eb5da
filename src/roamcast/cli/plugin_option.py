"""``--plugin FILE.py``: components from files, for the commands that look for components by name.

Metrics are used without being named, so a command that measures says which of them it leaves out.
"""

import argparse
import sys

from roamcast.core.errors import PluginError, one_line
from roamcast.core.plugins import load_plugin_file


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
            load_plugin_file(path)
        except PluginError as error:
            _say_left_out(str(error))
    if getattr(arguments, "measures", False):
        from roamcast.measuring.metrics import unusable_metrics  # here: not every command measures

        for line in dict.fromkeys(unusable_metrics()):
            _say_left_out(line)


def _say_left_out(line: str) -> None:
    print(f"roamcast: {one_line(line)}", file=sys.stderr)
