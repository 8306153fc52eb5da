"""The results of our own runs of ns-3: ``ns3.json``, written by ``python -m benchmarks ns3-reference``, and for AODV
``ns3_aodv.json``, written by ``python -m benchmarks ns3-aodv``.

They include the cases of the reference that the project began with, with the same results; acknowledged unicast,
RTS/CTS and 802.11a are new, and so are heartbeats on exactly our movement.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from roamcast.validation.cases import Reference


@cache
def _figures(name: str = "ns3.json") -> dict[str, Any]:
    figures: dict[str, Any] = json.loads((files("roamcast.validation") / name).read_text(encoding="utf-8"))
    return figures


def rate(case: str, count: str) -> Reference:
    """Return how many times per second something happened in a case, over ns-3's seeds."""
    found = next(result for result in _figures()["cases"] if result["name"] == case)["per_s"][count]
    return Reference(found["mean"], found["low"], found["high"])


def own_heartbeats() -> Reference:
    """Return ns-3's receptions of heartbeats on its own movement."""
    found = _figures()["heartbeats"]["ns3_on_its_own_random_waypoint"]
    return Reference(found["mean"], found["low"], found["high"])


def same_heartbeats() -> tuple[int, ...]:
    """Return ns-3's receptions of heartbeats on the movement that we draw with the seeds 1, 2, ..."""
    return tuple(_figures()["heartbeats"]["receptions"]["ns3_on_our_movement"])


def aodv_packets(speed_mps: int) -> int:
    """Return how many packets were sent in each run of ns-3's AODV."""
    return int(_aodv(speed_mps)["packets"])


def aodv_lost(speed_mps: int) -> tuple[tuple[int, ...], ...]:
    """Return which packets ns-3's AODV, with our parameters, lost on the movement of our seeds 1, 2, ..."""
    return tuple(tuple(run["lost"]) for run in _aodv(speed_mps)["runs"])


def _aodv(speed_mps: int) -> dict[str, Any]:
    found: list[dict[str, Any]] = _figures("ns3_aodv.json")["our_parameters"]
    return next(result for result in found if result["speed_mps"] == speed_mps)
