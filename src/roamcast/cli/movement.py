"""``roamcast movement``: import recorded movement, and show what a folder of it holds."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from roamcast.cli import options
from roamcast.cli.interrupts import if_interrupted
from roamcast.cli.output import say
from roamcast.core.errors import one_line
from roamcast.recordings.source_files import check_ordinary

if TYPE_CHECKING:
    from roamcast.recordings.recording_layout import Imported


EXAMPLE = "roamcast movement import fcd.xml --out city"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``movement import`` and ``movement show``."""
    actions = parser.add_subparsers(title="what to do", metavar="import|show", required=True)
    importing = actions.add_parser("import", help="turn the files of other tools into a folder that a scenario can use")
    importing.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="files of SUMO, ns-2, BonnMotion, The ONE, CSV, GPS, ..."
    )
    importing.add_argument("--format", metavar="NAME", help="the format of all files (default: recognised for each)")
    importing.add_argument("--geo", action="store_true", help="x and y are longitude and latitude, in degrees")
    importing.add_argument(
        "--gap-s", type=options.seconds, metavar="S", help="a node without a row for longer than this is absent"
    )
    options.add_broken_max(importing)
    options.add_new_folder(importing)
    options.add_master(importing)
    options.add_json(importing)
    importing.set_defaults(command=import_files)
    showing = actions.add_parser("show", help="show what a folder holds")
    showing.add_argument("folder", type=options.folder, metavar="DIR", help="a folder of imported movement")
    options.add_json(showing)
    showing.set_defaults(command=show)


def import_files(arguments: argparse.Namespace) -> int:
    """Import the files of other tools and print a summary."""
    for file in arguments.files:
        check_ordinary(file)
    # Here: Spark takes a second to import, and a mistake on the command line need not wait for it.
    from roamcast.campaigns.progress import Progress
    from roamcast.spark.movement.movement_import import ImportOptions, import_movement
    from roamcast.spark.session.master import DEFAULT_MASTER

    options = ImportOptions(arguments.format, arguments.geo, arguments.gap_s, arguments.broken_max)
    files = [file.absolute() for file in arguments.files]
    imported = import_movement(files, arguments.out, arguments.master or DEFAULT_MASTER, options, Progress())
    with if_interrupted(f"{arguments.out} is complete"):
        _show(imported, arguments.json)
    return 0


def show(arguments: argparse.Namespace) -> int:
    """Print what is in a folder."""
    from roamcast.recordings.recording_layout import MOVEMENT, open_imported  # here: Arrow takes a while to import, too

    _show(open_imported(arguments.folder, MOVEMENT), arguments.json)
    return 0


def _show(imported: "Imported", as_json: bool) -> None:
    summary = imported.summary
    if as_json:
        say(json.dumps({**summary, "digest": imported.digest()}, indent=2))
        return
    (west_m, east_m), (south_m, north_m) = summary["x_m"], summary["y_m"]
    kind = "waypoints" if summary["are_waypoints"] else f"one every {summary['step_s']:g} s"
    say(f"{one_line(str(imported.root))}: {summary['rows']:,} rows of {summary['nodes']:,} nodes ({kind})")
    say(f"time {summary['first_s']:.12g} to {summary['last_s']:.12g} s")
    say(f"x {west_m:.1f} to {east_m:.1f} m, y {south_m:.1f} to {north_m:.1f} m")
    if summary["broken"]:
        say(f"{summary['broken']:,} broken lines were skipped:")
        say("\n".join(f"  {one_line(line)}" for line in summary["examples"]))
    path = json.dumps(str(imported.root), ensure_ascii=False)  # as a string of TOML
    say(f'\nIn a scenario:\n  [mobility]\n  model = "trace"\n  path = {path}')
