"""A protocol that writes down what its host says, and two nodes to run it on."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event
from roamcast.core.host import Host, PubSub
from roamcast.core.messages import Message
from roamcast.core.topics import Topic
from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.mobility.static import Static
from roamcast.sim.radio.range import Range
from roamcast.sim.setup import Setup
from roamcast.sim.trajectories import Area
from roamcast.sim.workload.script import Script, ScriptedPublication, ScriptedSubscription

NEWS = Topic("news")
LOG: list[tuple[int, float, object]] = []
"""The entries of the diaries of one test's run: node, time, entry."""


@dataclass(frozen=True, slots=True)
class DiaryParameters:
    """How much a diary sends each second."""

    frames: int = 1


class Diary(PubSub):
    """Note what the host says and does, and send some frames every second from the start on."""

    Parameters: ClassVar[type[Any]] = DiaryParameters
    summary = "notes everything"

    def __init__(self, host: Host, parameters: DiaryParameters) -> None:
        self._host = host
        self._frames = parameters.frames

    def start(self) -> None:
        self._note("start")
        self._host.wake(self._host.now + 0.5, "tick")

    def subscribe(self, interest: Interest) -> None:
        self._note(f"+{interest}")

    def unsubscribe(self, interest: Interest) -> None:
        self._note(f"-{interest}")

    def publish(self, event: Event) -> None:
        self._note(event.id)

    def on_message(self, message: Message, sender: int) -> None: ...

    def on_wake(self, token: Any) -> None:
        self._note(self._host.position())
        self._host.wake(self._host.now + 1.0, token)
        for _ in range(self._frames):
            self._host.broadcast(Message(50))

    def storage_bytes(self) -> int:
        return 0

    def _note(self, what: object) -> None:
        LOG.append((self._host.node, self._host.now, what))


@dataclass(frozen=True, slots=True)
class UnicasterParameters:
    """Whom node 0 sends to."""

    to: int = 1


class Unicaster(Diary):
    """Node 0 sends one frame of 10 bytes to one node when something is published."""

    Parameters = UnicasterParameters

    def __init__(self, host: Host, parameters: UnicasterParameters) -> None:
        self._host = host
        self._to = parameters.to

    def start(self) -> None: ...

    def publish(self, event: Event) -> None:  # noqa: ARG002 - whatever it is
        self._host.unicast(Message(10), self._to)

    def on_message(self, message: Message, sender: int) -> None:
        self._note(("heard", message.size_bytes, sender))

    def on_unicast_failed(self, message: Message, to: int) -> None:
        self._note(("failed", message.size_bytes, to))


THREE = Static(positions_m=((0.0, 0.0), (100.0, 0.0), (0.0, 100.0)))


def setup_of(protocol: type[PubSub] = Diary, parameters: object | None = None, **changes: Any) -> Setup:
    """Return two nodes 100 m apart that hear each other, of which 0 publishes at once; all can be changed."""
    everybody = ScriptedSubscription(NEWS, nodes="all")
    setup = Setup(
        nodes=2,
        area=Area(1000.0, 1000.0),
        duration_s=10.0,
        warmup_s=0.0,
        settle_s=5.0,
        processing_s_max=0.001,
        mobility=Static(positions_m=((0.0, 0.0), (100.0, 0.0))),
        radio=Range(range_m=150.0),
        mac=Dcf(),
        workload=Script((everybody,), (ScriptedPublication(0, NEWS, at_s=0.0, validity_s=60.0),)),
        protocol=protocol,
        parameters=protocol.Parameters() if parameters is None else parameters,
    )
    return replace(setup, **changes)


def noted(what: type[object]) -> list[tuple[int, float, object]]:
    """Return what has been noted of one type: node, time, what."""
    return [entry for entry in LOG if isinstance(entry[2], what)]
