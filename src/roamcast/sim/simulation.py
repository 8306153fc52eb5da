"""A run: a setup and a seed go in, facts come out. The same input gives the same facts on any machine.

Movement begins at time 0. The measurement begins when the movement has warmed up, and the protocol ``settle_s`` before
that: a protocol needs a few of its own periods to know its neighbours, not the ten minutes that random waypoint needs
to forget its start.
"""

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from roamcast.core.attribute_ranges import check_event_ranges
from roamcast.core.events import Event, EventId
from roamcast.core.host import FrameHandler, Position, PubSub, World
from roamcast.core.messages import Message
from roamcast.sim.clock import Clock
from roamcast.sim.dcf.contact_records import within_contacts
from roamcast.sim.dcf.exchanges import FAILED
from roamcast.sim.dcf.medium import EVERYBODY, Medium
from roamcast.sim.dcf.records import MESSAGE_KINDS_MAX
from roamcast.sim.facts import Facts
from roamcast.sim.hops import within_hops
from roamcast.sim.mobility import move_nodes
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.recorder import Recorder
from roamcast.sim.setup import FrameSent, Setup
from roamcast.sim.simulated_host import SimulatedHost
from roamcast.sim.undelivered import SAMPLE_S, Witness
from roamcast.sim.workload import Publication, Subscription, make_workload

STORAGE_SAMPLE_S = 10.0
"""The interval at which the nodes' storage is sampled."""
PROGRESS_STEPS = 100
GARBAGE_THRESHOLD, GARBAGE_THRESHOLD_PER_NODE = 100_000, 100
"""How many new objects trigger a garbage collection. Messages and tables form no cycles, so rarely is enough; and what
every node makes at its start, and every fact at the end, stays, so that many nodes would only be scanned in vain."""
FORMER_NODES_MAX = 10_000
"""The nodes of former runs in this process, about 10 kB each, that may wait to be collected. Hosts and protocols refer
to each other, and since collections are rare during a run, Python itself would free them too late or never."""


Watch = Callable[[FrameSent], None]
ShowProgress = Callable[[float], None]


@dataclass(slots=True)
class _MessageType:
    """A type of message, as far as a run needs to know it for each of its frames."""

    number: int
    """That of its kind, in the medium's counts."""
    carries_events: bool
    """Whether its messages may carry events."""
    handle: FrameHandler | None = None
    """Hands a frame to the protocols of the nodes that received it; found out when the first one is received."""


_Sent = tuple[Message, int, int | None, _MessageType, tuple[Event, ...]]
"""A frame's message, its sender, the node it is for, or None for all in range, and the events in it."""


def simulate(
    setup: Setup,
    seed: int,
    watch: Watch | None = None,
    progress: ShowProgress | None = None,
    witness: Witness | None = None,
) -> Facts:
    """Simulate a setup and return the facts.

    ``watch`` is called for every transmission of a message, including repetitions; ``progress`` from time to time, with
    the share of the simulated time that has passed. A ``witness`` watches what is needed to explain what was not
    delivered, without changing it.
    """
    return Simulation(setup, seed, watch, progress, witness).run()


class Simulation:
    """One run, ready to go."""

    _former_nodes: ClassVar[int] = 0
    """The nodes of all runs in this process since their garbage was collected."""

    def __init__(
        self,
        setup: Setup,
        seed: int,
        watch: Watch | None = None,
        progress: ShowProgress | None = None,
        witness: Witness | None = None,
    ) -> None:
        self.streams = RandomStreams(seed)
        self._setup = setup
        self._starts_at_s = max(setup.warmup_s, setup.settle_s)
        self._ends_at_s = self._starts_at_s + setup.duration_s
        propagation = setup.radio.propagation()
        waypoints = tuple(Position(x_m, y_m) for x_m, y_m in setup.mobility.waypoints())
        limits = setup.workload.attribute_limits()
        self.world = World(setup.nodes, setup.area.width_m, setup.area.height_m, waypoints, propagation.range_m, limits)
        self._trajectories = move_nodes(setup.mobility, setup.nodes, setup.area, self._ends_at_s, self.streams)
        self._presence = self._trajectories.presence
        self._reach = setup.radio.reach(setup.nodes, self.streams)
        self._contacts = setup.radio.contacts(setup.nodes)
        self.has_positions = self._contacts is None
        self.medium = Medium(
            self._trajectories,
            setup.area,
            propagation,
            setup.mac.timing(propagation.bitrate_bps),
            self.streams,
            setup.processing_s_max,
            self._reach,
            self._contacts,
        )
        self.clock = Clock(self.medium, self._on_frame, self._on_refused)
        self.recorder = Recorder(setup.nodes, self._starts_at_s)
        self._kinds: dict[str, int] = {}
        self._types: dict[type[Message], _MessageType] = {}
        self._messages: dict[int, _Sent] = {}
        """By the number of the frame; numbers are reused."""
        self._published = [0] * setup.nodes
        self._watch = watch
        self._progress = progress
        self._witness = witness
        if watch is not None:
            self.medium.report_every_frame()
        self._hosts: list[SimulatedHost] = []
        for node in range(setup.nodes):  # node by node, so that a node's objects are close together in memory
            host = SimulatedHost(self, node)
            host.protocol = setup.protocol(host, setup.parameters)
            self._hosts.append(host)

    def run(self) -> Facts:
        """Run from the protocol's start to the end of the measurement."""
        if Simulation._former_nodes > FORMER_NODES_MAX:
            gc.collect()
            Simulation._former_nodes = 0
        Simulation._former_nodes += len(self._hosts)
        gc.freeze()  # all current objects live until the end, so collections need not scan them
        before = gc.get_threshold()
        gc.set_threshold(GARBAGE_THRESHOLD + GARBAGE_THRESHOLD_PER_NODE * self._setup.nodes, *before[1:])
        try:
            return self._run()
        finally:
            gc.set_threshold(*before)
            gc.unfreeze()

    def _run(self) -> Facts:
        setup = self._setup
        workload = make_workload(setup.workload, setup.nodes, setup.duration_s, self.streams)
        for node, attributes in workload.attributes.items():
            self._hosts[node].attributes = attributes
        self.recorder.attributes = workload.attributes
        self.clock.run(self._starts_at_s - setup.settle_s)
        self._show_progress()
        for host in self._hosts:
            host.protocol.start()
        for subscription in workload.subscriptions:
            if subscription.at_s == -inf:
                self._subscribe(subscription)
            else:
                self.clock.schedule(self._starts_at_s + subscription.at_s, self._subscribe, subscription)
        for publication in workload.publications:
            if self.world.attribute_limits:
                where = f"[workload] node {publication.node} at {publication.at_s:g} s"
                check_event_ranges(where, publication.attributes, self.world.attribute_limits)
            self.clock.schedule(self._starts_at_s + publication.at_s, self._publish, publication)
        self.clock.run(self._starts_at_s)
        self.medium.measure(self.clock.now_ns)
        self.recorder.begin()
        self._sample_storage()
        if self._witness is not None:
            self._sample_network()
        self.clock.run(self._ends_at_s)
        if self._witness is not None:
            self._witness.explain(self.recorder.undelivered())
        return self.recorder.facts(self.medium, list(self._kinds), setup.duration_s, setup.energy)

    def send(self, node: int, message: Message, to: int | None = None) -> None:
        """Queue a message's frame at a node, broadcast or unicast; a full queue or an absent node refuses it."""
        if self._presence is not None and not self._presence.has(node, self.clock.now_s):
            self._refuse(node, message, to, "absent")
            return
        # An unknown address is replaced by the sender's own: nobody answers.
        address = EVERYBODY if to is None else to if 0 <= to < len(self._hosts) else node
        kind = self._types.get(type(message)) or self._new_type(type(message))
        events = message.events if kind.carries_events else ()
        frame = self.medium.enqueue(node, message.size_bytes, kind.number, len(events), self.clock.now_ns, address)
        if frame is None:
            self._refuse(node, message, to, "queue-full")
        else:
            self._messages[frame] = message, node, to, kind, events

    def send_later(self, node: int, message: Message, after_s: float) -> None:
        """Queue a message's broadcast frame after a delay."""
        at_s = self.clock.now_s + after_s
        if self._presence is not None:  # whether the node is present is checked when it sends
            self.clock.schedule(at_s, lambda message: self.send(node, message), message)
            return
        kind = self._types.get(type(message)) or self._new_type(type(message))
        events = message.events if kind.carries_events else ()
        frame = self.medium.enqueue_later(node, message.size_bytes, kind.number, len(events), self.clock.due_ns(at_s))
        self._messages[frame] = message, node, None, kind, events

    def _on_refused(self, frame: int) -> None:
        """Count a frame that was to be queued later and found the queue full."""
        message, node, to, _, _ = self._messages[frame]
        self._refuse(node, message, to, "queue-full")

    def _refuse(self, node: int, message: Message, to: int | None, reason: str) -> None:
        self.recorder.dropped(node, reason)
        if to is not None:  # reported at the same time, but not in the middle of the protocol's own call
            self.clock.schedule(self.clock.now_s, self._tell_refused, (node, message, to))

    def _tell_refused(self, unicast: tuple[int, Message, int]) -> None:
        """Tell the sender of a unicast frame that the frame was refused."""
        node, message, to = unicast
        self._hosts[node].protocol.on_unicast_failed(message, to)

    def _new_type(self, kind: type[Message]) -> "_MessageType":
        number = self._kinds.setdefault(kind.kind, len(self._kinds))
        if number == MESSAGE_KINDS_MAX:
            raise ValueError(f"the protocol has more than {MESSAGE_KINDS_MAX} kinds of message")
        return self._types.setdefault(kind, _MessageType(number, kind.events is not Message.events))

    def _frame_handler(self, kind: type[Message]) -> FrameHandler:
        protocols = [host.protocol for host in self._hosts]
        return self._setup.protocol.frame_handler(kind, protocols) or _one_by_one(kind, protocols)

    def _on_frame(self, frame: int, count: int) -> None:
        """Hand a frame to the nodes that received it, or tell its sender that it was given up."""
        message, sender, to, kind, events = self._messages[frame]
        if count == FAILED:
            if to is not None:
                if self._witness is not None:
                    self._witness.given_up(events, to)
                self._hosts[sender].protocol.on_unicast_failed(message, to)
            return
        receivers = self.medium.receivers(count) if to is None or count == 0 else [to]
        if self._watch is not None:
            self._watch(FrameSent(self.clock.now_s - self._starts_at_s, sender, message, receivers))
        if events:
            self.recorder.received(events, receivers)
            if self._witness is not None:
                self._witness.received(events, receivers, self.clock.now_s)
        if kind.handle is None:
            kind.handle = self._frame_handler(type(message))
        kind.handle(message, sender, receivers)

    def _subscribe(self, subscription: Subscription) -> None:
        self.recorder.subscribed(subscription.node, subscription.interest, subscription.active, self.clock.now_s)
        protocol = self._hosts[subscription.node].protocol
        change = protocol.subscribe if subscription.active else protocol.unsubscribe
        change(subscription.interest)

    def _publish(self, publication: Publication) -> None:
        if self._presence is not None and not self._presence.has(publication.node, self.clock.now_s):
            self.recorder.dropped(publication.node, "publisher-absent")
            return
        number = self._published[publication.node]
        self._published[publication.node] += 1
        event = Event(
            id=EventId(publication.node, number),
            topic=publication.topic,
            published_at_s=self.clock.now_s,
            validity_s=publication.validity_s,
            size_bytes=publication.size_bytes,
            attributes=publication.attributes,
            policy=publication.policy,
            hops_max=publication.hops_max,
        )
        self.recorder.published(publication.node, event, self._meant_for(event))
        self._hosts[publication.node].protocol.publish(event)

    def _meant_for(self, event: Event) -> frozenset[int] | None:
        """Return the nodes that a local event is for, or of a global one the present nodes (None: all nodes)."""
        source, now_s = event.id.publisher, self.clock.now_s
        if event.hops_max is None:
            presence = self._presence
            nodes = range(self._setup.nodes)
            return None if presence is None else frozenset(node for node in nodes if presence.has(node, now_s))
        if self._contacts is not None:
            return within_contacts(self._contacts, source, event.hops_max, now_s)
        return within_hops(self._trajectories, self._reach.range_m, source, event.hops_max, now_s)

    def _sample_storage(self, _: object = None) -> None:
        protocols = [host.protocol for host in self._hosts]
        brokers = [node for node, protocol in enumerate(protocols) if protocol.is_broker()]
        self.recorder.stored([protocol.storage_bytes() for protocol in protocols], brokers)
        self.clock.schedule(self.clock.now_s + STORAGE_SAMPLE_S, self._sample_storage, None)

    def _sample_network(self, _: object = None) -> None:
        """Show the witness who is connected and where each node stands in its tree."""
        now_s, witness = self.clock.now_s, self._witness
        if witness is not None:
            positions_m = self._trajectories.positions(now_s)
            if self._presence is not None:
                present = [self._presence.has(node, now_s) for node in range(self._setup.nodes)]
                positions_m = np.where(np.array(present)[:, None], positions_m, np.nan)
            protocols = [host.protocol for host in self._hosts]
            witness.sample(now_s, positions_m, self._reach.range_m, protocols)
            self.clock.schedule(now_s + SAMPLE_S, self._sample_network, None)

    def _show_progress(self, _: object = None) -> None:
        """Report the run's progress, and again after each hundredth of it."""
        if self._progress is not None:
            length_s = self._setup.settle_s + self._setup.duration_s
            self._progress(1 - (self._ends_at_s - self.clock.now_s) / length_s)
            self.clock.schedule(self.clock.now_s + length_s / PROGRESS_STEPS, self._show_progress, None)


def _one_by_one(kind: type[Message], protocols: Sequence[PubSub]) -> FrameHandler:
    """Return a function that calls the protocol of each receiver by itself."""
    handlers = [protocol.handler(kind) for protocol in protocols]
    functions = {getattr(handler, "__func__", None) for handler in handlers}
    method = functions.pop()
    if method is None or functions:

        def handle(message: Message, sender: int, receivers: list[int]) -> None:
            for node in receivers:
                handlers[node](message, sender)

        return handle

    # All are one method of different objects: calling it itself leaves out an object to be fetched for each receiver.
    owners = [handler.__self__ for handler in handlers]  # type: ignore[attr-defined]

    def call_method(message: Message, sender: int, receivers: list[int]) -> None:
        for node in receivers:
            method(owners[node], message, sender)

    return call_method
