"""All claims of the Frugal paper.

Bands were fixed on 18 November 2026, after the first campaigns (seeds 1 to 30) and an audit had been seen. A campaign
with seeds 2001 to 2270 judged them. Then sentences that had been left out were added and some bands changed, with those
results known; each such claim says so (``after_results``), or the record does. Seeds 3001 to 3270 judged those, the
last changes being made while they ran. Since then no band has changed. The rules by which seeds are added and intervals
made have, so seeds from 8001 on judge: a campaign with seeds from 4001 on was broken off, and seeds from 6001 on served
an engine whose intervals of shares did not allow for runs that no seed had shown. ``replaces`` names the earlier
encodings.
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
