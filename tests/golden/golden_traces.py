"""Golden traces: a small scenario and a seed, and what they gave when the file was made.

Every ``*.json`` beside this file is one. Make them anew, and a first one for each protocol and mobility model that has
none yet, with

    .venv/bin/python -m tests.golden

and say in the CHANGELOG why traces that were there before have changed.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.recording_paths import with_paths_beside
from roamcast.protocols import protocol_names
from roamcast.sim.mobility import mobility_names
from roamcast.sim.simulation import simulate

FOLDER = Path(__file__).parent
SEED = 20050
TEMPLATE: Mapping[str, Any] = {
    "duration_s": 40,
    "area": {"width_m": 1200, "height_m": 900},
    "nodes": {"count": 25},
    "radio": {"model": "range", "range_m": 160, "sense_range_m": 240},
    "workload": {
        "model": "single-topic",
        "subscriber_fraction": 0.6,
        "validity_s": 30,
        "events": 3,
        "interval_s": 5,
        "publisher": "any",
    },
}
"""The parts that a new golden scenario is made of; nothing here changes one that exists already."""
NEEDED_KEYS: Mapping[str, Mapping[str, Any]] = {
    "random-waypoint": {"speed_mps": [5, 15], "pause_s": 1},
    "trace": {"path": "sumo-grid", "begin_s": 30, "offset_m": [10, 10]},
}
"""The keys that a mobility model cannot do without."""

ROUTED = ("broker", "brvst", "rendezvous")
CONNECTED = {"model": "range", "range_m": 300, "sense_range_m": 450}
"""Protocols that send to somebody far away need a network that hangs together,"""
SELDOM = {"subscription_s": 4, "timeout_s": 14}
"""and one that the subscriptions do not fill of those that say them again and again."""


def golden_files() -> list[Path]:
    """Return all golden traces."""
    return sorted(FOLDER.glob("*.json"))


def read(path: Path) -> dict[str, Any]:
    """Return a golden trace: its scenario, its seed and what is expected."""
    golden: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return golden


def outcome(golden: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Run a golden scenario and return the digest and, to see in which direction it has changed, some counts."""
    document = with_paths_beside(golden["scenario"], FOLDER)
    facts = simulate(Scenario.from_document(document, place).setup(), golden["seed"])
    frames: Counter[str] = Counter()
    for traffic in facts.traffic:
        frames[traffic.kind] += traffic.frames_sent
    return {
        "digest": facts.digest(),
        "frames": dict(sorted(frames.items())),
        "frame_receptions": facts.frame_receptions,
        "interested": sum(each.interested for each in facts.publications),
        "deliveries": sum(each.counted for each in facts.deliveries),
        "first": sum(each.first for each in facts.receptions),
        "duplicates": sum(each.duplicates for each in facts.receptions),
        "parasites": sum(each.parasites for each in facts.receptions),
    }


def missing() -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield a golden trace, without what it gives, for each protocol and mobility model that has none."""
    scenarios = [read(path)["scenario"] for path in golden_files()]
    there = {(each["protocol"]["name"], each["mobility"]["model"]) for each in scenarios}
    for protocol in protocol_names():
        for mobility in mobility_names():
            if (protocol, mobility) not in there:
                chosen = {
                    "protocol": {"name": protocol},
                    "mobility": {"model": mobility, **NEEDED_KEYS.get(mobility, {})},
                }
                if protocol.startswith(ROUTED):
                    chosen["radio"] = CONNECTED
                    chosen["protocol"] = {"name": protocol, **({} if protocol == "brvst" else SELDOM)}
                yield FOLDER / f"{protocol}.{mobility}.json", {"scenario": {**TEMPLATE, **chosen}, "seed": SEED}


def main() -> None:
    """Make every golden trace anew, and those that are missing."""
    for path, golden in [*missing(), *((path, read(path)) for path in golden_files())]:
        before = golden.get("expected")
        golden["expected"] = outcome(golden, path.name)
        path.write_text(json.dumps(golden, indent=2) + "\n", encoding="utf-8")
        change = "new" if before is None else "same" if before == golden["expected"] else "CHANGED"
        sys.stdout.write(f"{change:8}{path.name}\n")
