"""How two groups become one, by the decision of both leaders (tree group paper, 3.1).

Leaders know from heartbeats how many levels and members an adjacent group has, the level of their own gateway, and that
of the node which the gateway hears. That is enough to see which group may be worth asking: one with at least as many
levels, or one whose leader has asked itself. Of several gateways the heartbeats report the one nearest to the leader.

The request goes down to the gateway, across to the other group and up to its leader. On the way each node adds the
depth of its branches off the path, so that the requested leader knows how deep the tree becomes below either of the
two. It agrees if the tree is shallower below itself, or equally deep and it weighs no less, its bonus included;
otherwise it sends a request to the other leader itself. If it agrees, it begins a new epoch and sends a reply back the
same way. The gateway then takes the node in the other group for its parent, its former parent takes the gateway, and so
on up to the former leader. That leader has begun no epoch meanwhile, so the new label is greater than theirs; the
branches of this path come along.
"""

from dataclasses import replace

from roamcast.core.messages import Message
from roamcast.protocols.shared.tree_epochs import next_epoch
from roamcast.protocols.tree_group.gateways import Route
from roamcast.protocols.tree_group.joining import Joining
from roamcast.protocols.tree_group.messages import LEADER, MEMBER, Heartbeat, MergeReply, MergeRequest
from roamcast.protocols.tree_group.neighbour_tables import Child
from roamcast.protocols.tree_group.parameters import LEVELS_LIMIT
from roamcast.protocols.tree_group.tree_position import TreePosition

MERGE_BYTES = 14
"""The size of a request or reply without header and path, in bytes."""
PATIENCE = 3.0
"""How long a merge may take, in heartbeats."""


class Merging:
    """Requests and replies between leaders, and the reversal of the path."""

    def __init__(self, tree: TreePosition, joining: Joining) -> None:
        self._tree = tree
        self._joining = joining
        self._next_s = 0.0
        self._target: int | None = None
        self._until_s = 0.0
        self._last_target: int | None = None
        self._invited_by: int | None = None

    @property
    def _is_merging(self) -> bool:
        return self._target is not None and self._tree.host.now < self._until_s

    def tick(self) -> None:
        """Let a leader look for a group to join, now and then."""
        tree = self._tree
        if tree.state != LEADER or tree.host.now < self._next_s or self._is_merging:
            return
        jitter = 0.75 + 0.5 * tree.host.random.random()
        self._next_s = tree.host.now + tree.parameters.merge_interval_s * jitter
        possible = [(self._rank(group, route), group) for group, route in tree.routes.items() if self._may_join(route)]
        if tree.children.offspring() > 1 and possible:
            group = min(possible)[1]
            self._last_target, self._invited_by = group, None
            self._begin(group)
            weight = tree.neighbours.weight(is_leader=False)
            self._pass_down(MergeRequest(0, group, tree.label, weight, tree.levels, tree.members, 0, 0, 0, ()))
            tree.frozen_until_s = self._until_s

    def _rank(self, group: int, route: Route) -> tuple[bool, bool, int, int]:
        """Return the sort key of a group to ask: one that asked itself, a new one, a low contact, many members."""
        hops, _, (_, _, level, _, members) = route
        return group != self._invited_by, group == self._last_target, level + hops, -members

    def _may_join(self, route: Route) -> bool:
        """Tell whether the other leader could agree, as far as this one can know."""
        tree, (hops, _, (group, _, level, levels, members)) = self._tree, route
        depth = max(hops, tree.levels - hops)  # the least possible depth, whichever branch holds the gateway
        is_worth_it = levels >= tree.levels or group == self._invited_by
        return is_worth_it and self._fits(max(levels, level + 1 + depth), members, max(levels, tree.levels))

    def _fits(self, levels_after: int, members: int, levels: int) -> bool:
        """Tell whether a merged group is within the limits: the preferred ones if one of the two is saturated."""
        parameters = self._tree.parameters
        limit = parameters.levels_limit if levels < parameters.levels_preferred else parameters.levels_preferred
        return levels_after <= limit and members + self._tree.members <= parameters.members_limit

    def _begin(self, group: int) -> None:
        self._target = group
        self._until_s = self._tree.host.now + PATIENCE * self._tree.parameters.heartbeat_s

    # --- the request ---------------------------------------------------------------------------------------

    def on_request(self, request: MergeRequest, sender: int) -> None:
        """Pass a request on, down to the gateway and up to the other leader, which decides."""
        tree = self._tree
        if not self._is_sound_request(request):
            tree.host.drop(request, "malformed")
        elif tree.group == request.group and tree.state == MEMBER:
            self._pass(self._with_this_branch(request, sender), tree.parent)
        elif tree.group == request.group and tree.state == LEADER:
            self._decide(self._with_this_branch(request, sender))
        elif tree.group == request.label[1] and sender == tree.parent:
            self._begin(request.group)
            self._pass_down(request)
        else:
            tree.host.drop(request, "stale")

    def _is_sound_request(self, request: MergeRequest) -> bool:
        if self._tree.node in request.path or not 0 <= request.gateway_level < len(request.path):
            return False
        counts = request.levels, request.depth, request.depth_there
        return self._is_sound(request.path, request.label) and all(0 <= count <= 2 * LEVELS_LIMIT for count in counts)

    def _is_sound(self, path: tuple[int, ...], label: tuple[int, int, int]) -> bool:
        return 0 < len(path) <= 2 * self._tree.parameters.levels_limit + 2 and label[0] >= 0

    def _pass_down(self, request: MergeRequest) -> None:
        route = self._tree.routes.get(request.group)
        if route is None:
            self._target = None
            self._tree.host.drop(request, "no-gateway")
            return
        depth = self._tree.children.height(without=route[1])
        if request.path:
            depth = max(depth, request.depth + 1)
        self._pass(replace(request, depth=depth, gateway_level=len(request.path)), route[1])

    def _with_this_branch(self, request: MergeRequest, sender: int) -> MergeRequest:
        """Return a request that includes the depth of this node's other branches."""
        beyond = len(request.path) - 1 - request.gateway_level
        depth_there = max(request.depth_there, beyond + self._tree.children.height(without=sender))
        return replace(request, depth_there=depth_there)

    def _pass(self, request: MergeRequest, to: int | None) -> None:
        if to is not None:
            path = (*request.path, self._tree.node)
            self._tree.host.unicast(replace(request, size_bytes=self._size_bytes(path), path=path), to)

    def _size_bytes(self, path: tuple[int, ...]) -> int:
        return self._tree.parameters.header_bytes + MERGE_BYTES + len(path) * self._tree.parameters.node_bytes

    def _decide(self, request: MergeRequest) -> None:
        """Agree if the tree is better balanced below this node, and becomes neither too deep nor too large."""
        tree, gateway_at = self._tree, request.gateway_level
        levels_here = max(tree.children.height(), len(request.path) - gateway_at + request.depth)
        levels_there = max(request.levels, gateway_at + 1 + request.depth_there)
        stays = (levels_here, -tree.weight()) <= (levels_there, -request.weight)
        fits = self._fits(min(levels_here, levels_there), request.members, max(request.levels, tree.levels))
        is_busy = (
            self._is_merging and self._target != request.label[1]
        )  # two that ask each other would both wait forever
        if is_busy or not stays or not fits:
            tree.host.drop(request, "not-merged")
            self._invited_by = request.label[1] if fits and not stays else self._invited_by
        else:
            tree.label = (next_epoch(tree.label[0], tree.epoch_heard, request.label[0]), tree.node, 0)
            tree.epoch_heard = tree.label[0]
            self._target = None
            self._pass_back(request.path[gateway_at:])

    # --- the reply -----------------------------------------------------------------------------------------

    def _pass_back(self, path: tuple[int, ...]) -> None:
        """Send the reply to the last node on the path; the gateway, which is the first, becomes a child."""
        tree = self._tree
        to, left = path[-1], path[:-1]
        if not left:
            if not tree.children.has_room_for(to) or tree.level >= tree.parameters.levels_limit:
                return
            tree.children[to] = Child(0, tree.host.now)
        tree.host.unicast(MergeReply(self._size_bytes(left), tree.label, left), to)

    def on_reply(self, reply: MergeReply, sender: int) -> None:
        """Pass a reply on; the gateway takes its sender for its parent."""
        tree = self._tree
        if reply.label[0] < 0:
            tree.host.drop(reply, "malformed")
        elif reply.path:
            if sender == tree.parent and self._is_sound(reply.path, reply.label) and tree.may_adopt(reply.label):
                tree.follow_label(reply.label)
                self._pass_back(reply.path)
            else:
                tree.host.drop(reply, "stale")
        elif self._is_merging and reply.label[1] == self._target and tree.may_adopt(reply.label):
            tree.adopt(sender, reply.label)
        else:
            tree.host.drop(reply, "stale")

    def reverse_link(self, node: int, heartbeat: Heartbeat) -> bool:
        """Ask a child that has moved to the other group to be the parent; tell whether it has moved."""
        tree = self._tree
        if not self._is_merging or heartbeat.label[1] != self._target or tree.group == self._target:
            return False
        if heartbeat.state != MEMBER or not tree.may_adopt(heartbeat.label):
            return False
        if not self._joining.is_waiting:
            self._joining.request(node)
        return True

    def on_failure(self, message: Message) -> None:
        """Abandon a merge that cannot be completed."""
        if isinstance(message, MergeRequest):
            self._target = None
            self._tree.frozen_until_s = 0.0
