"""Radio models, one file each; the file's name is the model's name in a scenario."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roamcast.core.components import ComponentKind
from roamcast.core.parameters import Limit
from roamcast.sim.random_streams import RandomStreams

DISC = 0
"""Power is 1 within range, whatever the distance: overlapping frames are equally strong."""
TWO_RAY = 1
"""Friis up to the crossover distance, two-ray ground beyond it."""

IN_CONTACT = 2
"""Contacts were recorded; power is 1 during a contact, whatever the distance."""

BITRATE = Limit(lambda value: 1e3 <= value <= 1e12, "must be between 1e3 and 1e12")
"""Slower, a frame would be on the air for minutes; faster, for less than a nanosecond per byte."""


@dataclass(frozen=True, slots=True)
class Propagation:
    """The numbers that describe a radio: distances decide who hears a frame, powers which frame survives."""

    law: int
    """``DISC``, ``TWO_RAY`` or ``IN_CONTACT``."""
    range_m: float
    """A frame can be received up to this distance."""
    sense_range_m: float
    """A frame keeps the medium busy, and interferes with other frames, up to this distance."""
    near_gain_w_m2: float
    """Received power times the square of the distance, up to the crossover (two-ray)."""
    far_gain_w_m4: float
    """Received power times the fourth power of the distance, beyond the crossover (two-ray)."""
    crossover_m: float
    capture_ratio: float
    """A frame survives others if its power is at least this many times their sum; infinite: it never does."""
    bitrate_bps: float | None
    """None: the default of the MAC's standard."""


@dataclass(frozen=True, slots=True)
class FrameRanges:
    """Each frame's range is drawn anew, uniformly between two bounds; its power and sense range follow from it."""

    lowest_m: float
    highest_m: float
    random: NDArray[np.uint64]
    """Each node's random stream: 64 bits that its draws begin with."""
    receive_w: float = 0.0
    """The weakest power that can be received, which a frame has at its range (two-ray)."""
    sense_w: float = 0.0
    """The weakest power that is sensed (two-ray)."""
    sense_range_m: float = 0.0
    """The distance up to which every frame is sensed, if that is farther than its range (disc)."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How far each node's frames reach: one entry per node."""

    range_m: NDArray[np.float64]
    """A node's frame can be received up to this distance."""
    sense_range_m: NDArray[np.float64]
    """A node's frame keeps the medium busy, and interferes with other frames, up to this distance."""
    strength: NDArray[np.float64]
    """The node's transmit power, as a multiple of the propagation's."""
    frames: FrameRanges | None = None
    """How each frame's own reach is drawn; the arrays then hold the farthest that is possible. None: it is the node's.
    """

    @classmethod
    def equal(cls, propagation: Propagation, count: int) -> "Reach":
        """Return the reach of nodes that all have the same radio."""
        return cls(np.full(count, propagation.range_m), np.full(count, propagation.sense_range_m), np.ones(count))


@dataclass(frozen=True, slots=True)
class Contacts:
    """Pairs of nodes that are in contact from a start to an end time; contacts of one pair do not overlap."""

    one: NDArray[np.int64]
    other: NDArray[np.int64]
    start_s: NDArray[np.float64]
    end_s: NDArray[np.float64]


class RadioModel(ABC):
    """Decides who hears whom. A subclass is a frozen dataclass whose fields are the keys of ``[radio]``."""

    summary: ClassVar[str]
    """One line about the model and its source."""

    knows_positions: ClassVar[bool] = True
    """False: only contacts were recorded, so hosts have no position."""

    @abstractmethod
    def propagation(self) -> Propagation:
        """Return the radio's numbers; where nodes differ, those of the strongest possible node."""

    def reach(self, count: int, streams: RandomStreams) -> Reach:  # noqa: ARG002 - most models draw nothing
        """Return how far each node's frames reach; the same for all, unless the model draws it."""
        return Reach.equal(self.propagation(), count)

    def lasts_s(self) -> float:
        """Return for how long the model is defined: forever, unless it replays a recording."""
        return inf

    def contacts(self, count: int) -> Contacts | None:  # noqa: ARG002 - most models go by distance
        """Return the recorded contacts, or None if positions decide who hears whom."""
        return None


RADIO = ComponentKind("radio", "radio model", __name__, RadioModel)  # type: ignore[type-abstract]
radio_names, load_radio = RADIO.names, RADIO.load
