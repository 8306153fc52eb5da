"""All claims of the BRVST paper."""

from collections.abc import Sequence

from roamcast.measuring.verdicts import Claim
from roamcast.papers.brvst.cost_claims import cost_claims
from roamcast.papers.brvst.time_claims import time_claims


def brvst_claims() -> Sequence[Claim]:
    """Return the claims of section V."""
    return (*time_claims(), *cost_claims())
