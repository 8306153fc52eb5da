"""In the figures of a paper, a name is one colour and one mark, whichever of them are made and at whatever scale."""

from functools import cache
from pathlib import Path

import pytest
from all_measured import all_measured

from roamcast.api.measured_campaign import CampaignOptions
from roamcast.api.paper_request import PaperRequest
from roamcast.api.reproduce import write_figures
from roamcast.measuring.verdicts import examine
from roamcast.measuring.verdicts.judged import JudgedClaim
from roamcast.papers import SCALES, load_paper, paper_names
from roamcast.report.draw import draw
from roamcast.report.figure import Figure
from roamcast.report.page import Provenance
from roamcast.report.style import styles_of


@cache
def figures_of(name: str, scale: str) -> dict[int, Figure]:
    paper = load_paper(name)
    return {int(each.name.split("-")[1]): each for each in paper.figures(all_measured(paper, scale))}


def request_of(name: str, folder: Path) -> PaperRequest:
    """Return what the command asks for at quick scale."""
    paper = load_paper(name)
    return PaperRequest(paper, "quick", paper.figure_numbers, paper.readings[:1], folder, CampaignOptions())


def names_in(figure: Figure) -> list[str]:
    """Return the measured series of a figure, in order of appearance."""
    every = [series for panel in figure.panels for series in panel.series]
    return list(dict.fromkeys(series.label for series in every if not series.from_paper))


@pytest.mark.parametrize("name", paper_names())
def test_a_paper_names_the_series_of_all_its_figures_as_they_appear(name: str) -> None:
    paper = load_paper(name)
    drawn = {number: tuple(names_in(figure)) for number, figure in figures_of(name, "full").items()}
    assert drawn == dict(paper.series_names)
    assert list(drawn) == list(paper.series_names) == list(paper.figure_numbers)


@pytest.mark.parametrize("name", paper_names())
def test_at_quick_scale_there_is_no_name_that_the_paper_does_not_know(name: str) -> None:
    series_names = load_paper(name).series_names
    for number, figure in figures_of(name, "quick").items():
        drawn = names_in(figure)
        assert drawn == [each for each in series_names[number] if each in drawn]


@pytest.mark.parametrize("name", paper_names())
def test_a_name_has_one_style_throughout_the_paper_and_no_other_of_its_figure_has_its_colour(name: str) -> None:
    beside = tuple(load_paper(name).series_names.values())
    seen: dict[tuple[str, bool], tuple[object, ...]] = {}
    for scale in SCALES:
        for figure in figures_of(name, scale).values():
            styles = styles_of(figure, beside)
            for key, style in styles.items():
                look = style.colour, style.marker, style.line
                assert seen.setdefault(key, look) == look
            colours = [style.colour for (_, from_paper), style in styles.items() if not from_paper]
            assert len(set(colours)) == len(colours)


def test_names_have_their_styles_in_the_order_in_which_a_paper_shows_them() -> None:
    beside = tuple(load_paper("brvst").series_names.values())
    places = {
        label: style.number
        for figure in figures_of("brvst", "quick").values()
        for (label, _), style in styles_of(figure, beside).items()
    }
    assert sorted(places, key=lambda label: places[label]) == [
        "BRVST",
        "DRIP",
        "BRVST, 0.1 ms a filter",
        "TAMA",
        "1 - alpha",
    ]


def test_a_figure_that_the_command_makes_alone_looks_as_it_does_among_all_of_the_paper(tmp_path: Path) -> None:
    paper = load_paper("brvst")
    alone = paper.figures(all_measured(paper, "quick", 8))
    assert [figure.name for figure in alone] == ["figure-8"]
    provenance = Provenance("roamcast reproduce brvst --figure 8", "1", "2")
    write_figures(request_of("brvst", tmp_path), provenance, tmp_path / "alone", alone, [])
    beside = tuple(paper.series_names.values())
    among, _ = draw(figures_of("brvst", "quick")[8], tmp_path / "among", beside)
    apart, _ = draw(alone[0], tmp_path / "apart")
    assert (tmp_path / "alone" / "figure-8.svg").read_bytes() == among.read_bytes() != apart.read_bytes()


def test_a_page_begins_with_what_was_simulated_and_what_was_found(tmp_path: Path) -> None:
    paper = load_paper("frugal")
    measured = all_measured(paper, "quick", 17)
    claims = [claim for claim in paper.claims() if 17 in claim.figures]
    judged = [JudgedClaim(finding, "default") for finding in examine(claims, measured)]
    request, figures = request_of("frugal", tmp_path), paper.figures(measured)
    page = write_figures(request, Provenance("roamcast", "1", "2"), tmp_path, figures, judged)
    text = page.read_text(encoding="utf-8")
    found = text.index(f"Verdicts on the {len(judged)} claims checked: ")
    assert text.index("150 processes with radios of 339 m") < found < text.index("figure-17.png")
    assert text.index("figure-17.png") < text.index("Simple flooding always has a reliability of 100 %")


@pytest.mark.parametrize("name", paper_names())
def test_the_axis_of_a_share_ends_at_one_so_that_no_interval_is_drawn_beyond_it(name: str) -> None:
    panels = [panel for figure in figures_of(name, "quick").values() for panel in figure.panels]
    assert all(panel.y_limits in (None, (0.0, 1.0)) for panel in panels)
    assert all(panel.y_limits for panel in panels if panel.y_label.startswith(("share of", "reliability")))
