"""Epochs that nodes of trees may believe: one forged message must not lift a network's labels out of all reach.

In tree groups and in the subscription tree a node's label only ever rises, so that there is never a cycle. Who makes a
node believe in an epoch far ahead would so cut it off from all others for good. Therefore a label whose epoch leaps
further than a window beyond what a node knows is dropped. But a network that is much older, or was lifted by hostile
messages, must still be found by newcomers: who keeps saying such a label, heartbeat by heartbeat, is believed in the
end. Only a half of all epochs can be reached so, and the rest in no time that there is.
"""

EPOCH_MAX = 2**62
"""Larger ones are nobody's."""
EPOCH_WINDOW = 2**24
"""How far ahead an epoch may be: half a year of heartbeats, one a second. Our choice."""
LEAPS_BELIEVED = 8
"""After so many heartbeats of one neighbour an epoch beyond the window is believed. Our choice."""
LEAP_PAUSE_S = 0.1
"""Heartbeats that follow each other sooner count as one."""
SENDERS_MAX = 32
"""Of how many neighbours the leaps are counted; the one that has leapt longest ago makes room."""


def next_epoch(*epochs: int) -> int:
    """Return an epoch after all these, which everybody else would take for a sound one, too."""
    return min(max(epochs) + 1, EPOCH_MAX - 1)


class EpochGuard:
    """Tells which epochs one node may believe."""

    def __init__(self) -> None:
        self._leaps: dict[int, tuple[int, float]] = {}

    def is_plausible(self, epoch: int, known: int, sender: int, now_s: float, is_heartbeat: bool) -> bool:
        """Tell whether a sender's epoch is not too far beyond what is known; only heartbeats can bring it nearer."""
        if epoch <= known + EPOCH_WINDOW:
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
