"""``roamcast match``: a table of events matched against a table of subscriptions, on Spark."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from roamcast.cli import options
from roamcast.cli.output import say
from roamcast.core.errors import InvalidValueError, UserError, one_line
from roamcast.matching.attribute_space import AttributeSpace, Limits

EXAMPLE = "roamcast match subscriptions.parquet events.parquet --counts --out matched"
SOME_ROWS_BAD = 1
ENTRIES = frozenset({"matches", "counts", "spark.log", ".matches.tmp", ".counts.tmp"})
"""The files that this command leaves in its folder, the last two only if it was killed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "subscriptions", type=Path, metavar="SUBSCRIPTIONS.parquet", help="columns subscription, attribute, low, high"
    )
    parser.add_argument(
        "events", type=Path, metavar="EVENTS.parquet", help="column event, and a column for each attribute"
    )
    parser.add_argument("--counts", action="store_true", help="only count each event's matches")
    parser.add_argument(
        "--limit",
        action="append",
        default=[],
        dest="limits",
        metavar="NAME=LOW:HIGH",
        help="the limits of an attribute (default: the values that occur); rows beyond them are bad; may be repeated",
    )
    parser.add_argument(
        "--skip-bad",
        action="store_true",
        help="skip and count bad rows, with exit code 1 (default: the first one is an error)",
    )
    options.add_new_folder(parser)
    options.add_master(parser)
    options.add_json(parser)
    parser.set_defaults(command=match)


def match(arguments: argparse.Namespace) -> int:
    """Match, write the table and print a summary; the exit code is 1 if bad rows were skipped."""
    limits: dict[str, Limits] = {}
    for name, each in map(_limit, arguments.limits):
        if name in limits:
            raise InvalidValueError("--limit", name, "must give the limits of an attribute only once")
        limits[name] = each
    AttributeSpace(limits)
    for path in (arguments.subscriptions, arguments.events):
        if not path.exists():
            raise UserError(f"{path}: no such table")
    out = arguments.out / ("counts" if arguments.counts else "matches")
    if out.exists():
        raise UserError(f"{out} exists already; remove it or choose another --out")
    _check_folder(arguments.out)
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
        message = f"event columns left out, since no subscription uses them and they are not numbers: {columns}"
        print(f"roamcast: {one_line(message)}", file=sys.stderr)
    if report.bad_events or report.bad_subscriptions:
        left_out = f"{report.bad_events:,} events and {report.bad_subscriptions:,} subscriptions"
        print(f"roamcast: {left_out} were skipped as bad", file=sys.stderr)
        return SOME_ROWS_BAD
    return 0


def _check_folder(folder: Path) -> None:
    """Refuse a folder that holds anything this command did not make, such as another log."""
    others = sorted({each.name for each in folder.iterdir()} - ENTRIES) if folder.is_dir() else []
    if others:
        raise UserError(
            f"--out {folder}: holds {others[0]}, which roamcast match did not make; name a new or empty folder"
        )


def _limit(text: str) -> tuple[str, Limits]:
    """Read ``NAME=LOW:HIGH``."""
    name, equals, ends = text.rpartition("=")  # a name may contain the sign, a number does not
    low, colon, high = ends.partition(":")
    try:
        limits = Limits(float(low), float(high))
    except ValueError:
        limits = None
    if limits is None or not (name and equals and colon):
        raise InvalidValueError("--limit", text, "must be NAME=LOW:HIGH with two numbers")
    return name, limits
