"""The papers: for each, its scenarios, its figures as sweeps, and its claims as checks on the measurements."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from roamcast.campaigns.paired_messages import MessagePair
from roamcast.campaigns.plan import PlannedRun
from roamcast.core.components import ComponentKind
from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Claim
from roamcast.report.figure import Figure

SCALES = ("quick", "full")
"""``quick`` has every figure with few seeds and points; ``full`` has the paper's own grid."""


@dataclass(frozen=True, slots=True)
class PaperSweep:
    """The runs behind one or more figures."""

    name: str
    figures: tuple[int, ...]
    """The numbers of the figures drawn from it."""
    runs: tuple[PlannedRun, ...]
    validities_s: tuple[float, ...] = ()
    """The validity periods at which delivery is read off each run, in seconds, for figures with validity on an axis."""
    pair: MessagePair | None = None
    """Two curves whose messages are compared one by one; their metrics are named ``..._delay_s@paired``."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One of several ways to understand a paper where its text leaves room for more than one.

    All readings are evaluated side by side. The default is chosen by the text, never because more claims hold under it.
    """

    name: str
    differs: str
    """The difference that this reading makes; for the default, what all others are compared with."""
    support: str
    """The words of the paper that speak for it, and where; for the default, also why it is the default."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """The keys of the scenario that it changes; a key of a component counts where the component has it."""
    sweeps: tuple[str, ...] = ()
    """The sweeps that it is about; none: all in which it changes something."""
    metrics: Mapping[str, str] = field(default_factory=dict)
    """The metrics that it counts otherwise, each with the one that takes its place; that needs no runs."""
    runs: int | None = None
    """How many independent runs the paper's printed numbers are means of; None: as the claims say."""


@dataclass(frozen=True, slots=True)
class SeedsUsed:
    """Seeds whose results somebody has seen: they judge no claim any more."""

    first: int
    last: int
    use: str
    """The campaign or the work that they served."""


class Paper(ABC):
    """A paper, as far as it can be measured."""

    title: ClassVar[str]
    source: ClassVar[str]
    """Authors, venue and year."""
    setting: ClassVar[str] = ""
    """A sentence or two on what is simulated, for the top of the page with the results."""
    series_names: ClassVar[Mapping[int, tuple[str, ...]]]
    """The names of all measured series of each figure, at any scale, so that a name looks the same throughout the
    paper."""
    readings: ClassVar[tuple[Reading, ...]] = (Reading("default", "the paper as we read it", "see docs/"),)
    """The ways to read the paper, the default first."""
    first_seed: ClassVar[int] = 1
    """Where the seeds of a campaign begin. Bands are fixed before the runs that judge them, so seeds that an earlier
    campaign or an audit has used would only repeat a result that has been seen."""
    seeds_used: ClassVar[tuple[SeedsUsed, ...]] = ()
    """The seeds of earlier campaigns, of audits and of work on the bands."""
    next_steps: ClassVar[tuple[str, ...]]
    """Commands to suggest to a reader who has seen the figures and wants to try the paper's protocols."""

    def first_seed_at(self, scale: str) -> int:  # noqa: ARG002 - for papers whose scales have seeds of their own
        """Return where the seeds of a campaign at a scale begin."""
        return self.first_seed

    @property
    def figure_numbers(self) -> tuple[int, ...]:
        """Return the figures that can be made."""
        return tuple(self.series_names)

    @abstractmethod
    def sweeps(self, scale: str) -> Sequence[PaperSweep]:
        """Return all runs of the paper at a scale."""

    @abstractmethod
    def figures(self, measured: Measurements) -> Sequence[Figure]:
        """Return the figures that the measurements allow."""

    @abstractmethod
    def claims(self) -> Sequence[Claim]:
        """Return the paper's claims: what it states as numbers or comparisons."""


PAPERS = ComponentKind(
    "papers",
    "paper",
    __name__,
    Paper,  # type: ignore[type-abstract]
    ("title", "source", "series_names", "next_steps"),
)
paper_names = PAPERS.names


def load_paper(name: str) -> Paper:
    """Return a paper by its name, or say which names there are."""
    return PAPERS.load(name)()
