"""The metrics by name, each with a line that says what it is, and their units."""

MEANINGS = {
    "delivery_ratio": "delivered in time, of all (event, interested node) pairs",
    "reliability": "the same with the publisher's own delivery counted",
    "latency_mean_s": "from publication to delivery [s]",
    "latency_median_s": "[s]",
    "latency_p95_s": "[s]",
    "duplicates_per_node": "events received again by who asked for them",
    "parasites_per_node": "events received by who did not ask for them",
    "receptions_per_event_received": "how often a subscriber receives an event of another, the first time included",
    "events_sent_per_node": "events in the frames sent",
    "frames_sent_per_node": "link-layer frames, all kinds",
    "event_frames_per_node": "frames of messages with events",
    "control_frames_per_node": "frames of all other messages, the MAC's own left out",
    "bytes_sent_per_node": "bytes on the air, with the MAC's header",
    "payload_bytes_sent_per_node": "bytes of the messages alone, without it",
    "payload_bytes_per_node_s": "the same, per second",
    "frames_per_delivery": "link-layer frames for each delivered event",
    "frames_lost_ratio": "frames in range lost to collisions",
    "queue_drops_per_node": "frames that found the MAC's queue full",
    "transmit_s_per_node": "with frames of its own on the air [s]",
    "receive_s_per_node": "following a frame, received in the end or not [s]",
    "energy_j_per_node": "what the radio took: transmitting, receiving, idling [J]",
    "storage_bytes_mean": "the protocol's state in a node [bytes]",
    "storage_bytes_max": "the largest of any node [bytes]",
    "publication_match_s": "from an event's publication to its first delivery to another node, whoever asked first [s]",
    "subscription_match_s": "from a subscription to the first delivery of an event that it matches [s]",
    "match_s": "the mean of both over all events and subscriptions that found a match [s]",
    "match_ratio": "delivered in time, of all pairs, with those who asked after the publication",
    "broker_storage_bytes": "the protocol's state in a node while it is a broker [bytes]",
    "member_storage_bytes": "the same in a node while it is none [bytes]",
    "control_bytes_per_node_s": "on the air in messages without events, the MAC's own frames left out [bytes/s]",
    "bytes_per_match": "on the air for each pair that was delivered in time [bytes]",
    "false_positive_rate": "events that came by approximate matches in vain, of those and the pairs delivered in time",
    "wasted_bytes_per_match": "that came by approximate matches in vain, for each pair delivered in time [bytes]",
}
"""What each metric is, for the table."""

_ENDINGS = {
    "_ratio": "1",
    "_rate": "1",
    "reliability": "1",
    "duplicates_per_node": "receptions",
    "parasites_per_node": "receptions",
    "receptions_per_event_received": "receptions",
    "events_sent_per_node": "events",
    "bytes_per_node_s": "bytes/s",
    "_j_per_node": "J",
    "_s_per_node": "s",
    "bytes_sent_per_node": "bytes",
    "bytes_per_match": "bytes",
    "_bytes": "bytes",
    "_bytes_mean": "bytes",
    "_bytes_max": "bytes",
    "frames_per_node": "frames",
    "frames_sent_per_node": "frames",
    "frames_per_delivery": "frames",
    "drops_per_node": "frames",
    "_s": "s",
}
"""How the names of metrics end, and the unit of those; the first that fits counts."""


def unit_of(metric: str) -> str:
    """Return the unit of a metric, "1" for a plain number; ``reliability@90`` has that of ``reliability``."""
    name = metric.partition("@")[0]
    return next((unit for ending, unit in _ENDINGS.items() if name.endswith(ending)), "")
