"""How a node of SOGR looks for next hops: requests, answers, and searches that widen round a void.

A node that needs a next hop broadcasts a request. Who is nearer to the place answers by broadcast after a delay that
grows with its remaining distance, so the best answers first, and whoever overhears that keeps silent. The node that is
looked for answers at once. If no answer comes there is a void, and the search widens: neighbours relay the request, up
to 2, 4, ... hops; an answer comes back the same way, and all on it remember the way for a while (the two-hop search of
SOGR's authors, carried on).

Where the air is full, answers are lost or late, which looks like a void, and searches that go far would fill it more.
So a request to neighbours is said twice before it goes farther, an answer that comes after its time is taken as long as
the same is still looked for, and a node relays only a few far requests in a second.
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
"""How long the air, and queues where it is busy, may take for a request and its answer, for each hop."""
WIDER = 4
"""How much farther each search goes than the one before."""
NEAR_HOPS = 4
"""How far a search goes for a place, not a node, that is within the radio's range; and what a near search is."""
NEAR_TIMES = 2
"""How often neighbours are asked before others are."""
NUMBERS_MAX = 256
"""How many of its own requests a node remembers, for answers that come late."""
COPIES = 3
"""Who has heard a request so often again relays it no more."""


@dataclass(slots=True)
class Search:
    """What this node looks for."""

    goal: Goal
    nearer_than_m: float
    hops: int
    times: int = 1
    """How often it went so far."""


@dataclass(slots=True)
class HeardRequest:
    """A request of another node."""

    request: Request
    sender: int
    """Who is to be told."""
    answered_m: float = inf
    """The best answer heard so far."""
    copies: int = 0
    """How often it was heard again."""


class Searches:
    """What a node looks for, and what others look for."""

    def __init__(self, host: Host, parameters: SogrParameters, next_hops: NextHops, ended: Callable[[Goal], None]) -> None:
        self._host = host
        self._parameters = parameters
        self._next_hops = next_hops
        self._ended = ended
        """Called with what was looked for when a search ends."""
        self._numbers = 0
        self._searches: dict[int, Search] = {}
        self._number_by_goal: dict[Goal, int] = {}
        self._goals: dict[int, Goal] = {}
        """What was asked for by which request, for answers that come late."""
        self._far_relays = RateLimit(parameters.relays_per_s)
        self._heard: dict[Hashable, HeardRequest] = {}

    # --- searches of this node ------------------------------------------------------------------------------

    def start(self, stop: Stop) -> None:
        """Begin to look for a next hop, unless a search for the same is under way."""
        goal = (stop.node, stop.at)
        number = self._number_by_goal.get(goal)
        if number is None:
            self._send_request(Search(goal, stop.nearest_m, 1))
        else:
            search = self._searches[number]
            search.nearer_than_m = min(search.nearer_than_m, stop.nearest_m)

    def cancel(self, goal: Goal) -> None:
        """Look no longer."""
        number = self._number_by_goal.pop(goal, None)
        if number is not None:
            del self._searches[number]
            self._host.cancel_wake(RoutingToken(SEARCH, number))

    def _send_request(self, search: Search) -> None:
        here, given = self._host.position(), self._parameters
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
        size_bytes, nearer_than_m = REQUEST_BYTES + given.header_bytes, search.nearer_than_m
        self._host.broadcast(
            Request(size_bytes, self._host.node, self._numbers, node, at, nearer_than_m, search.hops, here)
        )
        wait_s = 2 * given.answer_s + given.jitter_s + search.hops * (MARGIN_S + 2 * given.jitter_s)
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
        """Answer after a while if this node is nearer, else relay what goes farther."""
        here, key = self._host.position(), (request.origin, request.number)
        if key in self._heard:
            self._heard[key].copies += 1
            return
        if here is None or request.origin == self._host.node:
            return
        if len(self._heard) >= self._parameters.requests_max:
            del self._heard[next(iter(self._heard))]
        self._heard[key] = HeardRequest(request, sender)
        delay_s = self._answer_delay_s(request, here)
        jitter_s = self._parameters.jitter_s * self._host.random.random()
        if delay_s is not None:
            self._host.wake(self._host.now + delay_s + jitter_s, RoutingToken(ANSWER, key))
        elif request.hops_left > 1:
            self._host.wake(self._host.now + jitter_s, RoutingToken(RELAY, key))

    def _answer_delay_s(self, request: Request, here: Position) -> float | None:
        """Return how long to wait before an answer; None if this node has none to give."""
        if request.node == self._host.node:
            return 0.0
        remaining_m, range_m = distance_m(here, request.at), self._host.world.range_m
        if remaining_m >= request.nearer_than_m:
            return None
        left = (remaining_m - request.nearer_than_m) / range_m + 1.0
        is_far = distance_m(here, request.sender_at) > self._parameters.reach_share * range_m
        return self._parameters.answer_s * (min(max(left, 0.0), 1.0) + is_far)

    def _answer(self, heard: HeardRequest, remaining_m: float) -> None:
        here = self._host.position()
        if here is None or remaining_m >= heard.answered_m:
            return
        heard.answered_m = remaining_m
        request, size_bytes = heard.request, ANSWER_BYTES + self._parameters.header_bytes
        answer = Answer(size_bytes, request.origin, request.number, heard.sender, remaining_m, here)
        if heard.sender == request.origin:
            self._host.broadcast(answer)  # all others who would answer overhear it
        else:
            self._host.unicast(answer, heard.sender)  # a long way back must not break at the first collision

    def on_answer(self, answer: Answer, sender: int) -> None:
        """Take it if it is for this node's request, pass it back if this node relayed the request, else overhear it."""
        if answer.origin == self._host.node:
            goal = self._goals.get(answer.number)
            if goal is not None and goal in self._number_by_goal and answer.to == self._host.node:
                self._next_hops.add_route(goal, sender)
                self.cancel(goal)
                self._ended(goal)
            return
        heard = self._heard.get((answer.origin, answer.number))
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
        if token.what == SEARCH and isinstance(token.about, int):
            self._widen(token.about)
        heard, here = self._heard.get(token.about), self._host.position()
        if heard is None or here is None:
            return
        request = heard.request
        if token.what == ANSWER:
            is_it = request.node == self._host.node
            self._answer(heard, 0.0 if is_it else distance_m(here, request.at))
        elif token.what == RELAY and heard.copies < COPIES and self._may_relay(request):
            self._relay(request, here)

    def _may_relay(self, request: Request) -> bool:
        """Tell whether there is room for a request that goes far."""
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
