"""``roamcast``: the arguments of every command, and what becomes of errors."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from roamcast import __version__
from roamcast.cli import compare, listing, reproduce, run, validate
from roamcast.core.errors import UserError
from roamcast.validation.groups import GROUPS
from roamcast.validation.running import FULL, QUICK

USAGE_ERROR = 2
INTERRUPTED = 130

EPILOGUE = """\
examples:
  roamcast run scenarios/frugal.toml
  roamcast run scenarios/frugal.toml --protocol flooding --set workload.events=5
  roamcast compare scenarios/campus.toml --protocols frugal,flooding --seeds 5
  roamcast reproduce frugal --figure 17 18 19 20
  roamcast claims frugal
  roamcast validate --quick
"""


class OneLineParser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Leave with the message and where to find help."""
        raise UserError(f"{message}; see {self.prog} --help")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 not all well, 2 a person's mistake, 130 interrupted."""
    keeps_finished = False
    try:
        parsed = make_parser().parse_args(arguments)
        keeps_finished = "out" in parsed
        command: Callable[[argparse.Namespace], int] = parsed.command
        return command(parsed)
    except UserError as error:
        print(f"roamcast: {error}", file=sys.stderr)
        return USAGE_ERROR
    except KeyboardInterrupt:
        campaign = "what is finished is kept, the same command goes on from there"
        kept = campaign if keeps_finished else "nothing is kept"
        print(f"roamcast: interrupted; {kept}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


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
    _add_validate(commands)
    _add_list(commands)
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
    parser.add_argument("--master", metavar="URL", help="the Spark master (default: all cores of this machine)")


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else")


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) >= 2**63:
        raise argparse.ArgumentTypeError(f"'{text}' must be a whole number from 0 to 2^63 - 1")
    return int(text)


def _folder(text: str) -> Path:
    if not text.strip():
        raise argparse.ArgumentTypeError(f"'{text}' must be the path of a folder")
    return Path(text)


def _positive(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 100_000:
        raise argparse.ArgumentTypeError(f"'{text}' must be a whole number from 1 to 100,000")
    return int(text)
