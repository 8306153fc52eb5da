"""The delivery of a run as if every event had been valid for a shorter time.

An event's reception by some time does not depend on how long it stays valid after that, so one run gives the whole
curve of delivery over validity. This is exact if what a protocol does before that time does not depend on it either.
"""

from dataclasses import replace

from roamcast.sim.facts import Facts

BY_VALIDITY = ("delivery_ratio", "reliability")
"""The metrics that mean something at a shorter validity."""


def with_validity(facts: Facts, validity_s: float) -> Facts | None:
    """Return the facts as if every event had been valid for so long; None if one was not valid for that long."""
    if any(publication.validity_s < validity_s for publication in facts.publications):
        return None
    shortened = tuple(publication._replace(validity_s=validity_s) for publication in facts.publications)
    return replace(facts, publications=shortened)
