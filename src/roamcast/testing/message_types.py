"""The types of message that a protocol must withstand: its own, and those of all protocols of the package.

They are found by looking through modules, so a new protocol's messages take part without being listed anywhere.
"""

import importlib
import pkgutil
import sys
from collections.abc import Iterable
from functools import cache
from types import ModuleType

import roamcast.protocols
from roamcast.core.host import PubSub
from roamcast.core.messages import Message

COMPONENTS = roamcast.protocols.__name__
"""A folder of many protocols: a module in it is a protocol of its own, not a part of its neighbours."""


@cache
def message_kinds() -> tuple[type[Message], ...]:
    """Return every message type that a protocol of the package defines or uses, and the bare ``Message``."""
    names = [module.name for module in pkgutil.walk_packages(roamcast.protocols.__path__, f"{COMPONENTS}.")]
    return _in_order({*_messages_in(importlib.import_module(name) for name in names), Message})


def own_message_kinds(protocol: type[PubSub]) -> tuple[type[Message], ...]:
    """Return the message types that a protocol's own modules define or use, those of its base classes included."""
    return _in_order(set(_messages_in(own_modules(protocol))) - {Message})


def own_modules(protocol: type[PubSub]) -> list[ModuleType]:
    """Return the modules that make up a protocol: those of its class and bases, and what they use of their packages."""
    waiting = [each.__module__ for each in protocol.__mro__ if issubclass(each, PubSub) and each is not PubSub]
    found: dict[str, ModuleType] = {}
    while waiting:
        name = waiting.pop()
        if name in found or name not in sys.modules:
            continue
        found[name] = module = sys.modules[name]
        package = (module.__package__ or "") if hasattr(module, "__package__") else ""
        if package and package != COMPONENTS:
            used = (
                getattr(value, "__module__", None) or getattr(value, "__name__", "") for value in vars(module).values()
            )
            waiting += [each for each in used if isinstance(each, str) and f"{each}.".startswith(f"{package}.")]
    return list(found.values())


def _messages_in(modules: Iterable[ModuleType]) -> list[type[Message]]:
    values = [value for module in modules for value in vars(module).values()]
    return [value for value in values if isinstance(value, type) and issubclass(value, Message)]


def _in_order(kinds: Iterable[type[Message]]) -> tuple[type[Message], ...]:
    return tuple(sorted(kinds, key=lambda kind: (kind.__module__, kind.__qualname__)))
