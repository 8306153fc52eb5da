"""Claims in words: what was measured beside what was declared, in one line or in full."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from roamcast.measuring.statistics import ERROR
from roamcast.measuring.verdicts import Deviation, Finding, Part, Verdict, part_verdict
from roamcast.measuring.verdicts.judged import JudgedClaim
from roamcast.report.text_tables import number

PASSING = (Verdict.HOLDS, Verdict.EXCEEDED)
EITHER = "holds or exceeded"
"""The word for one of several numbers that is inside its band or beyond it, which is enough for the claim to hold."""
FALLING_SHORT = (Verdict.WEAKER, Verdict.CONTRADICTED)
TOGETHER = "Of so many numbers, the one that speaks against the claim may do so by chance"
"""A claim of several numbers is open although none of them is: Holm's correction has the last word."""
MISSING = "A number that it rests on was not measured, or has no value"
"""Why no number of seeds can be forecast for an open claim."""


def part_text(part: Part, error: float = ERROR) -> str:
    """Return a number with its interval, and where it was pooled, its range over the points."""
    quantity = part.quantity
    if quantity is None:
        return "not measured"
    interval = part.interval(error)
    low, high = (None, None) if interval is None else interval
    if isinstance(quantity, Deviation):
        both = f"{number(quantity.own.value)}, paper {number(quantity.printed)}"
        return f"{both}, differs by {number(quantity.value, low, high)}"
    extent = "" if part.extent is None else f", at its points {number(part.extent[0])} to {number(part.extent[1])}"
    return f"{number(quantity.value, low, high)}{extent}"


def short_measured(finding: Finding) -> str:
    """Return what a claim's verdict rests on, for one line."""
    judged = finding.judged
    if not judged:
        shown = finding.parts[:1]
    elif len(judged) == 1:
        shown = tuple(judged)
    else:
        shown = tuple(finding.decisive_parts())
    if len(judged) > 1 and not shown:
        values = [part.quantity.value for part in judged if part.quantity is not None]
        beyond = sum(part_verdict(part, finding.error) is Verdict.EXCEEDED for part in judged)
        extra = f", {beyond} of them beyond the band" if 0 < beyond < len(judged) else ""
        return (
            f"{len(judged)} numbers, {number(min(values, default=None))} to {number(max(values, default=None))}{extra}"
        )
    if not shown:
        return "nothing was measured"
    first = f"{shown[0].label}: " if len(judged) > 1 else ""
    more = f" ({len(shown)} of {len(judged)} numbers)" if len(judged) > 1 else ""
    return f"{first}{part_text(shown[0], finding.error)}{more}"


def short_declared(finding: Finding) -> str:
    """Return the band that the shown number is compared with."""
    bands = list(dict.fromkeys(str(part.band) for part in finding.judged))
    return " / ".join(bands[:2]) + (" / ..." if len(bands) > 2 else "")


def open_text(judged: JudgedClaim) -> str:
    """Say why a claim is undecided: the boundary it crosses, whether the direction is sure, and what would decide."""
    finding = judged.finding
    if not finding.is_open:
        return ""
    parts = finding.open_parts() or finding.judged
    crossed = sorted({boundary for part in parts for boundary in _crossed(part, finding.error)})
    if not judged.had_a_look:
        return f"Not looked at yet: {judged.cost}."
    if any(part.quantity is None for part in finding.judged):
        return f"{MISSING}."
    if any(part.interval(finding.error) is None for part in finding.judged):
        return "Needs more than one seed."
    words = [f"Crosses {', '.join(map(number, crossed))}" if crossed else TOGETHER]
    if finding.has_direction:
        words.append("the direction is certain" if finding.is_direction_certain else "the direction is open")
    if finding.is_on_the_line:
        words.append("within the declared margin of the boundary")
    corrected = finding.error / len(finding.judged)
    short = [part.label for part in finding.judged if part_verdict(part, corrected) in FALLING_SHORT]
    if short:
        words.append(f"it cannot hold, since it falls short at {short[0]}")
    if judged.cost is not None:
        words.append(str(judged.cost))
    return "; ".join(words) + "."


def notes_text(judged: JudgedClaim) -> str:
    """Return all that is said of a claim besides its numbers and what it was before."""
    claim = judged.claim
    remark = claim.remark if judged.verdict not in PASSING else ""
    why = judged.finding.why_untestable
    untestable = f"Untestable: {why}." if why else ""
    others = former_verdicts_text(judged.former_verdicts)
    texts = (untestable, open_text(judged), claim.choice, remark, claim.after_results, f"{others}." if others else "")
    return " ".join(text for text in texts if text)


def former_verdicts_text(entries: Sequence[Mapping[str, Any]]) -> str:
    """Say what other seeds, or an earlier version, found with the same bands; nothing if there were none."""
    former = [f"{each['verdict']} (seeds from {each['first_seed'] or 1} on)" for each in entries]
    return f"With the same bands before: {', '.join(former)}" if former else ""


def earlier_text(judged: JudgedClaim) -> str:
    """Say with which bands and verdicts the claim was judged before it was changed."""
    if not judged.earlier:
        return ""
    former = "; ".join(
        f"{entry['name']} ({entry['scale']} scale, {entry['date']}, {entry['tolerance']}): {entry['verdict']}"
        for entry in judged.earlier
    )
    return f"Changed after results had been seen. Before: {former}."


def full_measured(finding: Finding) -> str:
    """Return every number of a claim."""
    return "; ".join(
        f"{part.label}: {part_text(part, finding.error)}"
        + (f" ({part_word(part, finding.error)})" if part.is_judged and len(finding.judged) > 1 else "")
        for part in finding.parts
    )


def part_word(part: Part, error: float) -> str:
    """Return the verdict on a number by itself; one that is inside its band or beyond it passes, whichever it is."""
    verdict = part_verdict(part, error)
    return EITHER if verdict is Verdict.UNDECIDED and part.passes(error) else verdict.value


def tally(judged: Sequence[JudgedClaim]) -> str:
    """Count the verdicts: "9 holds, 2 exceeded, ..."; words that nobody got are left out."""
    words = [each.verdict for each in judged]
    return ", ".join(f"{words.count(verdict)} {verdict.value}" for verdict in Verdict if verdict in words)


def _crossed(part: Part, error: float) -> Sequence[float]:
    interval = part.interval(error)
    if interval is None or part.band is None:
        return ()
    return [boundary for boundary in part.band.crossed(interval) if isfinite(boundary)]
