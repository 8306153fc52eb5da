"""The record of verdicts: what was claimed, with which bands, and what came out, kept when any of it changes.

A band that is changed after results have been seen can be bent until a claim passes. So every judgement is written
down together with the bands that it used, and a later judgement with other bands shows the earlier ones beside it,
whether or not anybody remembers to say so. A paper's folder holds the record that was published with it
(``record.json``); a campaign's folder continues it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from roamcast.measuring.verdicts.band import Band
from roamcast.measuring.verdicts.claim import Claim, Part
from roamcast.measuring.verdicts.finding import Finding, part_verdict

Document = dict[str, Any]
"""Plain values that JSON can hold."""
Record = dict[str, list[Document]]
"""The entries of each claim by its name, the oldest first."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The circumstances that a verdict depends on besides the claim's bands."""

    scale: str
    reading: str
    version: str
    date: str


def finding_document(finding: Finding) -> Document:
    """Return a finding as plain values."""
    claim, decisive = finding.claim, finding.decisive_parts()
    return {
        "name": claim.name,
        "where": claim.where,
        "statement": claim.statement,
        "tolerance": claim.tolerance,
        "verdict": finding.verdict.value,
        "on_the_line": finding.is_on_the_line,
        "untestable": claim.untestable,
        "why_untestable": finding.why_untestable,
        "remark": claim.remark,
        "choice": claim.choice,
        "error": finding.error,
        "parts": [_part_document(part, finding.error, decisive) for part in finding.parts],
    }


def _part_document(part: Part, error: float, decisive: Sequence[Part]) -> Document:
    interval = part.interval(error)
    low, high = (None, None) if interval is None else interval
    return {
        "label": part.label,
        "value": None if part.quantity is None else part.quantity.value,
        "low": low,
        "high": high,
        "seeds": 0 if part.quantity is None else part.quantity.seeds,
        "extent": None if part.extent is None else list(part.extent),
        "band": None if part.band is None else _band_document(part.band),
        "verdict": part_verdict(part, error).value if part.is_judged else None,
        "is_decisive": part in decisive,
    }


def _band_document(band: Band) -> Document:
    return {
        "low": band.low if isfinite(band.low) else None,
        "high": band.high if isfinite(band.high) else None,
        "favours": None if band.favours is None else band.favours.name.lower(),
        "no_effect": band.no_effect,
        "margin": band.margin,
    }


def written_down(record: Record, finding: Finding, setting: Setting) -> Record:
    """Return the record with a finding: in the place of the last one with the same bands, or as a new entry."""
    entry = {
        "scale": setting.scale,
        "reading": setting.reading,
        "version": setting.version,
        "date": setting.date,
        **finding_document(finding),
    }
    entries = list(record.get(finding.claim.name, []))
    same = [index for index, other in enumerate(entries) if _is_same_question(other, entry)]
    if same:
        entries[same[-1]] = entry
    else:
        entries.append(entry)
    return {**record, finding.claim.name: entries}


def earlier_verdicts(record: Record, finding: Finding, scale: str | None = None) -> list[Document]:
    """Return the entries about a claim, under this or a former name, whose bands are not those of today."""
    now = finding_document(finding)
    names = dict.fromkeys([*finding.claim.replaces, finding.claim.name])
    return [entry for name in names for entry in record.get(name, []) if was_changed(entry, now, scale)]


def was_changed(entry: Document, now: Document, scale: str | None = None) -> bool:
    """Tell whether a claim had other bands when an entry was made than now.

    At another scale than this one, a claim rests on more or fewer points; there, only the bands of points that both
    have can differ.
    """
    return _bands(entry) != _bands(now) and (scale in (None, entry["scale"]) or _is_changed(entry, now))


def _is_changed(one: Document, other: Document) -> bool:
    """Tell whether a number that both have is allowed something else; also if they have none in common."""
    bands, others = ({label: band for label, *band in _bands(each)} for each in (one, other))
    shared = bands.keys() & others.keys()
    return not shared or any(bands[label] != others[label] for label in shared)


def latest(record: Record, claim: Claim, scale: str, reading: str) -> Document | None:
    """Return the newest entry about a claim at a scale and under a reading; None if there is none."""
    entries = [
        entry for entry in record.get(claim.name, []) if (entry["scale"], entry.get("reading")) == (scale, reading)
    ]
    return entries[-1] if entries else None


def _is_same_question(one: Document, other: Document) -> bool:
    keys = ("scale", "reading")
    return all(one.get(key) == other.get(key) for key in keys) and _bands(one) == _bands(other)


def _bands(document: Mapping[str, Any]) -> Sequence[tuple[Any, ...]]:
    """Return what a claim allows each number; the numbers themselves do not count."""
    parts = [(part["label"], part["band"]) for part in document["parts"] if part["band"] is not None]
    return [(label, *(band.get(key) for key in ("low", "high", "favours", "no_effect"))) for label, band in parts]
