"""All claims of the BRVST paper: a claim for each sentence of section V that says what was found.

Bands were fixed on 20 November 2026: after the first campaigns and an audit had been seen, and before any run with
seeds from 1001 on. ``replaces`` names the earlier encodings; the scenario lists the seeds that were used before. What
the audit measured is known: ``after_results`` says so where it bears on a claim.

Times of BRVST and DRIP are compared over the messages that both matched, from the moment at which there was something
to match: waits for a counterpart depend on the workload alone. Left out are sentences on why a curve is as it is, and
what the paper says without a figure.
"""

from collections.abc import Sequence

from roamcast.measuring.verdicts import Claim
from roamcast.papers.brvst.accuracy_claims import accuracy_claims
from roamcast.papers.brvst.mobility_claims import grid_claims, mobility_claims
from roamcast.papers.brvst.storage_claims import storage_claims
from roamcast.papers.brvst.time_claims import time_claims
from roamcast.papers.brvst.traffic_claims import traffic_claims


def brvst_claims() -> Sequence[Claim]:
    """Return the claims of section V, in the order of the figures."""
    return (
        *time_claims(),
        *mobility_claims(),
        *grid_claims(),
        *storage_claims(),
        *traffic_claims(),
        *accuracy_claims(),
    )
