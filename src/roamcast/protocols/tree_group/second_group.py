"""The second group of a gateway, in which it has a parent and a filter as in its own (tree group paper, 3.1 to 3.4).

"N_i may already belong to a group G_i; and this group G_i will try to connect to N_k's group G_k. In this case, N_i
will become a gateway node connecting its original group G_i with the new joining group G_k" (3.1). So a gateway joins
the other group as any node does, by Algorithm 1, and subscribes to both: "nodes only subscribe to their local tree(s)"
(4.2). Its parent there acknowledges what it sends, knows what it wants, sends it heartbeats and replays what it missed;
when it is lost, the gateway looks for another one, "neighbours in the same group are preferred" (3.4).

A node has at most one second group, and takes children in its own group only. So nothing hangs on a second position,
and there can be no cycle through it. Which nodes become gateways is our choice, since the paper does not say: a node
joins a group that it hears if it knows of fewer than ``gateways_near`` gateways to it among the neighbours of its own
group.
"""

from roamcast.protocols.tree_group.gateways import FRESH_HEARTBEATS, gateways_near
from roamcast.protocols.tree_group.joining import JOIN_BYTES, REPLY_S, Joining
from roamcast.protocols.tree_group.messages import ACCEPTED, NO_LABEL, REFUSED, JoinReply, JoinRequest, level_of
from roamcast.protocols.tree_group.neighbour_tables import Neighbour
from roamcast.protocols.tree_group.tree_position import TreePosition


class SecondGroup:
    """Joins a second group, keeps to it, and leaves it when it is none any more."""

    def __init__(self, tree: TreePosition, joining: Joining) -> None:
        self._tree = tree
        self._joining = joining
        self._requested: int | None = None
        self._requested_at_s = 0.0
        self._requested_bits = 0
        self._last_group: int | None = None
        self._refused_by: set[int] = set()
        """The nodes that have refused since the last heartbeat."""

    def expects(self, node: int) -> bool:
        """Tell whether a reply of a node is about the second group."""
        return node == self._requested or node == self._tree.second_parent

    # --- keeping to it -------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Do what is due at a heartbeat: leave, or look for a parent in a second group."""
        self.check()
        self._seek()
        self._refused_by.clear()

    def _seek(self) -> None:
        """Send a request to the best parent in another group, unless the present one will last."""
        tree, now_s = self._tree, self._tree.host.now
        if self._requested is not None and now_s >= self._requested_at_s + REPLY_S * tree.parameters.heartbeat_s:
            self._requested = None
        parent = tree.neighbours.get(tree.second_parent)
        is_lasting = parent is not None and not tree.neighbours.is_weak(parent)
        if tree.has_group and not is_lasting and self._requested is None and not self._joining.is_waiting:
            best = self._best(is_lasting=parent is not None)
            if best is not None:
                self._request(best)

    def check(self) -> None:
        """Leave a second group that is none: the parent there has no group, or is in this node's own."""
        tree = self._tree
        if tree.second_parent is None:
            return
        row = tree.neighbours.get(tree.second_parent)
        is_linked = tree.second_parent == tree.parent or tree.second_parent in tree.children
        if row is None or not row.has_group or row.heartbeat.label[1] == tree.group or is_linked:
            tree.second_parent = None
        else:
            self._last_group = row.heartbeat.label[1]

    # --- joining it ----------------------------------------------------------------------------------------

    def _best(self, is_lasting: bool) -> int | None:
        """Return the best parent in another group: a lasting link, the group of before, few gateways, a low level."""
        tree, found = self._tree, []
        near = gateways_near(tree.neighbours, tree.group)
        for node, row in tree.neighbours:
            group = row.heartbeat.label[1]
            if self._is_candidate(node, row) and near.get(group, 0) < tree.parameters.gateways_near:
                level, strength = level_of(row.heartbeat.label), tree.neighbours.strength(row)
                is_weak = tree.neighbours.is_weak(row)
                if not (is_lasting and is_weak):
                    found.append((is_weak, group != self._last_group, near.get(group, 0), level, -strength, node))
        return min(found)[-1] if found else None

    def _is_candidate(self, node: int, row: Neighbour) -> bool:
        tree, group = self._tree, row.heartbeat.label[1]
        if group == tree.group or not row.has_group or row.failures or node in self._refused_by:
            return False
        if row.silent(tree.host.now) >= FRESH_HEARTBEATS:
            return False
        is_linked = node in (tree.parent, tree.second_parent) or node in tree.children
        is_bridged = group in tree.routes and tree.routes[group][0] == 0 and tree.routes[group][1] != tree.second_parent
        return not is_linked and not is_bridged and level_of(row.heartbeat.label) < tree.parameters.levels_limit

    def _request(self, node: int) -> None:
        tree = self._tree
        self._requested, self._requested_at_s, self._requested_bits = node, tree.host.now, tree.second_bits
        size_bytes = tree.parameters.header_bytes + JOIN_BYTES + tree.shape.size_bytes
        tree.host.unicast(JoinRequest(size_bytes, tree.state, NO_LABEL, 0.0, 0, 1, self._requested_bits, True), node)

    def on_reply(self, reply: JoinReply, sender: int) -> None:
        """Take a parent in the second group, or learn that there is none."""
        tree = self._tree
        was_requested = sender == self._requested
        if was_requested:
            self._requested = None
        if reply.outcome == ACCEPTED and was_requested and reply.label[1] != tree.group:
            tree.adopt_second(sender, self._requested_bits)
            self.check()
        elif reply.outcome == REFUSED:
            if sender == tree.second_parent:
                tree.second_parent = None
            else:
                self._refused_by.add(sender)
        else:
            tree.host.drop(reply, "stale" if was_requested else "unasked")

    def on_failure(self, node: int) -> None:
        """Ask another node if one cannot be reached."""
        if node == self._requested:
            self._requested = None
        if self._tree.second_parent is None:
            self._seek()
