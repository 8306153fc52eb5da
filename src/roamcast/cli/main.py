"""``roamcast``: finds the command, lets it read its arguments, and turns errors into lines and exit codes.

A command ``name`` is the file ``name.py`` beside this one and a line in ``COMMANDS``. The file has ``EXAMPLE``, a
command line that its help shows, and ``add_arguments(parser)``, which ends with
``parser.set_defaults(command=function)``; the function takes the parsed arguments and returns the exit code. Only the
chosen command's file is imported.
"""

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from importlib import import_module

from roamcast.cli.command_parser import CommandParser, with_help
from roamcast.cli.interrupts import leave_if_spark_computes, termination_as_interrupt
from roamcast.cli.output import forget_output, output_kept_for_document, say
from roamcast.cli.plugin_option import load_plugins
from roamcast.core.errors import UserError, one_line, suggestion
from roamcast.core.plugins import plugin_files, plugin_place, reason_of

PLUGIN_FAILED = 1
USAGE_ERROR = 2
INTERRUPTED = 130
TERMINATED = 143
TRACEBACK = "ROAMCAST_TRACEBACK"
"""The environment variable that asks for the traceback of a plug-in's mistake."""

COMMANDS: Mapping[str, Mapping[str, str]] = {
    "Simulate and compare": {
        "run": "simulate a scenario once and print what was measured",
        "compare": "compare protocols on a scenario over several seeds, on Spark",
        "runs": "show the state of a results folder; repeat the runs that failed",
    },
    "Check the papers, the radio and the routers": {
        "reproduce": "draw a paper's figures from new runs and check its claims, on Spark",
        "claims": "check the claims of a paper, or of all, making the runs that are missing",
        "validate": "compare the radio, the MAC and routing with ns-3 on small cases",
    },
    "Use recordings and large tables": {
        "movement": "import recorded movement on Spark, or show what was imported",
        "contacts": "find who meets whom in recorded movement or contact files, on Spark",
        "match": "match a table of events against a table of subscriptions, on Spark",
    },
    "Write a protocol of your own": {
        "new": "write a package with a new protocol, ready to be changed, tested and installed",
        "check": "run the conformance suite against a protocol and report violations",
    },
    "Look around": {
        "list": "list the protocols, models, metrics and papers to choose from",
    },
}
"""The commands in the groups of the help, with a line each."""

HELP = """\
usage: roamcast COMMAND ...

Publish/subscribe for networks that move: simulate, measure and compare protocols.

{commands}

options:
  -h, --help   show this help
  --version    show the version

examples:
  roamcast run scenarios/rescue.toml
  roamcast compare scenarios/campus.toml --protocols frugal,flooding --seeds 5
  roamcast reproduce frugal --figure 17 18 19 20

roamcast COMMAND --help shows the arguments of a command and an example.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 not all well, 2 a person's mistake, 130 or 143 interrupted."""
    with termination_as_interrupt() as terminated:
        return _run_command(sys.argv[1:] if arguments is None else arguments, terminated)


def _run_command(arguments: Sequence[str], terminated: Sequence[int]) -> int:
    resumes = False
    try:
        parsed = parse(arguments)
        resumes = getattr(parsed, "resumes", False)
        command: Callable[[argparse.Namespace], int] = parsed.command
        with output_kept_for_document() if getattr(parsed, "json", False) else nullcontext():
            load_plugins(parsed)
            return command(parsed)
    except UserError as error:
        return _mistake(str(error))
    except KeyboardInterrupt as interrupt:
        finished = "finished work is kept; the same command resumes from there"
        kept = str(interrupt) or (finished if resumes else "nothing is kept")
        print(f"roamcast: interrupted; {one_line(kept)}", file=sys.stderr)
        code = TERMINATED if terminated else INTERRUPTED
        leave_if_spark_computes(code)
        return code
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        forget_output()
        return 0
    except OSError as error:
        if plugin_place(error) is not None:
            return _plugin_failed(error)
        if error.filename is None:
            raise
        return _mistake(f"{os.fsdecode(error.filename)}: {(error.strerror or 'cannot be used').lower()}")
    except BaseException as error:  # a plug-in may raise anything, SystemExit too
        if plugin_place(error) is None and not (plugin_files() and isinstance(error, Exception)):
            raise
        return _plugin_failed(error)


def _plugin_failed(error: BaseException) -> int:
    """Say in one line what a plug-in's code raised, or ours when it used what a plug-in gave it."""
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error)
    code = traceback.extract_tb(error.__traceback__)[-1]
    place = plugin_place(error) or f"{code.filename}:{code.lineno}, with {plugin_files()[-1].origin}"
    line = f"roamcast: {place}: {reason_of(error)}; {TRACEBACK}=1 shows the traceback"
    print(one_line(line), file=sys.stderr)
    return PLUGIN_FAILED


def _mistake(message: str) -> int:
    print(f"roamcast: {one_line(message)}", file=sys.stderr)
    return USAGE_ERROR


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the parsed arguments of a command, with the function to call as ``command``."""
    name, *rest = arguments or ["--help"]
    if name in ("-h", "--help"):
        return argparse.Namespace(command=_show_help)
    if name == "--version":
        return argparse.Namespace(command=_show_version)
    known = [name for group in COMMANDS.values() for name in group]
    if name not in known:
        kind, names = ("option", ["--help", "--version"]) if name.startswith("-") else ("command", known)
        raise UserError(with_help(f"unknown {kind} '{name}'", suggestion(name, names), "roamcast"))
    return make_parser(name).parse_args(rest)


def make_parser(name: str) -> CommandParser:
    """Return the parser of one command."""
    module = import_module(f"roamcast.cli.{name}")
    summary = next(group[name] for group in COMMANDS.values() if name in group)
    parser = CommandParser(
        prog=f"roamcast {name}",
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=f"example:\n  {module.EXAMPLE}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    return parser


def _show_help(_: argparse.Namespace) -> int:
    width = max(len(name) for group in COMMANDS.values() for name in group)
    groups = (
        "\n".join([f"{title}:", *(f"  {name.ljust(width)}  {summary}" for name, summary in group.items())])
        for title, group in COMMANDS.items()
    )
    say(HELP.format(commands="\n\n".join(groups)), end="")
    return 0


def _show_version(_: argparse.Namespace) -> int:
    from roamcast import __version__  # here: asking the installation takes a while

    say(f"roamcast {__version__}")
    return 0
