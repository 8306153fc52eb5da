"""``roamcast match``: tables of events against tables of subscriptions, on Spark."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from roamcast.cli.output import say
from roamcast.core.errors import InvalidValueError, UserError, one_line
from roamcast.matching.attribute_space import AttributeSpace, Limits

SOME_ROWS_BAD = 1
ENTRIES = frozenset({"matches", "counts", "spark.log", ".matches.tmp", ".counts.tmp"})
"""What this command leaves in its folder, the last two if it was killed."""


def match(arguments: argparse.Namespace) -> int:
    """Match, write the table and print what was done; the exit code is 1 if rows were left out as was asked for."""
    limits: dict[str, Limits] = {}
    for name, each in map(_limit, arguments.limits):
        if name in limits:
            raise InvalidValueError("--limit", name, "must have an attribute's limits once")
        limits[name] = each
    AttributeSpace(limits)
    for path in (arguments.subscriptions, arguments.events):
        if not path.exists():
            raise UserError(f"{path}: there is no such table")
    out = arguments.folder / ("counts" if arguments.counts else "matches")
    if out.exists():
        raise UserError(f"{out} is there already; remove it or choose another --out")
    _check_folder(arguments.folder)
    # Here: Spark takes a second to import, and a mistake on the command line need not wait for it.
    from roamcast.spark.matching.match_files import match_files
    from roamcast.spark.session.master import DEFAULT_MASTER

    report = match_files(
        arguments.subscriptions,
        arguments.events,
        out,
        limits,
        arguments.master or DEFAULT_MASTER,
        counts_only=arguments.counts,
        skip_bad=arguments.skip_bad,
    )
    if arguments.json:
        say(json.dumps(asdict(report) | {"table": str(report.table)}, indent=2))
    else:
        say(f"{report.matches:,} matches of {report.events:,} events with {report.subscriptions:,} subscriptions")
        say(f"Table (Parquet): {report.table}")
    if report.columns_left_out:
        columns = ", ".join(report.columns_left_out)
        said = f"columns of the events left out, for nobody asks for them and they are no numbers: {columns}"
        print(f"roamcast: {one_line(said)}", file=sys.stderr)
    if report.bad_events or report.bad_subscriptions:
        left_out = f"{report.bad_events:,} events and {report.bad_subscriptions:,} subscriptions"
        print(f"roamcast: {left_out} were left out as bad", file=sys.stderr)
        return SOME_ROWS_BAD
    return 0


def _check_folder(folder: Path) -> None:
    """Refuse a folder in which somebody keeps other things, a log of their own among them."""
    others = sorted({each.name for each in folder.iterdir()} - ENTRIES) if folder.is_dir() else []
    if others:
        raise UserError(f"--out {folder}: holds {others[0]}, which no match has made; name a new or empty folder")


def _limit(text: str) -> tuple[str, Limits]:
    """Read ``NAME=LOW:HIGH``."""
    name, equals, ends = text.rpartition("=")  # a name may have the sign, a number has not
    low, colon, high = ends.partition(":")
    try:
        limits = Limits(float(low), float(high))
    except ValueError:
        limits = None
    if limits is None or not (name and equals and colon):
        raise InvalidValueError("--limit", text, "must be NAME=LOW:HIGH, two numbers")
    return name, limits


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that only this command has."""
    parser.add_argument(
        "subscriptions", type=Path, metavar="SUBSCRIPTIONS.parquet", help="columns subscription, attribute, low, high"
    )
    parser.add_argument("events", type=Path, metavar="EVENTS.parquet", help="columns event, and one for each attribute")
    parser.add_argument("--counts", action="store_true", help="only count the matches of each event")
    parser.add_argument(
        "--limit",
        action="append",
        default=[],
        dest="limits",
        metavar="NAME=LOW:HIGH",
        help="an attribute's limits (default: what occurs); a row beyond them is bad; may be given several times",
    )
    parser.add_argument(
        "--skip-bad",
        action="store_true",
        help="leave bad rows out and count them, with exit code 1 (default: the first one is an error)",
    )
    parser.set_defaults(command=match)
