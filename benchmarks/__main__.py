"""The command: ``python -m benchmarks [NAME ...]``, ``... compare OLD NEW``, ``... ns3-reference``, ``ns3-aodv``."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.campaign_cases import (
    AGAINST,
    CAMPAIGN_CASES,
    CAMPAIGNS,
    campaign_rows,
    measure_campaigns,
    show_campaigns,
)
from benchmarks.cases import BENCHMARKS
from benchmarks.comparing import THRESHOLD_PERCENT, compare, show
from benchmarks.matching import MATCHING, matching_rows, measure_matching, show_matching
from benchmarks.matching_batches import MATCHING_BATCHES, batches_rows, measure_batches, show_batches
from benchmarks.measure_all import Plan, measure_all
from benchmarks.ns2_program import Ns2, Ns2Error
from benchmarks.ns3_aodv import AODV_REFERENCE, aodv_reference, show_aodv
from benchmarks.ns3_program import Ns3, Ns3Error
from benchmarks.ns3_reference import REFERENCE, reference, show_reference
from benchmarks.predicates import PREDICATES, as_rows, measure_predicates, show_predicates
from benchmarks.profiling import profile
from benchmarks.protocols import TREES_AND_BROKERS, measure_protocols, protocol_rows, show_protocols
from benchmarks.recordings import RECORDINGS, measure_recordings, recording_rows
from benchmarks.recordings import shown as show_recording
from benchmarks.releases import RELEASES, measure_releases, release_rows, show_releases
from benchmarks.results import document, save
from roamcast.cli import main as roamcast
from roamcast.core.errors import UserError

T = TypeVar("T")

RADIO = "radio"
"""Not a timing: our radio beside ns-3's, which ``roamcast validate`` shows."""
NS3_NODES_MAX, NS3_NODES_FULL = 600, 2_400
"""The largest case that ns-3 runs by default (seconds) and with --ns3-full (minutes)."""
COMPARE, NS3_REFERENCE, NS3_AODV = "compare", "ns3-reference", "ns3-aodv"
NAMES_HELP = "one of {}; by default all but radio and releases"
ROUNDS_MAX = 2
"""How often whole commands are run on each side: they take minutes."""
SLOWER, WRONG = 1, 2
"""Exit codes."""


def main(arguments: list[str] | None = None) -> int:
    """Measure, or compare, and return the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    commands = {COMPARE: _compare, NS3_REFERENCE: _reference, NS3_AODV: _aodv_reference}
    try:
        return commands[given[0]](given[1:]) if given and given[0] in commands else _measure(given)
    except (UserError, Ns2Error, Ns3Error) as problem:
        print(problem, file=sys.stderr)
        return WRONG


def _measure(arguments: list[str]) -> int:
    options = _options(arguments, [*BENCHMARKS, *OWN, RADIO])
    names = options.names or [name for name in (*BENCHMARKS, *OWN) if name != RELEASES]
    cases = [case for name in names if name in BENCHMARKS for case in BENCHMARKS[name]()]
    ns3 = None if options.no_ns3 or not any(case.beside_ns3 for case in cases) else _find(Ns3.find)
    ns2 = None if options.no_ns2 or not any(case.beside_ns2 for case in cases) else _find(Ns2.find)
    rows = measure_all(_plan(options, names, ns3, ns2))
    result = document(rows, None if ns3 is None else ns3.version, None if ns2 is None else ns2.version)
    for name, measure in OWN.items():
        if name in names:
            result[name], text = measure(options)
            if not options.json:
                print(text, flush=True)
    if options.profile:
        profiled = [BENCHMARKS[name]()[0] for name in names if name in BENCHMARKS]
        result["profile"] = [profile(case, options.seed) for case in profiled]
        if not options.json:
            print("\n".join(result["profile"]))
    if options.json:
        print(json.dumps(result, indent=2))
    if options.save:
        part = names[0] if len(names) == 1 and names[0] in OWN else ""
        print(f"saved as {save(result, part=part)}", file=sys.stderr)
    return roamcast(["validate"]) if RADIO in names else 0


Measured = tuple[list[dict[str, Any]], str]
"""The rows of a benchmark for its result file, and what is printed of them."""


def _predicates(options: argparse.Namespace) -> Measured:
    found = measure_predicates(options.repeat)
    return as_rows(found), show_predicates(found)


def _matching(options: argparse.Namespace) -> Measured:
    found = measure_matching(options.repeat, options.seed)
    return matching_rows(found), show_matching(found)


def _batches(options: argparse.Namespace) -> Measured:
    found = measure_batches(options.repeat, options.seed)
    return batches_rows(found), show_batches(found)


def _trees_and_brokers(options: argparse.Namespace) -> Measured:
    found = measure_protocols(options.repeat)
    return protocol_rows(found), show_protocols(found)


def _campaigns(options: argparse.Namespace) -> Measured:
    found = measure_campaigns(CAMPAIGN_CASES, min(options.repeat, ROUNDS_MAX), options.against)
    return campaign_rows(found), show_campaigns(found)


def _recordings(options: argparse.Namespace) -> Measured:
    found = list(measure_recordings(min(options.repeat, ROUNDS_MAX), options.against))
    return recording_rows(found), "\n".join(map(show_recording, found))


def _releases(options: argparse.Namespace) -> Measured:
    found = measure_releases(min(options.repeat, ROUNDS_MAX), options.against)
    return release_rows(found), show_releases(found)


OWN: Mapping[str, Callable[[argparse.Namespace], Measured]] = {
    PREDICATES: _predicates,
    MATCHING: _matching,
    MATCHING_BATCHES: _batches,
    TREES_AND_BROKERS: _trees_and_brokers,
    CAMPAIGNS: _campaigns,
    RECORDINGS: _recordings,
    RELEASES: _releases,
}
"""The benchmarks that are no runs of the simulator next to another one; alone, each has a result file of its own."""


def _options(arguments: list[str], known: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=NAMES_HELP.format(", ".join(known)))
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="runs of each case (default: 5)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of every case (default: 1)")
    parser.add_argument("--no-ns3", action="store_true", help="do not run the cases in ns-3 beside ours")
    parser.add_argument("--no-ns2", action="store_true", help="do not run the cases in ns-2 beside ours")
    parser.add_argument("--ns3-full", action="store_true", help="run 2,400 nodes in ns-3, too: minutes")
    parser.add_argument(
        "--against",
        default=AGAINST,
        metavar="COMMIT",
        help=f"the other side of campaigns, recordings and releases (default: {AGAINST})",
    )
    parser.add_argument("--profile", action="store_true", help="also show where the time of the first case goes")
    parser.add_argument(
        "--save", action="store_true", help="write benchmarks/results/VERSION.json, or VERSION-NAME.json"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in known]
    if unknown:
        commands = ", ".join((COMPARE, RECORDINGS, NS3_REFERENCE, NS3_AODV))
        parser.error(f"unknown benchmark {unknown[0]!r}; known: {', '.join(known)}, {commands}")
    if options.json and RADIO in options.names:
        parser.error("--json: radio has its own, roamcast validate --json")
    if options.repeat < 1:
        parser.error(f"--repeat {options.repeat}: must be at least 1")
    return options


def _plan(options: argparse.Namespace, names: list[str], ns3: Ns3 | None, ns2: Ns2 | None) -> Plan:
    return Plan(
        names=tuple(name for name in names if name in BENCHMARKS),
        repeats=options.repeat,
        seed=options.seed,
        ns3=ns3,
        ns3_nodes_max=NS3_NODES_FULL if options.ns3_full else NS3_NODES_MAX,
        quiet=options.json,
        ns2=ns2,
    )


def _find(find: Callable[[], T]) -> T | None:
    """Return another simulator, or say in one line that it is not there and go on without."""
    try:
        return find()
    except (Ns2Error, Ns3Error) as problem:
        print(problem, file=sys.stderr)
        return None


def _compare(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks {COMPARE}", description="Compare two result files.")
    parser.add_argument("old", type=Path, metavar="OLD")
    parser.add_argument("new", type=Path, metavar="NEW")
    parser.add_argument(
        "--threshold",
        type=float,
        default=THRESHOLD_PERCENT,
        metavar="PERCENT",
        help=f"how much slower counts as slower (default: {THRESHOLD_PERCENT:g})",
    )
    options = parser.parse_args(arguments)
    if not options.threshold >= 0:
        parser.error(f"--threshold {options.threshold}: must be at least 0")
    comparison = compare(options.old, options.new, options.threshold)
    print(show(comparison))
    return SLOWER if comparison.slower else 0


def _reference(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks {NS3_REFERENCE}",
        description="Make the figures of ns-3 that ours are checked against.",
    )
    parser.add_argument("--seeds", type=int, default=5, metavar="N", help="seeds of each case (default: 5)")
    parser.add_argument("--walks", type=int, default=20, metavar="N", help="seeds of the heartbeats (default: 20)")
    parser.add_argument("--neighbours", type=int, default=400, metavar="N", help="of their movement (default: 400)")
    parser.add_argument("--out", type=Path, default=REFERENCE, metavar="FILE", help="where to write them")
    options = parser.parse_args(arguments)
    if options.seeds < 1 or options.walks < 2 or options.neighbours < 2:
        parser.error("--seeds must be at least 1, --walks and --neighbours at least 2")
    found = reference(Ns3.find(), options.seeds, options.walks, options.neighbours)
    options.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print(show_reference(found))
    return 0


def _aodv_reference(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks {NS3_AODV}",
        description="Make the figures of ns-3's AODV that ours is checked against.",
    )
    parser.add_argument("--seeds", type=int, default=5, metavar="N", help="seeds at each speed (default: 5)")
    parser.add_argument("--processes", type=int, default=2, metavar="N", help="how many run at a time (default: 2)")
    parser.add_argument("--out", type=Path, default=AODV_REFERENCE, metavar="FILE", help="where to write them")
    options = parser.parse_args(arguments)
    if options.seeds < 1 or options.processes < 1:
        parser.error("--seeds and --processes must be at least 1")
    found = aodv_reference(Ns3.find(), options.seeds, options.processes)
    options.out.write_text(json.dumps(found) + "\n", "utf-8")
    print(show_aodv(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
