"""Interests-aware flooding, the Frugal paper's alternative (2): a node passes on only what it asked for itself."""

from roamcast.core.events import Event
from roamcast.protocols.flooding import Flooding


class InterestFlooding(Flooding):
    """A flooding among subscribers."""

    summary = "every subscriber sends the valid events it asked for once a second"

    def _keeps(self, event: Event) -> bool:
        """Keep what this node asked for or published."""
        return self._wants(event) or event.id.publisher == self._host.node
