"""How a node gets into a group, stays in it and gets back (tree group paper, Algorithm 1 and section 3.4).

A new node listens for a while; the more it weighs, the shorter. If it hears a group in which it would be at a preferred
level, it asks to join; otherwise it waits for a heavier neighbour to lead, and the heaviest one leads. A node that has
waited in vain asks its heaviest neighbour without a group (Algorithm 1, line 7), or joins a tree that is deeper than
preferred, or leads. A node that has lost its parent looks for another one, first in its group, then in any other, at
once and whenever it hears a candidate. After two heartbeats it tells its children, which then look for themselves, and
after two more it acts like a new node: what is left of its subtree comes along.

Line 5 of Algorithm 1 lets a node that is asked at the deepest level leave its group for the asker's. Here it does so
only if it has no group: between two groups the paper's next sentence makes the asker a gateway (``second_group``).
"""

from roamcast.protocols.tree_group.messages import (
    ACCEPTED,
    JOINED,
    LEADER,
    LOST,
    MEMBER,
    NEW,
    REFUSED,
    SEARCHING,
    JoinReply,
    JoinRequest,
    level_of,
)
from roamcast.protocols.tree_group.neighbour_tables import Child, Neighbour
from roamcast.protocols.tree_group.tree_position import TreePosition

JOIN_BYTES = 6
"""The size of a request or a reply without header and filter, in bytes."""
REPLY_S = 0.5
"""How long to wait for an answer, in heartbeats."""
BETTER_LEVELS = 2
"""A member changes its parent for another in the same group if it gains at least this many levels. Our choice."""
OWN_GROUP_WAIT = 0.5
"""How long a node that lost its parent waits for its own group before joining another, in heartbeats. Our choice."""
PATIENCE = 2.0
"""How long a node waits before each next resort, in heartbeats."""


class Joining:
    """Join requests and replies."""

    def __init__(self, tree: TreePosition) -> None:
        self._tree = tree
        self._requested: int | None = None
        self._requested_at_s = 0.0
        self._requested_bits = 0
        self._refused_by: set[int] = set()
        """The nodes that have refused since the last heartbeat; they are not asked again before the next."""

    @property
    def is_waiting(self) -> bool:
        """Tell whether an answer may still arrive."""
        waited_s = self._tree.host.now - self._requested_at_s
        return self._requested is not None and waited_s < REPLY_S * self._tree.parameters.heartbeat_s

    def expects(self, node: int) -> bool:
        """Tell whether a reply of a node may be about this node's own group."""
        return node == self._requested or node == self._tree.parent

    # --- candidates ----------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Do what is due at a heartbeat."""
        tree = self._tree
        if tree.state == MEMBER:
            self._improve()
        elif tree.state == LEADER:
            if tree.children.offspring() == 1:
                self._leave_solitude()
        elif not self._seek():
            self._resort()
        self._refused_by.clear()

    def on_heard(self, node: int) -> None:
        """Send a request to a neighbour at once if this node has no group and could join there."""
        tree = self._tree
        row = tree.neighbours.get(node)
        if tree.has_group or row is None or self.is_waiting or not self._has_listened():
            return
        if self._is_other_group(row) and self._should_wait_for_own_group():
            return
        if self._is_candidate(node, row) and level_of(row.heartbeat.label) < tree.parameters.levels_preferred:
            self.request(node)

    def _has_listened(self) -> bool:
        """Tell whether a new node has listened long enough."""
        tree = self._tree
        return tree.state != NEW or self._waited() >= 0.5

    def _waited(self) -> float:
        """Return how long the node has been without a parent, in heartbeats."""
        return (self._tree.host.now - self._tree.alone_since_s) / self._tree.parameters.heartbeat_s

    def _seek(self) -> bool:
        """Send a request to the best candidate, and tell whether there is one."""
        tree = self._tree
        if self.is_waiting or not self._has_listened():
            return True
        depth = tree.parameters.levels_preferred if tree.state == NEW else tree.parameters.levels_limit
        best = self._best(depth)
        row = tree.neighbours.get(best)
        if (
            best is not None
            and row is not None
            and not (self._is_other_group(row) and self._should_wait_for_own_group())
        ):
            self.request(best)
        return best is not None

    def _resort(self) -> None:
        """Do what is left for a node that knows no possible parent."""
        tree, waited = self._tree, self._waited()
        if tree.state == SEARCHING and waited >= PATIENCE:
            tree.give_up()
        if tree.state == SEARCHING or (tree.state == LOST and waited < 2 * PATIENCE):
            return
        mine = (tree.weight(), tree.node)
        others = [(row.heartbeat.weight, node) for node, row in tree.neighbours if not row.has_group]
        heavier = max((each for each in others if each > mine), default=None)
        waited -= 2 * PATIENCE if tree.state == LOST else 1.0 + (1.0 - min(1.0, mine[0]))
        if waited < 0:
            return
        if heavier is None:
            deep = self._best(tree.parameters.levels_limit)
            if deep is not None and not others:
                self.request(deep)
            else:
                tree.lead()
        elif waited >= PATIENCE:
            if waited < 2 * PATIENCE:
                self.request(heavier[1])
            else:
                tree.lead()

    def _leave_solitude(self) -> None:
        """Let a leader without members join a group as if it had none."""
        tree = self._tree
        if not self.is_waiting and tree.host.now >= tree.frozen_until_s:
            best = self._best(tree.parameters.levels_preferred)
            if best is None and self._waited() >= 2 * PATIENCE:
                best = self._best(tree.parameters.levels_limit)
            if best is not None:
                self.request(best)

    def _improve(self) -> None:
        """Send a request to a member that makes the tree shallower, or before a weak link breaks."""
        tree = self._tree
        parent = tree.neighbours.get(tree.parent)
        if self.is_waiting or parent is None:
            return
        preferred = tree.parameters.levels_preferred
        if tree.neighbours.is_weak(parent) or tree.level > preferred:
            best = self._best(preferred, is_lasting=True)
        elif tree.level > BETTER_LEVELS:
            best = self._best(tree.level - BETTER_LEVELS, is_lasting=True, is_same_group=True)
        else:
            return
        if best is not None:
            self.request(best)

    def _best(self, depth: int, is_lasting: bool = False, is_same_group: bool = False) -> int | None:
        """Return the best candidate whose child would be no deeper than ``depth``."""
        tree = self._tree
        found = [
            (*self._rank(row), node)
            for node, row in tree.neighbours
            if level_of(row.heartbeat.label) < depth
            and not (is_lasting and tree.neighbours.is_weak(row))
            and not (is_same_group and row.heartbeat.label[1] != tree.group)
            and self._is_candidate(node, row)
        ]
        return min(found)[-1] if found else None

    def _rank(self, row: Neighbour) -> tuple[bool, bool, bool, int, float]:
        """Return the sort key of a candidate.

        The same group (3.4), a preferred level, a lasting link, a low level, a strong signal.
        """
        neighbours, label = self._tree.neighbours, row.heartbeat.label
        is_deep = level_of(label) >= self._tree.parameters.levels_preferred
        return self._is_other_group(row), is_deep, neighbours.is_weak(row), level_of(label), -neighbours.strength(row)

    def _is_other_group(self, row: Neighbour) -> bool:
        """Tell whether a neighbour is in another group than the one that this node is in, or was."""
        return self._tree.state != NEW and row.heartbeat.label[1] != self._tree.group

    def _should_wait_for_own_group(self) -> bool:
        """Tell whether a node that has just lost its parent should wait, because members of its group are near.

        Their labels are not newer than its own yet, but will be with the leader's next heartbeat.
        """
        tree = self._tree
        if tree.state != SEARCHING or self._waited() >= OWN_GROUP_WAIT:
            return False
        return any(
            row.has_group and not row.failures and row.heartbeat.parent != tree.node and not self._is_other_group(row)
            for _, row in tree.neighbours
        )

    def _is_candidate(self, node: int, row: Neighbour) -> bool:
        tree, heard = self._tree, row.heartbeat
        if not row.has_group or row.failures or node in self._refused_by or heard.parent == tree.node:
            return False
        is_full = heard.label[1] != tree.group and heard.members >= tree.parameters.members_limit
        return not is_full and tree.may_adopt(heard.label)

    def request(self, node: int) -> None:
        """Send a join request (Algorithm 1)."""
        tree = self._tree
        self._requested, self._requested_at_s, self._requested_bits = node, tree.host.now, tree.merged_bits
        if tree.state == LEADER:  # otherwise its own new epoch would be greater than the answer's
            reply_at_s = tree.host.now + REPLY_S * tree.parameters.heartbeat_s
            tree.frozen_until_s = max(tree.frozen_until_s, reply_at_s)
        height, offspring = tree.children.height(), tree.children.offspring()
        weight = 0.0 if tree.state == MEMBER else tree.weight()
        size_bytes = tree.parameters.header_bytes + JOIN_BYTES + tree.shape.size_bytes
        request = JoinRequest(size_bytes, tree.state, tree.label, weight, height, offspring, self._requested_bits)
        tree.host.unicast(request, node)

    # --- Algorithm 1 ---------------------------------------------------------------------------------------

    def on_request(self, request: JoinRequest, sender: int) -> None:
        """Accept a child, become one, or begin a group with the sender."""
        tree = self._tree
        if not tree.shape.is_filter(request.bits) or request.height < 0:
            tree.host.drop(request, "malformed")
        elif request.as_gateway and not tree.has_group:
            self._reply(REFUSED, sender)
        elif tree.has_group:  # line 1
            self._answer_as_member(request, sender)
        elif request.state in (MEMBER, LEADER) and tree.may_adopt(request.label):  # line 4
            tree.adopt(sender, request.label, tree.merged_bits)
            self._reply(JOINED, sender)
        elif tree.state != SEARCHING and request.state not in (MEMBER, LEADER):  # line 7
            if (tree.weight(), tree.node) >= (request.weight, sender):
                tree.lead()
                self._answer_as_member(request, sender)
            else:
                self._reply(REFUSED, sender)
        else:
            self._reply(REFUSED, sender)

    def _answer_as_member(self, request: JoinRequest, sender: int) -> None:
        tree = self._tree
        fits = tree.level < tree.parameters.levels_limit and tree.children.has_room_for(sender)
        is_outside = request.label[0] < 0 or request.label[1] != tree.group
        if (
            is_outside and not request.as_gateway and sender != tree.last_parent
        ):  # links reversed in a merge were counted by the leaders
            fits = fits and tree.members + request.offspring <= tree.parameters.members_limit
        if fits and tree.label > request.label and sender != tree.parent:
            height, offspring = min(request.height, 255), max(1, min(request.offspring, 65_535))
            tree.add_child(sender, Child(request.bits, tree.host.now, height, offspring, request.as_gateway))
            self._reply(ACCEPTED, sender)
        else:
            self._reply(REFUSED, sender)

    def refuse(self, sender: int) -> None:
        """Tell a node that it is not a child of this one, whatever it assumes."""
        self._reply(REFUSED, sender)

    def _reply(self, outcome: int, to: int) -> None:
        tree = self._tree
        bits = tree.merged_bits if outcome == JOINED else 0
        size_bytes = tree.parameters.header_bytes + JOIN_BYTES + (tree.shape.size_bytes if bits else 0)
        tree.host.unicast(JoinReply(size_bytes, outcome, tree.state, tree.label, bits), to)

    def on_reply(self, reply: JoinReply, sender: int) -> None:
        """Act on the outcome of a request."""
        tree = self._tree
        was_requested = sender == self._requested and self.is_waiting
        if sender == self._requested:
            self._requested = None
        if reply.outcome == ACCEPTED and was_requested:
            if reply.state in (MEMBER, LEADER) and tree.may_adopt(reply.label):
                tree.adopt(sender, reply.label, self._requested_bits)
            else:
                tree.host.drop(reply, "stale")
        elif reply.outcome == JOINED and was_requested and tree.has_group and tree.shape.is_filter(reply.bits):
            if tree.children.has_room_for(sender) and sender != tree.parent:
                tree.add_child(sender, Child(reply.bits, tree.host.now))
        elif reply.outcome == REFUSED:
            if sender == tree.parent:  # it has lost this child for a moment, and may well take it back
                tree.lose_parent()
            else:
                self._refused_by.add(sender)
            if not tree.has_group:
                self._seek()
        else:
            tree.host.drop(reply, "unasked")

    def on_failure(self, node: int) -> None:
        """Send a request to another node if this one, which was asked, cannot be reached."""
        if node == self._requested:
            self._requested = None
        if not self._tree.has_group and not self.is_waiting:
            self._seek()
