"""The command: ``python -m benchmarks [NAME ...]``."""

import argparse
import json
import platform
from typing import Any

from benchmarks.cases import BENCHMARKS
from benchmarks.measuring import Measurement, measure_apart
from benchmarks.profiling import profile_heartbeats
from benchmarks.radio_truth import table

RADIO = "radio"
TRUTH_SEEDS = 20
HEADER = (
    f"{'':28} {'frames':>8} {'receptions':>10} {'CPU s: best':>11} {'median':>7} {'set-up':>7} "
    f"{'frames/s':>9} {'rec./s':>9} {'us/rec.':>8} {'MB':>5}"
)


def _line(each: Measurement) -> str:
    name = f"{each.benchmark} {each.label}"
    target = "" if each.cpu_s_target is None else f"   target: at most {each.cpu_s_target:g} s of CPU"
    note = f"   {each.note}" if each.note else ""
    return (
        f"{name:28} {each.frames:8,} {each.receptions:10,} {each.cpu_s_best:11.3f} {each.cpu_s_median:7.3f} "
        f"{each.setup_cpu_s:7.3f} {each.frames_per_cpu_s:9,.0f} {each.receptions_per_cpu_s:9,.0f} "
        f"{each.us_per_reception:8.2f} {each.peak_memory_mb:5.0f}{target}{note}"
    )


def _measurements(names: list[str], repeats: int, seed: int, quiet: bool) -> list[dict[str, Any]]:
    rows = []
    if names and not quiet:
        print(f"seed {seed}, {repeats} runs each; rates by the median; set-up is a part of the CPU time")
        print(HEADER, flush=True)
    for name in names:
        for index in range(len(BENCHMARKS[name]())):
            measured = measure_apart(name, index, repeats, seed)
            rows.append(measured.as_row())
            if not quiet:
                print(_line(measured), flush=True)
    return rows


def _truth(quiet: bool) -> list[dict[str, float | str]]:
    rows = table(TRUTH_SEEDS)
    if not quiet:
        print(f"{f'mean of {TRUTH_SEEDS} seeds':36} {'ns-3':>8} {'ours':>8} {'sd':>8}")
        for row in rows:
            print(f"{row['case']:36} {row['ns3']:8.3f} {row['ours']:8.3f} {row['sd_between_seeds']:8.3f}")
    return rows


def main() -> None:
    """Measure what is asked for, everything by default, and print it."""
    known = [*BENCHMARKS, RADIO]
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(known)}; all by default")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="runs of each case (default: 5)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of every case (default: 1)")
    parser.add_argument("--profile", action="store_true", help="also show where the time of the heartbeats goes")
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"unknown benchmark {unknown[0]!r}; known: {', '.join(known)}")
    if options.repeat < 1:
        parser.error(f"--repeat {options.repeat}: must be at least 1")
    names = options.names or known
    timed = [name for name in names if name in BENCHMARKS]
    result: dict[str, Any] = {"python": platform.python_version(), "machine": platform.machine()}
    result["measurements"] = _measurements(timed, options.repeat, options.seed, options.json)
    if RADIO in names:
        result["radio"] = _truth(options.json)
    if options.profile:
        result["profile"] = profile_heartbeats(options.seed)
        if not options.json:
            print(result["profile"])
    if options.json:
        print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
