"""What Python calls of the compiled medium: each takes the whole state apart once, and hands on its arrays."""

from typing import Any

from roamcast.sim.dcf import access, exchanges, positions, wakes
from roamcast.sim.dcf.jit import entry
from roamcast.sim.dcf.records import Arrays, State


@entry
def make_state(
    medium: Any, nodes: Any, places: Any, timers: Any, frames: Any, arrivals: Any, heap: Any, wakes: Any,
    wake_heap: Any, heard: Any, distances_m2: Any, traffic: Any, cell_starts: Any, cell_nodes: Any,
    jumps_s: Any, contacts: Any, met: Any, offsets: Any, time_s: Any, x_m: Any, y_m: Any,
) -> Any:  # fmt: skip
    """Put the arrays together."""
    return State(
        medium, nodes, places, timers, frames, arrivals, heap, wakes, wake_heap, heard,
        distances_m2, traffic, cell_starts, cell_nodes, jumps_s, contacts, met, offsets, time_s, x_m, y_m,
    )  # fmt: skip


@entry
def _arrays(state: Any) -> Any:
    return Arrays(
        state.medium, state.nodes, state.places, state.timers, state.frames, state.arrivals, state.heap, state.wakes,
        state.wake_heap, state.heard, state.distances_m2, state.traffic, state.cell_starts, state.cell_nodes,
        state.jumps_s, state.contacts, state.met, state.offsets, state.time_s, state.x_m, state.y_m,
    )  # fmt: skip


@entry
def advance(state: Any, until_ns: int) -> Any:
    """Run to a time, or to what somebody has to be told of: ``exchanges.advance``."""
    return exchanges.advance(_arrays(state), until_ns)


@entry
def enqueue(state: Any, node: int, size_bytes: int, kind: int, events: int, now_ns: int, to: int) -> Any:
    """Give a node a frame to send: ``access.enqueue``."""
    return access.enqueue(_arrays(state), node, size_bytes, kind, events, now_ns, to)


@entry
def post(state: Any, node: int, size_bytes: int, kind: int, events: int, due_ns: int) -> Any:
    """Give a node a frame to queue later: ``access.post``."""
    return access.post(_arrays(state), node, size_bytes, kind, events, due_ns)


@entry
def locate(state: Any, node: int, at_s: float) -> Any:
    """Return a node's place and velocity: ``positions.locate``."""
    return positions.locate(_arrays(state), node, at_s)


@entry
def set_wake(state: Any, wake: int, due_ns: int) -> Any:
    """Make a wake due: ``wakes.set_wake``."""
    return wakes.set_wake(_arrays(state), wake, due_ns)


@entry
def clear_wake(state: Any, wake: int) -> None:
    """Forget a wake: ``wakes.clear_wake``."""
    wakes.clear_wake(_arrays(state), wake)
