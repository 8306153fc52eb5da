"""Which epochs the nodes of a tree may believe: one forged message must not raise a network's labels out of reach.

In tree groups and in the subscription tree a node's label only ever rises, so that there is never a cycle. A message
that makes a node believe in an epoch far ahead would therefore cut it off from all others for good. So a label is
dropped if its epoch is further than a window beyond what the node knows. Newcomers must still be able to join a network
that is much older, or whose epochs hostile messages have raised: a neighbour that repeats such a label, heartbeat after
heartbeat, is believed in the end. Only half of all epochs can be reached in this way, and the other half not in any
realistic time.
"""

EPOCH_MAX = 2**62
"""No node ever uses this epoch or a larger one."""
EPOCH_WINDOW = 2**24
"""How far ahead an epoch may be: half a year of heartbeats, at one a second. Our choice."""
LEAPS_BELIEVED = 8
"""An epoch beyond the window is believed after this many heartbeats of one neighbour. Our choice."""
LEAP_PAUSE_S = 0.1
"""Heartbeats that follow each other sooner than this count as one, in seconds."""
SENDERS_MAX = 32
"""The most neighbours whose leaps are counted; the one that leapt longest ago is replaced."""


def next_epoch(*epochs: int) -> int:
    """Return an epoch after all of these that every other node will accept."""
    return min(max(epochs) + 1, EPOCH_MAX - 1)


class EpochGuard:
    """Decides which epochs one node believes."""

    def __init__(self) -> None:
        self._leaps: dict[int, tuple[int, float]] = {}

    def is_plausible(self, epoch: int, known: int, sender: int, now_s: float, is_heartbeat: bool) -> bool:
        """Tell whether a sender's epoch is close enough to what is known; only heartbeats can make a leap plausible."""
        if epoch <= known + EPOCH_WINDOW:
            if self._leaps:
                self._leaps.pop(sender, None)
            return True
        if not is_heartbeat or epoch >= EPOCH_MAX // 2:
            return False
        count, at_s = self._leaps.pop(sender, (0, now_s - LEAP_PAUSE_S))
        if now_s >= at_s + LEAP_PAUSE_S:
            count, at_s = count + 1, now_s
        if count >= LEAPS_BELIEVED:
            return True
        if len(self._leaps) >= SENDERS_MAX:
            del self._leaps[next(iter(self._leaps))]
        self._leaps[sender] = (count, at_s)
        return False
