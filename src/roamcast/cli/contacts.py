"""``roamcast contacts``: who meets whom, in recorded movement or in recorded contacts, with pictures."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roamcast.cli import options
from roamcast.cli.interrupts import if_interrupted
from roamcast.cli.output import say
from roamcast.core.errors import UserError, one_line
from roamcast.recordings.source_files import check_ordinary
from roamcast.report.draw import draw
from roamcast.report.figure import Figure, Panel, Point, Series

if TYPE_CHECKING:
    from roamcast.recordings.recording_layout import Imported
    from roamcast.spark.contacts.contact_statistics import ContactStatistics, Tail


EXAMPLE = "roamcast contacts city --range-m 100 --out city-contacts"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "sources", nargs="+", type=Path, metavar="MOVEMENT|FILE", help="a folder of imported movement, or contact files"
    )
    parser.add_argument(
        "--range-m", type=options.radio_range, metavar="R", help="how far radios reach; needed for movement"
    )
    parser.add_argument(
        "--step-s",
        type=options.step,
        metavar="S",
        help="how often to look (default: at every time of a recording, unless that is far more often than its most "
        "common step; waypoints: 1; contact files: 20)",
    )
    parser.add_argument("--format", metavar="NAME", help="the format of the files (default: recognised for each)")
    options.add_broken_max(parser)
    options.add_new_folder(parser)
    options.add_master(parser)
    options.add_json(parser)
    parser.set_defaults(command=contacts)


def contacts(arguments: argparse.Namespace) -> int:
    """Find the contacts, draw them and print a summary."""
    is_movement = _is_movement(arguments)
    # Here: Spark takes a second to import, and a mistake on the command line need not wait for it.
    from roamcast.spark.contacts.contact_statistics import contact_statistics
    from roamcast.spark.session.master import DEFAULT_MASTER

    master = arguments.master or DEFAULT_MASTER
    found = _found(arguments, master, is_movement)
    with if_interrupted(f"the tables in {found.root} are complete, its pictures may be missing"):
        statistics = contact_statistics(found, master)
        pictures = [draw(figure, found.root / "figures")[1] for figure in (_tails(statistics), _over_time(statistics))]
        _show(found, statistics, pictures, arguments.json)
    return 0


def _is_movement(arguments: argparse.Namespace) -> bool:
    """Check the arguments and tell whether the source is a folder of movement."""
    from roamcast.recordings.contact_files import CONTACT_FORMATS  # here: Arrow takes a while to import
    from roamcast.recordings.recording_layout import MOVEMENT, open_imported

    sources: list[Path] = arguments.sources
    for source in sources:
        if not source.exists():
            raise UserError(f"{source}: no such file or folder")
    folders = [source for source in sources if source.is_dir()]
    for source in set(sources).difference(folders):
        check_ordinary(source)
    if folders and len(sources) > 1:
        raise UserError(f"{folders[0]}: is a folder; expected one folder of movement, or contact files")
    if folders and arguments.range_m is None:
        raise UserError(f"--range-m: missing; give how far the radios of {folders[0]} reach, in metres")
    if not folders and arguments.range_m is not None:
        raise UserError("--range-m: is for movement; a contact file does not say where the nodes are")
    if arguments.format not in (None, *CONTACT_FORMATS):
        raise UserError(f"--format {arguments.format}: must be one of {', '.join(CONTACT_FORMATS)}")
    if folders:
        open_imported(folders[0], MOVEMENT)
    return bool(folders)


def _found(arguments: argparse.Namespace, master: str, is_movement: bool) -> "Imported":
    from roamcast.campaigns.progress import Progress
    from roamcast.spark.contacts.contact_import import import_contacts
    from roamcast.spark.contacts.contact_search import contacts_of_movement

    if is_movement:
        folder = arguments.sources[0]
        return contacts_of_movement(folder, arguments.out, master, arguments.range_m, arguments.step_s, Progress())
    files = [file.absolute() for file in arguments.sources]
    return import_contacts(
        files, arguments.out, master, arguments.format, arguments.step_s, arguments.broken_max, Progress()
    )


def _tails(statistics: "ContactStatistics") -> Figure:
    panels = tuple(
        Panel(title, x_label, "share of values that are longer", (_series(label, each),), log_y=True, log_x=True)
        for title, x_label, label, each in (
            ("Inter-contact times", "time until a pair meets again [s]", "inter-contact", statistics.inter_contacts),
            ("Contact durations", "duration of a contact [s]", "duration", statistics.durations),
        )
    )
    caption = (
        f"Complementary cumulative distributions of {statistics.inter_contacts.count:,} inter-contact times "
        f"and {statistics.durations.count:,} contacts."
    )
    return Figure("contact-times", "How long contacts last, and how long until the next", caption, panels)


def _series(label: str, tail: "Tail") -> Series:
    # No value is longer than the longest: a share of 0, which a logarithmic axis does not have.
    points = [Point(x, y) for x, y in zip(tail.values, tail.shares, strict=True) if x > 0 and y > 0]
    return Series(label, tuple(points))


def _over_time(statistics: "ContactStatistics") -> Figure:
    network = statistics.network
    nodes = [max(each, 1) for each in network["nodes"]]
    degrees = [2 * links / count for links, count in zip(network["links"], nodes, strict=True)]
    largest = [size / count for size, count in zip(network["largest"], nodes, strict=True)]

    def panel(title: str, label: str, values: list[float], limits: tuple[float, float] | None = None) -> Panel:
        points = tuple(Point(x, y) for x, y in zip(network["time_s"], values, strict=True))
        return Panel(title, "time [s]", label, (Series("network", points),), y_limits=limits)

    panels = (
        panel("Degree", "neighbours of a node, mean", degrees),
        panel("Components", "connected components", [float(each) for each in network["components"]]),
        panel("Largest component", "share of the nodes", largest, (0.0, 1.0)),
    )
    return Figure("network-over-time", "The network over time", "All nodes that are present at each time.", panels)


def _show(found: "Imported", statistics: "ContactStatistics", pictures: list[Path], as_json: bool) -> None:
    summary = found.summary
    tails = {"duration_s": statistics.durations, "inter_contact_s": statistics.inter_contacts}
    if as_json:
        figures: dict[str, Any] = {
            name: {"count": tail.count, "mean": tail.mean, "median": tail.median} for name, tail in tails.items()
        }
        say(json.dumps({**summary, **figures, "digest": found.digest()}, indent=2))
        return
    say(f"{one_line(str(found.root))}: {summary['contacts']:,} contacts of {summary['nodes']:,} nodes")
    say(f"time {summary['first_s']:.12g} to {summary['last_s']:.12g} s, one look every {summary['step_s']:g} s")
    for name, tail in tails.items():
        if tail.mean is not None and tail.median is not None:
            say(f"{name}: mean {tail.mean:.4g} s, median {tail.median:.4g} s")
    if summary.get("rows_between_looks"):
        say(f"{summary['rows_between_looks']:,} rows lie between two steps; a smaller --step-s looks more often")
    if summary.get("momentary"):
        say(f"{summary['momentary']:,} contacts that begin and end at the same time were skipped")
    if summary["broken"]:
        say(f"{summary['broken']:,} broken lines were skipped:")
        say("\n".join(f"  {one_line(line)}" for line in summary["examples"]))
    say("\n".join(f"Picture: {one_line(str(picture))}" for picture in pictures))
    path = json.dumps(str(found.root), ensure_ascii=False)  # as a string of TOML
    say(f'\nIn a scenario:\n  [radio]\n  model = "contacts"\n  path = {path}')
