"""Medium access models, one file each; the file's name is the model's name in a scenario."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from roamcast.core.components import component_names, load_component


@dataclass(frozen=True, slots=True)
class MacTiming:
    """What the medium needs to know of a MAC, in numbers."""

    slot_ns: int
    difs_ns: int
    preamble_ns: int
    """The preamble and the PLCP header, sent before every frame at their own rate."""
    detection_ns: int
    """A transmission that began less than this ago has not been noticed yet."""
    contention_window: int
    """The back-off is drawn from 0 to this many slots, both included."""
    header_bytes: int
    """What the MAC adds to a message."""
    queue_frames_max: int


class MacModel(ABC):
    """How nodes share the air. A subclass is a frozen dataclass whose fields are the keys of ``[mac]``."""

    summary: ClassVar[str]
    """One line on the model and its source."""

    @abstractmethod
    def timing(self) -> MacTiming:
        """Return the MAC in numbers."""


def mac_names() -> tuple[str, ...]:
    """List the MAC models."""
    return component_names(__name__)


def load_mac(name: str, place: str = "") -> type[MacModel]:
    """Return a MAC model by its name, or say which names there are."""
    return load_component(__name__, name, MacModel, "MAC model", place)  # type: ignore[type-abstract]
