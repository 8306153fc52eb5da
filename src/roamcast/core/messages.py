"""Messages that protocols send to each other. They are typed and immutable, and each knows its size on the air."""

from dataclasses import dataclass
from typing import Any, ClassVar

from roamcast.core.events import Event
from roamcast.core.quick_init import quick_init


@dataclass(frozen=True, slots=True)
class Message:
    """The content of one frame that a protocol sends to its neighbours."""

    kind: ClassVar[str] = "message"
    """The name under which traffic of this type is counted."""

    size_bytes: int
    """The payload on the air: the paper's size in a paper's scenario, the encoded size otherwise."""

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Give frozen dataclasses with slots an ``__init__`` that takes half the time: runs make millions of them."""
        super(Message, cls).__init_subclass__(**arguments)  # the class of a bare super() is the one without slots
        quick_init(cls)

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the events that the message carries; the recorder counts them."""
        return ()


class CarriesEvent:
    """Mixed into messages that have a field ``event``: that is the one event they carry."""

    __slots__ = ()
    event: Event

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the event that the message carries."""
        return (self.event,)
