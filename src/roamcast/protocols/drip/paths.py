"""Forwarding of DRIP's addressed messages: up by the list of brokers, down by pointers that memberships leave.

Where routes diverge, the list of addresses is split. A neighbour that does not answer is forgotten and the next best
one is tried; a message without any route waits for the next announcements. A broken route down is reported to the
broker, which sends again when it hears of the node by a new route.
"""

from dataclasses import dataclass
from typing import TypeVar

from roamcast.core.host import Host
from roamcast.core.widths import EVENT_ID_BYTES, NODE_BYTES, NUMBER_BYTES, TIME_BYTES
from roamcast.protocols.drip.messages import Addressed, Membership, Notification, Undelivered, addressed_bytes
from roamcast.protocols.drip.parameters import DripParameters
from roamcast.protocols.drip.regions import BrokerList

A = TypeVar("A", bound=Addressed)
RETRY = "retry"
POINTER_BYTES = 2 * NODE_BYTES + NUMBER_BYTES + TIME_BYTES


@dataclass(slots=True)
class _Pointer:
    """The neighbour from which a node was last heard."""

    neighbour: int
    number: int
    heard_at_s: float


@dataclass(slots=True)
class _Waiting:
    """A message that has no route yet."""

    message: Addressed
    tries: int = 0


class Paths:
    """One node's part in forwarding all messages."""

    def __init__(self, host: Host, parameters: DripParameters, brokers: BrokerList) -> None:
        self._host = host
        self._parameters = parameters
        self._brokers = brokers
        self._pointers: dict[int, _Pointer] = {}
        self._heard_from_s = 0.0
        """No pointer was heard before this time."""
        self._waiting: list[_Waiting] = []

    # --- towards brokers -----------------------------------------------------------------------------------

    def send_up(self, message: Addressed, tries: int = 0) -> None:
        """Send a message to the neighbours nearest to its brokers; where there is none, it waits."""
        if len(message.to) == 1:  # mostly
            hop = self._brokers.next_hop(message.to[0])
            if hop is None:
                self._wait(message, tries)
            else:
                self._host.unicast(message, hop)
            return
        stuck = []
        by_hop: dict[int, list[int]] = {}
        for broker in message.to:
            hop = self._brokers.next_hop(broker)
            if hop is None:
                stuck.append(broker)
            else:
                by_hop.setdefault(hop, []).append(broker)
        for hop, brokers in by_hop.items():
            self._host.unicast(_addressed(message, brokers), hop)
        if stuck:
            self._wait(_addressed(message, stuck), tries)

    def _wait(self, message: Addressed, tries: int) -> None:
        if tries >= self._parameters.retries or len(self._waiting) >= self._parameters.waiting_max:
            self._host.drop(message, "no-way")
            return
        if not self._waiting:
            self._host.wake(self._host.now + self._parameters.retry_s, RETRY)
        self._waiting.append(_Waiting(message, tries + 1))

    def retry(self) -> None:
        """Retry the messages that had no route; drop those whose events have expired meanwhile."""
        queue, self._waiting = self._waiting, []
        for waiting in queue:
            if all(event.is_valid(self._host.now) for event in waiting.message.events):
                self.send_up(waiting.message, waiting.tries)
            else:
                self._host.drop(waiting.message, "expired")

    # --- towards nodes of a region -------------------------------------------------------------------------

    def remember_pointer(self, message: Membership, sender: int) -> None:
        """Remember the route back to a node."""
        before = self._pointers.get(message.node)
        if before is not None:
            if before.number <= message.number:
                before.neighbour, before.number, before.heard_at_s = sender, message.number, self._host.now
            return
        if len(self._pointers) >= self._parameters.pointers_max:
            del self._pointers[min(self._pointers, key=lambda each: self._pointers[each].heard_at_s)]
        self._pointers[message.node] = _Pointer(sender, message.number, self._host.now)

    def send_down(self, message: Notification) -> tuple[int, ...]:
        """Send an event to nodes along their pointers; return those without a route."""
        stuck = []
        by_hop: dict[int, list[int]] = {}
        for node in message.to:
            pointer = self._pointers.get(node)
            if pointer is None:
                stuck.append(node)
            else:
                by_hop.setdefault(pointer.neighbour, []).append(node)
        for hop, nodes in by_hop.items():
            self._host.unicast(_addressed(message, nodes), hop)
        return tuple(stuck)

    def report_undelivered(self, message: Notification, nodes: tuple[int, ...]) -> None:
        """Tell the broker which nodes an event could not be sent to."""
        payload_bytes = EVENT_ID_BYTES + len(nodes) * NODE_BYTES
        size_bytes = addressed_bytes(1, payload_bytes, self._parameters)
        to, hops = (message.broker,), self._parameters.hops_max
        self.send_up(Undelivered(size_bytes, to, hops, message.event.id, nodes))

    # --- failures and timeouts -----------------------------------------------------------------------------

    def lose(self, neighbour: int) -> None:
        """Forget a neighbour that does not answer, and all routes through it."""
        if not self._brokers.lose(neighbour):
            return
        lost = [node for node, pointer in self._pointers.items() if pointer.neighbour == neighbour]
        for node in lost:
            del self._pointers[node]

    def forget_silent(self) -> None:
        """Forget the routes to nodes that have not been heard for too long."""
        oldest_s = self._host.now - self._parameters.member_timeout_s
        if oldest_s > self._heard_from_s:
            self._pointers = {node: each for node, each in self._pointers.items() if each.heard_at_s >= oldest_s}
            self._heard_from_s = min((each.heard_at_s for each in self._pointers.values()), default=oldest_s)

    def size_bytes(self) -> int:
        """Return the size of the pointers and of the waiting messages, without the latter's headers."""
        headers_bytes = len(self._waiting) * self._parameters.header_bytes
        waiting_bytes = sum(each.message.size_bytes for each in self._waiting) - headers_bytes
        return len(self._pointers) * POINTER_BYTES + max(waiting_bytes, 0)  # senders may have stated wrong sizes


def _addressed(message: A, to: list[int]) -> A:
    """Return a message with fewer addresses, and smaller by their size."""
    fewer = len(message.to) - len(to)
    if fewer == 0:
        return message
    smaller_bytes = message.size_bytes - fewer * NODE_BYTES
    size_bytes = max(
        smaller_bytes, sum(event.size_bytes for event in message.events)
    )  # its sender may have stated a wrong size
    return message.onward(size_bytes, tuple(to), message.hops_left)
