"""The receivers' half of the slow model: where everybody is, what a frame arrives with, and which frame a node follows.

It keeps every frame of the run and goes through all of them whenever it is asked anything. The rules are those of
docs/radio.md, "Receiving".

All intervals are half open: a frame that ends in the nanosecond in which another begins does not overlap with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from roamcast.sim.radio import DISC, Propagation, Reach
from roamcast.sim.trajectories import Point

LONG_AGO_NS = -(10**9)


class Kind(Enum):
    """The purpose of a frame."""

    BROADCAST = "broadcast"
    DATA = "data for one node"
    RTS = "request to send"
    CTS = "clear to send"
    ACK = "acknowledgement"


@dataclass(eq=False)
class Frame:
    """A frame on the air, with the power that it arrives with at every node that senses it."""

    kind: Kind
    request: int
    """Whose frame this is, or whose exchange it belongs to."""
    sender: int
    to: int
    """The node that it is for; -1: for all."""
    start_ns: int
    end_ns: int
    announced_ns: int
    """How long the exchange goes on after this frame, as it says: the NAV of those whom it is not for."""
    power_w: dict[int, float]
    audible: frozenset[int]
    intact_at: frozenset[int] = frozenset()
    """Who followed it to its end and could read it, whoever it is for; known when it has ended."""

    @property
    def receivers(self) -> list[int]:
        """Return those for whom it is among those who could read it."""
        return sorted(node for node in self.intact_at if self.to in (-1, node))


class Following(NamedTuple):
    """A node followed a frame, from the beginning of the first one of those between which it chose."""

    frame: Frame
    since_ns: int
    until_ns: int
    """When the frame ends, or the node began to transmit itself."""


class SplitMix64:
    """Steele, Lea and Flood's generator, for one node."""

    def __init__(self, state: int) -> None:
        self._state = state

    def below(self, limit: int) -> int:
        """Draw from 0 to ``limit - 1``."""
        return (self._bits() >> 32) % limit

    def share(self) -> float:
        """Draw a number from 0 to 1."""
        return (self._bits() >> 11) / 2**53

    def _bits(self) -> int:
        ones = 2**64 - 1
        self._state = (self._state + 0x9E3779B97F4A7C15) & ones
        bits = self._state
        bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & ones
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & ones
        return bits ^ (bits >> 31)


class FrameReach(NamedTuple):
    """How far a frame is received and sensed, and how strong it is, as a multiple of the propagation's."""

    range_m: float
    sense_range_m: float
    strength: float


class ReferenceRadio:
    """The air and all receivers."""

    def __init__(
        self, points: Sequence[Sequence[Point]], propagation: Propagation, reach: Reach, detection_ns: int
    ) -> None:
        self.points = points
        self.propagation = propagation
        self.reach = reach
        self.detection_ns = detection_ns
        self.range_draws = [] if reach.frames is None else [SplitMix64(int(each)) for each in reach.frames.random]
        """Each node's stream of ranges, if every frame has one of its own."""
        self.frames: list[Frame] = []
        """In the order in which they began."""

    def begin(
        self, kind: Kind, request: int, sender: int, to: int, now_ns: int, airtime_ns: int, announced_ns: int
    ) -> Frame:
        """Put a frame on the air: who senses it and who can receive it is decided now."""
        places = [self.place(node, now_ns * 1e-9) for node in range(len(self.points))]
        power_w, audible = {}, set()
        reach = self.frame_reach(sender)
        for node, (x_m, y_m) in enumerate(places):
            dx_m, dy_m = x_m - places[sender][0], y_m - places[sender][1]
            distance_m2 = dx_m * dx_m + dy_m * dy_m
            if node != sender and distance_m2 <= reach.sense_range_m**2:
                power_w[node] = self.received_w(distance_m2) * reach.strength
                if distance_m2 <= reach.range_m**2:
                    audible.add(node)
        end_ns = now_ns + airtime_ns
        frame = Frame(kind, request, sender, to, now_ns, end_ns, announced_ns, power_w, frozenset(audible))
        self.frames.append(frame)
        return frame

    def frame_reach(self, sender: int) -> FrameReach:
        """Return how far the next frame of a node reaches: as far as the node, unless each frame draws its range."""
        frames, reach = self.reach.frames, self.reach
        if frames is None:
            return FrameReach(*(float(each[sender]) for each in (reach.range_m, reach.sense_range_m, reach.strength)))
        range_m = frames.lowest_m + (frames.highest_m - frames.lowest_m) * self.range_draws[sender].share()
        if self.propagation.law == DISC:
            return FrameReach(range_m, max(range_m, frames.sense_range_m), 1.0)
        strength = frames.receive_w / self.received_w(range_m**2)
        near_m = (strength * self.propagation.near_gain_w_m2 / frames.sense_w) ** (1 / 2)
        far_m = (strength * self.propagation.far_gain_w_m4 / frames.sense_w) ** (1 / 4)
        return FrameReach(range_m, near_m if near_m <= self.propagation.crossover_m else far_m, strength)

    def followers(self, frame: Frame) -> list[int]:
        """Return who has followed a frame, which now ends, to this end, whether or not it could be read."""
        return [
            node
            for node in sorted(frame.audible)
            if any(each.frame is frame and each.until_ns == frame.end_ns for each in self.followings(node))
        ]

    def followed(self, node: int, now_ns: int) -> Frame | None:
        """Return the frame that a node follows now."""
        return next((each.frame for each in self.followings(node) if each.until_ns > now_ns), None)

    def followings(self, node: int) -> list[Following]:
        """Return what a node has followed until now.

        It follows the first frame that begins while it is free, or a stronger one that begins before that is noticed.
        """
        followings: list[Following] = []
        deaf_until_ns = LONG_AGO_NS
        for frame in self.frames:
            last = followings[-1] if followings else None
            if frame.sender == node:
                deaf_until_ns = frame.end_ns
                if last is not None and last.until_ns > frame.start_ns:
                    followings[-1] = last._replace(until_ns=frame.start_ns)
            elif node in frame.audible and frame.start_ns >= deaf_until_ns:
                if last is None or last.until_ns <= frame.start_ns:
                    followings.append(Following(frame, frame.start_ns, frame.end_ns))
                elif (
                    frame.start_ns < last.since_ns + self.detection_ns
                    and frame.power_w[node] > last.frame.power_w[node]
                ):
                    followings[-1] = Following(frame, last.since_ns, frame.end_ns)
        return followings

    def is_readable(self, node: int, frame: Frame) -> bool:
        """Tell whether a frame was at all times strong enough against all others that its follower sensed."""
        others = [each for each in self.frames if each is not frame and node in each.power_w]
        overlapping = [each for each in others if each.start_ns < frame.end_ns and each.end_ns > frame.start_ns]
        for moment_ns in {frame.start_ns, *(each.start_ns for each in overlapping)}:
            if moment_ns < frame.start_ns:
                continue
            there = [each.power_w[node] for each in overlapping if each.start_ns <= moment_ns < each.end_ns]
            if there and frame.power_w[node] < self.propagation.capture_ratio * sum(there):
                return False
        return True

    def received_w(self, distance_m2: float) -> float:
        """Return what arrives over a distance: Friis up to the crossover, two-ray ground beyond it."""
        radio = self.propagation
        if radio.law == DISC:
            return 1.0
        if distance_m2 < radio.crossover_m**2:
            return radio.near_gain_w_m2 / max(distance_m2, 1.0)
        return radio.far_gain_w_m4 / (distance_m2 * distance_m2)

    def place(self, node: int, at_s: float) -> tuple[float, float]:
        """Return where a node is: on the straight line between the points around a time."""
        points = self.points[node]
        passed = [index for index, (time_s, _, _) in enumerate(points) if time_s <= at_s]
        if not passed or passed[-1] + 1 == len(points):
            _, x_m, y_m = points[passed[-1] if passed else 0]
            return x_m, y_m
        (from_s, from_x, from_y), (to_s, to_x, to_y) = points[passed[-1] : passed[-1] + 2]
        gone_s = at_s - from_s
        return from_x + (to_x - from_x) / (to_s - from_s) * gone_s, from_y + (to_y - from_y) / (to_s - from_s) * gone_s
