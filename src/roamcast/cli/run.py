"""``roamcast run``: one scenario, one seed, an answer in a second or two. Needs no Spark."""

import argparse
import json
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from roamcast import __version__
from roamcast.campaigns.assignment import parse_assignments
from roamcast.campaigns.plan import run_id
from roamcast.campaigns.scenario import Scenario
from roamcast.cli.output import say
from roamcast.cli.run_progress import RunProgress
from roamcast.cli.trace_file import input_files, leads_to_output, trace_file
from roamcast.core.errors import UserError
from roamcast.measuring.metrics import known_metrics, run_metrics
from roamcast.report.text_tables import number, table
from roamcast.sim.facts import Facts


def _load_scenario(arguments: argparse.Namespace) -> Scenario:
    """Return the scenario with what the command line changes."""
    scenario = Scenario.load(arguments.scenario)
    if arguments.protocol is not None:
        scenario = scenario.with_values({"protocol.name": arguments.protocol}, "--protocol")
    if arguments.assignments:
        scenario = scenario.with_values(parse_assignments(arguments.assignments), "--set")
    return scenario


def run(arguments: argparse.Namespace) -> int:
    """Simulate a scenario once and print what was measured."""
    scenario = _load_scenario(arguments)
    if arguments.json and arguments.trace and leads_to_output(arguments.trace):
        raise UserError(f"--trace {arguments.trace}: is where --json prints its document; name a file")
    seed = scenario.seed if arguments.seed is None else arguments.seed
    from roamcast.sim.dcf.jit import has_compiled  # here: mistakes in the scenario need not wait for Numba
    from roamcast.sim.simulation import simulate

    with ExitStack() as stack:
        watch = None
        if arguments.trace:
            inputs = input_files(Path(arguments.scenario), scenario.document)
            watch = stack.enter_context(trace_file(arguments.trace, inputs))
        if not has_compiled():
            said = "roamcast: compiling the simulator, once; it takes half a minute or more"
            print(said, file=sys.stderr, flush=True)
        progress = stack.enter_context(RunProgress())
        facts = simulate(scenario.setup(), seed, watch, progress.update)
    if arguments.json:
        say(json.dumps(_document(scenario, seed, facts), indent=2))
    else:
        say(_text(scenario, seed, facts))
        if arguments.trace:
            say(f"\nEvery frame: {arguments.trace}")
    return 0


def _traffic(facts: Facts) -> dict[str, dict[str, int]]:
    """Return the traffic of all nodes by kind of message."""
    sums: dict[str, Counter[str]] = {}
    for row in facts.traffic:
        counts = sums.setdefault(row.kind, Counter())
        counts.update({name: value for name, value in row._asdict().items() if name not in ("node", "kind")})
    return {kind: dict(counts) for kind, counts in sorted(sums.items())}


def _drops(facts: Facts) -> dict[str, int]:
    drops: Counter[str] = Counter()
    for row in facts.drops:
        drops[row.reason] += row.times
    return dict(sorted(drops.items()))


def _document(scenario: Scenario, seed: int, facts: Facts) -> dict[str, Any]:
    return {
        "scenario": scenario.name,
        "protocol": scenario.value("protocol.name"),
        "seed": seed,
        "version": __version__,
        "run_id": run_id(scenario.canonical_json(), seed),
        "digest": facts.digest(),
        "nodes": facts.nodes,
        "duration_s": facts.duration_s,
        "frames": facts.frames,
        "receptions": facts.frame_receptions,
        "metrics": run_metrics(facts),
        "traffic": _traffic(facts),
        "drops": _drops(facts),
    }


def _text(scenario: Scenario, seed: int, facts: Facts) -> str:
    metrics = run_metrics(facts)
    publications = facts.publications
    interested = sum(each.interested for each in publications)
    head = (
        f"{scenario.name}: {scenario.value('protocol.name')}, "
        f"{facts.nodes} nodes, {facts.duration_s:g} s, seed {seed}\n"
        f"{len(publications)} events for {interested} (event, interested node) pairs; "
        f"{facts.frames:,} frames, {facts.frame_receptions:,} receptions\n"
    )
    values = [
        [name, number(metrics[name]), metric.unit, metric.description] for name, metric in known_metrics().items()
    ]
    kinds = [
        [kind, f"{row['frames_sent']:,}", f"{row['bytes_sent']:,}", f"{row['frames_received']:,}"]
        for kind, row in _traffic(facts).items()
    ]
    parts = [head, table(values, ["metric", "value", "unit", "what it is"])]
    if kinds:
        parts += ["", table(kinds, ["kind of message", "frames sent", "bytes sent", "frames received"])]
    drops = _drops(facts)
    if drops:
        parts += ["", "not acted upon: " + ", ".join(f"{reason} {times:,}" for reason, times in drops.items())]
    return "\n".join([*parts, "", f"digest {facts.digest()}"])
