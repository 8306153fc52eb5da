"""``roamcast run``: one scenario, one seed, an answer in a second or two. Needs no Spark."""

import argparse
import json
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from roamcast import __version__
from roamcast.api.run import run as run_scenario
from roamcast.api.run_result import RunResult
from roamcast.campaigns.assignment import parse_assignments
from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.scenario_choices import PROTOCOL_KEY
from roamcast.cli import options
from roamcast.cli.output import say
from roamcast.cli.plugin_option import add_plugin_option
from roamcast.cli.trace_file import input_files, leads_to_output, trace_file
from roamcast.core.errors import UserError
from roamcast.measuring.metrics import known_metrics
from roamcast.measuring.metrics.metric import NO_UNIT
from roamcast.report.text_tables import number, table
from roamcast.sim.undelivered import CAUSES

EXAMPLE = "roamcast run scenarios/frugal.toml --protocol flooding --set workload.events=5"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    options.add_scenario(parser)
    parser.add_argument("--protocol", metavar="NAME", help="the protocol to run, instead of the scenario's")
    parser.add_argument("--seed", type=options.seed, metavar="N", help="the seed, instead of the scenario's")
    parser.add_argument("--trace", type=Path, metavar="FILE", help="write every frame to a CSV file")
    parser.add_argument("--explain", action="store_true", help="say why events did not reach their subscribers")
    options.add_json(parser)
    add_plugin_option(parser, measures=True)
    parser.set_defaults(command=run)


def run(arguments: argparse.Namespace) -> int:
    """Simulate a scenario once and print what was measured."""
    scenario = _load_scenario(arguments)
    if arguments.json and arguments.trace and leads_to_output(arguments.trace):
        raise UserError(f"--trace {arguments.trace}: is where --json prints its document; name a file")
    with ExitStack() as stack:
        on_frame = None
        if arguments.trace:
            inputs = input_files(Path(arguments.scenario), scenario.document)
            on_frame = stack.enter_context(trace_file(arguments.trace, inputs))
        result = run_scenario(
            scenario, seed=arguments.seed, on_frame=on_frame, progress=True, explain=arguments.explain
        )
    if arguments.json:
        say(json.dumps(_document(result), indent=2))
    else:
        say(_text(result))
        if arguments.trace:
            say(f"\nEvery frame: {arguments.trace}")
    return 0


def _load_scenario(arguments: argparse.Namespace) -> Scenario:
    """Return the scenario with the changes of the command line."""
    values = parse_assignments(arguments.assignments)
    if arguments.protocol is None:
        return Scenario.load_with(arguments.scenario, values, "--set") if values else Scenario.load(arguments.scenario)
    scenario = Scenario.load_with(arguments.scenario, {PROTOCOL_KEY: arguments.protocol}, "--protocol")
    return scenario.with_values(values, "--set") if values else scenario


def _document(result: RunResult) -> dict[str, Any]:
    facts = result.facts
    return {
        "scenario": result.scenario.name,
        "protocol": result.protocol,
        "seed": result.seed,
        "version": __version__,
        "run_id": result.run_id,
        "digest": facts.digest(),
        "nodes": facts.nodes,
        "duration_s": facts.duration_s,
        "frames": facts.frames,
        "receptions": facts.frame_receptions,
        "metrics": dict(result.metrics),
        "traffic": dict(result.traffic),
        "drops": dict(result.drops),
        **({} if result.causes is None else {"undelivered": dict(result.causes)}),
    }


def _text(result: RunResult) -> str:
    facts, publications = result.facts, result.facts.publications
    interested = sum(each.interested for each in publications)
    head = (
        f"{result.scenario.name}: {result.protocol}, {facts.nodes} nodes, {facts.duration_s:g} s, seed {result.seed}\n"
        f"{_counted(len(publications), 'event', 'events')}; {_counted(interested, 'delivery', 'deliveries')} expected; "
        f"{facts.frames:,} frames, {facts.frame_receptions:,} receptions\n"
    )
    values = [
        [name, number(result.metrics[name]), "" if metric.unit == NO_UNIT else metric.unit, metric.description]
        for name, metric in known_metrics().items()
    ]
    kinds = [
        [kind, f"{row['frames_sent']:,}", f"{row['bytes_sent']:,}", f"{row['frames_received']:,}"]
        for kind, row in result.traffic.items()
    ]
    parts = [head, table(values, ["metric", "value", "unit", "what it is"])]
    if kinds:
        parts += ["", table(kinds, ["kind of message", "frames sent", "bytes sent", "frames received"])]
    if result.drops:
        counts = ", ".join(f"{reason} {times:,}" for reason, times in result.drops.items())
        parts += ["", f"dropped by the protocol, by reason: {counts}"]
    if result.causes is not None:
        parts += ["", _explanation(result.causes, interested)]
    return "\n".join([*parts, "", f"digest {facts.digest()}"])


def _explanation(causes: Mapping[str, int], expected: int) -> str:
    """Return the causes of what was not delivered as a table."""
    total = sum(causes.values())
    if total == 0:
        return "every event reached all its subscribers"
    rows = [[name, f"{pairs:,}", f"{pairs / expected:.1%}", CAUSES[name]] for name, pairs in causes.items()]
    header = ["not delivered, because", "pairs", "of all", "what it means"]
    return table([*rows, ["together", f"{total:,}", f"{total / expected:.1%}", ""]], header, "lrr")


def _counted(number_of: int, one: str, several: str) -> str:
    """Return a number with its noun."""
    return f"{number_of:,} {one if number_of == 1 else several}"
