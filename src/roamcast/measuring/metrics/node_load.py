"""Metrics of what a run asks of its nodes: radio time, energy and storage."""

from roamcast.measuring.metrics.metric import Metric, quotient
from roamcast.measuring.metrics.run_summary import RunSummary
from roamcast.measuring.statistics import SHARE


def _storage_max(run: RunSummary) -> float | None:
    return max((row.storage_bytes_max for row in run.node_facts), default=None)


NODE_LOAD_METRICS = (
    Metric(
        "frames_lost_ratio",
        unit="1",
        group="radio",
        label="Frames lost",
        description="The share of the frames in range that nodes lost because they overlapped with others.",
        higher_is_better=False,
        function=lambda run: quotient(run.frames_lost, run.frames_lost + run.frame_receptions),
        bounds=SHARE,
    ),
    Metric(
        "queue_drops_per_node",
        unit="frames",
        group="radio",
        description="Frames that were dropped because the MAC's queue was full, per node.",
        higher_is_better=False,
        function=lambda run: sum(row.queue_drops for row in run.node_facts) / run.nodes,
    ),
    Metric(
        "transmit_s_per_node",
        unit="s",
        group="radio",
        label="Time transmitting per node",
        description="How long a node's own frames were on the air, per node.",
        higher_is_better=False,
        function=lambda run: sum(row.transmit_s for row in run.node_facts) / run.nodes,
    ),
    Metric(
        "receive_s_per_node",
        unit="s",
        group="radio",
        label="Time receiving per node",
        description="How long a node followed frames of others, received in the end or not, per node.",
        higher_is_better=False,
        function=lambda run: sum(row.receive_s for row in run.node_facts) / run.nodes,
    ),
    Metric(
        "energy_j_per_node",
        unit="J",
        group="radio",
        label="Energy per node",
        description="The energy that the radio took to transmit, to receive and to idle, per node.",
        higher_is_better=False,
        function=lambda run: sum(row.energy_j for row in run.node_facts) / run.nodes,
    ),
    Metric(
        "storage_bytes_mean",
        unit="bytes",
        group="storage",
        label="Storage per node, mean",
        description="The size of the protocol's state in a node, averaged over the run and the nodes.",
        higher_is_better=False,
        function=lambda run: run.stored_bytes / run.nodes,
    ),
    Metric(
        "storage_bytes_max",
        unit="bytes",
        group="storage",
        label="Storage per node, largest",
        description="The largest size of the protocol's state in any node at any time.",
        higher_is_better=False,
        function=_storage_max,
    ),
)
