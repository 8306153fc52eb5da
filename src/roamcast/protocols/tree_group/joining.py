"""How a node gets into a group, stays in it and gets back (tree group paper, Algorithm 1 and section 3.4).

A new node listens for a while, the shorter the more it weighs. If it hears a group in which it would stand at a
preferred level, it asks to join, else it waits for a heavier neighbour to lead; the heaviest one leads. One that has
waited in vain asks its heaviest neighbour without a group (Algorithm 1, line 7), or joins a tree that is deeper than
preferred, or leads. Who has lost its parent looks for another one: in its group first, then in any other, at once and
whenever it hears a candidate. After two heartbeats it tells its children, who then look for themselves, and after two
more it is like a new one: what is left below it comes along.

Line 5 of Algorithm 1 lets a node that is asked at the deepest level leave its group for the asker's. Here it does so
only without a group: between two groups the paper's next sentence makes the asker a gateway, which it is by hearing.
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
from roamcast.protocols.tree_group.tree_position import Place

JOIN_BYTES = 6
"""What a request or a reply has beside its header and a filter."""
REPLY_S = 0.5
"""How long, in heartbeats, an answer is waited for."""
BETTER_LEVELS = 2
"""A member changes its parent for one in the same group by which it gains at least so many levels. Our choice."""
OWN_GROUP_WAIT = 0.5
"""How long, in heartbeats, who has lost its parent waits for the own group where another one could be had. Ours."""
PATIENCE = 2.0
"""In heartbeats: how long a node waits before each next resort."""


class Joining:
    """Requests and replies."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._asked: int | None = None
        self._asked_at_s = 0.0
        self._asked_bits = 0
        self._refused_by: set[int] = set()
        """Who has refused since the last heartbeat: they are not asked again before the next."""

    @property
    def is_waiting(self) -> bool:
        """Tell whether an answer may still come."""
        waited_s = self._place.host.now - self._asked_at_s
        return self._asked is not None and waited_s < REPLY_S * self._place.parameters.heartbeat_s

    # --- whom to ask ---------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Do what is due at a heartbeat."""
        place = self._place
        if place.state == MEMBER:
            self._improve()
        elif place.state == LEADER:
            if len(place.children) == 0:
                self._leave_solitude()
        elif not self._seek():
            self._resort()
        self._refused_by.clear()

    def heard(self, node: int) -> None:
        """Ask a neighbour at once if this node has no group and could join there."""
        place = self._place
        row = place.neighbours.get(node)
        if place.has_group or row is None or self.is_waiting or not self._has_listened():
            return
        if self._is_other(row) and self._awaits_own():
            return
        if self._is_candidate(node, row) and level_of(row.heartbeat.label) < place.parameters.levels_preferred:
            self.ask(node)

    def _has_listened(self) -> bool:
        """Tell whether a new node has heard enough; the more it weighs, the sooner."""
        place = self._place
        return place.state != NEW or self._waited() >= 0.5

    def _waited(self) -> float:
        """Return how long the node has been without a parent, in heartbeats."""
        return (self._place.host.now - self._place.alone_since_s) / self._place.parameters.heartbeat_s

    def _seek(self) -> bool:
        """Ask the best candidate, and tell whether there is one."""
        place = self._place
        if self.is_waiting or not self._has_listened():
            return True
        depth = place.parameters.levels_preferred if place.state == NEW else place.parameters.levels_limit
        best = self._best(depth)
        row = place.neighbours.get(best)
        if best is not None and row is not None and not (self._is_other(row) and self._awaits_own()):
            self.ask(best)
        return best is not None

    def _resort(self) -> None:
        """Do what is left for a node that hears of no parent."""
        place, waited = self._place, self._waited()
        if place.state == SEARCHING and waited >= PATIENCE:
            place.give_up()
        if place.state == SEARCHING or (place.state == LOST and waited < 2 * PATIENCE):
            return
        mine = (place.weight(), place.node)
        others = [(row.heartbeat.weight, node) for node, row in place.neighbours if not row.has_group]
        heavier = max((each for each in others if each > mine), default=None)
        waited -= 2 * PATIENCE if place.state == LOST else 1.0 + (1.0 - min(1.0, mine[0]))
        if waited < 0:
            return
        if heavier is None:
            deep = self._best(place.parameters.levels_limit)
            if deep is not None and not others:
                self.ask(deep)
            else:
                place.lead()
        elif waited >= PATIENCE:
            if waited < 2 * PATIENCE:
                self.ask(heavier[1])
            else:
                place.lead()

    def _leave_solitude(self) -> None:
        """Let a leader of nobody join a group as if it had none."""
        place = self._place
        if not self.is_waiting and place.host.now >= place.frozen_until_s:
            best = self._best(place.parameters.levels_preferred)
            if best is None and self._waited() >= 2 * PATIENCE:
                best = self._best(place.parameters.levels_limit)
            if best is not None:
                self.ask(best)

    def _improve(self) -> None:
        """Ask a member of the same group by which the tree becomes less deep, or before a weak link breaks."""
        place = self._place
        parent = place.neighbours.get(place.parent)
        if self.is_waiting or parent is None:
            return
        preferred = place.parameters.levels_preferred
        if place.neighbours.is_weak(parent) or place.level > preferred:
            best = self._best(preferred, is_lasting=True)
        elif place.level > BETTER_LEVELS:
            best = self._best(place.level - BETTER_LEVELS, is_lasting=True, is_same_group=True)
        else:
            return
        if best is not None:
            self.ask(best)

    def _best(self, depth: int, is_lasting: bool = False, is_same_group: bool = False) -> int | None:
        """Return the best candidate whose child would stand no deeper than ``depth``."""
        place = self._place
        found = [
            (*self._rank(row), node)
            for node, row in place.neighbours
            if level_of(row.heartbeat.label) < depth
            and not (is_lasting and place.neighbours.is_weak(row))
            and not (is_same_group and row.heartbeat.label[1] != place.group)
            and self._is_candidate(node, row)
        ]
        return min(found)[-1] if found else None

    def _rank(self, row: Neighbour) -> tuple[bool, bool, bool, int, float]:
        """Return what makes one candidate better than another.

        The same group (3.4), a preferred level, a lasting link, a low level, a strong signal.
        """
        neighbours, label = self._place.neighbours, row.heartbeat.label
        is_deep = level_of(label) >= self._place.parameters.levels_preferred
        return self._is_other(row), is_deep, neighbours.is_weak(row), level_of(label), -neighbours.strength(row)

    def _is_other(self, row: Neighbour) -> bool:
        """Tell whether a neighbour is of another group than the one that this node is in, or was."""
        return self._place.state != NEW and row.heartbeat.label[1] != self._place.group

    def _awaits_own(self) -> bool:
        """Tell whether a node that has just lost its parent should wait: members of its group are near.

        Their labels are not newer than its own yet, but will be with the leader's next heartbeat.
        """
        place = self._place
        if place.state != SEARCHING or self._waited() >= OWN_GROUP_WAIT:
            return False
        return any(
            row.has_group and not row.failures and row.heartbeat.parent != place.node and not self._is_other(row)
            for _, row in place.neighbours
        )

    def _is_candidate(self, node: int, row: Neighbour) -> bool:
        place, heard = self._place, row.heartbeat
        if not row.has_group or row.failures or node in self._refused_by or heard.parent == place.node:
            return False
        is_full = heard.label[1] != place.group and heard.members >= place.parameters.members_limit
        return not is_full and place.may_adopt(heard.label)

    def ask(self, node: int) -> None:
        """Send a request (Algorithm 1)."""
        place = self._place
        self._asked, self._asked_at_s, self._asked_bits = node, place.host.now, place.merged_bits
        if place.state == LEADER:  # or its own new epoch would be greater than the answer's
            reply_at_s = place.host.now + REPLY_S * place.parameters.heartbeat_s
            place.frozen_until_s = max(place.frozen_until_s, reply_at_s)
        height, offspring = place.children.height(), place.children.offspring()
        weight = 0.0 if place.state == MEMBER else place.weight()
        size_bytes = place.parameters.header_bytes + JOIN_BYTES + place.shape.size_bytes
        request = JoinRequest(size_bytes, place.state, place.label, weight, height, offspring, self._asked_bits)
        place.host.unicast(request, node)

    # --- Algorithm 1 ---------------------------------------------------------------------------------------

    def on_request(self, request: JoinRequest, sender: int) -> None:
        """Take a child, become one, or begin a group with the sender."""
        place = self._place
        if not place.shape.is_filter(request.bits) or request.height < 0:
            place.host.drop(request, "malformed")
        elif place.has_group:  # line 1
            self._answer_as_member(request, sender)
        elif request.state in (MEMBER, LEADER) and place.may_adopt(request.label):  # line 4
            place.adopt(sender, request.label, place.merged_bits)
            self._reply(JOINED, sender)
        elif place.state != SEARCHING and request.state not in (MEMBER, LEADER):  # line 7
            if (place.weight(), place.node) >= (request.weight, sender):
                place.lead()
                self._answer_as_member(request, sender)
            else:
                self._reply(REFUSED, sender)
        else:
            self._reply(REFUSED, sender)

    def _answer_as_member(self, request: JoinRequest, sender: int) -> None:
        place = self._place
        fits = place.level < place.parameters.levels_limit and place.children.has_room_for(sender)
        is_outside = request.label[0] < 0 or request.label[1] != place.group
        if is_outside and sender != place.last_parent:  # who turns round in a merging was counted by the leaders
            fits = fits and place.members + request.offspring <= place.parameters.members_limit
        if fits and place.label > request.label and sender != place.parent:
            height, offspring = min(request.height, 255), max(1, min(request.offspring, 65_535))
            place.add_child(sender, Child(request.bits, place.host.now, height, offspring))
            self._reply(ACCEPTED, sender)
        else:
            self._reply(REFUSED, sender)

    def refuse(self, sender: int) -> None:
        """Tell a node that it is no child of this one, whatever it thinks."""
        self._reply(REFUSED, sender)

    def _reply(self, outcome: int, to: int) -> None:
        place = self._place
        bits = place.merged_bits if outcome == JOINED else 0
        size_bytes = place.parameters.header_bytes + JOIN_BYTES + (place.shape.size_bytes if bits else 0)
        place.host.unicast(JoinReply(size_bytes, outcome, place.state, place.label, bits), to)

    def on_reply(self, reply: JoinReply, sender: int) -> None:
        """Act on the outcome."""
        place = self._place
        was_asked = sender == self._asked and self.is_waiting
        if sender == self._asked:
            self._asked = None
        if reply.outcome == ACCEPTED and was_asked:
            if reply.state in (MEMBER, LEADER) and place.may_adopt(reply.label):
                place.adopt(sender, reply.label, self._asked_bits)
            else:
                place.host.drop(reply, "stale")
        elif reply.outcome == JOINED and was_asked and place.has_group and place.shape.is_filter(reply.bits):
            if place.children.has_room_for(sender) and sender != place.parent:
                place.add_child(sender, Child(reply.bits, place.host.now))
        elif reply.outcome == REFUSED:
            self._refused_by.add(sender)
            if sender == place.parent:
                place.lose_parent()
            if not place.has_group:
                self._seek()
        else:
            place.host.drop(reply, "unasked")

    def failed(self, node: int) -> None:
        """Ask another one, if this one was asked and cannot be reached."""
        if node == self._asked:
            self._asked = None
        if not self._place.has_group and not self.is_waiting:
            self._seek()
