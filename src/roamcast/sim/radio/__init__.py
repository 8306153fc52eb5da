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
"""Power is 1 within reach, whatever the distance: overlapping frames are equals."""
TWO_RAY = 1
"""Friis up to the crossover distance, two-ray ground beyond it."""

MEETING = 2
"""Who is in contact was recorded; power is 1 during a contact, whatever the distance."""

BITRATE = Limit(lambda value: 1e3 <= value <= 1e12, "must be between 1e3 and 1e12")
"""Slower, a frame would be on the air for minutes; faster, for less than a nanosecond a byte."""


@dataclass(frozen=True, slots=True)
class Propagation:
    """What the medium needs to know of a radio, in numbers; distances decide who hears, powers who survives."""

    law: int
    """``DISC``, ``TWO_RAY`` or ``MEETING``."""
    range_m: float
    """A frame can be received up to this distance."""
    sense_range_m: float
    """A frame keeps the medium busy, and disturbs others, up to this distance."""
    near_gain_w_m2: float
    """Received power times distance squared below the crossover (two-ray)."""
    far_gain_w_m4: float
    """Received power times distance to the fourth beyond the crossover (two-ray)."""
    crossover_m: float
    capture_ratio: float
    """A frame survives others if its power is at least this many times their sum; infinite: never."""
    bitrate_bps: float | None
    """None: the MAC decides."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How far each node's frames go: one entry a node."""

    range_m: NDArray[np.float64]
    """A node's frame can be received up to this distance."""
    sense_range_m: NDArray[np.float64]
    """A node's frame keeps the medium busy, and disturbs others, up to this distance."""
    strength: NDArray[np.float64]
    """The node's power, as a multiple of what the propagation says."""

    @classmethod
    def equal(cls, propagation: Propagation, count: int) -> "Reach":
        """Return the reach of nodes that all have the same radio."""
        return cls(np.full(count, propagation.range_m), np.full(count, propagation.sense_range_m), np.ones(count))


@dataclass(frozen=True, slots=True)
class Contacts:
    """Who is in contact with whom, from a time on up to another; a pair's contacts do not overlap."""

    one: NDArray[np.int64]
    other: NDArray[np.int64]
    start_s: NDArray[np.float64]
    end_s: NDArray[np.float64]


class RadioModel(ABC):
    """Who can hear whom. A subclass is a frozen dataclass whose fields are the keys of ``[radio]``."""

    summary: ClassVar[str]
    """One line on the model and its source."""

    knows_places: ClassVar[bool] = True
    """False: who meets whom was recorded, and nobody knows where."""

    @abstractmethod
    def propagation(self) -> Propagation:
        """Return the radio in numbers; where nodes differ, those of the strongest possible one."""

    def reach(self, count: int, streams: RandomStreams) -> Reach:  # noqa: ARG002 - most models draw nothing
        """Return how far the frames of each node go; the same for all, unless the model draws it."""
        return Reach.equal(self.propagation(), count)

    def lasts_s(self) -> float:
        """Return for how long the model knows who can hear whom: for ever, unless that was recorded."""
        return inf

    def contacts(self, count: int) -> Contacts | None:  # noqa: ARG002 - most models go by distance
        """Return who meets whom where that was recorded; None: places decide. Such a host knows no place."""
        return None


RADIO = ComponentKind("radio", "radio model", __name__, RadioModel)  # type: ignore[type-abstract]
radio_names, load_radio = RADIO.names, RADIO.load
