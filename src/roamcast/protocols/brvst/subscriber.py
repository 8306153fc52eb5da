"""The ordinary node of BRVST: it reports its subscriptions and position to its grid manager, and gets publications.

Subscriptions are reported on demand (section IV-B1): when one is made or cancelled, when the node enters another grid
or the grid gets another manager, and when the node has moved so far that it would not be found. All are sent again
every ``refresh_s``, in case something was lost.
"""

from math import inf

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event
from roamcast.core.host import FALSE_POSITIVE, Position
from roamcast.core.widths import NODE_BYTES, NUMBER_BYTES, POSITION_BYTES, TIME_BYTES
from roamcast.protocols.brvst.cells import GRID, Cell
from roamcast.protocols.brvst.messages import Description, Notification, Publication, Subscriptions
from roamcast.protocols.brvst.node import PAYLOAD_BYTES, Node
from roamcast.protocols.shared.event_tables import SeenEvents, is_sound

SUBSCRIPTIONS_BYTES = PAYLOAD_BYTES + NODE_BYTES + NUMBER_BYTES + POSITION_BYTES + TIME_BYTES
OVERLAP_S = 1.0
"""A node with a new manager asks for publications from this long before it was last served, in seconds."""
NOTHING_S = inf
"""The cache need not be searched."""
NOWHERE: tuple[Cell, ...] = ()
"""For no manager."""
Items = tuple[tuple[int, Description], ...]


class Subscriber:
    """The node's own subscriptions and deliveries."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._interests: dict[int, Interest] = {}
        self._descriptions: dict[int, Description] = {}
        self._subscription_count = 0
        self._messages_sent = 0
        self._informed_manager: tuple[Cell, int] | None = None
        """The grid and the manager that know this node's subscriptions."""
        self._reported_position: Position = Position(0.0, 0.0)
        self._refresh_at_s = 0.0
        self._since_s = 0.0
        """The time since which publications may have been missed."""
        self._heard_at_s = 0.0
        """When the manager was certainly alive: what it was sent later may be lost with it."""
        self._subscribed_at_s: dict[int, float] = {}
        self._seen = SeenEvents(node.parameters.identifiers_max)

    # --- calls from the application ------------------------------------------------------------------------

    def subscribe(self, interest: Interest) -> None:
        """Add an interest, and ask for cached publications that match it."""
        if interest in self._interests.values():
            return
        if len(self._interests) >= self._node.parameters.subscriptions_max:
            self._node.host.drop(self._subscriptions(NOWHERE, (), (), False, NOTHING_S), "too-many-subscriptions")
            return
        self._subscription_count += 1
        number, description = self._subscription_count, self._node.describer.subscription(interest)
        self._interests[number] = interest
        self._subscribed_at_s[number] = self._node.host.now
        self._descriptions[number] = description
        if self._informed_manager is None:
            self._since_s = 0.0
            return
        self._send(self._informed_manager[0], ((number, description),), (), False, 0.0)

    def unsubscribe(self, interest: Interest) -> None:
        """Remove an interest."""
        for number in [number for number, each in self._interests.items() if each == interest]:
            del self._interests[number], self._descriptions[number], self._subscribed_at_s[number]
            if self._informed_manager is not None:
                self._send(self._informed_manager[0], (), (number,), False, NOTHING_S)

    def publish(self, event: Event, here: Position) -> None:
        """Deliver a new event to the node itself if it wants it, and send it to the grid manager (section IV-C)."""
        self._deliver(event)
        describer, grid = self._node.describer, self._node.plan.cell(GRID, here)
        description, zone = describer.publication(event), self._node.plan.zone_of(grid)
        size_bytes = publication_bytes(self._node, event, description)
        self._node.send(Publication(size_bytes, (grid,), 0, event, description, zone, None, False), grid)

    # --- the manager ---------------------------------------------------------------------------------------

    def look(self, here: Position) -> None:
        """Send what is due: to a new manager, after a move, or again."""
        node, grid = self._node, self._node.plan.cell(GRID, here)
        manager = node.offices.manager(grid)
        if manager is None:
            return
        if self._informed_manager == (grid, manager.manager):
            self._keep_current(grid, here)
            return
        is_heir = self._informed_manager is not None and self._informed_manager == (grid, manager.predecessor)
        before, self._informed_manager = self._informed_manager, (grid, manager.manager)
        if is_heir:
            return
        if before is not None and before[0] != grid and self._interests:
            self._send(before[0], (), (), True, NOTHING_S)
        if self._interests:
            self._send_all(grid, has_died=before is not None and before[0] == grid)
        self._refresh_at_s = node.host.now + node.parameters.refresh_s

    def _send_all(self, grid: Cell, has_died: bool) -> None:
        """Send a new manager everything, including what the former one may not have lived to do."""
        since_s = min(self._since_s, self._heard_at_s) if has_died else self._since_s
        self._send(grid, tuple(self._descriptions.items()), (), True, max(since_s - OVERLAP_S, 0.0))
        new = tuple(each for each in self._descriptions.items() if self._subscribed_at_s[each[0]] >= self._heard_at_s)
        if has_died and new:
            self._send(grid, new, (), False, 0.0)

    def _keep_current(self, grid: Cell, here: Position) -> None:
        """Send the manager the position after a move, and everything when it is due again."""
        host, parameters = self._node.host, self._node.parameters
        self._since_s, self._heard_at_s = host.now, self._node.offices.heard_at_s(grid)
        if not self._interests:
            return
        moved_m = max(abs(here.x_m - self._reported_position.x_m), abs(here.y_m - self._reported_position.y_m))
        if self._refresh_at_s <= host.now:
            self._send(grid, tuple(self._descriptions.items()), (), True, NOTHING_S)
            self._refresh_at_s = host.now + parameters.refresh_s
        elif moved_m > parameters.position_share * host.world.range_m:
            self._send(grid, (), (), False, NOTHING_S)

    def _send(self, grid: Cell, added: Items, removed: tuple[int, ...], is_whole: bool, since_s: float) -> None:
        self._messages_sent += 1
        self._reported_position = self._node.position()
        self._node.send(self._subscriptions((grid,), added, removed, is_whole, since_s), grid)

    def _subscriptions(
        self, cells: tuple[Cell, ...], added: Items, removed: tuple[int, ...], is_whole: bool, since_s: float
    ) -> Subscriptions:
        node, number, at = self._node.host.node, self._messages_sent, self._reported_position
        size_bytes = SUBSCRIPTIONS_BYTES + NUMBER_BYTES * (len(added) + len(removed))
        size_bytes += self._node.describer.size_bytes(each for _, each in added)
        return Subscriptions(size_bytes, cells, 0, node, number, at, is_whole, added, removed, since_s)

    # --- publications --------------------------------------------------------------------------------------

    def on_notification(self, message: Notification) -> None:
        """Deliver a publication that is really wanted; any other was a false positive (section V-C)."""
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

    def on_passing(self, events: tuple[Event, ...]) -> None:
        """Deliver events that this node forwards for others, if its user wants them as well."""
        for event in events:
            if is_sound(event) and event.is_valid(self._node.host.now) and event.id.publisher != self._node.host.node:
                self._deliver(event)

    def _wants(self, event: Event) -> bool:
        return any(interest.matches(event) for interest in self._interests.values())

    def _deliver(self, event: Event) -> None:
        host = self._node.host
        if event.id not in self._seen and event.is_open_to(host.attributes) and self._wants(event):
            self._seen.add(event, host.now)
            host.deliver(event)


def publication_bytes(node: Node, event: Event, description: Description) -> int:
    """Return the size of a publication between managers: the event, its vectors, zone and manager."""
    return PAYLOAD_BYTES + event.size_bytes + node.describer.size_bytes((description,)) + PAYLOAD_BYTES + NODE_BYTES
