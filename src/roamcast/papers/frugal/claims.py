"""All claims of the Frugal paper.

Bands were fixed on 18 November 2026, after the first campaigns (seeds 1 to 30) and an audit had been seen. A campaign
with seeds 2001 to 2270 judged them. Then sentences that had been left out were added and some bands changed, with those
results known; each such claim says so (``after_results``), or the record does. The seeds that judge now, from 3001 on,
had not been used. When the last of these changes were made (``city-spread-huge``, ``parasites-fewer``,
``reliability-20`` at 40 m/s, the paper's runs in the city), their runs had begun, and nothing of them had been looked
at. ``replaces`` names the earlier encodings.
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
