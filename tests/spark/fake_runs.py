"""Runs without a simulator: facts that are quick to make, and runs that misbehave on demand."""

import gc
import json
import os
import resource
import signal
from collections import deque
from collections.abc import Mapping
from itertools import repeat
from pathlib import Path
from typing import Any

from roamcast.campaigns.plan import PlannedRun
from roamcast.measuring.metrics import Metric, MetricsFunction, known_metrics
from roamcast.sim.facts import (
    BrokerFact,
    DeliveryFact,
    DropFact,
    Facts,
    FalsePositiveFact,
    FirstMatchFact,
    NodeFact,
    PublicationFact,
    ReceptionFact,
    SubscriptionFact,
    TrafficFact,
)
from roamcast.sim.random_streams import RandomStreams

NODES = 5


def planned(name: str, seed: int, *, sweep: str = "sweep", cost: float = 1.0, **scenario: Any) -> PlannedRun:
    """Plan a run of ``fake_simulate``; the scenario says what it does on the way."""
    text = json.dumps({"name": name, **scenario}, sort_keys=True)
    high, low = (RandomStreams(seed).integer(part + text) for part in ("high", "low"))
    return PlannedRun(sweep, json.dumps({"name": name}), f"{high:016x}{low:016x}", seed, text, cost)


def fake_simulate(scenario_json: str, seed: int) -> Facts:
    """Return made-up facts that depend on the scenario's name and the seed alone, or misbehave."""
    scenario = json.loads(scenario_json)
    if "log" in scenario:
        with Path(scenario["log"]).open("a", encoding="utf-8") as log:
            log.write(f"{scenario['name']} {seed}\n")
    if "freeze_log" in scenario:
        with Path(scenario["freeze_log"]).open("a", encoding="utf-8") as log:
            log.write("frozen\n" if gc.get_freeze_count() else "not yet\n")
    if "raises_while" in scenario and Path(scenario["raises_while"]).exists():
        raise ValueError(f"no movement\nfor seed {seed}{Path(scenario['raises_while']).read_text()}")
    if "cuts_files_while" in scenario:  # as a full disk does: the system refuses to write more than so many bytes
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        allowed = 100 if Path(scenario["cuts_files_while"]).exists() else hard
        resource.setrlimit(resource.RLIMIT_FSIZE, (allowed, hard))
    if scenario.get("dies"):
        os._exit(9)
    if scenario.get("waits"):
        signal.pause()
    if scenario.get("spins"):
        deque(repeat(0), maxlen=0)  # a loop in C, which no signal ends
    if "eats_mb" in scenario:
        bytearray(scenario["eats_mb"] * 1024 * 1024)
    if "holds_while" in scenario and Path(scenario["holds_while"]).exists():
        # The file is a named pipe: whoever reads it sees the run begin, and its end when the process dies.
        with Path(scenario["holds_while"]).open("w", encoding="utf-8") as pipe:
            pipe.write("holding\n")
            pipe.flush()
            signal.pause()
    if "gate" in scenario:
        # Both are named pipes: whoever reads the one sees the run begin, and opens the other to let it go on.
        with Path(scenario["at_gate"]).open("w", encoding="utf-8") as pipe:
            pipe.write("waiting\n")
        Path(scenario["gate"]).open("rb").close()
    return made_up_facts(scenario["name"], seed)


def metrics_and_a_plugin() -> Mapping[str, Metric]:
    """Return the table of metrics with one of a plug-in, whose ratio looks like a built-in metric by its name."""
    lost = Metric(
        "frames_lost",
        unit="frames",
        group="radio",
        description="Frames lost.",
        higher_is_better=False,
        function=lambda run: run.frames_lost,
    )
    return {**known_metrics(), lost.name: lost}


def made_up_facts(name: str, seed: int) -> Facts:
    """Return facts of three events among five nodes; some deliveries are late, some nobody had asked for."""
    random = RandomStreams(seed).python(name)
    events = range(3)
    return Facts(
        nodes=NODES,
        duration_s=60.0,
        publications=tuple(PublicationFact(e, "news.local", e, 1.5 * e, 10.0 + e, 400, NODES - 2) for e in events),
        deliveries=tuple(
            DeliveryFact(event, node, 0.0 if node == event else random.uniform(0, 14), node not in (event, NODES - 1))
            for event in events
            for node in range(NODES)
            if random.random() < 0.7
        ),
        traffic=tuple(
            TrafficFact(node, kind, *(random.randrange(9) for _ in range(6)))
            for node in range(NODES)
            for kind in ("heartbeat", "events")
        ),
        receptions=tuple(ReceptionFact(node, *(random.randrange(5) for _ in range(4))) for node in range(NODES)),
        node_facts=tuple(
            NodeFact(
                node,
                random.randrange(5),
                random.randrange(2),
                random.uniform(0, 900),
                random.randrange(2000),
                random.uniform(0, 5),
                random.uniform(0, 5),
                random.uniform(0, 20),
                random.uniform(0, 20),
                random.uniform(0, 200),
            )
            for node in range(NODES)
        ),
        drops=(DropFact(2, "expired", 4),),
        frames=random.randrange(100),
        frame_receptions=random.randrange(1, 300),
        trace_digest=random.getrandbits(64),
        subscriptions=(SubscriptionFact(1, 2.0, 3, 2, 2, random.uniform(0, 9)), SubscriptionFact(2, 3.0, 1, 0, 0, 0.0)),
        brokers=(BrokerFact(0, 0.5, random.uniform(0, 300)), BrokerFact(3, 1.0, random.uniform(0, 300))),
        false_positives=(
            FalsePositiveFact(1, "false-positive", 3, 900),
            FalsePositiveFact(3, "false-positive-broker", 2, 500),
        ),
        first_matches=(
            FirstMatchFact(True, 0, 0.0, True, random.uniform(0, 5)),
            FirstMatchFact(False, 0, 1.0, random.random() < 0.5, random.uniform(1, 5)),
        ),
    )


def logging_metrics(log: str, factor: float | None = None) -> MetricsFunction:
    """Return a function for a table with one metric more or other than the known ones, which logs each evaluation."""

    def first(facts: Facts) -> float:
        return note("first", facts)

    def other(facts: Facts) -> float:
        return note("other", facts) * float(factor or 0)

    def note(name: str, facts: Facts) -> float:
        with Path(log).open("a", encoding="utf-8") as opened:
            opened.write(f"{name} {facts.frames}\n")
        return float(facts.frames)

    def table() -> dict[str, Metric]:
        metric = Metric(
            "frames_logged",
            unit="frames",
            group="traffic",
            description="Frames on the air.",
            higher_is_better=None,
            function=first if factor is None else other,
        )
        return {**known_metrics(), metric.name: metric}

    return table


def failing_metrics() -> dict[str, Metric]:
    """Return a table with a metric that cannot be computed."""
    metric = Metric(
        "hopeless",
        unit="1",
        group="traffic",
        description="Cannot be computed.",
        higher_is_better=None,
        function=lambda facts: facts.frames / (facts.nodes - NODES),
    )
    return {metric.name: metric}
