"""A node's position in the subscription tree: how it is found, kept, lost and found again.

In the manner of MAODV. The root sends a numbered hello now and then, which travels down the tree; in between, every
node sends its label once a heartbeat. A node whose parent is silent, or does not acknowledge, broadcasts a request;
members nearer to the root answer, and the best of them is activated. If nobody answers, the node becomes the root of
its subtree. Where two trees meet, the one with the lower label joins the other at the point where they met: the link to
the former parent stays and is reversed, so that both trees are kept as built. The same happens to a part of a tree that
is cut off, when one of its nodes hears another part that has newer hellos of the root.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from roamcast.core.host import Host
from roamcast.core.messages import Message
from roamcast.protocols.shared.tree_epochs import EPOCH_WINDOW, EpochGuard, next_epoch
from roamcast.protocols.shared.tree_links import HEARTBEATS_MAX, SILENT_HEARTBEATS, heartbeat_interval_s
from roamcast.protocols.subscription_tree.messages import (
    Acceptance,
    Activation,
    JoinReply,
    JoinRequest,
    Label,
    LabelledMessage,
    TreeHello,
)
from roamcast.protocols.subscription_tree.parameters import SubscriptionTreeParameters

BEAT, HELLO, ROOT, SEEK, CHOOSE, JOINING, MERGE = "beat", "hello", "root", "seek", "choose", "joining", "merge"
HELLO_JITTER_S = 0.01
"""The longest random delay of a hello that answers another one, in seconds."""
ROOT_HELLOS_MISSED = 10
"""A node that has missed this many of the root's hellos looks for another parent, whatever its own parent says."""


@dataclass(slots=True)
class Heard:
    """A node in range: its last label, and when it was heard."""

    label: Label
    at_s: float
    interval_s: float


@dataclass(slots=True)
class Link:
    """A neighbour in the tree: the parent, or a child."""

    since_s: float
    heard_at_s: float
    interval_s: float
    failures: int = 0
    """Frames that it has not acknowledged since it was last heard."""

    def silent(self, now_s: float) -> float:
        """Return for how many of its own heartbeats it has been silent."""
        return (now_s - self.heard_at_s) / self.interval_s


class TreePosition:
    """One node's position in the tree. Its user is told of every link that opens, reopens or closes.

    When a link closes, the user is also told whether it was the link to the parent.
    """

    def __init__(
        self,
        host: Host,
        parameters: SubscriptionTreeParameters,
        opened: Callable[[int], None],
        closed: Callable[[int, bool], None],
    ) -> None:
        self._host = host
        self._node = host.node
        self._parameters = parameters
        self._opened = opened
        self._closed = closed
        self.label = Label()
        self.parent: int | None = None
        self.is_root = False
        self.links: dict[int, Link] = {}
        self._heard: dict[int, Heard] = {}
        self._epochs = EpochGuard()
        self._epoch_believed = 0
        """The epoch of a neighbour that kept repeating one far ahead."""
        self._offers: dict[int, Label] = {}
        self._joining: int | None = None
        self._requests = 0
        self._due: set[str] = set()
        """The pending wakes that further calls must not postpone."""
        self._hello_at_s = -inf
        self._root_heard_at_s = -inf

    @property
    def is_attached(self) -> bool:
        """Tell whether the node is in a tree."""
        return self.is_root or self.parent is not None

    def start(self) -> None:
        """Listen for up to a heartbeat, then seek a parent."""
        now_s, random, heartbeat_s = self._host.now, self._host.random, self._parameters.heartbeat_s
        self._host.wake(now_s + random.random() * heartbeat_s, BEAT)
        self._wake_once(random.random() * heartbeat_s, SEEK)

    def on_wake(self, token: object) -> None:
        """Act on one of this class's wakes."""
        if isinstance(token, str):
            self._due.discard(token)
        if token == BEAT:
            self._beat()
        elif token == HELLO:
            self._send_hello()
        elif token == ROOT and self.is_root:
            self._send_root_hello()
        elif token == SEEK:
            self._seek()
        elif token == CHOOSE:
            self._try_next()
        elif token == JOINING:
            self.on_join_failed()
        elif token == MERGE:
            self._merge()

    def on_message(self, message: LabelledMessage, sender: int) -> None:
        """Act on another node's message about the tree."""
        if sender == self._node or not message.label.is_sound():
            self._host.drop(message, "malformed")
        elif not self._is_plausible(message, sender):
            self._host.drop(message, "implausible-label")
        elif isinstance(message, TreeHello):
            self._on_hello(message, sender)
        elif isinstance(message, JoinRequest):
            if self._can_take(sender, message.label):
                self._host.unicast(JoinReply(self._parameters.control_bytes, self.label), sender)
        elif isinstance(message, JoinReply):
            self._on_reply(message, sender)
        elif isinstance(message, Activation):
            self._on_activation(message, sender)
        elif isinstance(message, Acceptance):
            self._on_acceptance(message, sender)
        else:
            self._host.drop(message, "unknown-kind")

    def hear_sound_hello(self, hello: TreeHello, sender: int) -> None:
        """Do what ``on_message`` does, for a hello with a label that has been checked."""
        if sender == self._node:
            self._host.drop(hello, "malformed")
        elif not self._is_plausible(hello, sender):
            self._host.drop(hello, "implausible-label")
        else:
            self._on_hello(hello, sender)

    def _is_plausible(self, message: LabelledMessage, sender: int) -> bool:
        epoch, known = message.label.epoch, self.label.epoch
        if self._epoch_believed > known:
            known = self._epoch_believed
        is_hello = isinstance(message, TreeHello)
        if not self._epochs.is_plausible(epoch, known, sender, self._host.now, is_hello):
            return False
        if epoch > known + EPOCH_WINDOW:
            self._epoch_believed = epoch
        return True

    def tolerates_loss(self, neighbour: int) -> bool:
        """Count a lost frame to a neighbour in the tree, and tell whether the link is worth another one.

        It is if the neighbour was heard lately and this is one of the first losses since: a neighbour in range can fail
        to acknowledge when the air is busy. Otherwise the link is closed.
        """
        link = self.links.get(neighbour)
        if link is None:
            return False
        link.failures += 1
        if link.failures < self._parameters.losses_max and link.silent(self._host.now) <= SILENT_HEARTBEATS:
            return True
        self._close(neighbour)
        return False

    def on_join_failed(self, to: int | None = None) -> None:
        """Try the next node that has answered."""
        if self._joining is None or to not in (None, self._joining):
            return
        self._joining = None
        self._host.cancel_wake(JOINING)
        if not self.is_attached:
            self._try_next()

    def _wake_once(self, delay_s: float, token: str) -> None:
        if token not in self._due:
            self._due.add(token)
            self._host.wake(self._host.now + delay_s, token)

    # --- hellos ---------------------------------------------------------------------------------------------

    def _beat(self) -> None:
        """Forget silent nodes, and send a hello if one is due."""
        now_s, interval_s, missed = self._host.now, self._interval_s(), self._parameters.missed_heartbeats
        self._heard = {
            node: heard for node, heard in self._heard.items() if now_s - heard.at_s <= missed * heard.interval_s
        }
        for node in [node for node, link in self.links.items() if link.silent(now_s) > missed]:
            self._close(node)
        if (
            self.parent is not None
            and now_s - self._root_heard_at_s > ROOT_HELLOS_MISSED * self._parameters.root_hello_s
        ):
            self._close(self.parent)
        if now_s - self._hello_at_s >= interval_s / 2:
            self._send_hello()
        self._host.wake(now_s + (0.75 + 0.5 * self._host.random.random()) * interval_s, BEAT)

    def _interval_s(self) -> float:
        """Return the time between this node's hellos, in seconds."""
        parameters = self._parameters
        return heartbeat_interval_s(parameters.heartbeat_s, parameters.heartbeat_m, self._host.speed())

    def _root_interval_s(self) -> float:
        """Return the time between a root's numbered hellos, which replace heartbeats, in seconds."""
        return self._parameters.root_hello_s * self._interval_s() / self._parameters.heartbeat_s

    def _send_hello(self) -> None:
        self._hello_at_s = self._host.now
        self._host.broadcast(TreeHello(self._parameters.control_bytes, self.label, self.parent, self._interval_s()))

    def _send_hello_soon(self) -> None:
        self._wake_once(self._host.random.random() * HELLO_JITTER_S, HELLO)

    def _send_root_hello(self) -> None:
        label = self.label
        self._rise(Label(label.epoch, label.root, label.number + 1, 0))
        self._host.wake(self._host.now + self._root_interval_s(), ROOT)

    def _rise(self, label: Label) -> None:
        """Take a higher label, and pass on its news; a lower one is ignored, however it arrived."""
        if label.rank <= self.label.rank:
            return
        if (label.tree, label.number) > (self.label.tree, self.label.number):
            self._root_heard_at_s = self._host.now
        self.label = label
        self._send_hello_soon()

    def _on_hello(self, hello: TreeHello, sender: int) -> None:
        now_s, label, heartbeat_s = self._host.now, hello.label, self._parameters.heartbeat_s
        if not heartbeat_s / HEARTBEATS_MAX <= hello.interval_s <= heartbeat_s:
            self._host.drop(hello, "malformed")
            return
        heard = self._heard.get(sender)
        if heard is not None:
            heard.label, heard.at_s, heard.interval_s = label, now_s, hello.interval_s
        elif len(self._heard) < self._parameters.neighbours_max:
            self._heard[sender] = Heard(label, now_s, hello.interval_s)
        else:
            self._host.drop(hello, "too-many-neighbours")
            return
        link = self.links.get(sender)
        if link is not None:
            link.heard_at_s, link.interval_s, link.failures = now_s, hello.interval_s, 0
        if hello.parent == self._node:
            self._on_child(hello, sender)
        elif sender == self.parent:
            if label.rank <= self.label.rank:
                self._close(sender)  # it has restarted, or lies
            else:
                self._rise(label.below)
        elif link is not None:
            self._on_other_link(hello, sender, link)
        else:
            self._on_stranger(label, sender)

    def _on_child(self, hello: TreeHello, sender: int) -> None:
        """Check whether a node that takes this one for its parent is known as a child, and may be one."""
        if not self.label.can_adopt(hello.label):
            self._host.drop(hello, "not-nearer")
            if sender in self.links:
                self._close(sender)
        elif sender not in self.links and self.is_attached:
            self._accept(hello, sender)

    def _on_other_link(self, hello: TreeHello, sender: int, link: Link) -> None:
        """Follow a neighbour in the tree that is ahead; release one that has found another position."""
        label, is_settled = hello.label, self._host.now - link.since_s > self._parameters.heartbeat_s
        if label.is_ahead_of(self.label) or (not self.is_attached and label.can_adopt(self.label)):
            self._attach(sender, label)
        elif is_settled and self.is_attached and not self.label.is_ahead_of(label):
            self._close(sender)

    def _on_stranger(self, label: Label, sender: int) -> None:
        """Check whether a node in range offers a way into a tree, into a higher one, or a shortcut."""
        if label.epoch == 0:
            if not self.is_attached:
                self._wake_once(self._host.random.random() * self._parameters.heartbeat_s, SEEK)
        elif not self.is_attached:
            if self._joining is None and label.can_adopt(self.label):
                self._activate(sender)  # a hello counts as an answer
        elif label.is_ahead_of(self.label):
            self._wake_once((1 + self._host.random.random()) * self._parameters.merge_wait_s, MERGE)
        elif self._joining is None and self._is_shortcut(label):
            self._activate(sender)

    def _is_shortcut(self, label: Label) -> bool:
        nearer = label.level + 1 + self._parameters.shortcut_hops <= self.label.level
        return nearer and label.can_adopt(self.label) and label.tree == self.label.tree

    # --- joining --------------------------------------------------------------------------------------------

    def _seek(self) -> None:
        """Request a parent; after some requests without an answer, become a root if anyone is there."""
        if self.is_attached or self._joining is not None or CHOOSE in self._due:
            return
        if self._requests < self._requests_max:
            self._requests += 1
            self._offers.clear()
            self._host.broadcast(JoinRequest(self._parameters.control_bytes, self.label))
            self._wake_once(self._parameters.reply_wait_s, CHOOSE)
            return
        self._requests = 0
        if self.links or self._heard:
            self.is_root = True
            self._rise(Label(next_epoch(self.label.epoch), self._host.node, 1, 0))
            self._host.wake(self._host.now + self._root_interval_s(), ROOT)

    @property
    def _requests_max(self) -> int:
        """Return how often the node asks; one that has never been in a tree has no root whose next hello could help."""
        return self._parameters.requests_max if self.label.epoch else min(2, self._parameters.requests_max)

    def _try_next(self) -> None:
        """Activate the best of the nodes that have answered; if there is none left, request again."""
        if self.is_attached or self._joining is not None:
            return
        able = [node for node, label in self._offers.items() if label.can_adopt(self.label)]
        if able:
            best = max(able, key=lambda node: (self._offers[node].tree, -self._offers[node].level, -node))
            del self._offers[best]
            self._activate(best)
        else:  # twice as long each time: with the root's next hello more nodes will be able to answer
            wait_s = 2 ** (self._requests - 1) * self._parameters.request_wait_s
            self._wake_once((0.75 + 0.5 * self._host.random.random()) * wait_s, SEEK)

    def _activate(self, node: int) -> None:
        self._joining = node
        self._host.unicast(Activation(self._parameters.control_bytes, self.label), node)
        self._host.wake(self._host.now + 5 * self._parameters.reply_wait_s, JOINING)

    def _merge(self) -> None:
        """Join a tree that is ahead, if this part of the tree has not done so meanwhile."""
        if not self.is_attached or self._joining is not None:
            return
        met = [node for node, heard in self._heard.items() if heard.label.is_ahead_of(self.label)]
        if met:
            self._activate(max(met, key=lambda node: (*self._heard[node].label.rank, -node)))

    def _can_take(self, node: int, label: Label) -> bool:
        room = node in self.links or len(self.links) < self._parameters.links_max
        return room and self.is_attached and self.label.can_adopt(label)

    def _on_reply(self, reply: JoinReply, sender: int) -> None:
        if not self.is_attached and len(self._offers) < self._parameters.neighbours_max:
            self._offers[sender] = reply.label
        else:
            self._host.drop(reply, "unasked")

    def _on_activation(self, activation: Activation, sender: int) -> None:
        if self._can_take(sender, activation.label):
            self._accept(activation, sender)
        else:
            self._host.drop(activation, "not-nearer")

    def _accept(self, message: Message, sender: int) -> None:
        """Become a parent, or confirm it."""
        if sender not in self.links and len(self.links) >= self._parameters.links_max:
            self._host.drop(message, "too-many-links")
            return
        self._host.unicast(Acceptance(self._parameters.control_bytes, self.label), sender)
        self._open(sender)

    def _on_acceptance(self, acceptance: Acceptance, sender: int) -> None:
        if sender not in (self._joining, self.parent) or not acceptance.label.can_adopt(self.label):
            self._host.drop(acceptance, "unasked")
            return
        self._open(sender)
        self._attach(sender, acceptance.label)

    def _attach(self, parent: int, label: Label) -> None:
        """Take a parent, which is linked already. A former one that is behind stays linked, and will follow."""
        former, keeps_former = self.parent, label.is_ahead_of(self.label)
        self._joining, self._requests, self.is_root, self.parent = None, 0, False, parent
        self._offers.clear()
        self._host.cancel_wake(JOINING)
        self._host.cancel_wake(ROOT)
        self._rise(label.below)
        self._send_hello_soon()
        if former is not None and former != parent and not keeps_former:
            self._close(former)

    def _open(self, node: int) -> None:
        heard = self._heard.get(node)
        interval_s = self._parameters.heartbeat_s if heard is None else heard.interval_s
        self.links[node] = Link(self._host.now, self._host.now, interval_s)
        self._opened(node)

    def _close(self, node: int) -> None:
        """Close the link to a neighbour in the tree; if it was the parent, seek another."""
        del self.links[node]
        was_parent = node == self.parent
        if was_parent:
            self.parent = None
            self._requests = 0
            self._due.add(SEEK)
            self._host.wake(self._host.now + self._host.random.random() * HELLO_JITTER_S, SEEK)
        self._closed(node, was_parent)
