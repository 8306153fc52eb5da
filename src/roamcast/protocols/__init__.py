"""Publish/subscribe protocols, one file each; the file's name is the protocol's name in a scenario."""

from roamcast.core.components import component_names, load_component
from roamcast.core.host import PubSub


def protocol_names() -> tuple[str, ...]:
    """List the protocols."""
    return component_names(__name__)


def load_protocol(name: str, place: str = "") -> type[PubSub]:
    """Return a protocol by its name, or say which names there are."""
    return load_component(__name__, name, PubSub, "protocol", place)  # type: ignore[type-abstract]
