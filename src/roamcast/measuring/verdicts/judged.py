"""A claim with everything there is to say about it: its verdict, its record, and what deciding it would cost."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from roamcast.measuring.verdicts.claim import Claim
from roamcast.measuring.verdicts.finding import SEEDS_MAX, Finding
from roamcast.measuring.verdicts.record import finding_document
from roamcast.measuring.verdicts.words import Verdict


@dataclass(frozen=True, slots=True)
class Cost:
    """The price of deciding an open claim, as far as the seeds so far can tell, or of looking at it at all."""

    seeds: int | None
    """The seeds in all; None: no number of them would."""
    minutes: float | None
    """The time for the seeds that are missing, on all cores of this machine."""
    is_first_look: bool = False
    """Whether these are the seeds of the claim's first look, which may decide it or not."""
    is_untestable: bool = False
    """Whether so many seeds would show that the claim cannot be tested, rather than decide it."""
    last_look: int | None = None
    """The seeds of the last planned look, if more than these are needed: the error is spent, so only a campaign with
    fresh seeds and a later look could decide the claim."""

    def __str__(self) -> str:
        """Return a few words: "about 120 seeds, 4 minutes"."""
        if self.seeds is None or self.minutes is None:
            return f"not even {SEEDS_MAX:,} seeds would decide it"
        time = f"{self.minutes:.0f} minutes" if self.minutes >= 1.5 else f"{max(1.0, 60 * self.minutes):.0f} s"
        if self.is_first_look:
            return f"its first look needs {self.seeds:,} seeds, about {time} more"
        outcome = "show that it cannot be tested" if self.is_untestable else "decide it"
        if self.last_look is not None:
            more = f"more than the {self.last_look:,} of the last look: {time} with fresh seeds and a later look"
            return f"about {self.seeds:,} seeds would {outcome}, {more}"
        return f"about {self.seeds:,} seeds would {outcome}, {time} more"


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim under one reading."""

    finding: Finding
    reading: str
    look: int | None = None
    """How many of the planned looks were taken, 0 if there was no time for the first one; None: the claim was judged
    once, with the seeds of its scale."""
    cost: Cost | None = None
    """None if the claim is decided."""
    earlier: tuple[Mapping[str, Any], ...] = ()
    """Former judgements of another question: the claim was changed after their results had been seen."""
    former_verdicts: tuple[Mapping[str, Any], ...] = ()
    """Other verdicts on the same question: of other seeds, or of an earlier version of the program."""

    @property
    def claim(self) -> Claim:
        """Return the claim."""
        return self.finding.claim

    @property
    def verdict(self) -> Verdict:
        """Return the verdict."""
        return self.finding.verdict

    @property
    def had_a_look(self) -> bool:
        """Tell whether the claim was judged at all."""
        return self.look != 0

    def document(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        kept = ("name", "scale", "date", "tolerance", "verdict")
        return {
            "reading": self.reading,
            **finding_document(self.finding),
            "look": self.look,
            "to_decide": self.cost and {"seeds": self.cost.seeds, "minutes": self.cost.minutes},
            "former_verdicts": list(self.former_verdicts),
            "earlier": [{key: entry.get(key) for key in kept} for entry in self.earlier],
        }
