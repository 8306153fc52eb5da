"""All claims of the Frugal paper."""

from collections.abc import Sequence

from roamcast.measuring.verdicts import Claim
from roamcast.papers.frugal.cost_claims import cost_claims
from roamcast.papers.frugal.reliability_claims import reliability_claims


def frugal_claims() -> Sequence[Claim]:
    """Return the claims of the abstract and of section 5.2."""
    return (*reliability_claims(), *cost_claims())
