"""A subscription tree: one tree over the whole network, along which subscriptions and publications travel.

The second baseline of the tree group paper, which names two systems for it: L. Mottola, G. Cugola, G. P. Picco: *A
Self-Repairing Tree Topology Enabling Content-Based Routing in Mobile Ad Hoc Networks*, 2008, and S. Yoo, J. H. Son, M.
H. Kim, 2009. Of the first we know the outline: a tree that repairs itself in the manner of MAODV, a subscription that
travels along the whole tree unless another one covers it, a filter for each neighbour in the tree, and publications
that follow the filters. All details are ours, meant to be as good as its authors would have made them: frames along the
tree are acknowledged, a lost one is repeated, and what a broken branch could not take goes along the new one.

The tree itself is in ``tree_position``, the order of labels that keeps it free of cycles in ``messages``, and the
filters are in ``filters``.

A local event follows the filters too, for some multiple of its number of hops: neighbours in the network can be far
apart in the tree.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event
from roamcast.core.host import FrameHandler, Host, PubSub
from roamcast.core.messages import Message
from roamcast.protocols.shared.event_tables import SeenEvents, is_sound
from roamcast.protocols.shared.tree_links import RETRY, Retries
from roamcast.protocols.subscription_tree.filters import Filters, Side, first_equal, interest_bytes
from roamcast.protocols.subscription_tree.messages import (
    Activation,
    LabelledMessage,
    SubscriptionChange,
    SubscriptionList,
    TreeEvent,
    TreeHello,
)
from roamcast.protocols.subscription_tree.parameters import SubscriptionTreeParameters
from roamcast.protocols.subscription_tree.tree_position import TreePosition

SHARE, TRIM = "share", "trim"
SHARE_WAIT_S = 0.01
"""New interests are shared after this delay, in seconds, so that several go into one message."""


class SubscriptionTree(PubSub):
    """One node's side of the protocol."""

    Parameters: ClassVar[type[Any]] = SubscriptionTreeParameters
    summary = "one self-repairing tree over all nodes; subscriptions go along it, publications follow them"
    keeps_events: ClassVar[bool] = False
    """A node in another part of the network when an event is published never gets it."""

    def __init__(self, host: Host, parameters: SubscriptionTreeParameters) -> None:
        self._host = host
        self._parameters = parameters
        self._filters = Filters()
        self._seen = SeenEvents(parameters.identifiers_max)
        self._held: list[TreeEvent] = []
        """Events that wait for a parent."""
        self._lost_side = Side()
        """The last parent's filter, which decides which new events are worth holding."""
        self._lost_parent: int | None = None
        self._retries: Retries[TreeEvent] = Retries(host, parameters.held_max)
        self._due: set[str] = set()
        self._tree = TreePosition(host, parameters, self._on_opened, self._on_closed)

    @property
    def tree_position(self) -> TreePosition:
        """Return the node's position in the tree, for observers."""
        return self._tree

    def start(self) -> None:
        """Start looking for a position in the tree."""
        self._tree.start()

    def subscribe(self, interest: Interest) -> None:
        """Add an interest, and let the tree know."""
        self._filters.own.add(first_equal(interest))
        self._filters.note_change()
        self._share_soon()

    def unsubscribe(self, interest: Interest) -> None:
        """Remove an interest, and let the tree know in a while."""
        self._filters.own.discard(interest)
        self._filters.note_change()
        self._trim_later()

    def publish(self, event: Event) -> None:
        """Send a new event to all sides that want it."""
        self._hear(event)
        self._pass_on(event, None, 0)

    def on_message(self, message: Message, sender: int) -> None:
        """Deliver and forward an event, update filters, or maintain the node's position in the tree."""
        if isinstance(message, TreeEvent):
            self._on_event(message, sender)
        elif isinstance(message, LabelledMessage):
            self._tree.on_message(message, sender)
        elif isinstance(message, SubscriptionList | SubscriptionChange):
            self._on_subscriptions(message, sender)
        else:
            self._host.drop(message, "unknown-kind")

    def handler(self, kind: type[Message]) -> Callable[[Any, int], None]:
        """Return the method that ``on_message`` would call for messages of one type."""
        if issubclass(kind, TreeEvent):
            return self._on_event
        return self._tree.on_message if issubclass(kind, LabelledMessage) else self.on_message

    @classmethod
    def frame_handler(cls, kind: type[Message], nodes: Sequence[Any]) -> FrameHandler | None:
        """Check a hello once for all receivers."""
        if kind is not TreeHello or cls.handler is not SubscriptionTree.handler:
            return None
        trees = [node.tree_position for node in nodes]

        def hear(hello: TreeHello, sender: int, receivers: list[int]) -> None:
            is_sound = hello.label.is_sound()
            for node in receivers:
                if is_sound:
                    trees[node].hear_sound_hello(hello, sender)
                else:
                    trees[node].on_message(hello, sender)

        return hear

    def on_wake(self, token: Any) -> None:
        """Send the neighbours in the tree what has changed, resend frames, or maintain the tree."""
        if token in (SHARE, TRIM):
            self._due.discard(token)
            for node in self._filters.sides:
                self._share_changes(node, trims=token == TRIM)
        elif token == RETRY:
            self._retry()
        else:
            self._tree.on_wake(token)

    def on_unicast_failed(self, message: Message, to: int) -> None:
        """Retry, or consider the link broken; events for a lost parent are kept for the next one."""
        if isinstance(message, Activation):
            self._tree.on_join_failed(to)
        elif not isinstance(message, TreeEvent | SubscriptionList | SubscriptionChange):
            return
        elif self._tree.tolerates_loss(to):
            self._repeat(message, to)
        elif isinstance(message, TreeEvent):
            self._hold_or_drop(message, to)

    def storage_bytes(self) -> int:
        """Return the size of the subscriptions of each side, and of the held events.

        A node's own subscriptions do not count, since the tree group paper gives flooding, whose nodes have as many, a
        memory of zero (4.2). Identifiers of events heard are left out: its figure 5 is about subscriptions.
        """
        return self._filters.size_bytes() + sum(message.event.size_bytes for message in self._held)

    # --- events ---------------------------------------------------------------------------------------------

    def _on_event(self, message: TreeEvent, sender: int) -> None:
        """Accept an event from any sender: a neighbour in the tree, or a node that takes this one for a neighbour."""
        event = message.event
        if event.id in self._seen or event.id.publisher == self._host.node:
            return
        if not is_sound(event) or message.hops < 1:
            self._host.drop(message, "malformed")
        elif not event.is_valid(self._host.now):
            self._host.drop(message, "expired")
        else:
            self._hear(event)
            self._pass_on(event, sender, message.hops)

    def _hear(self, event: Event) -> None:
        self._seen.add(event, self._host.now)
        if self._filters.is_own(event):
            self._host.deliver(event)

    def _pass_on(self, event: Event, sender: int | None, hops: int) -> None:
        if event.hops_max is not None and hops >= event.hops_max * self._parameters.local_stretch:
            return
        message = TreeEvent(event.size_bytes, event, hops + 1)
        for node in self._filters.sides_for(event, sender):
            self._host.unicast(message, node)
        if self._lost_parent is not None and self._lost_side.wants(event):
            self._hold(message)

    def _hold(self, message: TreeEvent) -> None:
        """Keep an event for the next parent; if too many are held, drop the oldest."""
        if len(self._held) >= self._parameters.held_max:
            self._host.drop(self._held.pop(0), "too-many-held")
        self._held.append(message)

    def _repeat(self, message: TreeEvent | SubscriptionList | SubscriptionChange, to: int) -> None:
        if not isinstance(message, TreeEvent):
            self._share_all(to)
        elif not message.event.is_valid(self._host.now):
            self._host.drop(message, "expired")
        elif not self._retries.schedule(message, to):
            self._host.drop(message, "too-many-held")

    def _retry(self) -> None:
        """Resend unacknowledged frames whose link still exists."""
        for message, to in self._retries.due():
            if to in self._tree.links:
                self._host.unicast(message, to)
            else:
                self._hold_or_drop(message, to)

    def _hold_or_drop(self, message: TreeEvent, to: int) -> None:
        """Keep for the next parent what the last one did not get; what was for a lost child is lost."""
        if to == self._lost_parent:
            self._hold(message)
        else:
            self._host.drop(message, "no-link")

    # --- subscriptions --------------------------------------------------------------------------------------

    def _on_opened(self, node: int) -> None:
        """Send everything to a new neighbour in the tree, or to one that has forgotten it."""
        self._filters.sides.setdefault(node, Side())
        self._share_all(node)

    def _on_closed(self, node: int, was_parent: bool) -> None:
        """Forget a lost neighbour's interests, and let the others know in a while."""
        side = self._filters.sides.pop(node)
        self._filters.note_change()
        if was_parent:
            self._lost_parent, self._lost_side = node, side
        self._trim_later()

    def _on_subscriptions(self, message: SubscriptionList | SubscriptionChange, sender: int) -> None:
        side = self._filters.sides.get(sender)
        if side is None:
            self._host.drop(message, "not-a-neighbour")
            return
        before = set(side.interests)
        if isinstance(message, SubscriptionList):
            side.interests.clear()
        added = message.interests if isinstance(message, SubscriptionList) else message.added
        removed = () if isinstance(message, SubscriptionList) else message.removed
        if not side.update(added, removed, self._parameters.interests_max):
            self._host.drop(message, "too-many-interests")
        if side.interests != before:
            self._filters.note_change(sender)
        if sender == self._tree.parent:
            self._send_held(sender, side)
        self._share_soon()
        self._trim_later()

    def _send_held(self, parent: int, side: Side) -> None:
        """Send a new parent what the last one did not get."""
        held, self._held, self._lost_parent, self._lost_side = self._held, [], None, Side()
        for message in held:
            if message.event.is_valid(self._host.now) and side.wants(message.event):
                self._host.unicast(message, parent)

    def _share_soon(self) -> None:
        self._wake_once(SHARE_WAIT_S, SHARE)

    def _trim_later(self) -> None:
        self._wake_once(self._parameters.removal_wait_s, TRIM)

    def _wake_once(self, delay_s: float, token: str) -> None:
        """Schedule a wake that further changes do not postpone."""
        if token not in self._due:
            self._due.add(token)
            self._host.wake(self._host.now + delay_s, token)

    def _share_changes(self, node: int, trims: bool) -> None:
        """Send a neighbour the new interests and, if ``trims``, those that are gone."""
        side = self._filters.sides[node]
        if side.is_up_to_date and (side.is_trimmed or not trims):
            return
        wanted = self._filters.interests_for(node)
        if side.knows(wanted, trims):
            side.is_up_to_date = True
            return
        shared = side.shared or {}
        added = tuple(interest for interest in wanted if interest not in shared)
        kept = frozenset(wanted)
        removed = tuple(interest for interest in shared if interest not in kept) if trims else ()
        side.share(wanted, dict.fromkeys(wanted) if trims else {**shared, **dict.fromkeys(added)}, is_trimmed=trims)
        for size_bytes, added_part, removed_part in self._parts(added, removed):
            self._host.unicast(SubscriptionChange(size_bytes, added_part, removed_part), node)

    def _share_all(self, node: int) -> None:
        """Send a neighbour all interests, replacing whatever it knew."""
        wanted = self._filters.interests_for(node)
        self._filters.sides[node].share(wanted, dict.fromkeys(wanted), is_trimmed=True)
        parts = self._parts(wanted, ()) or [(self._parameters.header_bytes, (), ())]
        for index, (size_bytes, part, _) in enumerate(parts):
            first = SubscriptionList(size_bytes, part)
            self._host.unicast(first if index == 0 else SubscriptionChange(size_bytes, part, ()), node)

    def _parts(
        self, added: tuple[Interest, ...], removed: tuple[Interest, ...]
    ) -> list[tuple[int, tuple[Interest, ...], tuple[Interest, ...]]]:
        """Split subscriptions so that each part fits into a message; return the size of each part's message as well."""
        parts: list[tuple[list[Interest], list[Interest]]] = []
        sizes_bytes: list[int] = []
        header_bytes, message_bytes_max = self._parameters.header_bytes, self._parameters.message_bytes_max
        for some, is_new in ((added, True), (removed, False)):
            for interest in some:
                size_bytes = interest_bytes(interest)
                if not parts or sizes_bytes[-1] + size_bytes > message_bytes_max:
                    parts.append(([], []))
                    sizes_bytes.append(header_bytes)
                parts[-1][0 if is_new else 1].append(interest)
                sizes_bytes[-1] += size_bytes
        return [
            (size_bytes, tuple(some), tuple(others))
            for size_bytes, (some, others) in zip(sizes_bytes, parts, strict=True)
        ]
