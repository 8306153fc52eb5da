"""How a SOGR node searches for next hops: requests, answers, and searches that widen around a void.

A node that needs a next hop broadcasts a request. Nodes nearer to the place answer by broadcast after a delay that
grows with their remaining distance, so that the best answers first and the others overhear it and stay silent. The node
that is looked for answers at once. If no answer arrives there is a void, and the search widens: neighbours relay the
request, up to 4, then 16 hops; an answer comes back the same way, and all nodes on it remember the route for a while
(an extension of the two-hop search of SOGR's authors).

When the air is busy, answers are lost or late, which looks like a void, and far-reaching searches would fill the air
even more. So a request to neighbours is sent twice before it goes farther, a late answer is accepted as long as the
search is still on, and a node relays only a few far-reaching requests in a second.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from math import inf

from roamcast.core.host import Host, Position
from roamcast.routing import RoutingToken
from roamcast.routing.shared.bounded_memory import RateLimit
from roamcast.routing.sogr.messages import (
    ANSWER_BYTES,
    REQUEST_BYTES,
    Answer,
    Request,
    Stop,
)
from roamcast.routing.sogr.next_hops import Goal, NextHops, distance_m
from roamcast.routing.sogr.parameters import SogrParameters

SEARCH, ANSWER, RELAY = "sogr-search", "sogr-answer", "sogr-relay"
MARGIN_S = 0.01
"""The time allowed per hop for a request and its answer on the air and in busy queues, in seconds."""
WIDER = 4
"""The factor by which each search is wider than the previous one."""
NEAR_HOPS = 4
"""The widest search for a place, not a node, within the radio's range; relays of requests up to this are not
limited."""
NEAR_TIMES = 2
"""How often neighbours are asked before the search widens."""
NUMBERS_MAX = 256
"""How many of its own requests a node remembers, for late answers."""
COPIES = 3
"""A node that has heard a request this many more times does not relay it."""


@dataclass(slots=True)
class Search:
    """A search of this node."""

    goal: Goal
    nearer_than_m: float
    hops: int
    times: int = 1
    """How often it went this far."""


@dataclass(slots=True)
class HeardRequest:
    """A request of another node."""

    request: Request
    sender: int
    """The neighbour to answer."""
    answered_m: float = inf
    """The remaining distance in the best answer heard so far, in metres."""
    copies: int = 0
    """How often it was heard again."""


class Searches:
    """The searches of this node, and those of others."""

    def __init__(
        self, host: Host, parameters: SogrParameters, next_hops: NextHops, ended: Callable[[Goal], None]
    ) -> None:
        self._host = host
        self._parameters = parameters
        self._next_hops = next_hops
        self._ended = ended
        """Called with the goal when a search ends."""
        self._numbers = 0
        self._searches: dict[int, Search] = {}
        self._number_by_goal: dict[Goal, int] = {}
        self._goals: dict[int, Goal] = {}
        """The goals of requests by number, for late answers."""
        self._far_relays = RateLimit(parameters.relays_per_s)
        self.heard: dict[Hashable, HeardRequest] = {}
        """The requests of other nodes by origin and number."""

    # --- searches of this node ------------------------------------------------------------------------------

    def start(self, stop: Stop) -> None:
        """Start a search for a next hop, unless one for the same goal is under way."""
        goal = (stop.node, stop.at)
        number = self._number_by_goal.get(goal)
        if number is None:
            self._send_request(Search(goal, stop.nearest_m, 1))
        else:
            search = self._searches[number]
            search.nearer_than_m = min(search.nearer_than_m, stop.nearest_m)

    def cancel(self, goal: Goal) -> None:
        """End a search."""
        number = self._number_by_goal.pop(goal, None)
        if number is not None:
            del self._searches[number]
            self._host.cancel_wake(RoutingToken(SEARCH, number))

    def _send_request(self, search: Search) -> None:
        here, parameters = self._host.position(), self._parameters
        if here is None:
            self._ended(search.goal)
            return
        self._numbers += 1
        self._searches[self._numbers] = search
        self._number_by_goal[search.goal] = self._numbers
        self._goals[self._numbers] = search.goal
        if len(self._goals) > NUMBERS_MAX:
            del self._goals[next(iter(self._goals))]
        node, at = search.goal
        size_bytes, nearer_than_m = REQUEST_BYTES + parameters.header_bytes, search.nearer_than_m
        self._host.broadcast(
            Request(size_bytes, self._host.node, self._numbers, node, at, nearer_than_m, search.hops, here)
        )
        wait_s = 2 * parameters.answer_s + parameters.jitter_s + search.hops * (MARGIN_S + 2 * parameters.jitter_s)
        self._host.wake(self._host.now + wait_s, RoutingToken(SEARCH, self._numbers))

    def _widen(self, number: int) -> None:
        """Search farther, or give up."""
        search = self._searches.get(number)
        if search is None:
            return
        self.cancel(search.goal)
        is_near = search.goal[0] is None and search.nearer_than_m <= self._host.world.range_m
        hops_max = min(NEAR_HOPS if is_near else self._parameters.search_hops, self._parameters.search_hops)
        if search.hops == 1 and search.times < NEAR_TIMES:
            self._send_request(Search(search.goal, search.nearer_than_m, 1, search.times + 1))
        elif search.hops < hops_max:
            self._send_request(Search(search.goal, search.nearer_than_m, min(WIDER * search.hops, hops_max)))
        else:
            self._next_hops.note_failure(search.goal)
            self._ended(search.goal)

    # --- requests of others ---------------------------------------------------------------------------------

    def on_request(self, request: Request, sender: int) -> None:
        """Answer after a delay if this node is nearer; otherwise relay a request that goes farther."""
        key = (request.origin, request.number)
        heard = self.heard.get(key)
        if heard is None:
            self.on_new_request(request, sender, key)
        else:
            heard.copies += 1

    def on_new_request(self, request: Request, sender: int, key: tuple[int, int]) -> None:
        """Act on a request that this node has not heard before."""
        here = self._host.position()
        if here is None or request.origin == self._host.node:
            return
        if len(self.heard) >= self._parameters.requests_max:
            del self.heard[next(iter(self.heard))]
        self.heard[key] = HeardRequest(request, sender)
        delay_s = self._answer_delay_s(request, here)
        jitter_s = self._parameters.jitter_s * self._host.random.random()
        if delay_s is not None:
            self._host.wake(self._host.now + delay_s + jitter_s, RoutingToken(ANSWER, key))
        elif request.hops_left > 1:
            self._host.wake(self._host.now + jitter_s, RoutingToken(RELAY, key))

    def _answer_delay_s(self, request: Request, here: Position) -> float | None:
        """Return how long to wait before an answer, in seconds, or None if this node has none."""
        if request.node == self._host.node:
            return 0.0
        remaining_m, range_m = distance_m(here, request.at), self._host.world.range_m
        if remaining_m >= request.nearer_than_m:
            return None
        shortfall = (remaining_m - request.nearer_than_m) / range_m + 1.0
        is_far = distance_m(here, request.sender_at) > self._parameters.reach_share * range_m
        return self._parameters.answer_s * (min(max(shortfall, 0.0), 1.0) + is_far)

    def _answer(self, heard: HeardRequest, remaining_m: float) -> None:
        here = self._host.position()
        if here is None or remaining_m >= heard.answered_m:
            return
        heard.answered_m = remaining_m
        request, size_bytes = heard.request, ANSWER_BYTES + self._parameters.header_bytes
        answer = Answer(size_bytes, request.origin, request.number, heard.sender, remaining_m, here)
        if heard.sender == request.origin:
            self._host.broadcast(answer)  # so that others with an answer overhear it
        else:
            self._host.unicast(answer, heard.sender)  # a long route back must not fail at the first collision

    def on_answer(self, answer: Answer, sender: int) -> None:
        """Use an answer to this node's request, pass back one to a relayed request, or note an overheard one."""
        if answer.origin == self._host.node:
            goal = self._goals.get(answer.number)
            if goal is not None and goal in self._number_by_goal and answer.to == self._host.node:
                self._next_hops.add_route(goal, sender)
                self.cancel(goal)
                self._ended(goal)
            return
        heard = self.heard.get((answer.origin, answer.number))
        if heard is None:
            return
        if answer.to == self._host.node:
            self._next_hops.add_route((heard.request.node, heard.request.at), sender)
            self._answer(heard, answer.remaining_m)
        else:
            heard.answered_m = min(heard.answered_m, answer.remaining_m)

    # --- wakes ----------------------------------------------------------------------------------------------

    def on_wake(self, token: RoutingToken) -> None:
        """Widen a search, answer or relay."""
        what, about = token
        if what == SEARCH and isinstance(about, int):
            self._widen(about)
        heard = self.heard.get(about)
        if heard is None or (what == RELAY and heard.copies >= COPIES):
            return
        request, here = heard.request, self._host.position()
        if here is None:
            return
        if what == ANSWER:
            is_it = request.node == self._host.node
            self._answer(heard, 0.0 if is_it else distance_m(here, request.at))
        elif what == RELAY and self._may_relay(request):
            self._relay(request, here)

    def _may_relay(self, request: Request) -> bool:
        """Tell whether the rate limit allows relaying a far-reaching request."""
        now_s = self._host.now
        if request.hops_left <= NEAR_HOPS:
            return True
        if self._far_relays.next_at_s(now_s) > now_s:
            return False
        self._far_relays.note(now_s)
        return True

    def _relay(self, request: Request, here: Position) -> None:
        node, at, hops_left = request.node, request.at, request.hops_left - 1
        size_bytes, nearer_than_m = REQUEST_BYTES + self._parameters.header_bytes, request.nearer_than_m
        self._host.broadcast(
            Request(size_bytes, request.origin, request.number, node, at, nearer_than_m, hops_left, here)
        )
