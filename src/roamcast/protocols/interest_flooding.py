"""Interest-aware flooding, alternative (2) of the Frugal paper: a node forwards only what it subscribes to itself."""

from roamcast.core.events import Event
from roamcast.protocols.flooding import Flooding


class InterestFlooding(Flooding):
    """Flooding among subscribers."""

    summary = "every subscriber sends the valid events it subscribes to once a second"

    def _keeps(self, event: Event) -> bool:
        """Keep what this node wants or published."""
        return self._wants(event) or event.id.publisher == self._host.node
