"""A node's position in its tree: label, parent, children, filters and heartbeats (tree group paper, 3.1 to 3.4)."""

from collections.abc import Callable

from roamcast.core.host import Host, Position
from roamcast.protocols.shared.tree_epochs import next_epoch
from roamcast.protocols.shared.tree_links import heartbeat_interval_s
from roamcast.protocols.tree_group.gateways import Route, nearest_gateways, nearest_groups
from roamcast.protocols.tree_group.messages import (
    LEADER,
    LOST,
    MEMBER,
    NEW,
    NO_LABEL,
    SEARCHING,
    FilterUpdate,
    Heartbeat,
    Label,
    below,
    level_of,
)
from roamcast.protocols.tree_group.neighbour_tables import Child, Children, Neighbours
from roamcast.protocols.tree_group.parameters import TreeGroupParameters

BEAT, FILTER = "beat", "filter"
HEARTBEAT_BYTES = 32
"""The size of a heartbeat without header and lists, in bytes: beat, state, two parents, weight, position and four
numbers."""
ADJACENT_BYTES = 5
"""The size of an adjacent group without its identifier, in bytes."""
SOON_S = 0.02
"""An urgent heartbeat or filter is sent within this time, in seconds."""
PAUSE_S = 0.1
"""The shortest time between two heartbeats, in seconds."""


class TreePosition:
    """One node's position in its group, and what it knows of its surroundings."""

    def __init__(self, host: Host, parameters: TreeGroupParameters) -> None:
        self.host = host
        self.node = host.node
        self.parameters = parameters
        self.shape = parameters.shape
        self.position: Callable[[], Position | None] = host.position if parameters.positions else lambda: None
        """Returns the node's geographic position, if known and if the parameters allow its use."""
        self.children = Children(parameters.children_max)
        self.neighbours = Neighbours(parameters, self._is_linked)
        self.state = NEW
        self.label: Label = NO_LABEL
        self.parent: int | None = None
        self.second_parent: int | None = None
        """The parent in the second group, if this node is a gateway."""
        self.last_parent: int | None = None
        """The parent before the present one, or before there was none."""
        self.levels = 0
        self.members = 1
        self.alone_since_s = 0.0
        """When the node last became a node without group or parent."""
        self.own_bits = 0
        self.routes: dict[int, Route] = {}
        """The route to each adjacent group."""
        self.epoch_heard = 0
        self.frozen_until_s = 0.0
        """Until then a leader begins no new epoch, since its group is about to join another."""
        self._gained: dict[int, int] = {}
        """The bits that filters of children have gained, for which recent events are to be replayed."""
        self._sent_bits = 0
        self._sent_second_bits = 0
        self._beats = 0
        self._beaten_at_s = -1.0

    # --- state ---------------------------------------------------------------------------------------------

    @property
    def group(self) -> int:
        """Return the identifier of the group, which is its leader's."""
        return self.label[1]

    @property
    def level(self) -> int:
        """Return the node's distance from the leader."""
        return level_of(self.label)

    @property
    def has_group(self) -> bool:
        """Tell whether the node leads or has a parent."""
        return self.state == MEMBER or self.state == LEADER

    @property
    def second_bits(self) -> int:
        """Return the filter of this node in its second group: of its subtree, too, while that has no other parent."""
        return self.own_bits if self.has_group else self.merged_bits

    def _is_linked(self, node: int) -> bool:
        return node == self.parent or node == self.second_parent or node in self.children

    @property
    def merged_bits(self) -> int:
        """Return the filter of the node's subtree, including itself."""
        return self.own_bits | self.children.merged_bits()

    # --- changes of position ------------------------------------------------------------------------------

    def lead(self) -> None:
        """Begin a group of this node's own; its subtree comes along."""
        self.label = (next_epoch(self.epoch_heard, self.label[0]), self.node, 0)
        self._leave_parent()
        self.state = LEADER
        self.beat_soon()

    def may_adopt(self, label: Label) -> bool:
        """Tell whether a node with this label can be the parent: no descendant, and not too deep in the tree."""
        return label > self.label and level_of(label) < self.parameters.levels_limit

    def adopt(self, parent: int, label: Label, known_bits: int | None = None) -> None:
        """Take a parent with this label; ``known_bits`` is the filter that the parent has of this node."""
        self._leave_parent()
        self.state, self.parent = MEMBER, parent
        self._set_label(below(label))
        self.children.remove(parent)
        self._sent_bits = -1 if known_bits is None else known_bits
        self.sync_filter()
        self.beat_soon()  # to inform the former parent and the children

    def adopt_second(self, parent: int, known_bits: int) -> None:
        """Take a parent in a second group; ``known_bits`` is the filter that it has of this node."""
        self.second_parent, self._sent_second_bits = parent, known_bits
        self.find_routes()
        self.beat_soon()  # to report the way to that group

    def follow(self, heartbeat: Heartbeat) -> None:
        """Act on the parent's heartbeat: take the level below it, or leave it."""
        if heartbeat.state == SEARCHING:
            return
        if heartbeat.state not in (MEMBER, LEADER) or not self._can_stay_below(heartbeat.label):
            self.lose_parent()
            return
        self._set_label(below(heartbeat.label))
        self.levels, self.members = heartbeat.levels, heartbeat.members

    def follow_label(self, label: Label) -> None:
        """Take the level below a label that the parent sent outside a heartbeat."""
        self._set_label(below(label))

    def _can_stay_below(self, label: Label) -> bool:
        return label > self.label and level_of(label) < self.parameters.levels_limit

    def _set_label(self, label: Label) -> None:
        """Take a new label; it is never less than the one before, whatever a peer claims."""
        self.label = max(label, self.label)
        self.epoch_heard = max(self.epoch_heard, self.label[0])

    def lose_parent(self) -> None:
        """Continue without a parent; the children stay for the moment."""
        if self.state == MEMBER:
            self._leave_parent()
            self.state = SEARCHING
            self.alone_since_s = self.host.now

    def give_up(self) -> None:
        """Tell the children that no parent was found (3.4)."""
        if self.state == SEARCHING:
            self.state = LOST
            self.beat_soon()

    def was_parent(self, node: int) -> bool:
        """Tell whether frames to a node were meant for it as the former parent."""
        return node == self.last_parent and node != self.parent and node not in self.children

    def _leave_parent(self) -> None:
        if self.parent is not None:
            self.last_parent, self.parent = self.parent, None

    def lose(self, node: int) -> None:
        """Consider a neighbour lost, whatever it was."""
        self.neighbours.forget(node)
        if node == self.second_parent:
            self.second_parent = None
        if node == self.parent:
            self.lose_parent()
        if self.children.remove(node):
            self.filter_changed(is_urgent=False)
        self.find_routes()

    def lose_silent(self) -> None:
        """Consider the nodes lost that have not been heard for long."""
        self.neighbours.forget_silent(self.host.now)
        self.neighbours.age()
        if self.parent is not None and self.neighbours.get(self.parent) is None:
            self.lose_parent()
        if self.second_parent is not None and self.neighbours.get(self.second_parent) is None:
            self.second_parent = None
        before_s = self.host.now - 2 * self.parameters.heartbeat_s
        for node, child in list(self.children.items()):
            if child.since_s < before_s and self.neighbours.get(node) is None:
                self.children.remove(node)

    # --- filters (3.2) -------------------------------------------------------------------------------------

    def add_child(self, node: int, child: Child) -> None:
        """Add a child with its filter."""
        self.children[node] = child
        self._gained[node] = child.bits
        self.filter_changed(is_urgent=True)

    def set_filter(self, child: int, bits: int) -> None:
        """Replace the filter of a child; what it has gained asks for events that may have passed already."""
        row = self.children[child]
        gained, row.bits = bits & ~row.bits, bits
        if gained:
            self._gained[child] = self._gained.get(child, 0) | gained
        self.filter_changed(is_urgent=gained != 0)

    def take_gained(self) -> list[tuple[int, int]]:
        """Return, once, the bits that the filters of children have gained."""
        gained, self._gained = self._gained, {}
        return list(gained.items())

    def filter_changed(self, is_urgent: bool) -> None:
        """Report additions to the parents soon; removals can wait for a heartbeat."""
        is_news = self.state == MEMBER and self.merged_bits != self._sent_bits
        is_news_there = self.second_parent is not None and self.second_bits != self._sent_second_bits
        if is_urgent and (is_news or is_news_there):
            self.host.wake(self.host.now + SOON_S, FILTER)

    def sync_filter(self) -> None:
        """Send each parent the filter for its group if it has changed since it was last sent."""
        bits, second_bits = self.merged_bits, self.second_bits
        if self.parent is not None and bits != self._sent_bits:
            self._sent_bits = bits
            self._send_filter(bits, self.parent)
        if self.second_parent is not None and second_bits != self._sent_second_bits:
            self._sent_second_bits = second_bits
            self._send_filter(second_bits, self.second_parent)

    def _send_filter(self, bits: int, to: int) -> None:
        self.host.unicast(FilterUpdate(self.parameters.header_bytes + self.shape.size_bytes, bits), to)

    def filter_unknown(self) -> None:
        """Record that a parent may not have its filter."""
        self._sent_bits = self._sent_second_bits = -1

    # --- heartbeats (3.4) ----------------------------------------------------------------------------------

    def beat_soon(self) -> None:
        """Send a heartbeat ahead of time."""
        soon_s = self.host.now + SOON_S * self.host.random.random()
        self.host.wake(max(soon_s, self._beaten_at_s + PAUSE_S), BEAT)

    def beat(self) -> None:
        """Send a heartbeat, and schedule the next."""
        now_s = self.host.now
        if self.state == LEADER:
            if now_s >= self.frozen_until_s:
                self.label = (max(next_epoch(self.label[0]), self.epoch_heard), self.node, 0)
            self.levels, self.members = self.children.height(), self.children.offspring()
        self.find_routes()
        self._beats += 1
        self._beaten_at_s = now_s
        interval_s = heartbeat_interval_s(self.parameters.heartbeat_s, self.parameters.heartbeat_m, self.host.speed())
        self.host.broadcast(self._heartbeat(interval_s))
        self.host.wake(now_s + interval_s * (0.95 + 0.1 * self.host.random.random()), BEAT)

    def weight(self) -> float:
        """Return the node's fitness to lead."""
        return self.neighbours.weight(self.state == LEADER)

    def _heartbeat(self, interval_s: float) -> Heartbeat:
        listed = self.neighbours.listed()
        adjacent = tuple((group, hops, *about[2:]) for group, (hops, _, about) in self.routes.items())
        node_bytes = self.parameters.node_bytes
        lists_bytes = len(listed) * node_bytes + len(adjacent) * (node_bytes + ADJACENT_BYTES)
        return Heartbeat(
            size_bytes=self.parameters.header_bytes + HEARTBEAT_BYTES + lists_bytes,
            beat=self._beats,
            interval_s=interval_s,
            state=self.state,
            label=self.label,
            parent=self.parent,
            weight=0.0 if self.state == MEMBER else self.weight(),
            height=self.children.height(),
            offspring=self.children.offspring(),
            levels=self.levels,
            members=self.members,
            second_parent=self.second_parent,
            position=self.position(),
            neighbours=listed,
            adjacent=adjacent,
        )

    def find_routes(self) -> None:
        """Recompute the route to each adjacent group (3.3)."""
        known: dict[int, Route] = {}
        if self.has_group:
            second = self.second_parent
            known = nearest_gateways(self.neighbours, self.children, second, self.group, self.host.now)
        self.routes = nearest_groups(known, self.parameters.groups_max)
