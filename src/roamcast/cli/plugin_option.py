"""``--plugin FILE.py``: components from files, for the commands that look for components by name."""

import argparse
import sys

from roamcast.core.errors import PluginError, one_line
from roamcast.core.plugins import load_plugin_file


def add_plugin_option(parser: argparse.ArgumentParser) -> None:
    """Add the option to a command."""
    parser.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="FILE.py",
        dest="plugins",
        help="a file with protocols, models or metrics of your own; may be given several times",
    )


def load_plugins(arguments: argparse.Namespace) -> None:
    """Load the files that a person named; one that fails gets a line, and its components are not there."""
    for path in getattr(arguments, "plugins", ()):
        try:
            load_plugin_file(path)
        except PluginError as error:
            print(f"roamcast: {one_line(str(error))}", file=sys.stderr)
