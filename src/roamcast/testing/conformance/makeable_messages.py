"""The message types of a protocol that the test kit can fill with contents."""

from functools import lru_cache
from itertools import count

from roamcast.core.host import PubSub
from roamcast.core.messages import Message
from roamcast.testing.message_flood import fresh
from roamcast.testing.message_types import own_message_kinds


@lru_cache(maxsize=4)
def makeable_kinds(protocol: type[PubSub]) -> tuple[type[Message], ...]:
    """Return the protocol's own message types that can be made; the others are reported by ``messages-are-values``."""
    return tuple(kind for kind in own_message_kinds(protocol) if refusal(kind) is None)


def refusal(kind: type[Message]) -> Exception | None:
    """Return why a message of a type cannot be made; None if it can."""
    try:
        fresh(kind, count())
    except Exception as error:  # noqa: BLE001 - a stranger's class may raise anything
        return error
    return None
