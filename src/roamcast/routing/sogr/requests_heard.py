"""Requests of SOGR at all nodes that receive a frame: three of four are copies."""

from typing import TYPE_CHECKING

from roamcast.routing.sogr.messages import Request, is_sound_request

if TYPE_CHECKING:
    from roamcast.routing.sogr.protocol import Sogr


class RequestReceivers:
    """The routers of all nodes, for requests: what all receivers of a request share is worked out once."""

    def __init__(self, routers: "list[Sogr]") -> None:
        self._routers = routers
        self._parts = [(router.next_hops, router.searches) for router in routers]

    def hear(self, request: Request, sender: int, receivers: list[int]) -> None:
        """Act on a request for all its receivers."""
        if not is_sound_request(request):
            for node in receivers:
                self._routers[node].on_message(request, sender)
            return
        parts, key = self._parts, (request.origin, request.number)
        heard_at = request.sender_at, self._routers[0].remembered_until_s()
        for node in receivers:
            next_hops, searches = parts[node]
            next_hops.note(sender, heard_at)
            known = searches.heard.get(key)
            if known is None:
                searches.on_new_request(request, sender, key)
            else:
                known.copies += 1
