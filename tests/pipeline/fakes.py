"""Runs without a simulator: facts that are quick to make and easy to check by hand."""

import json
import os
from pathlib import Path

from roamcast.experiments.plan import PlannedRun
from roamcast.sim.facts import DeliveryFact, DropFact, Facts, NodeFact, PublicationFact, ReceptionFact, TrafficFact
from roamcast.sim.random_streams import RandomStreams

NODES = 5


def planned(name: str, seed: int, *, sweep: str = "sweep", cost: float = 1.0, **scenario: object) -> PlannedRun:
    """Plan a run of ``fake_simulate``."""
    text = json.dumps({"name": name, **scenario}, sort_keys=True)
    run_id = f"{RandomStreams(seed).integer(text):032x}"
    return PlannedRun(sweep, json.dumps({"name": name}), run_id, seed, text, cost)


def fake_simulate(scenario_json: str, seed: int) -> Facts:
    """Return made-up facts that depend on the scenario and the seed alone, or do what the scenario says."""
    scenario = json.loads(scenario_json)
    if scenario.get("marks"):
        with Path(scenario["marks"]).open("a", encoding="utf-8") as marks:
            marks.write(f"{scenario['name']} {seed}\n")
    if scenario.get("raises"):
        raise ValueError(f"no movement\nfor seed {seed}")
    if scenario.get("exits"):
        os._exit(9)
    return made_up_facts(scenario["name"], seed)


def made_up_facts(name: str, seed: int) -> Facts:
    """Return facts of three events among five nodes."""
    random = RandomStreams(seed).python(name)
    events = range(3)
    deliveries = [
        DeliveryFact(event, node, random.uniform(0, 12), counted=node != event and node < NODES - 1)
        for event in events
        for node in range(NODES)
        if random.random() < 0.7
    ]
    return Facts(
        nodes=NODES,
        duration_s=60.0,
        publications=tuple(PublicationFact(e, "news.local", e, 1.5 * e, 10.0, 400, NODES - 2) for e in events),
        deliveries=tuple(deliveries),
        traffic=tuple(
            TrafficFact(node, kind, *(random.randrange(9) for _ in range(5)))
            for node in range(NODES)
            for kind in ("heartbeat", "events")
        ),
        receptions=tuple(ReceptionFact(node, *(random.randrange(5) for _ in range(3))) for node in range(NODES)),
        node_facts=tuple(
            NodeFact(node, random.randrange(5), 0, random.uniform(0, 900), random.randrange(900, 2000))
            for node in range(NODES)
        ),
        drops=(DropFact(2, "expired", 4),),
        frames=random.randrange(100),
        frame_receptions=random.randrange(1, 300),
        trace_digest=random.getrandbits(64),
    )
