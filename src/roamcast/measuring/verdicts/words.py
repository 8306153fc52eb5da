"""The six verdicts on a claim, each with its definition: every table and page that shows one prints it from here."""

from enum import StrEnum


class Verdict(StrEnum):
    """The outcome of comparing a claim with what was measured."""

    HOLDS = "holds"
    EXCEEDED = "exceeded"
    WEAKER = "weaker"
    CONTRADICTED = "contradicted"
    UNDECIDED = "undecided"
    UNTESTABLE = "untestable"

    @property
    def definition(self) -> str:
        """Return one line on when the verdict is given."""
        return DEFINITIONS[self]

    @property
    def symbol(self) -> str:
        """Return a sign for a table; the word always stands beside it or in the legend."""
        return SYMBOLS[self]


DEFINITIONS = {
    Verdict.HOLDS: "the whole interval lies inside the declared band; of several numbers, some may lie or reach beyond "
    "it on the side that favours the paper",
    Verdict.EXCEEDED: "the interval lies entirely beyond the band, on the side that favours the paper",
    Verdict.WEAKER: "the direction is certain, but the effect is smaller than claimed",
    Verdict.CONTRADICTED: "the interval lies entirely on the wrong side, or outside a band that favours no side; of "
    "several numbers, one does after Holm's correction",
    Verdict.UNDECIDED: "the interval crosses a boundary; of several numbers, one does, and none is contradicted after "
    "Holm's correction",
    Verdict.UNTESTABLE: "the paper omits what a test needs, made too few runs for it, or contradicts itself",
}
SYMBOLS = {
    Verdict.HOLDS: "✓",
    Verdict.EXCEEDED: "»",
    Verdict.WEAKER: "~",
    Verdict.CONTRADICTED: "✗",
    Verdict.UNDECIDED: "?",
    Verdict.UNTESTABLE: "–",
}
