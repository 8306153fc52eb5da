"""``roamcast``: the arguments of every command, and what becomes of errors."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from roamcast import __version__
from roamcast.campaigns.precision import Precision
from roamcast.cli import check, compare, contacts, listing, match, movement, new, reproduce, run, runs, validate
from roamcast.cli.interrupts import heeded_termination, leave_if_spark_computes
from roamcast.cli.output import forget_output, say
from roamcast.core.errors import UserError, one_line
from roamcast.validation.case_groups import GROUPS
from roamcast.validation.running import FULL, QUICK

USAGE_ERROR = 2
INTERRUPTED = 130
TERMINATED = 143

EPILOGUE = """\
examples:
  roamcast run scenarios/frugal.toml
  roamcast run scenarios/frugal.toml --protocol flooding --set workload.events=5
  roamcast compare scenarios/campus.toml --protocols frugal,flooding --seeds 5
  roamcast reproduce frugal --figure 17 18 19 20
  roamcast claims frugal
  roamcast runs results/frugal-quick --failed
  roamcast validate --quick
  roamcast movement import fcd.xml --out city
  roamcast contacts city --range-m 100 --out city-contacts
  roamcast new protocol coin-toss
  roamcast check frugal
  roamcast match subscriptions.parquet events.parquet --counts --out matched
"""


class OneLineParser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Leave with the message and where to find help."""
        raise UserError(f"{message}; see {self.prog} --help")

    def _print_message(self, message: str, file: Any = None) -> None:  # noqa: ARG002 - never errors
        """Print help and version as everything else is printed."""
        say(message, end="")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 not all well, 2 a person's mistake, 130 or 143 interrupted."""
    with heeded_termination() as terminated:
        return _obey(arguments, terminated)


def _obey(arguments: Sequence[str] | None, terminated: Sequence[int]) -> int:
    keeps_finished = False
    try:
        parsed = make_parser().parse_args(arguments)
        keeps_finished = "out" in parsed and not getattr(parsed, "starts_over", False)
        command: Callable[[argparse.Namespace], int] = parsed.command
        return command(parsed)
    except UserError as error:
        print(f"roamcast: {one_line(str(error))}", file=sys.stderr)
        return USAGE_ERROR
    except KeyboardInterrupt as interrupt:
        campaign = "what is finished is kept, the same command goes on from there"
        kept = str(interrupt) or (campaign if keeps_finished else "nothing is kept")
        print(f"roamcast: interrupted; {one_line(kept)}", file=sys.stderr)
        code = TERMINATED if terminated else INTERRUPTED
        leave_if_spark_computes(code)
        return code
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        forget_output()
        return 0
    except OSError as error:
        if error.filename is None:
            raise
        said = f"{os.fsdecode(error.filename)}: {(error.strerror or 'cannot be used').lower()}"
        print(f"roamcast: {one_line(said)}", file=sys.stderr)
        return USAGE_ERROR


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = OneLineParser(
        prog="roamcast",
        description="Publish/subscribe for networks that move: simulate, measure and compare protocols.",
        epilog=EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"roamcast {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_run(commands)
    _add_compare(commands)
    _add_reproduce(commands)
    _add_claims(commands)
    _add_runs(commands)
    _add_match(commands)
    _add_validate(commands)
    _add_movement(commands)
    _add_contacts(commands)
    _add_list(commands)
    for name, module in (("new", new), ("check", check)):
        module.add_arguments(commands.add_parser(name, help=module.HELP))
    return parser


def _add_run(commands: "argparse._SubParsersAction[OneLineParser]") -> None:
    parser = commands.add_parser("run", help="simulate a scenario once, without Spark")
    _add_scenario(parser)
    parser.add_argument("--protocol", metavar="NAME", help="the protocol, instead of the scenario's")
    parser.add_argument("--seed", type=_seed, metavar="N", help="the seed, instead of the scenario's")
    parser.add_argument("--trace", type=Path, metavar="FILE", help="write every frame to a CSV file")
    _add_json(parser)
    parser.set_defaults(command=run.run)


def _add_compare(commands: "argparse._SubParsersAction[OneLineParser]") -> None:
    parser = commands.add_parser("compare", help="compare protocols on a scenario, over several seeds, on Spark")
    _add_scenario(parser)
    parser.add_argument("--protocols", required=True, metavar="A,B,C", help="the protocols to compare")
    parser.add_argument("--seeds", type=_positive, default=5, metavar="N", help="how many seeds (default: 5)")
    _add_pipeline(parser, "results/compare-NAME")
    _add_json(parser)
    parser.set_defaults(command=compare.compare)


def _add_reproduce(commands: "argparse._SubParsersAction[OneLineParser]") -> None:
    parser = commands.add_parser("reproduce", help="make a paper's figures again and check its claims, on Spark")
    parser.add_argument("paper", metavar="PAPER", help="the paper's name; see roamcast list papers")
    parser.add_argument("--figure", type=int, nargs="+", metavar="N", help="only these figures")
    _add_scale(parser)
    _add_pipeline(parser, "results/PAPER-SCALE")
    parser.set_defaults(command=reproduce.reproduce)


def _add_claims(commands: "argparse._SubParsersAction[OneLineParser]") -> None:
    parser = commands.add_parser("claims", help="check a paper's claims; runs what is missing")
    parser.add_argument("paper", metavar="PAPER", help="the paper's name, or all")
    _add_scale(parser)
    _add_pipeline(parser, "results/PAPER-SCALE")
    _add_json(parser)
    parser.set_defaults(command=reproduce.claims)


def _add_runs(commands: "argparse._SubParsersAction[OneLineParser]") -> None:
    parser = commands.add_parser("runs", help="say what has become of the runs in a folder; make failed ones again")
    parser.add_argument("folder", type=_folder, metavar="DIR", help="the folder of compare, reproduce or claims")
    parser.add_argument("--failed", action="store_true", help="show the runs that failed, with the reason of each")
    parser.add_argument(
        "--retry", action="store_true", help="make the failed runs again, and what else the plan misses, on Spark"
    )
    _add_cluster(parser)
    _add_json(parser)
    parser.set_defaults(command=runs.runs, out=None)  # like any campaign, it keeps what is finished


def _add_match(commands: "argparse._SubParsersAction[OneLineParser]") -> None:
    parser = commands.add_parser("match", help="match a table of events against a table of subscriptions, on Spark")
    match.add_to(parser)
    # Not ``out``: unlike a campaign, an interrupted match keeps nothing.
    parser.add_argument("--out", type=_folder, required=True, metavar="DIR", dest="folder", help="where the table goes")
    parser.add_argument("--master", metavar="URL", help="the Spark master (default: all cores of this machine)")
    _add_json(parser)


def _add_validate(commands: "argparse._SubParsersAction[OneLineParser]") -> None:
    parser = commands.add_parser("validate", help="run small radio cases beside ns-3's figures, without Spark")
    groups = ", ".join(group.name for group in GROUPS)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"{groups}, or one of them as in saturated-50")
    parser.add_argument("--seeds", type=_positive, metavar="N", help=f"how many seeds (default: {FULL.seeds})")
    parser.add_argument(
        "--quick", action="store_true", help=f"shorter runs, {QUICK.seeds} seeds unless --seeds is given"
    )
    _add_json(parser)
    parser.set_defaults(command=validate.validate)


def _add_movement(commands: "argparse._SubParsersAction[OneLineParser]") -> None:
    parser = commands.add_parser("movement", help="import recorded movement on Spark, or show what was imported")
    deeds = parser.add_subparsers(title="what to do", metavar="import|show", required=True)
    into = deeds.add_parser("import", help="turn files of other tools into a folder that a scenario can name")
    into.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="SUMO, ns-2, BonnMotion, The ONE, CSV, GPS, ..."
    )
    into.add_argument("--format", metavar="NAME", help="the format of all files (default: recognised for each)")
    into.add_argument("--geo", action="store_true", help="x and y are longitude and latitude, in degrees")
    into.add_argument("--gap-s", type=_seconds, metavar="S", help="without a row for longer than this a node is absent")
    _add_broken_max(into)
    into.add_argument("--out", type=_folder, required=True, metavar="DIR", help="the folder to make")
    into.add_argument("--master", metavar="URL", help="the Spark master (default: all cores of this machine)")
    _add_json(into)
    into.set_defaults(command=movement.import_files, starts_over=True)
    look = deeds.add_parser("show", help="say what a folder holds")
    look.add_argument("folder", type=_folder, metavar="DIR", help="a folder of movement")
    _add_json(look)
    look.set_defaults(command=movement.show)


def _add_contacts(commands: "argparse._SubParsersAction[OneLineParser]") -> None:
    parser = commands.add_parser("contacts", help="find who meets whom in movement or files of contacts, on Spark")
    parser.add_argument("sources", nargs="+", type=Path, metavar="MOVEMENT|FILE", help="a folder, or files of contacts")
    parser.add_argument("--range-m", type=_range, metavar="R", help="how far radios reach, for a folder of movement")
    how_often = "how often to look (default: at every time of a recording, if that is not far more often than its "
    how_often += "commonest step; waypoints: 1, files of contacts: 20)"
    parser.add_argument("--step-s", type=_step, metavar="S", help=how_often)
    parser.add_argument("--format", metavar="NAME", help="the format of the files (default: recognised for each)")
    _add_broken_max(parser)
    parser.add_argument("--out", type=_folder, required=True, metavar="DIR", help="the folder to make")
    parser.add_argument("--master", metavar="URL", help="the Spark master (default: all cores of this machine)")
    _add_json(parser)
    parser.set_defaults(command=contacts.contacts, starts_over=True)


def _add_broken_max(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--broken-max",
        type=_share,
        default=0.01,
        metavar="SHARE",
        help="more broken lines than this share of all are an error (default: 0.01)",
    )


def _add_list(commands: "argparse._SubParsersAction[OneLineParser]") -> None:
    parser = commands.add_parser("list", help="list what there is to choose from")
    parser.add_argument("what", choices=sorted(listing.LISTS), help="what to list")
    _add_json(parser)
    parser.set_defaults(command=listing.list_names)


def _add_scenario(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scenario", metavar="SCENARIO.toml", help="the scenario file")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        dest="assignments",
        help="change a key of the scenario, for example radio.range_m=200; may be given several times",
    )


def _add_scale(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--scale",
        choices=("quick", "full"),
        default="quick",
        help="quick: few seeds and points, minutes; full: the paper's own grid, hours (default: quick)",
    )


def _add_pipeline(parser: argparse.ArgumentParser, folder: str) -> None:
    parser.add_argument("--out", type=_folder, metavar="DIR", help=f"where results go (default: {folder})")
    parser.add_argument(
        "--precision",
        type=_precision,
        action="append",
        default=[],
        metavar="METRIC=W",
        help="add seeds until half of the 95 %% interval is below W at every point, as in delivery_ratio=0.02",
    )
    parser.add_argument(
        "--seeds-max", type=_positive, default=100, metavar="N", help="most seeds that --precision takes (default: 100)"
    )
    _add_cluster(parser)


def _add_cluster(parser: argparse.ArgumentParser) -> None:
    """Add where runs are made and what each may take."""
    parser.add_argument("--master", metavar="URL", help="the Spark master (default: all cores of this machine)")
    parser.add_argument("--run-limit-s", type=_seconds, metavar="S", help="a run that takes longer has failed")
    parser.add_argument(
        "--run-memory-mb", type=_positive, metavar="MB", help="a run that takes more memory than this has failed"
    )


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else")


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) >= 2**63:
        raise argparse.ArgumentTypeError(f"'{text}' must be a whole number from 0 to 2^63 - 1")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1e9:
        raise argparse.ArgumentTypeError(f"'{text}' must be a number of seconds above 0")
    return value


def _step(text: str) -> float:
    value = _seconds(text)
    if value < 0.001:
        raise argparse.ArgumentTypeError(f"'{text}' must be a number of seconds from 0.001, a millisecond")
    return value


def _range(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.1 <= value <= 1e6:
        raise argparse.ArgumentTypeError(f"'{text}' must be a number of metres from 0.1 to 1,000,000")
    return value


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"'{text}' must be a number from 0 to 1")
    return value


def _precision(text: str) -> Precision:
    metric, _, width = text.partition("=")
    if metric not in run.MEANINGS:
        raise argparse.ArgumentTypeError(f"'{text}': unknown metric; known: {', '.join(run.MEANINGS)}")
    try:
        value = float(width)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}': must be METRIC=W with a number W above 0")
    return Precision(metric, value)


def _folder(text: str) -> Path:
    if not text.strip() or not _is_unicode(text):
        raise argparse.ArgumentTypeError(f"'{text}' must be the path of a folder, in UTF-8")
    return Path(text)


def _is_unicode(text: str) -> bool:
    """Tell whether a name can be told to Java, which does not know names that are mere bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _positive(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 100_000:
        raise argparse.ArgumentTypeError(f"'{text}' must be a whole number from 1 to 100,000")
    return int(text)
