"""``roamcast.reproduce``: a paper's figures drawn from new runs, and a verdict on each of its claims."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from roamcast import __version__
from roamcast.api.claim_decision import MINUTES, Budget
from roamcast.api.measured_campaign import SEEDS_MAX, CampaignOptions, MeasuredCampaign, checked_precision
from roamcast.api.paper_campaign import PaperCampaign, judge_paper
from roamcast.api.paper_request import PaperRequest
from roamcast.api.seed_arguments import checked_count, whole_number
from roamcast.api.tidy_tables import tidy_table
from roamcast.campaigns.python_values import as_written
from roamcast.campaigns.whole_files import write_bytes
from roamcast.core.errors import InvalidValueError, UnknownNameError
from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts.judged import JudgedClaim
from roamcast.papers import SCALES, Paper, load_paper
from roamcast.papers.shared.readings import measured_under
from roamcast.report.claim_sections import changed_section, readings_section, verdict_sections
from roamcast.report.claim_tables import legend
from roamcast.report.claim_text import tally
from roamcast.report.draw import draw
from roamcast.report.figure import Figure
from roamcast.report.page import Provenance, write_page

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
    """The figures as data, under the default reading; their pictures are in ``folder / "figures"``."""
    claims: tuple[JudgedClaim, ...]
    """The paper's claims under the default reading, each with its verdict and the numbers that it rests on."""
    judged: tuple[JudgedClaim, ...]
    """The same under all readings that were evaluated."""
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
        return f"<ReproduceResult {self.name}, {self.scale}: claims: {tally(self.claims)}{failed}; {self.folder}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        rows = "".join(
            f"<tr><td>{escape(each.claim.name)}</td><td>{escape(each.verdict.value)}</td>"
            f"<td>{escape(each.claim.statement)}</td></tr>"
            for each in self.claims
        )
        head = "<tr><th>claim</th><th>verdict</th><th>what the paper says</th></tr>"
        title = f"<p><b>{escape(self.paper.title)}</b> ({escape(self.scale)}): {escape(tally(self.claims))}</p>"
        words = "".join(f"<li>{escape(line)}</li>" for line in legend(self.claims).splitlines())
        return f"{title}<table>{head}{rows}</table><ul>{words}</ul>"


def reproduce(
    paper: str,
    scale: str = "quick",
    figures: int | Iterable[int] | None = None,
    *,
    readings: bool = False,
    decide: bool = False,
    minutes: float = MINUTES,
    out: str | Path | None = None,
    master: str | None = None,
    precision: Mapping[str, float] | None = None,
    seeds_max: int = SEEDS_MAX,
    progress: bool | None = None,
) -> ReproduceResult:
    """Make a paper's runs on Spark, draw its figures and check its claims.

    ``scale`` is ``quick`` (few seeds and points, minutes) or ``full`` (the paper's own grid, hours); ``figures`` are
    the numbers of the figures wanted, or one number, and all if it is None. With ``readings``, the claims are checked
    under every reading of the paper, not only the default. With ``decide``, seeds are added where claims are open, at
    planned looks, for at most so many ``minutes``. Results go to the folder ``out`` (default:
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
    budget = Budget(checked_minutes(minutes, "minutes"))
    request = paper_request(paper, loaded, scale, numbers, readings=readings, out=out, options=options)
    return reproduce_paper(paper, request, budget if decide else None)


def checked_minutes(minutes: float, where: str) -> float:
    """Return a number of minutes if it is above 0."""
    number = as_written(minutes)
    if not isinstance(number, (int, float)) or isinstance(number, bool) or not 0 < number < inf:
        raise InvalidValueError(where, minutes, "must be a number of minutes above 0")
    return float(number)


def paper_request(
    name: str,
    paper: Paper,
    scale: str,
    numbers: Collection[int],
    *,
    readings: bool,
    out: str | Path | None,
    options: CampaignOptions,
) -> PaperRequest:
    """Return what to make of a paper whose figures were checked."""
    folder = Path(out) if out is not None else default_folder(name, scale)
    chosen = paper.readings if readings else paper.readings[:1]
    return PaperRequest(paper, scale, numbers, chosen, folder, options)


def reproduce_paper(name: str, request: PaperRequest, budget: Budget | None = None) -> ReproduceResult:
    """Reproduce figures of a paper, and judge its claims."""
    found = judge_paper(request, budget)
    return written_result(name, request, found, decided=budget is not None)


def written_result(name: str, request: PaperRequest, found: PaperCampaign, *, decided: bool) -> ReproduceResult:
    """Draw the figures of a campaign and write its page."""
    paper, numbers = request.paper, request.numbers
    default = paper.readings[0]
    measured = measured_under(paper, found.campaign.measurements, default)
    figures = [figure for figure in paper.figures(measured) if figure_number(figure) in numbers]
    provenance = _provenance(name, request, decided=decided)
    page = write_figures(request, provenance, request.folder / "figures", figures, found.judged)
    return ReproduceResult(
        name,
        paper,
        request.scale,
        request.folder,
        tuple(figures),
        tuple(found.under(default.name)),
        found.judged,
        page,
        found.campaign,
    )


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
    if not asked:
        raise InvalidValueError(
            where, "[]", f"must name at least one figure: {', '.join(map(str, paper.figure_numbers))}"
        )
    return tuple(asked)


def default_folder(paper: str, scale: str) -> Path:
    """Return where a paper's results go if the caller does not say."""
    return Path("results") / f"{paper}-{scale}"


def figure_number(figure: Figure) -> int:
    """Return the number that a figure has in its paper."""
    return int(figure.name.removeprefix("figure-"))


def write_figures(
    request: PaperRequest,
    provenance: Provenance,
    folder: Path,
    figures: Sequence[Figure],
    judged: Sequence[JudgedClaim],
) -> Path:
    """Write the pictures, the claims as JSON and a page that shows both; return the page's path."""
    paper = request.paper
    for figure in figures:
        draw(figure, folder, tuple(paper.series_names.values()))
    documents = [each.document() for each in judged]
    write_bytes(folder / "claims.json", (json.dumps(documents, indent=2) + "\n").encode())
    default = [each for each in judged if each.reading == paper.readings[0].name]
    matrix, changed = readings_section(judged, paper.readings), changed_section(default)
    sections = [
        *([] if matrix is None else [matrix]),
        *verdict_sections(default),
        *([] if changed is None else [changed]),
    ]
    outcome = f"Verdicts on the {len(default)} claims checked: {tally(default)}." if default else ""
    intro = "\n\n".join([paper.source, f"{paper.setting} {outcome}".strip()])
    return write_page(folder, paper.title, intro, figures, sections, provenance)


def _provenance(name: str, request: PaperRequest, *, decided: bool) -> Provenance:
    """Return how a page was made."""
    paper = request.paper
    is_all = set(request.numbers) == set(paper.figure_numbers)
    only = "" if is_all else f" --figure {' '.join(map(str, request.numbers))}"
    readings = " --readings" if len(request.readings) > 1 else ""
    command = f"claims {name} --decide" if decided else f"reproduce {name}{only}"
    return Provenance(
        command_line=f"roamcast {command}{readings} --scale {request.scale}",
        version=__version__,
        seeds="as each figure says",
        facts=(("scale", request.scale),),
    )
