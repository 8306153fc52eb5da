"""Publish/subscribe protocols, one file each; the file's name is the protocol's name in a scenario."""

from roamcast.core.components import ComponentKind
from roamcast.core.host import PubSub

PROTOCOLS = ComponentKind("protocols", "protocol", __name__, PubSub)  # type: ignore[type-abstract]
protocol_names, load_protocol = PROTOCOLS.names, PROTOCOLS.load
