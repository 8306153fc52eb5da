"""How many nodes an event is delivered to."""

from roamcast.measuring.metrics import Metric
from roamcast.sim.facts import Facts


def deliveries_per_event(facts: Facts) -> float | None:
    """Return the mean number of deliveries to nodes other than the publisher; None where nothing was published."""
    if not facts.publications:
        return None
    return sum(delivery.counted for delivery in facts.deliveries) / len(facts.publications)


DELIVERIES_PER_EVENT = Metric(
    "deliveries_per_event",
    unit="deliveries",
    group="delivery",
    description="To how many nodes, other than its publisher, an event is delivered.",
    higher_is_better=True,
    function=deliveries_per_event,
)
