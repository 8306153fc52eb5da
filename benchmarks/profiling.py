"""Where the time of a case goes, by looking at it every few milliseconds of CPU time.

Looking disturbs nothing, while a profiler that notes every call multiplies the cost of small Python functions. Python
learns of a look only between two of its own steps, so the time of compiled code is found at the method that called it:
``Medium.step`` and ``Medium.enqueue`` are the compiled medium with a thin layer of Python.
"""

import signal
from collections import Counter
from pathlib import Path
from time import process_time
from types import FrameType

from benchmarks.cases import Case
from benchmarks.setups import heartbeats
from roamcast.sim.simulation import simulate

LOOK_S = 0.004
"""CPU time between two looks; a kernel with 250 ticks a second has no finer ones."""
WATCHED_CPU_S = 6.0
"""The case is run again until this much has been watched: with 1,500 looks 10 % is known to within 1.5 points."""


def profile(case: Case, seed: int, lines: int = 12, watched_cpu_s: float = WATCHED_CPU_S) -> str:
    """Return a table of the functions in which most time is spent, themselves, without what they call."""
    setup = case.make()
    simulate(heartbeats(10, 1.0), seed)
    found: Counter[str] = Counter()

    def look(_: int, frame: FrameType | None) -> None:
        if frame is not None:
            code = frame.f_code
            found[f"{Path(code.co_filename).name} {code.co_qualname}"] += 1

    before = signal.signal(signal.SIGPROF, look)
    began_s = process_time()
    runs = 0
    signal.setitimer(signal.ITIMER_PROF, LOOK_S, LOOK_S)
    try:
        while process_time() - began_s < watched_cpu_s:
            simulate(setup, seed)
            runs += 1
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
    run_s = (process_time() - began_s) / runs
    looks = max(found.total(), 1)
    rows = [f"{case.benchmark} {case.label}: {run_s:.2f} s a run, {looks:,} looks", f"{'share':>6} {'ms':>7}  where"]
    rows += [f"{n / looks:6.1%} {1e3 * run_s * n / looks:7.1f}  {where}" for where, n in found.most_common(lines)]
    return "\n".join(rows)
