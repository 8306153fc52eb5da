"""One side of ``benchmarks.protocols``: runs a scenario for each line it reads, with the Roamcast that is on its path.

It is a program of its own because two commits cannot be imported into one process. It uses only what both have.
"""

import json
import signal
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from time import process_time
from types import FrameType
from typing import Any

LOOK_S = 0.004
"""CPU time between two looks at where the run is, as in ``benchmarks.profiling``."""
MEDIUM_CLASS = "Medium."
"""Python learns of a look when compiled code has returned, so the medium's time is found where it is called."""


def main() -> None:
    """Answer each line with a line, until there are no more."""
    for line in sys.stdin:
        request = json.loads(line)
        document = tomllib.loads(Path(request["scenario"]).read_text("utf-8"))
        sys.stdout.write(json.dumps(measured(document, request["values"], request["seed"])) + "\n")
        sys.stdout.flush()


def measured(document: Mapping[str, Any], values: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Simulate a scenario once; return its CPU time, digest and the share of the time that was spent in the medium."""
    from roamcast.sim.simulation import simulate

    setup = _scenario_class().from_document(document).with_values(values).setup()
    looks = in_medium = 0

    def look(_: int, frame: FrameType | None) -> None:
        nonlocal looks, in_medium
        looks += 1
        in_medium += frame is not None and frame.f_code.co_qualname.startswith(MEDIUM_CLASS)

    before = signal.signal(signal.SIGPROF, look)
    signal.setitimer(signal.ITIMER_PROF, LOOK_S, LOOK_S)
    try:
        began_s = process_time()
        facts = simulate(setup, seed)
        cpu_s = process_time() - began_s
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
    simulated_s = setup.settle_s + setup.duration_s
    return {
        "cpu_s": cpu_s,
        "simulated_s": simulated_s,
        "digest": facts.digest(),
        "medium_share": in_medium / max(looks, 1),
    }


def _scenario_class() -> Any:
    try:
        from roamcast.campaigns.checked_scenario import Scenario
    except ImportError:  # in 7112cb2 and before
        from roamcast.experiments.scenario import Scenario  # type: ignore[import-not-found,no-redef,unused-ignore]
    return Scenario


if __name__ == "__main__":
    main()
