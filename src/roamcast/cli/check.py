"""``roamcast check NAME``: run the conformance suite against a protocol and report every promise that it breaks."""

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from roamcast import __version__
from roamcast.cli import options
from roamcast.cli.check_progress import CheckProgress
from roamcast.cli.output import say
from roamcast.cli.plugin_option import add_plugin_option
from roamcast.core.host import PubSub
from roamcast.protocols import load_protocol

if TYPE_CHECKING:
    from roamcast.testing.conformance import CheckResult

EXAMPLE = "roamcast check frugal"
VIOLATED = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``roamcast check``."""
    parser.add_argument("name", metavar="NAME", help="the protocol's name; see roamcast list protocols")
    options.add_json(parser)
    add_plugin_option(parser)
    parser.set_defaults(command=run)


def run(arguments: argparse.Namespace) -> int:
    """Run every check; return 0 if all hold and 1 if one is violated."""
    return check(arguments.name, load_protocol(arguments.name), arguments.json)


def check(name: str, protocol: type[PubSub], as_json: bool) -> int:
    """Run every check against a protocol and print each result as soon as it is known."""
    results = []
    for result in _results(protocol):
        results.append(result)
        if not as_json:
            say(_text(result))
    if as_json:
        say(json.dumps(_document(name, results), indent=2))
    else:
        say(_summary(name, results))
    return 0 if all(result.holds for result in results) else VIOLATED


def _results(protocol: type[PubSub]) -> "Iterator[CheckResult]":
    from roamcast.testing.conformance import CHECKS  # late: it brings the simulator, which no other command needs here

    for number, each in enumerate(CHECKS, 1):
        with CheckProgress(f"{each.name} ({number} of {len(CHECKS)})"):
            result = each.run(protocol)
        yield result


def _text(result: "CheckResult") -> str:
    if result.not_run:
        return f"not run   {result.name}: {result.not_run}"
    if result.holds:
        return f"ok        {result.name}"
    return "\n".join(f"VIOLATED  {result.name}: {violation}" for violation in result.violations)


def _summary(name: str, results: "list[CheckResult]") -> str:
    held, violated = sum(result.holds for result in results), sum(bool(result.violations) for result in results)
    if held == len(results):
        return f"{name} passes all {held} checks"
    not_run = f", {len(results) - held - violated} not run" if held + violated < len(results) else ""
    return f"{name} breaks {violated} of {len(results)} promises{not_run}; docs/testing.md explains each"


def _document(name: str, results: "list[CheckResult]") -> dict[str, Any]:
    from roamcast.testing.conformance import CHECKS

    descriptions = {each.name: each.description for each in CHECKS}
    return {
        "version": __version__,
        "protocol": name,
        "holds": all(result.holds for result in results),
        "checks": [
            {
                "name": result.name,
                "description": descriptions[result.name],
                "result": "not run" if result.not_run else "ok" if result.holds else "violated",
                "not_run": result.not_run or None,
                "violations": [
                    {"what": each.what, "case": each.case, "reproduce": each.reproduce or None}
                    for each in result.violations
                ],
            }
            for result in results
        ],
    }
