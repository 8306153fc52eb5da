"""The delivery of a run as if every event had been valid for a shorter time.

An event's reception by some time does not depend on how long it stays valid after that, so one run gives the whole
curve of delivery over validity. This is exact if what a protocol does before that time does not depend on it either.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from roamcast.measuring.metrics import Metric, evaluate
from roamcast.sim.facts import Facts

BY_VALIDITY = ("delivery_ratio", "reliability")
"""The metrics that mean something at a shorter validity."""


def with_validity(facts: Facts, validity_s: float) -> Facts | None:
    """Return the facts as if every event had been valid for so long; None if one was not valid for that long."""
    if any(publication.validity_s < validity_s for publication in facts.publications):
        return None
    shortened = tuple(publication._replace(validity_s=validity_s) for publication in facts.publications)
    return replace(facts, publications=shortened)


def values_by_validity(
    facts: Facts, validities_s: Sequence[float], metrics: Mapping[str, Metric]
) -> Iterator[tuple[str, float | None]]:
    """Yield ``reliability@90`` and the like with their values; None where a validity is longer than an event's."""
    chosen = [metrics[name] for name in BY_VALIDITY]
    for validity_s in validities_s:
        shortened = with_validity(facts, validity_s)
        found = {} if shortened is None else {each.metric: each.value for each in evaluate(shortened, chosen)}
        for name in BY_VALIDITY:
            yield f"{name}@{validity_s:g}", found.get(name)
