"""The page: well-formed, alone, escaped, and true to its figures and verdicts."""

import base64
import re
from pathlib import Path

import pytest
from page_parser import Page
from symmetric_points import around

from roamcast.report.draw import draw
from roamcast.report.figure import Figure, Panel, Point, Series
from roamcast.report.page import PageTable, Provenance, Section, write_page

HOSTILE = '<script>alert("1")</script> & \x00 \ud800'
HOSTILE_SHOWN = '<script>alert("1")</script> &'

FIGURE = Figure(
    "figure-17",
    "Bandwidth by events",
    "Mean of 5 seeds.",
    (
        Panel(
            "20 % subscribers",
            "events",
            "bandwidth (kB)",
            (
                Series("frugal", (around(1, 0.953, 0.012), Point(5, float("nan")))),
                Series("flooding", (Point(5, 1234.0),)),
                Series("frugal", (Point(1, 0.9),), from_paper=True),
            ),
        ),
        Panel("", "protocol", "ratio", (Series("ratio", (Point(0, 1.0), Point(1, 0.5))),), x_names=("one", "two")),
    ),
)


def page_of(
    folder: Path,
    figures: tuple[Figure, ...] = (),
    sections: tuple[Section, ...] = (),
    provenance: Provenance | None = None,
) -> Page:
    for figure in figures:
        draw(figure, folder)
    return Page(write_page(folder, "A page", "An introduction.", figures, sections, provenance))


def claims(*verdicts: str) -> Section:
    rows = tuple((f"claim {place}", verdict) for place, verdict in enumerate(verdicts))
    return Section("Claims", table=PageTable(("claim", "verdict"), rows, verdict_column=1))


def test_a_page_has_its_title_introduction_figures_sections_and_how_it_was_made_in_this_order(tmp_path: Path) -> None:
    provenance = Provenance("roamcast reproduce frugal --scale quick", "0.1.0", "1 to 5", (("Runs", "240"),))
    page = page_of(tmp_path, (FIGURE,), (Section("First", "One.\n\nTwo."),), provenance)
    assert page.texts["h1"] == ["A page"]
    assert page.texts["title"] == ["A page"]
    assert page.texts["p"] == ["An introduction.", "One.", "Two."]
    assert page.texts["h2"] == ["Bandwidth by events", "First", "How this was made"]
    assert page.texts["pre"] == ["roamcast reproduce frugal --scale quick"]
    assert page.texts["dd"] == ["0.1.0", "1 to 5", "240"]


def test_on_a_narrow_screen_a_row_of_verdicts_is_a_block(tmp_path: Path) -> None:
    page = page_of(tmp_path, (FIGURE,), (claims("holds"),))
    assert "verdicts" in [table.get("class") for table in page.attributes("table")]
    narrow = page.texts["style"][0].partition("@media (max-width: 42rem)")[2].partition("@media")[0]
    assert ".verdicts { min-width: 0; }" in narrow
    assert ".verdicts tr, .verdicts td { display: block;" in narrow


def test_every_link_of_the_contents_leads_to_a_part(tmp_path: Path) -> None:
    page = page_of(tmp_path, sections=tuple(Section(f"part {place}") for place in range(4)))
    targets = [attributes["id"] for attributes in page.attributes("section")]
    assert [link["href"] for link in page.attributes("a")] == [f"#{target}" for target in targets]
    assert len(set(targets)) == 4


def test_the_picture_is_inside_the_page_and_its_files_are_beside_it(tmp_path: Path) -> None:
    page = page_of(tmp_path, (FIGURE,))
    (image,) = page.attributes("img")
    kind, content = image["src"].split(",")
    assert kind == "data:image/svg+xml;base64"
    assert base64.b64decode(content) == (tmp_path / "figure-17.svg").read_bytes()
    links = [link["href"] for link in page.attributes("a")]
    assert links == ["figure-17.svg", "figure-17.png"]
    assert all((tmp_path / link).is_file() for link in links)


def test_nothing_is_fetched_from_elsewhere(tmp_path: Path) -> None:
    page = page_of(tmp_path, (FIGURE,), (claims("holds"),), Provenance("roamcast", "1", "1"))
    assert not {"script", "link", "iframe"} & {tag for tag, _ in page.elements}
    for _, attributes in page.elements:
        assert not attributes.get("src", "data:").startswith(("http", "//", "/"))
        assert not attributes.get("href", "#").startswith(("http", "//", "/"))
    assert "url(" not in page.texts["style"][0]
    assert "@import" not in page.texts["style"][0]


def test_the_picture_is_told_in_words_too(tmp_path: Path) -> None:
    (image,) = page_of(tmp_path, (FIGURE,)).attributes("img")
    for words in ("Bandwidth by events", "20 % subscribers: bandwidth (kB) by events for frugal, flooding", "5 seeds"):
        assert words in image["alt"]


def test_the_numbers_of_a_figure_are_tables(tmp_path: Path) -> None:
    page = page_of(tmp_path, (FIGURE,))
    assert page.rows == [
        ["events", "frugal", "flooding", "frugal (paper)"],
        ["1", "0.953 [0.941, 0.965]", "-", "0.900"],
        ["5", "-", "1,234", "-"],
        ["protocol", "ratio"],
        ["one", "1"],
        ["two", "0.500"],
    ]


def test_a_verdict_is_told_by_words_sign_and_colour(tmp_path: Path) -> None:
    words = ("holds", "exceeded", "weaker", "contradicted", "undecided", "untestable")
    page = page_of(tmp_path, sections=(claims(*words, "failed"),))
    signs = ("✓ ", "» ", "~ ", "✗ ", "? ", "– ", "")
    assert [row[1] for row in page.rows[1:]] == [
        sign + word for sign, word in zip(signs, (*words, "failed"), strict=True)
    ]
    classes = [cell["class"] for cell in page.attributes("td") if "verdict" in cell.get("class", "")]
    assert classes == [*(f"verdict {word}" for word in words), "verdict"]
    assert all(re.search(rf"\.{word}\b", page.texts["style"][0]) for word in words)


def test_a_table_can_be_full_of_verdicts(tmp_path: Path) -> None:
    table = PageTable(("claim", "one", "other"), (("a", "holds", ""), ("b", "weaker", "holds")), verdict_columns=(1, 2))
    page = page_of(tmp_path, sections=(Section("Readings", table=table),))
    assert page.rows[1:] == [["a", "✓ holds", ""], ["b", "~ weaker", "✓ holds"]]
    assert [cell.get("class") for cell in page.attributes("td")] == [
        None,
        "verdict holds",
        "verdict",
        None,
        "verdict weaker",
        "verdict holds",
    ]
    assert "verdicts" not in [each.get("class") for each in page.attributes("table")]


def test_columns_can_stand_on_the_right(tmp_path: Path) -> None:
    page = page_of(tmp_path, sections=(Section("s", table=PageTable(("a", "b"), (("1", "2"),), align="lr")),))
    assert [cell.get("class", "") for cell in page.attributes("td")] == ["", "right"]


def test_a_row_with_a_cell_too_few_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="2 cells"):
        page_of(tmp_path, sections=(Section("s", table=PageTable(("a", "b"), (("1",),))),))


def test_everything_is_escaped(tmp_path: Path) -> None:
    panel = Panel(HOSTILE, HOSTILE, HOSTILE, (Series(HOSTILE, (Point(0, 1.0),)),), x_names=(HOSTILE,))
    figure = Figure("hostile", HOSTILE, HOSTILE, (panel,))
    table = PageTable((HOSTILE, HOSTILE), ((HOSTILE, HOSTILE),), verdict_column=1)
    provenance = Provenance(HOSTILE, HOSTILE, HOSTILE, ((HOSTILE, HOSTILE),))
    draw(figure, tmp_path)
    page = Page(write_page(tmp_path, HOSTILE, HOSTILE, [figure], [Section(HOSTILE, HOSTILE, table)], provenance))
    assert "script" not in {tag for tag, _ in page.elements}
    assert page.texts["h1"] == [HOSTILE_SHOWN]
    for tag in ("title", "h1", "pre", "dt"):
        assert page.texts[tag][-1] == HOSTILE_SHOWN
    assert page.rows[:2] == [[HOSTILE_SHOWN, HOSTILE_SHOWN], [HOSTILE_SHOWN, "1"]]
    assert page.rows[2:] == [[HOSTILE_SHOWN, HOSTILE_SHOWN]] * 2
    assert page.attributes("img")[0]["alt"].startswith(HOSTILE_SHOWN)


def test_the_same_content_gives_the_same_page_and_leaves_no_temporary_file(tmp_path: Path) -> None:
    page_of(tmp_path, (FIGURE,), (claims("holds"),))
    first = (tmp_path / "index.html").read_bytes()
    page_of(tmp_path, (FIGURE,), (claims("holds"),))
    assert (tmp_path / "index.html").read_bytes() == first
    assert sorted(path.name for path in tmp_path.iterdir()) == ["figure-17.png", "figure-17.svg", "index.html"]


def test_a_page_for_a_figure_that_was_not_drawn_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"figure-17\.svg"):
        write_page(tmp_path, "A page", "", [FIGURE], [])
    assert not list(tmp_path.iterdir())
