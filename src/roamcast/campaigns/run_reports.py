"""What workers report while they work: one datagram for each run that ends, to a socket of the driver.

Spark's own counters move only when a task of many runs ends. A datagram can be lost, so the files are counted too.
"""

import socket
import time
from collections.abc import Iterable
from types import TracebackType

from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.plan import PlannedRun
from roamcast.campaigns.progress import Standing
from roamcast.campaigns.run_files import OK

COUNT_PERIOD_S = 5.0
"""How often the files are counted; a folder of 50,000 takes 0.05 s."""
DATAGRAM_BYTES_MAX = 256


class RunReports:
    """Know how far the runs of a call are."""

    def __init__(self, folder: CampaignFolder, call: str, missing: Iterable[PlannedRun], kept: int, host: str) -> None:
        self._folder = folder
        self._call = call
        self._costs = {run.run_id: run.cost for run in missing}
        self._kept = kept
        self._ended: dict[str, str] = {}
        self._counted_at_s = time.monotonic()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1" if host == "127.0.0.1" else "0.0.0.0", 0))
        self._socket.setblocking(False)
        self.address: tuple[str, int] = (host, self._socket.getsockname()[1])

    def __enter__(self) -> "RunReports":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def standing(self) -> Standing:
        """Return how far the runs are now."""
        self._receive()
        if time.monotonic() - self._counted_at_s >= COUNT_PERIOD_S:
            self.count_files()
        total, done = sum(self._costs.values()), sum(self._costs[run_id] for run_id in self._ended)
        failed = sum(status != OK for status in self._ended.values())
        planned = self._kept + len(self._costs)
        return Standing(self._kept + len(self._ended), planned, failed, done / total if total > 0 else 0.0)

    def count_files(self) -> None:
        """Add what no datagram told."""
        self._counted_at_s = time.monotonic()
        finished = self._folder.finished()
        for run_id in self._folder.ended().intersection(self._costs):
            self._ended.setdefault(run_id, OK if run_id in finished else "failed")

    def _receive(self) -> None:
        while True:
            try:
                text = self._socket.recv(DATAGRAM_BYTES_MAX).decode(errors="replace")
            except OSError:  # nothing there, or nothing that can be received
                return
            call, _, rest = text.partition(" ")
            run_id, _, status = rest.partition(" ")
            if call == self._call and run_id in self._costs:
                self._ended[run_id] = status
