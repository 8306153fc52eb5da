"""Figures and claims as text for a terminal."""

from collections.abc import Mapping, Sequence

from roamcast.measuring.verdicts import Verdict
from roamcast.measuring.verdicts.judged import JudgedClaim
from roamcast.report.claim_text import (
    earlier_text,
    full_measured,
    notes_text,
    open_text,
    short_declared,
    short_measured,
    tally,
)
from roamcast.report.figure import Figure, Panel
from roamcast.report.page_figures import place_name
from roamcast.report.text_tables import number, table

LINE_WIDTH = 130
"""A claim's line is cut here: the rest is in ``--details`` and on the page."""


def figure_table(figure: Figure) -> str:
    """Return a figure's numbers: a table for each quantity, a row for each x of a panel, a column for each series."""
    quantities: dict[tuple[str, str], list[Panel]] = {}
    for panel in figure.panels:
        quantities.setdefault((panel.y_label, panel.x_label), []).append(panel)
    tables = [f"{y_label}\n{_panels_table(panels)}" for (y_label, _), panels in quantities.items()]
    return "\n\n".join([figure.title, *tables])


def _panels_table(panels: Sequence[Panel]) -> str:
    """Return the numbers of panels that show one quantity by another."""
    labels = list(dict.fromkeys(series.label for panel in panels for series in panel.series))
    rows = []
    for panel in panels:
        for x in sorted({point.x for series in panel.series for point in series.points}):
            found = {
                series.label: number(point.y, point.low, point.high)
                for series in panel.series
                for point in series.points
                if point.x == x
            }
            rows.append([panel.title, place_name(panel, x), *(found.get(label, "-") for label in labels)])
    return table(rows, ["", panels[0].x_label, *labels])


def claim_lines(judged: Sequence[JudgedClaim]) -> str:
    """Return the verdicts, a line each: sign, word, name, what was measured and what was declared."""
    if not judged:
        return "No claim of the paper can be checked with what was measured."
    names = max(len(each.claim.name) for each in judged)
    words = max(len(each.verdict.value) for each in judged)
    lines = [f"Claims: {tally(judged)}", ""]
    for each in judged:
        declared = short_declared(each.finding) if each.had_a_look else ""
        end = f"; declared {declared}" if declared else ""
        head = f"{each.verdict.symbol} {each.verdict.value:{words}}  {each.claim.name:{names}}  "
        room = LINE_WIDTH - len(head) - len(end)
        text = short_measured(each.finding) if each.had_a_look else open_text(each)
        lines.append(head + (text if len(text) <= room else text[: room - 3].rstrip() + "...") + end)
    return "\n".join([*lines, "", legend(judged)])


def legend(judged: Sequence[JudgedClaim]) -> str:
    """Return the definition of every verdict that was given."""
    given = {each.verdict for each in judged if each.had_a_look}
    lines = [f"{verdict.symbol} {verdict.value}: {verdict.definition}" for verdict in Verdict if verdict in given]
    if not all(each.had_a_look for each in judged):
        lines.append("Claims that have not been looked at need more time: call again, with more --minutes.")
    return "\n".join(lines)


def claim_details(judged: Sequence[JudgedClaim]) -> str:
    """Return everything about each claim: what the paper says, all numbers, the band and why, and the record."""
    return "\n\n".join(map(_details, judged))


def _details(each: JudgedClaim) -> str:
    notes = " ".join(text for text in (notes_text(each), earlier_text(each)) if text)
    lines = (
        f"{each.verdict.symbol} {each.claim.name}: {each.verdict.value} ({each.claim.where})",
        f"  The paper: {each.claim.statement}.",
        f"  Measured:  {full_measured(each.finding)}.",
        f"  Declared:  {each.claim.tolerance}.",
        *([f"  Notes:     {notes}"] if notes else []),
    )
    return "\n".join(lines)


def matrix_table(judged: Sequence[JudgedClaim]) -> str:
    """Return claims by readings: a row for each claim, a column for each reading, a sign where they meet.

    Every sign that occurs is explained: under a reading there may be verdicts that the default does not give.
    """
    readings = list(dict.fromkeys(each.reading for each in judged))
    cells = verdicts_by_reading(judged)
    numbers = [f"({index})" for index in range(1, len(readings) + 1)]
    rows = [
        [name, *(found[reading].symbol if reading in found else "" for reading in readings)]
        for name, found in cells.items()
    ]
    key = "\n".join(f"{sign} {reading}" for sign, reading in zip(numbers, readings, strict=True))
    return f"{table(rows, ['claim', *numbers])}\n\n{key}\n\n{legend(judged)}"


def verdicts_by_reading(judged: Sequence[JudgedClaim]) -> Mapping[str, Mapping[str, Verdict]]:
    """Return the verdict on each claim under each reading; none where it has not been looked at."""
    found: dict[str, dict[str, Verdict]] = {each.claim.name: {} for each in judged}
    for each in judged:
        if each.had_a_look:
            found[each.claim.name][each.reading] = each.verdict
    return found
