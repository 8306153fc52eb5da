"""The metrics of one run in plain Python, for who runs one scenario and has no campaign.

The definitions are those of the pipeline (DESIGN: metrics, one definition for all); a test holds the two together.
"""

from collections.abc import Sequence
from math import ceil, floor

from roamcast.measuring.matching_metrics import matching_metrics
from roamcast.sim.facts import MAC_PREFIX, Facts


def run_metrics(facts: Facts) -> dict[str, float | None]:
    """Return the metrics of a run; None where it has no value, the latency of no delivery, say."""
    validity_s = {each.event: each.validity_s for each in facts.publications}
    publisher = {each.event: each.publisher for each in facts.publications}
    in_time = [each for each in facts.deliveries if each.latency_s < validity_s[each.event]]
    latencies_s = sorted(each.latency_s for each in in_time if each.counted)
    own = sum(each.node == publisher[each.event] for each in in_time)
    interested = sum(each.interested for each in facts.publications)
    delivered = len(latencies_s)
    frames_sent = sum(each.frames_sent for each in facts.traffic)
    messages = [each for each in facts.traffic if not each.kind.startswith(MAC_PREFIX)]
    payload_bytes = sum(each.payload_bytes_sent for each in facts.traffic)
    first = sum(each.first for each in facts.receptions)
    duplicates = sum(each.duplicates for each in facts.receptions)
    echoes = sum(each.echoes for each in facts.receptions)
    lost = sum(each.frames_lost for each in facts.node_facts)
    return {
        "delivery_ratio": _ratio(delivered, interested),
        "reliability": _ratio(delivered + own, interested + own),
        "latency_mean_s": _ratio(sum(latencies_s), delivered),
        "latency_median_s": _quantile(latencies_s, 0.5),
        "latency_p95_s": _quantile(latencies_s, 0.95),
        "duplicates_per_node": duplicates / facts.nodes,
        "parasites_per_node": sum(each.parasites for each in facts.receptions) / facts.nodes,
        "receptions_per_event_received": _ratio(first + duplicates - echoes, first),
        "events_sent_per_node": sum(each.events_sent for each in facts.traffic) / facts.nodes,
        "frames_sent_per_node": frames_sent / facts.nodes,
        "event_frames_per_node": sum(each.frames_sent for each in messages if each.events_sent) / facts.nodes,
        "control_frames_per_node": sum(each.frames_sent for each in messages if not each.events_sent) / facts.nodes,
        "bytes_sent_per_node": sum(each.bytes_sent for each in facts.traffic) / facts.nodes,
        "payload_bytes_sent_per_node": payload_bytes / facts.nodes,
        "payload_bytes_per_node_s": payload_bytes / (facts.nodes * facts.duration_s),
        "frames_per_delivery": _ratio(frames_sent, delivered),
        "frames_lost_ratio": _ratio(lost, lost + facts.frame_receptions),
        "queue_drops_per_node": sum(each.queue_drops for each in facts.node_facts) / facts.nodes,
        "transmit_s_per_node": sum(each.transmit_s for each in facts.node_facts) / facts.nodes,
        "receive_s_per_node": sum(each.receive_s for each in facts.node_facts) / facts.nodes,
        "energy_j_per_node": sum(each.energy_j for each in facts.node_facts) / facts.nodes,
        "storage_bytes_mean": sum(each.storage_bytes_mean for each in facts.node_facts) / facts.nodes,
        "storage_bytes_max": float(max(each.storage_bytes_max for each in facts.node_facts)),
        **matching_metrics(facts),
    }


def _ratio(above: float, below: float) -> float | None:
    return above / below if below else None


def _quantile(ordered: Sequence[float], share: float) -> float | None:
    """Return a quantile with linear interpolation, as Spark's ``percentile`` does."""
    if not ordered:
        return None
    place = share * (len(ordered) - 1)
    low, high = ordered[floor(place)], ordered[ceil(place)]
    return low + (high - low) * (place - floor(place))
