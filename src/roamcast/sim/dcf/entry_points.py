"""The compiled functions that Python calls with the address of the medium's memory (``memory``)."""

from typing import Any

from roamcast.sim.dcf import access, exchanges, positions, wakes
from roamcast.sim.dcf.medium_compiler import entry
from roamcast.sim.dcf.memory import arrays_at


@entry
def advance(address: int, until_ns: int) -> Any:
    """Run to a time, or to the first thing that Python must handle: ``exchanges.advance``."""
    return exchanges.advance(arrays_at(address), until_ns)


@entry
def enqueue(address: int, node: int, size_bytes: int, kind: int, events: int, now_ns: int, to: int) -> Any:
    """Queue a frame at a node: ``access.enqueue``."""
    return access.enqueue(arrays_at(address), node, size_bytes, kind, events, now_ns, to)


@entry
def enqueue_later(address: int, node: int, size_bytes: int, kind: int, events: int, due_ns: int) -> Any:
    """Make a frame for a node to queue later: ``access.enqueue_later``."""
    return access.enqueue_later(arrays_at(address), node, size_bytes, kind, events, due_ns)


@entry
def locate(address: int, node: int, at_s: float) -> Any:
    """Return a node's position and velocity: ``positions.locate``."""
    return positions.locate(arrays_at(address), node, at_s)


@entry
def set_wake(address: int, wake: int, due_ns: int) -> Any:
    """Set a wake: ``wakes.set_wake``."""
    return wakes.set_wake(arrays_at(address), wake, due_ns)


@entry
def clear_wake(address: int, wake: int) -> None:
    """Cancel a wake: ``wakes.clear_wake``."""
    wakes.clear_wake(arrays_at(address), wake)
