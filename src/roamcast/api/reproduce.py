"""``roamcast.reproduce``: a paper's figures drawn from new runs, and a verdict on each of its claims."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from roamcast import __version__
from roamcast.api.measured_campaign import (
    SEEDS_MAX,
    CampaignOptions,
    MeasuredCampaign,
    checked_precision,
    measured_campaign,
)
from roamcast.api.seed_arguments import checked_count, whole_number
from roamcast.api.tidy_tables import tidy_table
from roamcast.campaigns.whole_files import write_bytes
from roamcast.core.errors import UnknownNameError
from roamcast.measuring.claim_verdicts import Finding, Verdict, examine
from roamcast.measuring.measurements import Measurements
from roamcast.papers import SCALES, Paper, load_paper
from roamcast.report.claim_tables import claims_page_table, finding_document
from roamcast.report.draw import draw
from roamcast.report.figure import Figure
from roamcast.report.page import Provenance, Section, write_page

if TYPE_CHECKING:
    import pandas

    from roamcast.spark.runs.campaign import FailedRun


@dataclass(frozen=True, repr=False)
class ReproduceResult:
    """A paper measured again."""

    name: str
    """The paper's name; see ``roamcast list papers``."""
    paper: Paper
    scale: str
    folder: Path
    """The campaign's folder: the same call resumes from it; ``folder / "tables"`` holds Parquet files."""
    figures: tuple[Figure, ...]
    """The figures as data; their pictures are in ``folder / "figures"``."""
    findings: tuple[Finding, ...]
    """The paper's claims, each with its verdict and the numbers that it rests on."""
    page: Path
    """A web page with the figures and the claims."""
    campaign: MeasuredCampaign

    @property
    def measurements(self) -> Measurements:
        """Return everything that was measured, as plain values."""
        return self.campaign.measurements

    @property
    def failed(self) -> "tuple[FailedRun, ...]":
        """Return the runs that failed, each with its reason; no value in the table rests on them."""
        return self.campaign.outcome.failed

    @cached_property
    def table(self) -> "pandas.DataFrame":
        """Return one row for each point, protocol and metric: value, low and high (95 % interval), seeds, unit."""
        return tidy_table(self.measurements, self.campaign.runs)

    def __repr__(self) -> str:
        """Return a line with the verdicts and where everything is."""
        failed = f"; {len(self.failed)} runs failed" if self.failed else ""
        return f"<ReproduceResult {self.name}, {self.scale}: {self._verdicts()}{failed}; {self.folder}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        rows = "".join(
            f"<tr><td>{escape(each.claim.name)}</td><td>{escape(each.verdict.value)}</td>"
            f"<td>{escape(each.claim.statement)}</td></tr>"
            for each in self.findings
        )
        head = "<tr><th>claim</th><th>verdict</th><th>what the paper says</th></tr>"
        title = f"<p><b>{escape(self.paper.title)}</b> ({escape(self.scale)}): {escape(self._verdicts())}</p>"
        return f"{title}<table>{head}{rows}</table>"

    def _verdicts(self) -> str:
        verdicts = [each.verdict for each in self.findings]
        counts = ", ".join(f"{verdicts.count(verdict)} {verdict.value}" for verdict in Verdict)
        return f"claims: {counts}"


def reproduce(
    paper: str,
    scale: str = "quick",
    figures: int | Iterable[int] | None = None,
    *,
    out: str | Path | None = None,
    master: str | None = None,
    precision: Mapping[str, float] | None = None,
    seeds_max: int = SEEDS_MAX,
    progress: bool | None = None,
) -> ReproduceResult:
    """Make a paper's runs on Spark, draw its figures and check its claims.

    ``scale`` is ``quick`` (few seeds and points, minutes) or ``full`` (the paper's own grid, hours); ``figures`` are
    the numbers of the figures wanted, or one number, and all if it is None. Results go to the folder ``out`` (default:
    ``results/PAPER-SCALE``), and the same call resumes from there. ``precision``, ``seeds_max`` and ``progress`` are
    as in ``compare``.
    """
    loaded = load_paper(paper)
    if scale not in SCALES:
        raise UnknownNameError("scale", str(scale), SCALES)
    numbers = checked_figures(loaded, figures, "figures")
    asked = tuple(checked_precision(metric, width, "precision") for metric, width in (precision or {}).items())
    limit = checked_count(seeds_max, "seeds_max")
    options = CampaignOptions(master, precision=asked, seeds_max=limit, progress=progress)
    return reproduce_paper(paper, loaded, scale, numbers, out=out, options=options)


def reproduce_paper(
    name: str,
    paper: Paper,
    scale: str,
    numbers: Collection[int],
    *,
    out: str | Path | None = None,
    options: CampaignOptions,
) -> ReproduceResult:
    """Reproduce figures of a paper whose numbers were checked."""
    folder = Path(out) if out is not None else default_folder(name, scale)
    campaign = measure_paper(paper, scale, numbers, folder, options)
    figures = [each for each in paper.figures(campaign.measurements) if figure_number(each) in numbers]
    findings = paper_findings(paper, campaign.measurements, numbers)
    chosen = () if set(numbers) == set(paper.figure_numbers) else tuple(numbers)
    page = write_figures(paper, _provenance(name, scale, chosen), folder / "figures", figures, findings)
    return ReproduceResult(name, paper, scale, folder, tuple(figures), tuple(findings), page, campaign)


def measure_paper(
    paper: Paper, scale: str, numbers: Collection[int], folder: Path, options: CampaignOptions
) -> MeasuredCampaign:
    """Make and measure the runs behind some figures of a paper."""
    sweeps = [each for each in paper.sweeps(scale) if set(each.figures) & set(numbers)]
    runs = [run for sweep in sweeps for run in sweep.runs]
    validities_s = sorted({validity_s for sweep in sweeps for validity_s in sweep.validities_s})
    return measured_campaign(runs, folder, options, validities_s, paper.reference_protocol)


def paper_findings(paper: Paper, measured: Measurements, numbers: Collection[int]) -> list[Finding]:
    """Check the claims that rest on some figures of a paper."""
    return examine([each for each in paper.claims() if set(each.figures) & set(numbers)], measured)


def checked_figures(paper: Paper, numbers: int | Iterable[int] | None, where: str) -> tuple[int, ...]:
    """Return the figures asked for if the paper has them, and all that it has if none is asked for."""
    if numbers is None:
        return paper.figure_numbers
    is_list = isinstance(numbers, Iterable) and not isinstance(numbers, (str, bytes)) and whole_number(numbers) is None
    asked: list[int] = []
    for figure in numbers if is_list and isinstance(numbers, Iterable) else (numbers,):
        number = whole_number(figure)
        if number is None or number not in paper.figure_numbers:
            raise UnknownNameError("figure", str(figure), map(str, paper.figure_numbers), where)
        asked.append(number)
    return tuple(asked) or paper.figure_numbers


def default_folder(paper: str, scale: str) -> Path:
    """Return where a paper's results go if the caller does not say."""
    return Path("results") / f"{paper}-{scale}"


def figure_number(figure: Figure) -> int:
    """Return the number that a figure has in its paper."""
    return int(figure.name.removeprefix("figure-"))


def write_figures(
    paper: Paper, provenance: Provenance, folder: Path, figures: Sequence[Figure], findings: Sequence[Finding]
) -> Path:
    """Write the pictures, the claims as JSON and a page that shows both; return the page's path."""
    for figure in figures:
        draw(figure, folder, tuple(paper.series_names.values()))
    documents = [finding_document(each) for each in findings]
    write_bytes(folder / "claims.json", (json.dumps(documents, indent=2) + "\n").encode())
    claims_section = Section(
        "Claims",
        "Each claim of the paper next to the 95 % interval of what was measured: the claim is reproduced if the "
        "interval lies inside what the claim allows, not reproduced if it lies outside, and undecided with this many "
        "seeds if it crosses the border. The second column says where the paper makes the claim: 5.2 is its section "
        "5.2.",
        claims_page_table(findings),
    )
    intro = "\n\n".join([paper.source, f"{paper.setting} {_outcome(findings)}".strip()])
    return write_page(folder, paper.title, intro, figures, [claims_section], provenance)


def _outcome(findings: Sequence[Finding]) -> str:
    """Say how many of the claims that were checked hold; nothing if none was."""
    verdicts = [each.verdict for each in findings]
    counts = ", ".join(f"{verdicts.count(verdict)} {verdict.value}" for verdict in Verdict)
    return f"Verdicts on the {len(verdicts)} claims checked: {counts}." if verdicts else ""


def _provenance(name: str, scale: str, chosen: Sequence[int]) -> Provenance:
    """Return how a page was made; ``chosen`` are the figures that were asked for, none if all were."""
    only = f" --figure {' '.join(map(str, chosen))}" if chosen else ""
    return Provenance(
        command_line=f"roamcast reproduce {name}{only} --scale {scale}",
        version=__version__,
        seeds="as each figure says",
        facts=(("scale", scale),),
    )
