"""One tree over the whole network, along which subscriptions and publications go.

The second baseline of the tree group paper, which names two systems for it: L. Mottola, G. Cugola, G. P. Picco: *A
Self-Repairing Tree Topology Enabling Content-Based Routing in Mobile Ad Hoc Networks*, 2008, and S. Yoo, J. H. Son, M.
H. Kim, 2009. Of the first we know the shape: a tree that repairs itself in the manner of MAODV, a subscription that
goes along the whole tree unless another one covers it, a filter for each neighbour in the tree, and publications that
follow the filters. Everything finer is ours, and meant to be as good as its authors would have made it: frames along
the tree are acknowledged, a lost one is repeated, what a broken branch could not take goes along the new one.

The tree itself is in ``_subscription_tree_place``, the order of labels that keeps it without cycles in
``_subscription_tree_messages``, the filters are in ``_subscription_tree_filters``.

A local event follows the filters, too, for some times its number of hops: neighbours in the network can be far from
each other in a tree.
"""

from typing import Any, ClassVar

from roamcast.core.events import Event
from roamcast.core.host import Host, PubSub
from roamcast.core.interests import Interest
from roamcast.core.messages import Message
from roamcast.protocols.shared.event_tables import SeenEvents, is_sound
from roamcast.protocols.shared.tree_links import RETRY, Retries
from roamcast.protocols.subscription_tree.filters import Filters, Interests, Side, interest_bytes
from roamcast.protocols.subscription_tree.messages import (
    Activation,
    LabelledMessage,
    SubscriptionChange,
    SubscriptionList,
    TreeEvent,
)
from roamcast.protocols.subscription_tree.parameters import SubscriptionTreeParameters
from roamcast.protocols.subscription_tree.tree_position import TreePlace

TELL, TRIM = "tell", "trim"
TELL_WAIT_S = 0.01
"""What is asked for anew is told a moment later, so that what comes together is told together."""


class SubscriptionTree(PubSub):
    """One node's side of the protocol."""

    Parameters: ClassVar[type[Any]] = SubscriptionTreeParameters
    summary = "one self-repairing tree over all nodes; subscriptions go along it, publications follow them"
    keeps_events: ClassVar[bool] = False
    """Who is in another part of the network when an event is published never gets it."""

    def __init__(self, host: Host, parameters: SubscriptionTreeParameters) -> None:
        self._host = host
        self._parameters = parameters
        self._filters = Filters()
        self._seen = SeenEvents(parameters.identifiers_max)
        self._held: list[TreeEvent] = []
        """Events for the parent, while there is none."""
        self._lost = Side()
        """What the last parent asked for: what of new events is worth holding."""
        self._lost_parent: int | None = None
        self._retries: Retries[TreeEvent] = Retries(host, parameters.held_max)
        self._due: set[str] = set()
        self._place = TreePlace(host, parameters, self._on_opened, self._on_closed)

    @property
    def place(self) -> TreePlace:
        """Return the node's place in the tree, for whoever watches."""
        return self._place

    def start(self) -> None:
        """Begin to seek a place."""
        self._place.start()

    def subscribe(self, interest: Interest) -> None:
        """Deliver what the interest matches from now on, and let the tree know."""
        self._filters.own[interest] = None
        self._tell_soon()

    def unsubscribe(self, interest: Interest) -> None:
        """Deliver it no more, and let the tree know in a while."""
        self._filters.own.pop(interest, None)
        self._trim_later()

    def publish(self, event: Event) -> None:
        """Send a new event to all sides that ask for it."""
        self._hear(event)
        self._pass_on(event, None, 0)

    def on_message(self, message: Message, sender: int) -> None:
        """Deliver and pass on an event, note subscriptions, or see to the node's place in the tree."""
        if isinstance(message, TreeEvent):
            self._on_event(message, sender)
        elif isinstance(message, LabelledMessage):
            self._place.on_message(message, sender)
        elif isinstance(message, SubscriptionList | SubscriptionChange):
            self._on_subscriptions(message, sender)
        else:
            self._host.drop(message, "unknown-kind")

    def on_wake(self, token: Any) -> None:
        """Tell the neighbours in the tree what has changed, or see to the place."""
        if token in (TELL, TRIM):
            self._due.discard(token)
            for node in self._filters.sides:
                self._tell(node, trims=token == TRIM)
        elif token == RETRY:
            self._send_again()
        else:
            self._place.on_wake(token)

    def on_unicast_failed(self, message: Message, to: int) -> None:
        """Try once more, or take the link for broken; what was for a lost parent is kept for the next one."""
        if isinstance(message, Activation):
            self._place.on_join_failed(to)
        elif not isinstance(message, TreeEvent | SubscriptionList | SubscriptionChange):
            return
        elif self._place.bears(to):
            self._repeat(message, to)
        elif isinstance(message, TreeEvent):
            self._hold_or_drop(message, to)

    def storage_bytes(self) -> int:
        """Return the size of the subscriptions kept, one's own and those of each side, and of the events held.

        Identifiers of events heard are not in it: figure 5 of the tree group paper is about subscriptions.
        """
        return self._filters.size_bytes() + sum(message.event.size_bytes for message in self._held)

    # --- events ---------------------------------------------------------------------------------------------

    def _on_event(self, message: TreeEvent, sender: int) -> None:
        """Take an event from whoever has it: a neighbour in the tree, or one that takes this node for one."""
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
        if any(interest.matches(event) for interest in self._filters.own):
            self._host.deliver(event)

    def _pass_on(self, event: Event, sender: int | None, hops: int) -> None:
        if event.hops_max is not None and hops >= event.hops_max * self._parameters.local_stretch:
            return
        message = TreeEvent(event.size_bytes, event, hops + 1)
        for node in self._filters.sides_for(event, sender):
            self._host.unicast(message, node)
        if self._lost_parent is not None and self._lost.wants(event):
            self._hold(message)

    def _hold(self, message: TreeEvent) -> None:
        """Keep an event for the next parent, at the cost of the oldest one where too many are kept."""
        if len(self._held) >= self._parameters.held_max:
            self._host.drop(self._held.pop(0), "too-many-held")
        self._held.append(message)

    def _repeat(self, message: TreeEvent | SubscriptionList | SubscriptionChange, to: int) -> None:
        if not isinstance(message, TreeEvent):
            self._tell_all(to)
        elif not message.event.is_valid(self._host.now):
            self._host.drop(message, "expired")
        elif not self._retries.schedule(message, to):
            self._host.drop(message, "too-many-held")

    def _send_again(self) -> None:
        """Try once more what was not acknowledged, where the link is still there."""
        for message, to in self._retries.due():
            if to in self._place.links:
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
        """Tell a new neighbour in the tree, or one that has forgotten, everything."""
        self._filters.sides.setdefault(node, Side())
        self._tell_all(node)

    def _on_closed(self, node: int, was_parent: bool) -> None:
        """Forget what a lost neighbour asked for, and let the others know in a while."""
        side = self._filters.sides.pop(node)
        if was_parent:
            self._lost_parent, self._lost = node, side
        self._trim_later()

    def _on_subscriptions(self, message: SubscriptionList | SubscriptionChange, sender: int) -> None:
        side = self._filters.sides.get(sender)
        if side is None:
            self._host.drop(message, "not-a-neighbour")
            return
        if isinstance(message, SubscriptionList):
            side.asked.clear()
        added = message.interests if isinstance(message, SubscriptionList) else message.added
        removed = () if isinstance(message, SubscriptionList) else message.removed
        if not side.note(added, removed, self._parameters.interests_max):
            self._host.drop(message, "too-many-interests")
        if sender == self._place.parent:
            self._send_held(sender, side)
        self._tell_soon()
        self._trim_later()

    def _send_held(self, parent: int, side: Side) -> None:
        """Send a new parent what the last one did not get."""
        held, self._held, self._lost_parent, self._lost = self._held, [], None, Side()
        for message in held:
            if message.event.is_valid(self._host.now) and side.wants(message.event):
                self._host.unicast(message, parent)

    def _tell_soon(self) -> None:
        self._wake_once(TELL_WAIT_S, TELL)

    def _trim_later(self) -> None:
        self._wake_once(self._parameters.removal_wait_s, TRIM)

    def _wake_once(self, delay_s: float, token: str) -> None:
        """Ask for a wake that further changes do not put off."""
        if token not in self._due:
            self._due.add(token)
            self._host.wake(self._host.now + delay_s, token)

    def _tell(self, node: int, trims: bool) -> None:
        """Tell a neighbour what is new and, if it is time for it, what is no more."""
        side, wanted = self._filters.sides[node], self._filters.to_tell(node)
        told = side.told or {}
        added = tuple(interest for interest in wanted if interest not in told)
        kept = frozenset(wanted)
        removed = tuple(interest for interest in told if interest not in kept) if trims else ()
        side.told = dict.fromkeys(wanted) if trims else {**told, **dict.fromkeys(added)}
        for some_added, some_removed in self._parts(added, removed):
            size_bytes = self._size_bytes((*some_added, *some_removed))
            self._host.unicast(SubscriptionChange(size_bytes, some_added, some_removed), node)

    def _tell_all(self, node: int) -> None:
        """Tell a neighbour everything, and that there is nothing else."""
        wanted = self._filters.to_tell(node)
        self._filters.sides[node].told = dict.fromkeys(wanted)
        parts = self._parts(wanted, ()) or [((), ())]
        for at, (some, _) in enumerate(parts):
            size_bytes = self._size_bytes(some)
            first = SubscriptionList(size_bytes, some)
            self._host.unicast(first if at == 0 else SubscriptionChange(size_bytes, some, ()), node)

    def _size_bytes(self, interests: tuple[Interest, ...]) -> int:
        return self._parameters.header_bytes + sum(map(interest_bytes, interests))

    def _parts(
        self, added: tuple[Interest, ...], removed: tuple[Interest, ...]
    ) -> list[tuple[tuple[Interest, ...], tuple[Interest, ...]]]:
        """Split subscriptions so that each part fits into a message."""
        parts: list[tuple[Interests, Interests]] = []
        left_bytes = 0
        for interest, is_new in [*((each, True) for each in added), *((each, False) for each in removed)]:
            if not parts or interest_bytes(interest) > left_bytes:
                parts.append(({}, {}))
                left_bytes = self._parameters.message_bytes_max - self._parameters.header_bytes
            parts[-1][0 if is_new else 1][interest] = None
            left_bytes -= interest_bytes(interest)
        return [(tuple(some_added), tuple(some_removed)) for some_added, some_removed in parts]
