"""Claims on a page: readings side by side, verdicts grouped by their word, and what was changed, in this order."""

import json
from hashlib import blake2b
from pathlib import Path

from judged_claims import ALL, CHANGED, CONTRADICTED, HOLDS, UNDECIDED, WEAKER, judged, part
from page_parser import Page

from roamcast.api.measured_campaign import CampaignOptions
from roamcast.api.paper_request import PaperRequest
from roamcast.api.reproduce import write_figures
from roamcast.measuring.verdicts import Verdict
from roamcast.measuring.verdicts.judged import JudgedClaim
from roamcast.papers import Reading, load_paper
from roamcast.report.claim_sections import changed_section, readings_section, verdict_sections
from roamcast.report.figure import Figure, Panel, Point, Series
from roamcast.report.page import Provenance

READINGS = (
    Reading("default", "as it is", "section 1"),
    Reading("other", "each second", "section 2"),
    Reading("unused", "never", "section 3"),
)


def test_there_is_a_section_for_each_word_that_was_given_with_its_definition() -> None:
    sections = verdict_sections([*ALL, CHANGED])
    assert [section.title for section in sections] == [
        "Holds (2)",
        "Exceeded (1)",
        "Weaker (1)",
        "Contradicted (1)",
        "Undecided (1)",
        "Untestable (1)",
    ]
    for section, word in zip(sections, Verdict, strict=True):
        assert section.text == f"{word.value.capitalize()}: {word.definition}."
        assert section.table is not None
        assert {row[3] for row in section.table.rows} == {word.value}
        assert section.table.has_verdict == (3,)
    assert [section.title for section in verdict_sections([HOLDS])] == ["Holds (1)"]
    assert verdict_sections([]) == []


def test_a_row_has_the_claim_where_it_stands_what_was_measured_and_declared_and_notes() -> None:
    (section,) = verdict_sections([UNDECIDED])
    assert section.table is not None
    assert section.table.rows == (
        (
            "open",
            "5.2, figure 3",
            "The paper says open.",
            "undecided",
            "x: 55 [40, 70]",
            "50 to 100",
            "Crosses 50; the direction is certain; about 120 seeds would decide it, 4 minutes more.",
        ),
    )


def test_readings_stand_side_by_side_with_what_differs_what_supports_them_and_all_words_defined() -> None:
    found = [HOLDS, WEAKER, judged(part(0.5, 0.9), name="good", reading="other")]
    section = readings_section(found, READINGS)
    assert section is not None
    assert section.table is not None
    assert section.table.header == ("claim", "default", "other")
    assert section.table.rows == (("good", "holds", "contradicted"), ("less", "weaker", ""))
    assert section.table.has_verdict == (1, 2)
    assert section.text.split("\n\n")[1:] == [
        "default: as it is. In the paper: section 1.",
        "other: each second. In the paper: section 2.",
        " ".join(
            f"{word.value.capitalize()}: {word.definition}."
            for word in (Verdict.HOLDS, Verdict.WEAKER, Verdict.CONTRADICTED)
        ),
    ]
    assert readings_section([HOLDS, WEAKER], READINGS) is None


def test_a_claim_that_was_changed_stands_beside_what_it_was() -> None:
    section = changed_section([HOLDS, CHANGED])
    assert section is not None
    assert section.title == "Changed after results were seen"
    assert section.table is not None
    assert section.table.rows == (
        (
            "good",
            "good-most: at most 100",
            "at most 100",
            "not reproduced (quick scale, 2026-11-01)",
            "50 to 100",
            "holds",
        ),
    )
    assert changed_section([HOLDS]) is None


def written(folder: Path, found: list[JudgedClaim]) -> Page:
    """Write the page of a paper with one figure."""
    paper = load_paper("frugal")
    request = PaperRequest(paper, "quick", (17,), paper.readings, folder, CampaignOptions())
    panel = Panel("", "x", "y", (Series("Frugal", (Point(1, 2.0),)),))
    figure = Figure("figure-17", "Figure 17: bandwidth", "A caption.", (panel,))
    return Page(write_figures(request, Provenance("roamcast", "1", "2"), folder, [figure], found))


def test_a_page_has_figures_then_the_matrix_then_verdicts_then_what_was_changed(tmp_path: Path) -> None:
    other = judged(part(0.5, 0.9), name="good", reading="heartbeat-exchange")
    page = written(tmp_path, [CHANGED, CONTRADICTED, UNDECIDED, other])
    assert page.texts["h2"] == [
        "Figure 17: bandwidth",
        "Readings",
        "Holds (1)",
        "Contradicted (1)",
        "Undecided (1)",
        "Changed after results were seen",
        "How this was made",
    ]
    intro = page.texts["p"][1]
    assert intro.endswith("Verdicts on the 3 claims checked: 1 holds, 1 contradicted, 1 undecided.")
    assert ["good", "✓ holds", "✗ contradicted"] in page.rows


def test_with_one_reading_and_nothing_changed_a_page_has_neither_section(tmp_path: Path) -> None:
    page = written(tmp_path, [HOLDS])
    assert page.texts["h2"] == ["Figure 17: bandwidth", "Holds (1)", "How this was made"]
    bare = written(tmp_path, [])
    assert bare.texts["h2"] == ["Figure 17: bandwidth", "How this was made"]
    assert "Verdicts" not in bare.texts["p"][1]


def test_the_claims_are_written_as_json_under_every_reading(tmp_path: Path) -> None:
    written(tmp_path, [CHANGED, UNDECIDED, judged(part(20, 40), name="good", reading="heartbeat-exchange")])
    first, second, third = json.loads((tmp_path / "claims.json").read_text(encoding="utf-8"))
    assert (first["name"], first["reading"], first["verdict"]) == ("good", "default", "holds")
    assert first["parts"] == [
        {
            "label": "x",
            "value": 70.0,
            "low": 60,
            "high": 80,
            "seeds": 10,
            "extent": None,
            "runs": None,
            "printed": None,
            "measured": blake2b(digest_size=16).hexdigest(),  # made of no points
            "band": {"low": 50, "high": 100, "favours": "above", "no_effect": 1.0, "margin": 0.0, "is_log": False},
            "verdict": "holds",
            "is_decisive": False,
        }
    ]
    assert first["earlier"][0]["verdict"] == "not reproduced"
    assert first["to_decide"] is None
    assert second["to_decide"] == {"seeds": 120, "minutes": 4.2}
    assert (third["reading"], third["verdict"]) == ("heartbeat-exchange", "weaker")
