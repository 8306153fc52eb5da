"""Where a node stands in its tree: label, parent, children, filters, heartbeats (tree group paper, 3.1 to 3.4)."""

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
HEARTBEAT_BYTES = 28
"""What a heartbeat has beside its header and its lists: beat, state, parent, weight, position and four numbers."""
ADJACENT_BYTES = 5
"""What an adjacent group takes beside its identifier."""
SOON_S = 0.02
"""A heartbeat or a filter that should not wait is sent within this time."""
PAUSE_S = 0.1
"""But no heartbeat follows another one sooner than this."""


class Place:
    """One node's place in its group, and what it knows of its surroundings."""

    def __init__(self, host: Host, parameters: TreeGroupParameters) -> None:
        self.host = host
        self.node = host.node
        self.parameters = parameters
        self.shape = parameters.shape
        self.children = Children(parameters.children_max)
        self.neighbours = Neighbours(parameters, lambda node: node == self.parent or node in self.children)
        self.state = NEW
        self.label: Label = NO_LABEL
        self.parent: int | None = None
        self.last_parent: int | None = None
        """Who was the parent before the present one, or before there was none."""
        self.levels = 0
        self.members = 1
        self.alone_since_s = 0.0
        """Since when the node has had no group or no parent."""
        self.own_bits = 0
        self.routes: dict[int, Route] = {}
        """How to get to each adjacent group."""
        self.epoch_heard = 0
        self.frozen_until_s = 0.0
        """Until when a leader begins no new epoch, since its group is about to join another."""
        self._sent_bits = 0
        self._beats = 0
        self._beaten_at_s = -1.0

    # --- what it is ----------------------------------------------------------------------------------------

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
    def merged_bits(self) -> int:
        """Return what the node and all below it ask for."""
        return self.own_bits | self.children.merged_bits()

    # --- changes of place ----------------------------------------------------------------------------------

    def lead(self) -> None:
        """Begin a group of one's own; what is below comes along."""
        self.label = (next_epoch(self.epoch_heard, self.label[0]), self.node, 0)
        self._leave_parent()
        self.state = LEADER
        self.beat_soon()

    def may_adopt(self, label: Label) -> bool:
        """Tell whether who has this label can be the parent: it is no descendant, and the tree not too deep."""
        return label > self.label and level_of(label) < self.parameters.levels_limit

    def adopt(self, parent: int, label: Label, known_bits: int | None = None) -> None:
        """Take a parent that has this label; ``known_bits`` is the filter that it has of this node."""
        self._leave_parent()
        self.state, self.parent = MEMBER, parent
        self._set_label(below(label))
        self.children.remove(parent)
        self._sent_bits = -1 if known_bits is None else known_bits
        self.sync_filter()
        self.beat_soon()  # so that the former parent and the children know

    def follow(self, heartbeat: Heartbeat) -> None:
        """Act on the parent's heartbeat: keep the level below it, or leave it."""
        if heartbeat.state == SEARCHING:
            return
        if heartbeat.state not in (MEMBER, LEADER) or not self._can_stay_below(heartbeat.label):
            self.lose_parent()
            return
        self._set_label(below(heartbeat.label))
        self.levels, self.members = heartbeat.levels, heartbeat.members

    def follow_label(self, label: Label) -> None:
        """Take the level below a label that the parent has told outside a heartbeat."""
        self._set_label(below(label))

    def _can_stay_below(self, label: Label) -> bool:
        return label > self.label and level_of(label) < self.parameters.levels_limit

    def _set_label(self, label: Label) -> None:
        """Take a new label; it is never less than the one before, whatever a peer says."""
        self.label = max(label, self.label)
        self.epoch_heard = max(self.epoch_heard, self.label[0])

    def lose_parent(self) -> None:
        """Be without a parent; the children stay for the moment."""
        if self.state == MEMBER:
            self._leave_parent()
            self.state = SEARCHING
            self.alone_since_s = self.host.now

    def give_up(self) -> None:
        """Tell the children that there is no parent to be found (3.4)."""
        if self.state == SEARCHING:
            self.state = LOST
            self.beat_soon()

    def step_down(self) -> None:
        """Lead no more: the group joins another."""
        if self.state == LEADER:
            self._leave_parent()
            self.state = SEARCHING
            self.alone_since_s = self.host.now

    def was_parent(self, node: int) -> bool:
        """Tell whether frames to a node were meant for the parent that it was."""
        return node == self.last_parent and node != self.parent and node not in self.children

    def _leave_parent(self) -> None:
        if self.parent is not None:
            self.last_parent, self.parent = self.parent, None

    def lose(self, node: int) -> None:
        """Take a neighbour for lost, whatever it was."""
        self.neighbours.forget(node)
        if node == self.parent:
            self.lose_parent()
        if self.children.remove(node):
            self.filter_changed(is_urgent=False)
        self.find_routes()

    def lose_silent(self) -> None:
        """Take those for lost that were not heard for long."""
        self.neighbours.forget_silent(self.host.now)
        self.neighbours.age()
        if self.parent is not None and self.neighbours.get(self.parent) is None:
            self.lose_parent()
        before_s = self.host.now - 2 * self.parameters.heartbeat_s
        for node, child in list(self.children):
            if child.since_s < before_s and self.neighbours.get(node) is None:
                self.children.remove(node)

    # --- filters (3.2) -------------------------------------------------------------------------------------

    def add_child(self, node: int, child: Child) -> None:
        """Take a child with its filter."""
        self.children.add(node, child)
        self.filter_changed(is_urgent=True)

    def filter_changed(self, is_urgent: bool) -> None:
        """Tell the parent soon of what is asked for now; what is asked for no more can wait for a heartbeat."""
        if is_urgent and self.state == MEMBER and self.merged_bits != self._sent_bits:
            self.host.wake(self.host.now + SOON_S, FILTER)

    def sync_filter(self) -> None:
        """Send the merged filter to the parent if it has changed since."""
        bits = self.merged_bits
        if self.parent is not None and bits != self._sent_bits:
            self._sent_bits = bits
            size_bytes = self.parameters.header_bytes + self.shape.size_bytes
            self.host.unicast(FilterUpdate(size_bytes, bits), self.parent)

    def filter_unknown(self) -> None:
        """Note that the parent may not have the filter."""
        self._sent_bits = -1

    # --- heartbeats (3.4) ----------------------------------------------------------------------------------

    def beat_soon(self) -> None:
        """Send a heartbeat without waiting for its time."""
        soon_s = self.host.now + SOON_S * self.host.random.random()
        self.host.wake(max(soon_s, self._beaten_at_s + PAUSE_S), BEAT)

    def beat(self) -> None:
        """Send a heartbeat, and be woken for the next."""
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

    def position(self) -> Position | None:
        """Return where the node is, if it may use that."""
        return self.host.position() if self.parameters.positions else None

    def weight(self) -> float:
        """Return how fit the node is to lead."""
        return self.neighbours.weight(self.state == LEADER)

    def _heartbeat(self, interval_s: float) -> Heartbeat:
        listed = self.neighbours.listed()
        adjacent = tuple((group, hops, *about[2:]) for group, (hops, _, about) in self.routes.items())
        each_bytes = self.parameters.node_bytes
        lists_bytes = len(listed) * each_bytes + len(adjacent) * (each_bytes + ADJACENT_BYTES)
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
            position=self.position(),
            neighbours=listed,
            adjacent=adjacent,
        )

    def find_routes(self) -> None:
        """Find anew how to get to each adjacent group (3.3)."""
        known: dict[int, Route] = {}
        if self.has_group:
            known = nearest_gateways(self.neighbours, self.children, self.group, self.host.now)
        self.routes = nearest_groups(known, self.parameters.groups_max)
