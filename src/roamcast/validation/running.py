"""Running cases over seeds, on all cores. The results depend only on the seeds, not on the order of execution."""

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context

from roamcast.campaigns.cores import core_count
from roamcast.validation.cases import Case, Group
from roamcast.validation.judging import Finding, judge

Outcome = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Size:
    """The amount of work."""

    seeds: int
    is_quick: bool = False
    """Simulate each case for its shorter time."""

    def duration_s(self, case: Case) -> float:
        """Return how long a case runs."""
        return case.quick_duration_s if self.is_quick else case.duration_s


FULL = Size(30)
"""With this many seeds the error of our mean is well below the width of the reference's ranges."""
QUICK = Size(8, is_quick=True)


@dataclass(frozen=True, slots=True)
class _Job:
    case: Case
    seed: int
    duration_s: float


def run_cases(
    groups: Sequence[Group],
    size: Size,
    processes: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> list[Finding]:
    """Run every case with the seeds 1, 2, ... and judge the results, in the order of the cases.

    ``processes`` defaults to the number of cores; ``progress`` is called with the share that is done.
    """
    cases = [case for group in groups for case in group.cases]
    # Seed by seed, so that progress is even: cases differ in cost, seeds do not.
    jobs = [_Job(case, seed, size.duration_s(case)) for seed in range(1, size.seeds + 1) for case in cases]
    done: dict[tuple[str, int], Outcome] = {}
    for job, outcome in _outcomes(jobs, min(processes or core_count(), len(jobs))):
        done[job.case.name, job.seed] = outcome
        if progress is not None:
            progress(len(done) / len(jobs))
    seeds = range(1, size.seeds + 1)
    return [finding for case in cases for finding in judge(case, [done[case.name, seed] for seed in seeds])]


def _outcomes(jobs: Sequence[_Job], processes: int) -> Iterator[tuple[_Job, Outcome]]:
    """Yield every job with its result as it ends."""
    if processes <= 1:
        yield from ((job, job.case.run(job.seed, job.duration_s)) for job in jobs)
        return
    # Spawned, since a fork would copy locks held by the caller's threads.
    executor = ProcessPoolExecutor(processes, get_context("spawn"))
    try:
        # The first job runs alone: its worker compiles the simulator if necessary, and the others find it compiled.
        for part in (jobs[:1], jobs[1:]):
            with _interrupts_ignored():  # inherited by the workers: only this process reacts to Ctrl-C
                futures = {executor.submit(job.case.run, job.seed, job.duration_s): job for job in part}
            for future in as_completed(futures):
                yield futures[future], future.result()
    finally:
        executor.shutdown(cancel_futures=True)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
