"""Claims as sections of a page: the readings side by side, then the verdicts grouped by their word."""

from collections.abc import Mapping, Sequence
from typing import Any

from roamcast.measuring.verdicts import Verdict
from roamcast.measuring.verdicts.judged import JudgedClaim
from roamcast.measuring.verdicts.record import finding_document
from roamcast.papers import Reading
from roamcast.report.claim_tables import verdicts_by_reading
from roamcast.report.claim_text import full_measured, notes_text
from roamcast.report.page import PageTable, Section
from roamcast.report.recorded_bands import changed_bands


def verdict_sections(judged: Sequence[JudgedClaim]) -> list[Section]:
    """Return a section for each verdict that was given, with its definition."""
    return [
        Section(
            f"{verdict.value.capitalize()} ({len(group)})",
            f"{verdict.value.capitalize()}: {verdict.definition}.",
            PageTable(
                ("claim", "where", "what the paper says", "verdict", "measured", "declared", "notes"),
                tuple(map(_row, group)),
                verdict_column=3,
            ),
        )
        for verdict in Verdict
        if (group := [each for each in judged if each.verdict is verdict])
    ]


def _row(each: JudgedClaim) -> tuple[str, ...]:
    claim = each.claim
    return (
        claim.name,
        claim.where,
        f"{claim.statement}.",
        each.verdict.value,
        full_measured(each.finding),
        claim.tolerance,
        notes_text(each),
    )


def readings_section(judged: Sequence[JudgedClaim], readings: Sequence[Reading]) -> Section | None:
    """Return claims by readings, and what each reading is; None if there is only one."""
    used = [reading for reading in readings if any(each.reading == reading.name for each in judged)]
    if len(used) < 2:
        return None
    cells = verdicts_by_reading(judged)
    rows = tuple(
        (name, *(found[reading.name].value if reading.name in found else "" for reading in used))
        for name, found in cells.items()
    )
    explained = [f"{reading.name}: {reading.differs}. In the paper: {reading.support}." for reading in used]
    intro = "Where the paper can be read in more than one way, its claims are checked under each reading."
    given = {verdict for found in cells.values() for verdict in found.values()}
    words = " ".join(f"{word.value.capitalize()}: {word.definition}." for word in Verdict if word in given)
    return Section(
        "Readings",
        "\n\n".join([intro, *explained, words]),
        PageTable(("claim", *(reading.name for reading in used)), rows, verdict_columns=tuple(range(1, len(used) + 1))),
    )


def changed_section(judged: Sequence[JudgedClaim]) -> Section | None:
    """Return the claims whose bands were changed after results had been seen, with what they were before."""
    rows = tuple(_changed_row(claim, entry) for claim in judged for entry in claim.earlier)
    if not rows:
        return None
    return Section(
        "Changed after results were seen",
        "These claims were judged before they were changed. What they were, and what came out, is part of the record.",
        PageTable(("claim", "before, as", "bands then", "verdict then", "bands now", "verdict now"), rows),
    )


def _changed_row(claim: JudgedClaim, entry: Mapping[str, Any]) -> tuple[str, ...]:
    then, now = changed_bands(entry, finding_document(claim.finding))
    return (
        claim.claim.name,
        f"{entry['name']}: {entry['tolerance']}",
        then,
        f"{entry['verdict']} ({entry['scale']} scale, {entry['date']})",
        now,
        claim.verdict.value,
    )
