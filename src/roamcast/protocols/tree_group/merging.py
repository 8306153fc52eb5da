"""How two groups become one, by the decision of both leaders (tree group paper, 3.1).

Leaders know from heartbeats how many levels and members an adjacent group has, at which level its own gateway stands
and at which the node that the gateway hears. That is enough to see whom it may be worth to ask: a group with as many
levels, or one whose leader has asked itself. Of several gateways the heartbeats tell the nearest to the leader.

The request goes down to the gateway, over to the other group and up to its leader. On the way each node adds what it
knows of the branches that leave the path, so that the leader who is asked knows how deep the tree becomes below either
of the two. It agrees if the tree is less deep below itself, or as deep and it weighs no less, its bonus included; else
it asks the other one itself. It begins a new epoch and sends a reply back by the same way. The gateway then takes the
node in the other group for its parent, its former parent takes the gateway, and so on up to the former leader, who has
begun no epoch meanwhile, so that the new label is greater than theirs; what hangs on this path comes along.
"""

from dataclasses import replace

from roamcast.core.messages import Message
from roamcast.protocols.shared.tree_epochs import next_epoch
from roamcast.protocols.tree_group.gateways import Route
from roamcast.protocols.tree_group.joining import Joining
from roamcast.protocols.tree_group.messages import LEADER, MEMBER, Heartbeat, MergeReply, MergeRequest
from roamcast.protocols.tree_group.neighbour_tables import Child
from roamcast.protocols.tree_group.parameters import LEVELS_LIMIT
from roamcast.protocols.tree_group.tree_position import Place

MERGE_BYTES = 14
"""What a request or reply has beside its header and its path."""
PATIENCE = 3.0
"""How long, in heartbeats, a merging may take."""


class Merging:
    """Requests and replies between leaders, and the turning of the path."""

    def __init__(self, place: Place, joining: Joining) -> None:
        self._place = place
        self._joining = joining
        self._next_s = 0.0
        self._target: int | None = None
        self._until_s = 0.0
        self._asked_last: int | None = None
        self._invited_by: int | None = None

    @property
    def _is_merging(self) -> bool:
        return self._target is not None and self._place.host.now < self._until_s

    def tick(self) -> None:
        """Let a leader look for a group to join, now and then."""
        place = self._place
        if place.state != LEADER or place.host.now < self._next_s or self._is_merging:
            return
        jitter = 0.75 + 0.5 * place.host.random.random()
        self._next_s = place.host.now + place.parameters.merge_interval_s * jitter
        possible = [(self._rank(group, route), group) for group, route in place.routes.items() if self._may_join(route)]
        if len(place.children) and possible:
            group = min(possible)[1]
            self._asked_last, self._invited_by = group, None
            self._begin(group)
            weight = place.neighbours.weight(is_leader=False)
            self._pass_down(MergeRequest(0, group, place.label, weight, place.levels, place.members, 0, 0, 0, ()))
            place.frozen_until_s = self._until_s

    def _rank(self, group: int, route: Route) -> tuple[bool, bool, int, int]:
        """Return what makes a group worth asking: one that asked itself, a new one, a low contact, many members."""
        hops, _, (_, _, level, _, members) = route
        return group != self._invited_by, group == self._asked_last, level + hops, -members

    def _may_join(self, route: Route) -> bool:
        """Tell whether the other leader could agree, as far as can be known before it is asked."""
        place, (hops, _, (group, _, level, levels, members)) = self._place, route
        depth = max(hops, place.levels - hops)  # less it cannot be, whichever branch the gateway stands in
        is_worth_it = levels >= place.levels or group == self._invited_by
        return is_worth_it and self._fits(max(levels, level + 1 + depth), members, max(levels, place.levels))

    def _fits(self, levels_after: int, members: int, levels: int) -> bool:
        """Tell whether a merged group is within the limits: the preferred ones if one of the two is saturated."""
        chosen = self._place.parameters
        limit = chosen.levels_limit if levels < chosen.levels_preferred else chosen.levels_preferred
        return levels_after <= limit and members + self._place.members <= chosen.members_limit

    def _begin(self, group: int) -> None:
        self._target = group
        self._until_s = self._place.host.now + PATIENCE * self._place.parameters.heartbeat_s

    # --- the request ---------------------------------------------------------------------------------------

    def on_request(self, request: MergeRequest, sender: int) -> None:
        """Pass a request on, down to the gateway and up to the other leader, who decides."""
        place = self._place
        if not self._is_sound_request(request):
            place.host.drop(request, "malformed")
        elif place.group == request.group and place.state == MEMBER:
            self._pass(self._climbed(request, sender), place.parent)
        elif place.group == request.group and place.state == LEADER:
            self._decide(self._climbed(request, sender))
        elif place.group == request.label[1] and sender == place.parent:
            self._begin(request.group)
            self._pass_down(request)
        else:
            place.host.drop(request, "stale")

    def _is_sound_request(self, request: MergeRequest) -> bool:
        if self._place.node in request.path or not 0 <= request.gateway_level < len(request.path):
            return False
        counts = request.levels, request.depth, request.depth_there
        return self._is_sound(request.path, request.label) and all(0 <= count <= 2 * LEVELS_LIMIT for count in counts)

    def _is_sound(self, path: tuple[int, ...], label: tuple[int, int, int]) -> bool:
        return 0 < len(path) <= 2 * self._place.parameters.levels_limit + 2 and label[0] >= 0

    def _pass_down(self, request: MergeRequest) -> None:
        route = self._place.routes.get(request.group)
        if route is None:
            self._target = None
            self._place.host.drop(request, "no-gateway")
            return
        depth = self._place.children.height(without=route[1])
        if request.path:
            depth = max(depth, request.depth + 1)
        self._pass(replace(request, depth=depth, gateway_level=len(request.path)), route[1])

    def _climbed(self, request: MergeRequest, sender: int) -> MergeRequest:
        """Return a request with what this node's other branches add to the depth of the group that is asked."""
        beyond = len(request.path) - 1 - request.gateway_level
        depth_there = max(request.depth_there, beyond + self._place.children.height(without=sender))
        return replace(request, depth_there=depth_there)

    def _pass(self, request: MergeRequest, to: int | None) -> None:
        if to is not None:
            path = (*request.path, self._place.node)
            self._place.host.unicast(replace(request, size_bytes=self._size_bytes(path), path=path), to)

    def _size_bytes(self, path: tuple[int, ...]) -> int:
        return self._place.parameters.header_bytes + MERGE_BYTES + len(path) * self._place.parameters.node_bytes

    def _decide(self, request: MergeRequest) -> None:
        """Agree if the tree is the more balanced one below this node, and does not become too deep or too large."""
        place, gateway_at = self._place, request.gateway_level
        levels_here = max(place.children.height(), len(request.path) - gateway_at + request.depth)
        levels_there = max(request.levels, gateway_at + 1 + request.depth_there)
        stays = (levels_here, -place.weight()) <= (levels_there, -request.weight)
        fits = self._fits(min(levels_here, levels_there), request.members, max(request.levels, place.levels))
        if self._is_merging or not stays or not fits:
            place.host.drop(request, "not-merged")
            self._invited_by = request.label[1] if fits and not stays else self._invited_by
        else:
            place.label = (next_epoch(place.label[0], place.epoch_heard, request.label[0]), place.node, 0)
            place.epoch_heard = place.label[0]
            self._pass_back(request.path[gateway_at:])

    # --- the reply -----------------------------------------------------------------------------------------

    def _pass_back(self, path: tuple[int, ...]) -> None:
        """Send the reply to the last one on the path; the gateway, which is the first, becomes a child."""
        place = self._place
        to, left = path[-1], path[:-1]
        if not left:
            if not place.children.has_room_for(to) or place.level >= place.parameters.levels_limit:
                return
            place.children.add(to, Child(0, place.host.now))
        place.host.unicast(MergeReply(self._size_bytes(left), place.label, left), to)

    def on_reply(self, reply: MergeReply, sender: int) -> None:
        """Pass a reply on; the gateway takes its sender for its parent."""
        place = self._place
        if reply.label[0] < 0:
            place.host.drop(reply, "malformed")
        elif reply.path:
            if sender == place.parent and self._is_sound(reply.path, reply.label) and place.may_adopt(reply.label):
                place.follow_label(reply.label)
                self._pass_back(reply.path)
            else:
                place.host.drop(reply, "stale")
        elif self._is_merging and reply.label[1] == self._target and place.may_adopt(reply.label):
            place.adopt(sender, reply.label)
        else:
            place.host.drop(reply, "stale")

    def turn(self, node: int, heartbeat: Heartbeat) -> bool:
        """Ask a child that has gone over to the other group to be the parent, and tell whether that is so."""
        place = self._place
        if not self._is_merging or heartbeat.label[1] != self._target or place.group == self._target:
            return False
        if heartbeat.state != MEMBER or not place.may_adopt(heartbeat.label):
            return False
        if not self._joining.is_waiting:
            self._joining.ask(node)
        return True

    def failed(self, message: Message) -> None:
        """Forget a merging that cannot be brought to its end."""
        if isinstance(message, MergeRequest):
            self._target = None
            self._place.frozen_until_s = 0.0
