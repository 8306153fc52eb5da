"""The compiled functions that Python calls: each unpacks the state once and passes its arrays on."""

from typing import Any

from roamcast.sim.dcf import access, exchanges, positions, wakes
from roamcast.sim.dcf.medium_compiler import entry
from roamcast.sim.dcf.records import Arrays, State


@entry
def make_state(
    medium: Any, nodes: Any, legs: Any, timers: Any, frames: Any, arrivals: Any, heap: Any, wakes: Any,
    wake_heap: Any, heard: Any, distances_m2: Any, traffic: Any, cell_starts: Any, cell_nodes: Any,
    jumps_s: Any, contact_lists: Any, contacts: Any, offsets: Any, time_s: Any, x_m: Any, y_m: Any,
) -> Any:  # fmt: skip
    """Combine the arrays."""
    return State(
        medium, nodes, legs, timers, frames, arrivals, heap, wakes, wake_heap, heard,
        distances_m2, traffic, cell_starts, cell_nodes, jumps_s, contact_lists, contacts, offsets, time_s, x_m, y_m,
    )  # fmt: skip


@entry
def _arrays(state: Any) -> Any:
    return Arrays(
        state.medium, state.nodes, state.legs, state.timers, state.frames, state.arrivals, state.heap, state.wakes,
        state.wake_heap, state.heard, state.distances_m2, state.traffic, state.cell_starts, state.cell_nodes,
        state.jumps_s, state.contact_lists, state.contacts, state.offsets, state.time_s, state.x_m, state.y_m,
    )  # fmt: skip


@entry
def advance(state: Any, until_ns: int) -> Any:
    """Run to a time, or to the first thing that Python must handle: ``exchanges.advance``."""
    return exchanges.advance(_arrays(state), until_ns)


@entry
def enqueue(state: Any, node: int, size_bytes: int, kind: int, events: int, now_ns: int, to: int) -> Any:
    """Queue a frame at a node: ``access.enqueue``."""
    return access.enqueue(_arrays(state), node, size_bytes, kind, events, now_ns, to)


@entry
def enqueue_later(state: Any, node: int, size_bytes: int, kind: int, events: int, due_ns: int) -> Any:
    """Make a frame for a node to queue later: ``access.enqueue_later``."""
    return access.enqueue_later(_arrays(state), node, size_bytes, kind, events, due_ns)


@entry
def locate(state: Any, node: int, at_s: float) -> Any:
    """Return a node's position and velocity: ``positions.locate``."""
    return positions.locate(_arrays(state), node, at_s)


@entry
def set_wake(state: Any, wake: int, due_ns: int) -> Any:
    """Set a wake: ``wakes.set_wake``."""
    return wakes.set_wake(_arrays(state), wake, due_ns)


@entry
def clear_wake(state: Any, wake: int) -> None:
    """Cancel a wake: ``wakes.clear_wake``."""
    wakes.clear_wake(_arrays(state), wake)
