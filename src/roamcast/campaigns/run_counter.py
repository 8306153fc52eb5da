"""How far a campaign is, told from the files that its runs leave: workers report nothing else.

Spark's own counters move only when a task of many runs ends, so the driver counts files. Listing a folder of 50,000
runs takes 0.05 s; the counter waits longer the longer the last count took.

How much of the work is done depends on what the other runs will cost. A plan's own estimates may be wrong by a factor
of ten between two protocols, so they are corrected by the CPU times of the first runs that end (``run_costs``).
"""

import time
from collections.abc import Callable, Iterable
from math import fsum

from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.plan import PlannedRun
from roamcast.campaigns.progress import Standing
from roamcast.campaigns.run_costs import corrected, cpu_seconds

COUNT_PERIOD_S = 0.25
"""The files are counted this often at most."""
IDLE_SHARE = 20
"""After a count the counter rests for this many times as long as the count took."""
TIMES_PER_COUNT, TIMES_MAX = 8, 256
"""How many runs' CPU times are read at each count, a millisecond each, and in all."""


class RunCounter:
    """Counts the runs of a call that have ended."""

    def __init__(
        self,
        folder: CampaignFolder,
        missing: Iterable[PlannedRun],
        kept: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self._runs = {run.run_id: run for run in missing}
        self._costs = {run_id: run.cost for run_id, run in self._runs.items()}
        self._times_s: dict[str, float | None] = {}
        self._learnt = 0
        self._kept = kept
        self._clock = clock
        self._next_count_s = -float("inf")
        self._standing = Standing(kept, kept + len(self._costs), 0, 0.0)

    def standing(self) -> Standing:
        """Return how far the runs are, counted anew unless that was done a moment ago."""
        return self.count() if self._clock() >= self._next_count_s else self._standing

    def count(self) -> Standing:
        """Count the files now."""
        begin_s = self._clock()
        ended = self._folder.ended().intersection(self._costs)
        finished = self._folder.finished()
        failed = len(ended - finished)
        self._learn(ended & finished)
        total, done = fsum(self._costs.values()), fsum(self._costs[run_id] for run_id in ended)  # in any order the same
        share = done / total if total > 0 else 0.0
        self._standing = Standing(self._kept + len(ended), self._kept + len(self._costs), failed, share)
        took_s = self._clock() - begin_s
        self._next_count_s = self._clock() + max(COUNT_PERIOD_S, IDLE_SHARE * took_s)
        return self._standing

    def _learn(self, finished: set[str]) -> None:
        """Read the CPU times of some more runs, and estimate all costs anew whenever twice as many are known."""
        if len(self._times_s) >= TIMES_MAX:
            return
        for run_id in sorted(finished - self._times_s.keys())[:TIMES_PER_COUNT]:
            self._times_s[run_id] = cpu_seconds(self._folder, run_id)
        timed = [(self._runs[run_id], cpu_s) for run_id, cpu_s in self._times_s.items() if cpu_s is not None]
        if len(timed) > 2 * self._learnt:
            self._learnt = len(timed)
            estimates = corrected(list(self._runs.values()), timed)
            self._costs = {run.run_id: run.cost for run in estimates}
