"""Metrics of what was sent."""

from roamcast.measuring.metrics.metric import Metric

TRAFFIC_METRICS = (
    Metric(
        "events_sent_per_node",
        unit="events",
        group="traffic",
        description="Events in the frames that were sent, per node; one frame can carry several.",
        higher_is_better=False,
        function=lambda run: sum(row.events_sent for row in run.traffic) / run.nodes,
    ),
    Metric(
        "frames_sent_per_node",
        unit="frames",
        group="traffic",
        description="Frames of all kinds that were sent, per node, repetitions and the MAC's own frames included.",
        higher_is_better=False,
        function=lambda run: run.frames_sent / run.nodes,
    ),
    Metric(
        "event_frames_per_node",
        unit="frames",
        group="traffic",
        description="Frames of those kinds of messages that carried events, per node.",
        higher_is_better=False,
        function=lambda run: sum(row.frames_sent for row in run.event_messages) / run.nodes,
    ),
    Metric(
        "control_frames_per_node",
        unit="frames",
        group="traffic",
        description="Frames of all other kinds of messages, per node, without the MAC's own frames.",
        higher_is_better=False,
        function=lambda run: sum(row.frames_sent for row in run.control_messages) / run.nodes,
    ),
    Metric(
        "bytes_sent_per_node",
        unit="bytes",
        group="traffic",
        description="Bytes on the air, with the MAC's header, per node.",
        higher_is_better=False,
        function=lambda run: run.bytes_sent / run.nodes,
    ),
    Metric(
        "payload_bytes_sent_per_node",
        unit="bytes",
        group="traffic",
        description="Bytes of the messages alone, without the MAC's header, per node.",
        higher_is_better=False,
        function=lambda run: run.payload_bytes_sent / run.nodes,
    ),
    Metric(
        "payload_bytes_per_node_s",
        unit="bytes/s",
        group="traffic",
        label="Payload per node",
        description="Bytes of the messages alone, per node and second: the bandwidth that a node's messages take.",
        higher_is_better=False,
        function=lambda run: run.payload_bytes_sent / run.node_seconds,
    ),
    Metric(
        "frames_per_delivery",
        unit="frames",
        group="traffic",
        description="Frames of all kinds that were sent, for each delivery that counts for the delivery ratio.",
        higher_is_better=False,
        numerator=lambda run: run.frames_sent,
        denominator=lambda run: run.delivered,
    ),
)
