"""How events reach their subscribers within a group, and other groups (tree group paper, 3.2, 3.3 and 3.6).

A node that gets an event for the first time delivers it if one of its exact subscriptions matches, and sends it to each
child whose filter matches and, unless it came from the parent, to the parent. By the letter of section 3.2 it goes up
only if nothing matches below; then subscribers elsewhere in the group would never get it, so here it always does.

The leader sends it to the adjacent groups that do not have it yet, through the nearest gateway to each, together with
what goes down the same branch anyway. A gateway, which is a member of both groups, sends it to its parent in the other;
there it is an event from outside, which goes up and down like any other. What the other group sends to a gateway passes
into its own group in the same way. A local event crosses at most ``local_borders`` borders.

On a node without a parent an event waits for one. A frame that is not acknowledged is sent once more if the neighbour
was heard lately; otherwise the neighbour is lost, and the event waits for the next parent or takes another gateway.
"""

from collections import deque
from dataclasses import dataclass
from functools import lru_cache

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event
from roamcast.matching.bloom import BloomShape
from roamcast.matching.combinations import publication_texts, subscription_texts
from roamcast.protocols.shared.event_tables import SeenEvents, is_sound
from roamcast.protocols.shared.tree_links import Retries
from roamcast.protocols.tree_group.gateways import gateway_beside
from roamcast.protocols.tree_group.messages import LEADER, MEMBER, Notification
from roamcast.protocols.tree_group.recent_events import RecentEvents
from roamcast.protocols.tree_group.tree_position import TreePosition

NOTIFICATION_BYTES = 2
"""The size of an event's message without the header, the event and the lists of groups, in bytes."""


@lru_cache(maxsize=256)
def event_masks(event: Event, shape: BloomShape) -> tuple[int, ...]:
    """Return the bits of all texts by which an event is looked up; computed once for all nodes of a simulation."""
    return tuple(shape.mask(text) for text in publication_texts(event.topic, event.attributes))


def matches(bits: int, masks: tuple[int, ...]) -> bool:
    """Tell whether a filter may match an event."""
    for mask in masks:  # noqa: SIM110 - for each branch of each event, where any() takes twice as long
        if bits & mask == mask:
            return True
    return False


@dataclass(frozen=True, slots=True)
class FailedLink:
    """A link over which a frame was not acknowledged, as it was then."""

    was_parent: bool
    group: int | None
    """The group of the node there, if it is another one."""
    has_crossed: bool
    """Whether the event would have crossed a border on it."""


class Notifications:
    """The events on one node."""

    def __init__(self, tree: TreePosition) -> None:
        self._tree = tree
        self._host = tree.host
        self._interests: tuple[Interest, ...] = ()
        self._seen = SeenEvents(tree.parameters.identifiers_max)
        self._forwarded = SeenEvents(tree.parameters.identifiers_max)
        """Events seen before and passed to gateways since; each only once, so that nothing can circle."""
        self._stopped = SeenEvents(tree.parameters.identifiers_max)
        """Local events that the second group sent to this node, but that may not cross the border here."""
        self._retries: Retries[Notification] = Retries(tree.host, tree.parameters.pending_max)
        self._recent = RecentEvents(tree.parameters)
        self.waiting: deque[Notification] = deque()
        """Events that wait for a parent."""
        self._waiting_across: deque[tuple[Notification, int]] = deque()
        """Events that wait for a parent in the second group, and that group."""

    @property
    def interests(self) -> tuple[Interest, ...]:
        """Return the exact subscriptions."""
        return self._interests

    def set_interests(self, interests: tuple[Interest, ...]) -> None:
        """Replace the interests."""
        shape, bits = self._tree.shape, 0
        for text in {text for each in interests for text in subscription_texts(each)}:
            bits |= shape.mask(text)
        self._interests = interests
        self._tree.own_bits = bits
        self._tree.filter_changed(is_urgent=True)

    # --- publications --------------------------------------------------------------------------------------

    def publish(self, event: Event) -> None:
        """Send a new event of this node; raises if it has more attributes than can be combined."""
        publication_texts(event.topic, event.attributes, self._tree.parameters.attributes_max)
        self._hear(event)
        self._route(self._message(event, (), (), 0), None)

    def on_notification(self, message: Notification, sender: int) -> None:
        """Deliver an event and forward it, down, up and across."""
        event, tree = message.event, self._tree
        if not is_sound(event) or not self._is_sound(message):
            self._host.drop(message, "malformed")
        elif len(event.attributes) > tree.parameters.attributes_max:
            self._host.drop(message, "too-many-attributes")
        elif not event.is_valid(self._host.now):
            self._host.drop(message, "expired")
        elif event.hops_max is not None and message.borders > tree.parameters.local_borders:
            self._host.drop(message, "beyond-its-group")
        elif event.id not in self._seen and event.id.publisher != tree.node:
            if sender == tree.second_parent and not self._may_cross(message):
                self._deliver(event)
                self._stopped.add(event, self._host.now)
            else:
                self._hear(event)
                self._route(message, sender)
        else:
            self._recent.add_holder(event.id, sender)
            if message.towards and event.id not in self._forwarded:
                self._forwarded.add(event, self._host.now)
                self._send_towards(message, self._accepted(message.towards, sender))

    def _is_sound(self, message: Notification) -> bool:
        listed = max(len(message.towards), len(message.groups))
        return listed <= self._tree.parameters.groups_max and message.borders >= 0

    def _hear(self, event: Event) -> None:
        self._seen.add(event, self._host.now)
        self._deliver(event)

    def _deliver(self, event: Event) -> None:
        if event.id not in self._stopped and any(interest.matches(event) for interest in self._interests):
            self._host.deliver(event)

    def _route(self, message: Notification, sender: int | None) -> None:
        """Send a new event down matching branches, up to the parent and, from the leader, to adjacent groups."""
        tree = self._tree
        if sender is not None and sender == tree.second_parent:
            message = self._message(message.event, message.towards, message.groups, message.borders + 1)
        masks = event_masks(message.event, tree.shape)
        branches = [node for node, child in tree.children.items() if node != sender and matches(child.bits, masks)]
        if tree.state == LEADER:
            towards = self._new_groups(message)
            message = self._as_forwarded(message)
        else:
            towards = self._accepted(message.towards, sender)
        self._recent.add(message, self._host.now)
        self._recent.add_holder(message.event.id, sender)
        self._send_towards(message, towards, branches)
        if sender is None or sender != tree.parent:
            self._send_up(message)
        if not tree.has_group and (sender is None or sender != tree.second_parent):
            self._cross(message)

    def _may_cross(self, message: Notification) -> bool:
        """Tell whether an event may cross one more border."""
        return message.event.hops_max is None or message.borders < self._tree.parameters.local_borders

    def _cross(self, message: Notification) -> None:
        """Pass an event from this node's own group to its second, unless that has it."""
        to, row = self._tree.second_parent, self._tree.neighbours.get(self._tree.second_parent)
        if to is None or row is None or not self._may_cross(message):
            return
        if row.heartbeat.label[1] not in message.groups and not self._recent.is_held(message.event.id, to):
            self._send(message, (), message.borders + 1, to)

    def _wait_across(self, message: Notification, group: int) -> None:
        """Let an event take another gateway to a group, or wait for the next parent there."""
        tree = self._tree
        if gateway_beside(tree.neighbours, tree.group, group, self._host.now, tree.parent) is not None:
            self._send_towards(message, (group,))
            return
        if len(self._waiting_across) >= tree.parameters.pending_max:
            self._host.drop(self._waiting_across.popleft()[0], "too-many-pending")
        self._waiting_across.append((message, group))

    def cross_waiting(self) -> None:
        """Send the events that waited for a parent in the second group; none is left when that is another one."""
        row = self._tree.neighbours.get(self._tree.second_parent)
        if row is None or not self._waiting_across:
            return
        waiting, self._waiting_across = self._waiting_across, deque()
        for message, group in waiting:
            if not message.event.is_valid(self._host.now):
                self._host.drop(message, "expired")
            elif group == row.heartbeat.label[1]:
                self._cross(message)
            else:
                self._host.drop(message, "no-gateway")

    def _accepted(self, towards: tuple[int, ...], sender: int | None) -> tuple[int, ...]:
        """Return the groups to pass an event to: all if the parent asks, for others those next to this node."""
        if sender is None or sender == self._tree.parent:
            return towards
        routes = self._tree.routes
        return tuple(group for group in towards if group in routes and routes[group][0] == 0)

    def _new_groups(self, message: Notification) -> tuple[int, ...]:
        """Return the adjacent groups to pass an event to: those whose leaders have not passed it on."""
        if not self._may_cross(message):
            return ()
        return tuple(group for group in self._tree.routes if group not in message.groups)

    def _as_forwarded(self, message: Notification) -> Notification:
        """Return the message as a leader passes it on."""
        groups = (*message.groups, self._tree.node)[-self._tree.parameters.groups_max :]
        return self._message(message.event, (), groups, message.borders)

    def _send_up(self, message: Notification) -> None:
        tree = self._tree
        if tree.state == MEMBER and tree.parent is not None:
            self._send(message, (), message.borders, tree.parent)
        elif tree.state != LEADER:
            if len(self.waiting) >= tree.parameters.pending_max:
                self._host.drop(self.waiting.popleft(), "too-many-pending")
            self.waiting.append(message)

    def _send_towards(self, message: Notification, towards: tuple[int, ...], branches: list[int] | None = None) -> None:
        """Send an event to branches, and across or towards gateways to groups: one frame to each neighbour."""
        tree = self._tree
        below: dict[int, list[int]] = {node: [] for node in branches or ()}
        for group in towards:
            route = tree.routes.get(group)
            if route is None:
                beside = gateway_beside(tree.neighbours, tree.group, group, self._host.now, tree.parent)
                if beside is None:
                    self._host.drop(message, "no-gateway")
                else:
                    below.setdefault(beside, []).append(group)
            elif route[0] > 0:
                below.setdefault(route[1], []).append(group)
            elif self._recent.is_held(message.event.id, route[1]):
                continue
            elif route[1] == tree.second_parent:
                self._send(message, (), message.borders + 1, route[1])
            else:  # a child that is a gateway, and that counts the border itself
                below.setdefault(route[1], [])
        for node, groups in below.items():
            self._send(message, tuple(groups), message.borders, node)

    # --- frames --------------------------------------------------------------------------------------------

    def _message(self, event: Event, towards: tuple[int, ...], groups: tuple[int, ...], borders: int) -> Notification:
        parameters = self._tree.parameters
        lists_bytes = (len(towards) + len(groups)) * parameters.node_bytes
        size_bytes = parameters.header_bytes + NOTIFICATION_BYTES + event.size_bytes + lists_bytes
        return Notification(size_bytes, event, towards, groups, borders)

    def _send(self, message: Notification, towards: tuple[int, ...], borders: int, to: int) -> None:
        self._unicast(self._message(message.event, towards, message.groups, borders), to)

    def _unicast(self, message: Notification, to: int) -> None:
        self._recent.add_holder(message.event.id, to)
        self._host.unicast(message, to)

    def send_waiting(self) -> None:
        """Send the events that waited for a parent, or for this node to lead."""
        if not self.waiting or not self._tree.has_group:
            return
        waiting, self.waiting = self.waiting, deque()
        for message in waiting:
            if not message.event.is_valid(self._host.now):
                self._host.drop(message, "expired")
            elif self._tree.state == LEADER:
                self._send_towards(self._as_forwarded(message), self._new_groups(message))
            else:
                self._send_up(message)

    def on_failure(self, message: Notification, to: int, is_lost: bool, link: FailedLink) -> None:
        """Act on a frame that was not acknowledged."""
        event = message.event
        self._recent.remove_holder(event.id, to)
        if not event.is_valid(self._host.now) or not is_sound(event):
            self._host.drop(message, "expired")
        elif not is_lost and self._retries.schedule(message, to):
            return
        elif link.was_parent:
            self._send_up(message)
        elif link.has_crossed and link.group is not None and self._tree.second_parent is None:
            self._wait_across(self._message(event, (), message.groups, max(0, message.borders - 1)), link.group)
        elif link.group is not None:
            borders = max(0, message.borders - link.has_crossed)
            back = self._message(event, (), message.groups, borders)
            self._send_towards(back, (link.group,))
        elif message.towards:
            self._send_towards(message, message.towards)
        else:
            self._host.drop(message, "no-link")

    def retry(self) -> None:
        """Resend unacknowledged frames; those for a parent that is lost by now go to the next one."""
        for message, to in self._retries.due():
            if self._tree.was_parent(to) and not message.towards:
                self._send_up(message)
            else:
                self._unicast(message, to)

    def replay(self) -> None:
        """Send the children whose filters have grown the recent events that they ask for and may not have."""
        tree, now_s = self._tree, self._host.now
        for node, gained in tree.take_gained():
            for message in self._recent.missed_by(node, now_s) if node in tree.children else ():
                if matches(gained, event_masks(message.event, tree.shape)):
                    old = self._message(message.event, (), message.groups, message.borders)
                    if not self._recent.may_send(old.size_bytes, now_s):
                        return
                    self._unicast(old, node)

    def waiting_bytes(self) -> int:
        """Return the size of the waiting events."""
        waiting = (*self.waiting, *(message for message, _ in self._waiting_across))
        return sum(message.event.size_bytes for message in waiting)
