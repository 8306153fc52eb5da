"""Figures and claims as text: what a person reads in the terminal, and what a program reads as JSON."""

from collections.abc import Sequence
from math import isfinite
from typing import Any

from roamcast.measuring.claim_verdicts import Finding, Part, Verdict
from roamcast.report.figure import Figure, Panel
from roamcast.report.page import PageTable
from roamcast.report.page_figures import place_name
from roamcast.report.text_tables import number, table

PARTS_SHOWN = 8
"""A claim of more parts is shown as a range and by those that do not hold."""
OFFENDERS_SHOWN = 3


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


def claims_table(findings: Sequence[Finding]) -> str:
    """Return the verdicts, each with what was measured."""
    if not findings:
        return "No claim of the paper can be checked with what was measured."
    rows = [
        [finding.claim.name, finding.verdict.value, f"{finding.claim.statement}. {measured_text(finding)}"]
        for finding in findings
    ]
    verdicts = [finding.verdict for finding in findings]
    counts = ", ".join(f"{verdicts.count(verdict)} {verdict.value}" for verdict in Verdict)
    return f"Claims: {counts}\n" + table(rows, ["claim", "verdict", "what it says, and what was measured"])


def claims_page_table(findings: Sequence[Finding]) -> PageTable:
    """Return the verdicts as a page shows them."""
    rows = tuple(
        (each.claim.name, each.claim.where, each.claim.statement, each.verdict.value, measured_text(each))
        for each in findings
    )
    return PageTable(("claim", "where", "what the paper says", "verdict", "measured"), rows, verdict_column=3)


def measured_text(finding: Finding) -> str:
    """Return what was measured for a claim: every part, or the range and the parts that do not hold."""
    parts = finding.parts
    if len(parts) <= PARTS_SHOWN:
        text = "; ".join(_part_text(part) for part in parts)
    else:
        means = [part.mean for part in parts if isfinite(part.mean)]
        text = f"{len(means)} values from {number(min(means, default=None))} to {number(max(means, default=None))}"
        offenders = [part for part in parts if part.is_judged and part.verdict is not Verdict.REPRODUCED]
        if offenders:
            shown = "; ".join(_part_text(part) for part in offenders[:OFFENDERS_SHOWN])
            more = f"; and {len(offenders) - OFFENDERS_SHOWN} more" if len(offenders) > OFFENDERS_SHOWN else ""
            text += f"; not inside: {shown}{more}"
    text = f"Measured: {text}. Allowed: {finding.claim.tolerance}."
    if finding.claim.choice:
        text += f" {finding.claim.choice}"
    if finding.claim.remark and finding.verdict is not Verdict.REPRODUCED:
        text += f" {finding.claim.remark}"
    return text


def _part_text(part: Part) -> str:
    return f"{part.label}: {number(part.mean, part.low, part.high)}"


def finding_document(finding: Finding) -> dict[str, Any]:
    """Return a finding as plain values for JSON."""
    claim = finding.claim
    return {
        "name": claim.name,
        "where": claim.where,
        "statement": claim.statement,
        "tolerance": claim.tolerance,
        "verdict": finding.verdict.value,
        "remark": claim.remark,
        "choice": claim.choice,
        "parts": [
            {
                "label": part.label,
                "mean": part.mean if isfinite(part.mean) else None,
                "low": part.low,
                "high": part.high,
                "at_least": part.at_least if isfinite(part.at_least) else None,
                "at_most": part.at_most if isfinite(part.at_most) else None,
                "verdict": part.verdict.value if part.is_judged else None,
            }
            for part in finding.parts
        ],
    }
