"""All claims of the hint-driven paper: a claim for each sentence of section 5.2 that says what was found.

Bands were fixed on 18 November 2026: after the first campaigns and an audit had been seen, and before any run with
seeds from 1001 on. No band has changed since. ``replaces`` names the earlier encodings; the scenario lists the seeds
that were used before.

Left out are sentences that only introduce a figure, and one on figure 9 that recalls the load of gossip from figure 7.
The causes that the paper gives are claims only where a run measures them (collisions).
"""

from collections.abc import Sequence

from roamcast.measuring.verdicts import Claim
from roamcast.papers.hint_driven.density_claims import density_claims
from roamcast.papers.hint_driven.rate_claims import rate_claims
from roamcast.papers.hint_driven.reference_claims import reference_claims
from roamcast.papers.hint_driven.size_claims import size_claims
from roamcast.papers.hint_driven.speed_claims import speed_claims
from roamcast.papers.hint_driven.subscriber_claims import subscriber_claims


def hint_driven_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (
        *reference_claims(),
        *subscriber_claims(),
        *rate_claims(),
        *speed_claims(),
        *size_claims(),
        *density_claims(),
    )
