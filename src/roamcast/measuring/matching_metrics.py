"""The metrics of matching (BRVST paper, section V) of one run, in plain Python; the pipeline has the same on Spark."""

from roamcast.core.host import FALSE_POSITIVE
from roamcast.sim.facts import MAC_PREFIX, Facts


def matching_metrics(facts: Facts) -> dict[str, float | None]:
    """Return how soon publications and subscriptions found each other, and what that took."""
    found = {each.event: each for each in facts.publications}
    to_others = [
        each
        for each in facts.deliveries
        if each.latency_s < found[each.event].validity_s and each.node != found[each.event].publisher
    ]
    first_s: dict[int, float] = {}
    for each in to_others:
        first_s[each.event] = min(each.latency_s, first_s.get(each.event, each.latency_s))
    asked_s = [each.matched_after_s for each in facts.subscriptions if each.matches]
    both = sum(each.counted for each in to_others) + sum(each.waiting_delivered for each in facts.subscriptions)
    meant = sum(each.interested for each in facts.publications) + sum(each.waiting for each in facts.subscriptions)
    return {
        "publication_match_s": _ratio(sum(first_s.values()), len(first_s)),
        "subscription_match_s": _ratio(sum(asked_s), len(asked_s)),
        "match_s": _ratio(sum(first_s.values()) + sum(asked_s), len(first_s) + len(asked_s)),
        "match_ratio": _ratio(both, meant),
        **_costs(facts, both),
    }


def _costs(facts: Facts, matches: int) -> dict[str, float | None]:
    node_seconds = facts.nodes * facts.duration_s
    control = [each for each in facts.traffic if not each.events_sent and not each.kind.startswith(MAC_PREFIX)]
    brokers = sum(each.share for each in facts.brokers)
    broker_bytes = sum(each.storage_bytes for each in facts.brokers)
    stored_bytes = sum(each.storage_bytes_mean for each in facts.node_facts)
    false = sum(each.times for each in facts.false_positives if each.reason == FALSE_POSITIVE)
    wasted_bytes = sum(each.size_bytes for each in facts.false_positives)
    return {
        "broker_storage_bytes": _ratio(broker_bytes, brokers),
        "member_storage_bytes": _ratio(stored_bytes - broker_bytes, facts.nodes - brokers),
        "control_bytes_per_node_s": sum(each.bytes_sent for each in control) / node_seconds,
        "bytes_per_match": _ratio(sum(each.bytes_sent for each in facts.traffic), matches),
        "false_positive_rate": _ratio(false, false + matches),
        "wasted_bytes_per_match": _ratio(wasted_bytes, matches),
    }


def _ratio(above: float, below: float) -> float | None:
    return above / below if below else None
