"""Requests of AODV at all nodes that receive a frame: nine of ten are copies, and cost next to nothing here."""

from collections.abc import Hashable

from roamcast.routing.aodv.messages import RouteRequest
from roamcast.routing.aodv.protocol import Aodv


class RequestReceivers:
    """The routers of all nodes, for requests: what all receivers of a request share is worked out once."""

    def __init__(self, routers: list[Aodv]) -> None:
        self._routers = routers

    def hear(self, message: RouteRequest, sender: int, receivers: list[int]) -> None:
        """Act on a request for all its receivers."""
        routers, originator = self._routers, message.originator
        now_s = routers[0].now()
        flood: Hashable = (originator, message.request)
        for node in receivers:
            routers[node].hear_request(message, sender, flood, originator, now_s)
