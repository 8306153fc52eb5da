"""The simulated host: the interface between one node's protocol and the simulation."""

from collections.abc import Hashable
from math import inf
from random import Random
from typing import TYPE_CHECKING, Any

from roamcast.core.attributes import NO_ATTRIBUTES, Attributes
from roamcast.core.events import Event
from roamcast.core.host import Position, PubSub, World
from roamcast.core.messages import Message
from roamcast.sim.trajectories import NO_LEG, Leg

if TYPE_CHECKING:
    from roamcast.sim.simulation import Simulation

_new = tuple.__new__
"""Makes a position in half the time of its own ``__new__``, which is a Python function."""


class SimulatedHost:
    """The ``Host`` of a node in a simulation."""

    __slots__ = (
        "_clock", "_leg", "_located_at_s", "_on_due", "_position", "_random", "_simulation", "_wakes", "attributes",
        "node", "protocol",
    )  # fmt: skip

    def __init__(self, simulation: "Simulation", node: int) -> None:
        self.node = node
        self.attributes: Attributes = NO_ATTRIBUTES
        self.protocol: PubSub
        self._simulation = simulation
        self._clock = simulation.clock
        self._random: Random | None = None
        self._wakes: dict[Hashable, int] = {}
        self._on_due = self._wake_up  # made once, not at each wake
        self._leg = NO_LEG
        self._position: Position | None = None
        self._located_at_s = -inf

    @property
    def now(self) -> float:
        """Return the time in seconds."""
        return self._clock.now_s

    @property
    def random(self) -> Random:
        """Return the random stream of this node's protocol, made on first use."""
        if self._random is None:
            self._random = self._simulation.streams.python("protocol", self.node)
        return self._random

    @property
    def world(self) -> World:
        """Return the knowledge that all nodes share from the start."""
        return self._simulation.world

    def position(self) -> Position | None:
        """Return the node's position, or None if only contacts were recorded; computed once for each instant."""
        now_s = self._clock.now_s
        if now_s != self._located_at_s and self._simulation.has_positions:
            start_s, end_s, x_m, y_m, x_mps, y_mps = self._leg
            if end_s <= now_s:
                start_s, _, x_m, y_m, x_mps, y_mps = self._next_leg()
            passed_s = now_s - start_s if now_s > start_s else 0.0
            self._position = _new(Position, (x_m + x_mps * passed_s, y_m + y_mps * passed_s))
            self._located_at_s = now_s
        return self._position

    def speed(self) -> float | None:
        """Return the node's speed in m/s, or None if only contacts were recorded."""
        if not self._simulation.has_positions:
            return None
        now_s, leg = self._clock.now_s, self._leg
        if leg.end_s <= now_s:
            leg = self._next_leg()
        return (leg.x_mps * leg.x_mps + leg.y_mps * leg.y_mps) ** 0.5 if now_s >= leg.start_s else 0.0

    def _next_leg(self) -> Leg:
        """Return the leg that the node is on now. Kept until it ends: asking the medium takes longer than computing."""
        self._leg = self._simulation.medium.leg(self.node, self._clock.now_s)
        return self._leg

    def broadcast(self, message: Message, after_s: float = 0.0) -> None:
        """Queue one frame for every node in range, now or after a delay."""
        if after_s > 0.0:
            self._simulation.send_later(self.node, message, after_s)
        else:
            self._simulation.send(self.node, message)

    def unicast(self, message: Message, to: int) -> None:
        """Queue one acknowledged frame for one node; a node that does not exist is treated like one out of range."""
        self._simulation.send(self.node, message, to)

    def wake(self, at_s: float, token: Hashable) -> None:
        """Call ``on_wake(token)`` at a time; this replaces an earlier wake with the same token."""
        number = self._wakes.get(token)
        if number is None:
            self._wakes[token] = self._clock.schedule(at_s, self._on_due, token)
        else:
            self._clock.move(number, at_s)

    def cancel_wake(self, token: Hashable) -> None:
        """Cancel the wake with this token, if there is one."""
        number = self._wakes.pop(token, None)
        if number is not None:
            self._clock.cancel(number)

    def deliver(self, event: Event) -> None:
        """Hand an event to the application, here the recorder, if the event's policy admits the node's user."""
        if event.is_open_to(self.attributes):
            self._simulation.recorder.delivered(self.node, event, self._clock.now_s)
        else:
            self._simulation.recorder.dropped(self.node, "excluded-by-policy")

    def drop(self, message: Message, reason: str) -> None:
        """Count a message that the protocol ignores."""
        self._simulation.recorder.dropped(self.node, reason, message, self._clock.now_s)

    def _wake_up(self, token: Any) -> None:
        del self._wakes[token]
        self.protocol.on_wake(token)
