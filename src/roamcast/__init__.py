"""Publish/subscribe for networks that move.

    import roamcast as rc

    rc.run("scenarios/rescue.toml", protocol="flooding", seed=1).metrics["delivery_ratio"]

Importing this package is cheap: each public name is loaded from its module when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roamcast.api.compare import CompareResult, compare
    from roamcast.api.load_plugin import load_plugin
    from roamcast.api.reproduce import ReproduceResult, reproduce
    from roamcast.api.run import RunResult, run
    from roamcast.campaigns.checked_scenario import Scenario
    from roamcast.core.errors import UserError
    from roamcast.core.event_interests import Interest, TopicInterest
    from roamcast.core.events import Event, EventId
    from roamcast.core.host import Host, Position, PubSub, World
    from roamcast.core.messages import Message
    from roamcast.core.topics import Topic

    __version__: str

__all__ = [
    "CompareResult",
    "Event",
    "EventId",
    "Host",
    "Interest",
    "Message",
    "Position",
    "PubSub",
    "ReproduceResult",
    "RunResult",
    "Scenario",
    "Topic",
    "TopicInterest",
    "UserError",
    "World",
    "__version__",
    "compare",
    "load_plugin",
    "reproduce",
    "run",
]

_HOMES = {
    ".api.compare": ("CompareResult", "compare"),
    ".api.load_plugin": ("load_plugin",),
    ".api.reproduce": ("ReproduceResult", "reproduce"),
    ".api.run": ("RunResult", "run"),
    ".campaigns.checked_scenario": ("Scenario",),
    ".core.errors": ("UserError",),
    ".core.events": ("Event", "EventId"),
    ".core.host": ("Host", "Position", "PubSub", "World"),
    ".core.event_interests": ("Interest", "TopicInterest"),
    ".core.messages": ("Message",),
    ".core.topics": ("Topic",),
}
"""The module, below this package, in which each public name is defined."""


def _load(name: str) -> object:
    """Load a public name when it is first used."""
    if name == "__version__":
        from importlib.metadata import version

        found: object = version(__name__)
    else:
        home = next((home for home, names in _HOMES.items() if name in names), None)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(import_module(home, __name__), name)
    globals()[name] = found
    return found


if not TYPE_CHECKING:  # a type checker would take this for a module that has every name
    __getattr__ = _load


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*globals(), *__all__})
