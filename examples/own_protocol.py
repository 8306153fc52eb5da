# %% [markdown]
# # A protocol of your own, compared with a published one
#
# Gossip sends every event on once from every node, which in a crowd is far more than it takes. Polite flooding waits
# a random moment first, and says nothing if it has heard the event twice by then. Run this file from the folder of
# the project, as `python examples/own_protocol.py` or cell by cell.

# %%
from dataclasses import dataclass
from typing import Any, ClassVar

import roamcast as rc


@dataclass(frozen=True, slots=True)
class Copy(rc.Message):
    """Here is an event."""

    kind: ClassVar[str] = "events"
    event: rc.Event

    @property
    def events(self) -> tuple[rc.Event, ...]:
        return (self.event,)


class PoliteFlooding(rc.PubSub):
    """The protocol on one node. The host brings messages and time; the node answers with messages and deliveries."""

    summary = "sends an event on after a random moment, unless it was heard twice by then"

    def __init__(self, host: rc.Host, parameters: Any) -> None:  # noqa: ARG002 - it has none
        self.host, self.interests, self.heard = host, [], {}

    def subscribe(self, interest: rc.Interest) -> None:
        self.interests.append(interest)

    def unsubscribe(self, interest: rc.Interest) -> None:
        self.interests = [known for known in self.interests if known != interest]

    def publish(self, event: rc.Event) -> None:
        self.heard[event.id] = 0
        self.host.broadcast(Copy(event.size_bytes, event))

    def on_message(self, message: rc.Message, sender: int) -> None:  # noqa: ARG002 - does not matter
        event = message.event
        if event.id not in self.heard:
            if any(interest.matches(event) for interest in self.interests):
                self.host.deliver(event)
            self.host.wake(self.host.now + 0.1 * self.host.random.random(), event)
        self.heard[event.id] = self.heard.get(event.id, 0) + 1

    def on_wake(self, event: rc.Event) -> None:
        if self.heard[event.id] < 2:
            self.host.broadcast(Copy(event.size_bytes, event))

    def storage_bytes(self) -> int:
        return 16 * len(self.heard)


# %% [markdown]
# A crowd of eighty people on a square; half of them want the news, of which there are ten. A scenario can be a file
# or, as here, a dictionary.

# %%
SQUARE = {
    "name": "square",
    "duration_s": 60,
    "area": {"width_m": 400, "height_m": 400},
    "nodes": {"count": 80},
    "mobility": {"model": "random-waypoint", "speed_mps": [0.5, 1.5]},
    "radio": {"model": "range", "range_m": 100},
    "workload": {"model": "single-topic", "topic": "news", "subscriber_fraction": 0.5, "events": 10, "validity_s": 30},
    "protocol": {"name": "gossip"},
}

# %% [markdown]
# The class runs wherever a name does. Both protocols see the same movement and the same publications for a seed.

# %%
SHOWN = ("delivery_ratio", "frames_per_delivery", "latency_mean_s")
SEEDS = range(1, 6)

print(f"mean over {len(SEEDS)} seeds".ljust(20), *(name.rjust(20) for name in SHOWN))
for protocol in ("gossip", PoliteFlooding):
    runs = [rc.run(SQUARE, protocol=protocol, seed=seed) for seed in SEEDS]
    means = [sum(run.metrics[name] for run in runs) / len(runs) for name in SHOWN]
    print(runs[0].protocol.ljust(20), *(f"{mean:20.3f}" for mean in means))

# %% [markdown]
# To compare it on Spark, with intervals, over sweeps and next to any published protocol, give it a home that workers
# can find: docs/plugins.md says how.
