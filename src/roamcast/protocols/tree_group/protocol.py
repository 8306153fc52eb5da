"""Tree groups with Bloom filters (Li and others: An efficient event delivery scheme in mobile ad hoc communities).

Nodes form groups, each a tree of limited depth with a leader at its root. Every node knows from Bloom filters what each
branch below it wants, so that an event goes only where someone may want it; gateways connect adjacent groups.

The other files of this folder: ``tree_position`` (a node's position in its tree, filters and heartbeats),
``neighbour_tables``, ``joining`` (Algorithm 1 and repair), ``second_group`` (a gateway's), ``merging`` (two groups
become one), ``gateways`` (routes), ``event_forwarding`` (events within and between groups) and ``recent_events`` (what
new children have missed);
``messages`` explains why there is never a cycle.
docs/tree-group.md says what is the paper's and what is our choice.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event
from roamcast.core.host import FrameHandler, Host, PubSub, TreeStanding
from roamcast.core.messages import Message
from roamcast.protocols.shared.tree_epochs import EPOCH_MAX, EpochGuard
from roamcast.protocols.shared.tree_links import FAILURES_MAX, RETRY, SILENT_HEARTBEATS
from roamcast.protocols.tree_group.event_forwarding import FailedLink, Notifications
from roamcast.protocols.tree_group.joining import Joining
from roamcast.protocols.tree_group.merging import Merging
from roamcast.protocols.tree_group.messages import (
    LEADER,
    NEW,
    FilterUpdate,
    Heartbeat,
    JoinReply,
    JoinRequest,
    MergeReply,
    MergeRequest,
    Notification,
    is_sound_label,
)
from roamcast.protocols.tree_group.neighbour_tables import LISTED_MAX
from roamcast.protocols.tree_group.parameters import LEVELS_LIMIT, TreeGroupParameters
from roamcast.protocols.tree_group.second_group import SecondGroup
from roamcast.protocols.tree_group.tree_position import BEAT, TreePosition

Labelled = Heartbeat | JoinRequest | JoinReply | MergeRequest | MergeReply
LABELLED = (Heartbeat, JoinRequest, JoinReply, MergeRequest, MergeReply)
"""The messages with a label."""


class TreeGroup(PubSub):
    """One node's side of the protocol."""

    Parameters: ClassVar[type[Any]] = TreeGroupParameters
    summary = "groups as trees with Bloom filters, joined by gateways (Li and others: mobile ad hoc communities)"
    keeps_events: ClassVar[bool] = False
    """A node that was out of range when an event passed by gets it only if it comes back within ``replay_s``."""

    def __init__(self, host: Host, parameters: TreeGroupParameters) -> None:
        self._host = host
        self._parameters = parameters
        self._intervals_s = parameters.heartbeat_s_min, parameters.heartbeat_s
        self.tree_position = TreePosition(host, parameters)
        self._epochs = EpochGuard()
        self._joining = Joining(self.tree_position)
        self._second = SecondGroup(self.tree_position, self._joining)
        self._merging = Merging(self.tree_position, self._joining)
        self._events = Notifications(self.tree_position)
        self._actions: dict[type[Message], Callable[[Any, int], None]] = {
            Heartbeat: self._on_heartbeat,
            Notification: self._events.on_notification,
            FilterUpdate: self._on_filter,
            JoinRequest: self._joining.on_request,
            JoinReply: self._on_join_reply,
            MergeRequest: self._merging.on_request,
            MergeReply: self._merging.on_reply,
        }

    # --- calls from the application ------------------------------------------------------------------------

    def start(self) -> None:
        """Start listening; the first heartbeat follows at a random moment."""
        self.tree_position.alone_since_s = self._host.now
        self._host.wake(self._host.now + 0.5 * self._parameters.heartbeat_s * self._host.random.random(), BEAT)

    def subscribe(self, interest: Interest) -> None:
        """Add an interest."""
        if interest not in self._events.interests:
            self._events.set_interests((*self._events.interests, interest))

    def unsubscribe(self, interest: Interest) -> None:
        """Remove an interest."""
        if interest in self._events.interests:
            self._events.set_interests(tuple(each for each in self._events.interests if each != interest))

    def publish(self, event: Event) -> None:
        """Send a new event down matching branches and up the tree."""
        self._events.publish(event)

    # --- calls from the host -------------------------------------------------------------------------------

    def on_message(self, message: Message, sender: int) -> None:
        """Act on a neighbour's message."""
        action = self._actions.get(type(message))
        if action is None:
            self._host.drop(message, "unknown-kind")
        elif sender == self.tree_position.node:
            self._host.drop(message, "own-name")
        elif not isinstance(message, LABELLED) or self._has_sound_label(message, sender):
            action(message, sender)
            self._second.check()
            self._events.replay()
            self._events.cross_waiting()
            if self._events.waiting:
                self._events.send_waiting()

    def _has_sound_label(self, message: Labelled, sender: int) -> bool:
        """Tell whether a message has a plausible label; otherwise drop it."""
        known, now_s = max(self.tree_position.label[0], self.tree_position.epoch_heard), self._host.now
        is_heartbeat = isinstance(message, Heartbeat)
        if not is_sound_label(message.label):
            self._host.drop(message, "malformed")
        elif not self._epochs.is_plausible(message.label[0], known, sender, now_s, is_heartbeat):
            self._host.drop(message, "implausible-label")
        else:
            return True
        return False

    def now_s(self) -> float:
        """Return the time, the same on all nodes of a simulation."""
        return self._host.now

    def on_wake(self, token: Any) -> None:
        """Send a heartbeat and do what is due with it, retry frames, or send a filter."""
        if token == BEAT:
            self.tree_position.lose_silent()
            self._joining.tick()
            self._second.tick()
            self.tree_position.beat()
            self._merging.tick()
        elif token == RETRY:
            self._events.retry()
        self.tree_position.sync_filter()
        self._events.send_waiting()

    def on_unicast_failed(self, message: Message, to: int) -> None:
        """Consider a neighbour that does not answer lost, unless it was heard lately, and find other routes."""
        tree = self.tree_position
        row = tree.neighbours.get(to)
        group = row.heartbeat.label[1] if row is not None and row.heartbeat.label[1] != tree.group else None
        was_parent = to == tree.parent or (tree.was_parent(to) and group is None)
        has_crossed = to == tree.second_parent
        is_lost = self._is_lost(to)
        if is_lost:
            tree.lose(to)
        if isinstance(message, Notification):
            self._events.on_failure(message, to, is_lost, FailedLink(was_parent, group, has_crossed))
        elif isinstance(message, FilterUpdate):
            tree.filter_unknown()
        else:
            self._merging.on_failure(message)
        self._joining.on_failure(to)
        self._second.on_failure(to)

    def _is_lost(self, node: int) -> bool:
        row = self.tree_position.neighbours.get(node)
        if row is None:
            return True
        row.failures += 1
        if row.failures >= FAILURES_MAX:
            return True
        if row.distance_m is None:
            return row.silent(self._host.now) > SILENT_HEARTBEATS
        return self.tree_position.neighbours.is_weak(row, self._host.now - row.heard_at_s)

    def tree_standing(self) -> TreeStanding | None:
        """Return the node's group and parent, and those of a gateway's second group."""
        tree = self.tree_position
        there = tree.neighbours.get(tree.second_parent)
        second = () if there is None else ((there.heartbeat.label[1], tree.second_parent),)
        return TreeStanding(((tree.group, tree.parent), *second), tree.state == LEADER)

    def storage_bytes(self) -> int:
        """Return the memory that figure 5 compares, for others' subscriptions, and that of waiting events.

        Only a "non-leaf node maintains a filter including several Bloom filter bitmaps: one bitmap for local
        subscriptions and the rest others for subscriptions from children branches" (3.2). A node's exact subscriptions
        do not count, since the paper gives flooding, whose nodes have as many, a memory of zero (4.2). Recent events,
        the identifiers of seen ones and the rows of neighbours are left out: they are bounded, and would hide what the
        figure is about.
        """
        bitmap_bytes, children = self.tree_position.shape.size_bytes, len(self.tree_position.children)
        filters_bytes = bitmap_bytes + children * (bitmap_bytes + self._parameters.node_bytes) if children else 0
        return filters_bytes + self._events.waiting_bytes()

    # --- heartbeats and filters ----------------------------------------------------------------------------

    @classmethod
    def frame_handler(cls, kind: type[Message], nodes: Sequence[Any]) -> FrameHandler | None:
        """Check a heartbeat once for all receivers."""
        if kind is not Heartbeat or cls.on_message is not TreeGroup.on_message or not nodes:
            return None
        return HeartbeatReceivers(list(nodes)).hear

    def hear_sound_heartbeat(self, heartbeat: Heartbeat, sender: int, now_s: float) -> None:
        """Do what ``on_message`` does, for a heartbeat whose numbers have been checked."""
        tree = self.tree_position
        epoch, known = heartbeat.label[0], tree.label[0]
        if tree.epoch_heard > known:
            known = tree.epoch_heard
        if sender == tree.node:
            self._host.drop(heartbeat, "own-name")
        elif not self._epochs.is_plausible(epoch, known, sender, now_s, is_heartbeat=True):
            self._host.drop(heartbeat, "implausible-label")
        else:
            self._take_heartbeat(heartbeat, sender, now_s)
            if self._events.waiting:
                self._events.send_waiting()

    def _on_heartbeat(self, heartbeat: Heartbeat, sender: int) -> None:
        if self.is_sound_heartbeat(heartbeat):
            self._take_heartbeat(heartbeat, sender, self._host.now)
        else:
            self._host.drop(heartbeat, "malformed")

    def _take_heartbeat(self, heartbeat: Heartbeat, sender: int, now_s: float) -> None:
        tree = self.tree_position
        if not tree.neighbours.hear(sender, heartbeat, now_s, tree.position()):
            self._host.drop(heartbeat, "too-many-neighbours")
            return
        if heartbeat.label[0] > tree.epoch_heard:
            tree.epoch_heard = heartbeat.label[0]
        if sender == tree.parent:
            tree.follow(heartbeat)
        elif sender in tree.children:
            self._on_child(heartbeat, sender)
        elif tree.node in (heartbeat.parent, heartbeat.second_parent):
            self._joining.refuse(sender)
        elif sender == tree.second_parent:
            self._second.check()
        if not tree.has_group:
            self._joining.on_heard(sender)

    def _on_child(self, heartbeat: Heartbeat, sender: int) -> None:
        tree = self.tree_position
        child = tree.children.get(sender)
        if child is None:
            return
        if child.is_gateway and heartbeat.second_parent == tree.node:
            return
        if heartbeat.parent == tree.node:
            child.height, child.offspring = heartbeat.height, heartbeat.offspring
        elif self._merging.reverse_link(sender, heartbeat):
            return
        elif child.since_s < self._host.now - 0.5 * self._parameters.heartbeat_s:  # it may not have the reply yet
            tree.children.remove(sender)
            tree.filter_changed(is_urgent=False)

    def is_sound_heartbeat(self, heartbeat: Heartbeat) -> bool:
        """Tell whether a heartbeat's numbers are plausible; its label is checked as in other messages."""
        shortest_s, longest_s = self._intervals_s
        return (
            shortest_s <= heartbeat.interval_s <= longest_s
            and NEW <= heartbeat.state <= LEADER
            and 0 <= heartbeat.height <= LEVELS_LIMIT
            and 1 <= heartbeat.offspring < EPOCH_MAX
            and len(heartbeat.neighbours) <= LISTED_MAX
            and len(heartbeat.adjacent) <= self._parameters.groups_max
        )

    def _on_join_reply(self, reply: JoinReply, sender: int) -> None:
        """Hand a reply to the group that it is about; if it may be about either, that is this node's own."""
        is_about_second = self._second.expects(sender) and not self._joining.expects(sender)
        (self._second.on_reply if is_about_second else self._joining.on_reply)(reply, sender)

    def _on_filter(self, message: FilterUpdate, sender: int) -> None:
        child = self.tree_position.children.get(sender)
        if child is None:
            self._host.drop(message, "no-child")
            self._joining.refuse(sender)
        elif not self.tree_position.shape.is_filter(message.bits):
            self._host.drop(message, "malformed")
        else:
            self.tree_position.set_filter(sender, message.bits)


class HeartbeatReceivers:
    """All nodes, which have the same parameters, for a heartbeat at all its receivers."""

    def __init__(self, nodes: list[TreeGroup]) -> None:
        self._nodes = nodes

    def hear(self, heartbeat: Heartbeat, sender: int, receivers: list[int]) -> None:
        """Do what ``TreeGroup.on_message`` does, for one receiver after another."""
        nodes = self._nodes
        if is_sound_label(heartbeat.label) and nodes[0].is_sound_heartbeat(heartbeat):
            now_s = nodes[0].now_s()
            for node in receivers:
                nodes[node].hear_sound_heartbeat(heartbeat, sender, now_s)
        else:
            for node in receivers:
                nodes[node].on_message(heartbeat, sender)
