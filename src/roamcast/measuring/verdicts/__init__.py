"""Claims and their verdicts: what a paper allows a number to be, what was measured, and the word for the two."""

from roamcast.measuring.verdicts.band import Band, Side, above, at_least, at_most, below, factor, within
from roamcast.measuring.verdicts.claim import Claim, Measure, Part
from roamcast.measuring.verdicts.finding import Finding, examine, part_verdict, verdict_on
from roamcast.measuring.verdicts.quantity import Deviation, Quantity, Ratio, Share, Sum, Value
from roamcast.measuring.verdicts.words import Verdict

__all__ = [
    "Band",
    "Claim",
    "Deviation",
    "Finding",
    "Measure",
    "Part",
    "Quantity",
    "Ratio",
    "Share",
    "Side",
    "Sum",
    "Value",
    "Verdict",
    "above",
    "at_least",
    "at_most",
    "below",
    "examine",
    "factor",
    "part_verdict",
    "verdict_on",
    "within",
]
