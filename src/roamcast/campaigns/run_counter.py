"""How far a campaign is, told from the files that its runs leave: workers report nothing else.

Spark's own counters move only when a task of many runs ends, so the driver counts files. Listing a folder of 50,000
runs takes 0.05 s; the counter waits longer the longer the last count took.
"""

import time
from collections.abc import Callable, Iterable

from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.plan import PlannedRun
from roamcast.campaigns.progress import Standing

COUNT_PERIOD_S = 0.25
"""The files are counted this often at most."""
IDLE_SHARE = 20
"""After a count the counter rests for this many times as long as the count took."""


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
        self._costs = {run.run_id: run.cost for run in missing}
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
        failed = len(ended - self._folder.finished())
        total, done = sum(self._costs.values()), sum(self._costs[run_id] for run_id in ended)
        share = done / total if total > 0 else 0.0
        self._standing = Standing(self._kept + len(ended), self._kept + len(self._costs), failed, share)
        took_s = self._clock() - begin_s
        self._next_count_s = self._clock() + max(COUNT_PERIOD_S, IDLE_SHARE * took_s)
        return self._standing
