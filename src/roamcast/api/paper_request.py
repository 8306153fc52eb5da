"""Which claims of a paper are asked about, and where their runs are made."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from roamcast.api.measured_campaign import CampaignOptions
from roamcast.api.paper_points import PaperPoints
from roamcast.measuring.verdicts import Claim
from roamcast.papers import Paper, Reading


@dataclass(frozen=True, slots=True)
class PaperRequest:
    """Which claims of a paper to judge, and where."""

    paper: Paper
    scale: str
    numbers: Collection[int]
    """The figures whose sweeps are made."""
    readings: Sequence[Reading]
    folder: Path
    options: CampaignOptions

    @property
    def claims(self) -> list[Claim]:
        """Return the claims that rest on these figures."""
        return [claim for claim in self.paper.claims() if set(claim.figures) & set(self.numbers)]

    def points(self) -> PaperPoints:
        """Return the points behind the figures."""
        return PaperPoints.of(self.paper, self.scale, self.numbers, self.readings)
