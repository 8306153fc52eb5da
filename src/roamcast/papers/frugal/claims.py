"""All claims of the Frugal paper.

Bands were fixed on 18 November 2026, after the first campaigns and an audit had been seen. Later changes are on record,
or the claim says so (``after_results``); ``replaces`` names the earlier encodings. The scenario lists the seeds that
were used before. City claims got a value of no effect before any run with seeds from 8001 on.
"""

from collections.abc import Sequence

from roamcast.measuring.verdicts import Claim
from roamcast.papers.frugal.city_claims import city_claims
from roamcast.papers.frugal.cost_claims import cost_claims
from roamcast.papers.frugal.field_claims import field_claims
from roamcast.papers.frugal.one_event_claims import one_event_claims


def frugal_claims() -> Sequence[Claim]:
    """Return the claims of the introduction and of section 5.2."""
    return (*field_claims(), *city_claims(), *one_event_claims(), *cost_claims())
