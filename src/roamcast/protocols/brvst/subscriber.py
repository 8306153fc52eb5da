"""The ordinary node of BRVST: it tells its grid manager what it asks for and where it is, and gets publications.

Subscriptions are said on demand (section IV-B1): when one is made or given up, when the node comes to another grid or
the grid gets another manager, and when it has moved so far that it would not be found. All is said again every
``refresh_s``, in case something was lost.
"""

from math import inf

from roamcast.core.events import Event
from roamcast.core.host import FALSE_POSITIVE, Position
from roamcast.core.interests import Interest
from roamcast.core.widths import NODE_BYTES, NUMBER_BYTES, POSITION_BYTES, TIME_BYTES
from roamcast.protocols.brvst.cells import GRID, Cell
from roamcast.protocols.brvst.messages import Description, Notification, Publication, Subscriptions
from roamcast.protocols.brvst.node import PAYLOAD_BYTES, Node
from roamcast.protocols.shared.event_tables import SeenEvents, is_sound

SUBSCRIPTIONS_BYTES = PAYLOAD_BYTES + NODE_BYTES + NUMBER_BYTES + POSITION_BYTES + TIME_BYTES
OVERLAP_S = 1.0
"""By so much earlier than it was served last a node that comes to a new manager asks for what it may have missed."""
NOTHING_S = inf
"""The cache need not be looked through."""
NOWHERE: tuple[Cell, ...] = ()
"""For no manager."""
Items = tuple[tuple[int, Description], ...]


class Subscriber:
    """What the node itself asks for and gets."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._interests: dict[int, Interest] = {}
        self._described: dict[int, Description] = {}
        self._made = 0
        self._said = 0
        self._manager: tuple[Cell, int] | None = None
        """Who knows what this node asks for."""
        self._said_at: Position = Position(0.0, 0.0)
        self._refresh_at_s = 0.0
        self._since_s = 0.0
        """Since when publications may have been missed."""
        self._heard_at_s = 0.0
        """When the manager was there for certain: what was said to it later may be lost with it."""
        self._made_at_s: dict[int, float] = {}
        self._seen = SeenEvents(node.parameters.identifiers_max)

    # --- what the application asks for ---------------------------------------------------------------------

    def subscribe(self, interest: Interest) -> None:
        """Ask for what an interest matches, and for what is cached of it."""
        if interest in self._interests.values():
            return
        if len(self._interests) >= self._node.parameters.subscriptions_max:
            self._node.host.drop(self._subscriptions(NOWHERE, (), (), False, NOTHING_S), "too-many-subscriptions")
            return
        self._made += 1
        self._interests[self._made] = interest
        self._made_at_s[self._made] = self._node.host.now
        self._described[self._made] = self._node.content.subscription(interest)
        if self._manager is None:
            self._since_s = 0.0
            return
        self._say(self._manager[0], ((self._made, self._described[self._made]),), (), False, 0.0)

    def unsubscribe(self, interest: Interest) -> None:
        """Ask for it no more."""
        for number in [number for number, each in self._interests.items() if each == interest]:
            del self._interests[number], self._described[number], self._made_at_s[number]
            if self._manager is not None:
                self._say(self._manager[0], (), (number,), False, NOTHING_S)

    def publish(self, event: Event, here: Position) -> None:
        """Deliver an event to the node itself, if it asks for it, and send it to the grid manager (section IV-C)."""
        self._deliver(event)
        content, grid = self._node.content, self._node.plan.cell(GRID, here)
        described, zone = content.publication(event), self._node.plan.zone_of(grid)
        size_bytes = publication_bytes(self._node, event, described)
        self._node.send(Publication(size_bytes, (grid,), 0, event, described, zone, None, False), grid)

    # --- its manager ---------------------------------------------------------------------------------------

    def look(self, here: Position) -> None:
        """Say what is due: to a new manager, after a move, or again."""
        node, grid = self._node, self._node.plan.cell(GRID, here)
        manager = node.offices.manager(grid)
        if manager is None:
            return
        if self._manager == (grid, manager.manager):
            self._keep(grid, here)
            return
        is_heir = self._manager is not None and self._manager == (grid, manager.predecessor)
        before, self._manager = self._manager, (grid, manager.manager)
        if is_heir:
            return
        if before is not None and before[0] != grid and self._interests:
            self._say(before[0], (), (), True, NOTHING_S)
        if self._interests:
            self._say_all(grid, has_died=before is not None and before[0] == grid)
        self._refresh_at_s = node.host.now + node.parameters.refresh_s

    def _say_all(self, grid: Cell, has_died: bool) -> None:
        """Tell a new manager everything; what the former one may not have lived to do is to be done by this one."""
        since_s = min(self._since_s, self._heard_at_s) if has_died else self._since_s
        self._say(grid, tuple(self._described.items()), (), True, max(since_s - OVERLAP_S, 0.0))
        new = tuple(each for each in self._described.items() if self._made_at_s[each[0]] >= self._heard_at_s)
        if has_died and new:
            self._say(grid, new, (), False, 0.0)

    def _keep(self, grid: Cell, here: Position) -> None:
        host, parameters = self._node.host, self._node.parameters
        self._since_s, self._heard_at_s = host.now, self._node.offices.heard_at_s(grid)
        if not self._interests:
            return
        moved_m = max(abs(here.x_m - self._said_at.x_m), abs(here.y_m - self._said_at.y_m))
        if self._refresh_at_s <= host.now:
            self._say(grid, tuple(self._described.items()), (), True, NOTHING_S)
            self._refresh_at_s = host.now + parameters.refresh_s
        elif moved_m > parameters.position_share * host.world.range_m:
            self._say(grid, (), (), False, NOTHING_S)

    def _say(self, grid: Cell, added: Items, removed: tuple[int, ...], is_whole: bool, since_s: float) -> None:
        self._said += 1
        self._said_at = self._node.position()
        self._node.send(self._subscriptions((grid,), added, removed, is_whole, since_s), grid)

    def _subscriptions(
        self, cells: tuple[Cell, ...], added: Items, removed: tuple[int, ...], is_whole: bool, since_s: float
    ) -> Subscriptions:
        node, number, at = self._node.host.node, self._said, self._said_at
        size_bytes = SUBSCRIPTIONS_BYTES + NUMBER_BYTES * (len(added) + len(removed))
        size_bytes += self._node.content.size_bytes(each for _, each in added)
        return Subscriptions(size_bytes, cells, 0, node, number, at, is_whole, added, removed, since_s)

    # --- publications --------------------------------------------------------------------------------------

    def on_notification(self, message: Notification) -> None:
        """Deliver what is really asked for; the rest was a false positive (section V-C)."""
        event, host = message.event, self._node.host
        if not is_sound(event):
            host.drop(message, "malformed")
        elif not event.is_valid(host.now):
            host.drop(message, "expired")
        elif event.id in self._seen or event.id.publisher == host.node:
            host.drop(message, "duplicate")
        elif not self._wants(event):
            host.drop(message, FALSE_POSITIVE)
        else:
            self._deliver(event)

    def _wants(self, event: Event) -> bool:
        return any(interest.matches(event) for interest in self._interests.values())

    def _deliver(self, event: Event) -> None:
        host = self._node.host
        if event.id not in self._seen and event.is_open_to(host.attributes) and self._wants(event):
            self._seen.add(event, host.now)
            host.deliver(event)


def publication_bytes(node: Node, event: Event, described: Description) -> int:
    """Return the size of a publication between managers: the event, its vectors, zone and manager."""
    return PAYLOAD_BYTES + event.size_bytes + node.content.size_bytes((described,)) + PAYLOAD_BYTES + NODE_BYTES
