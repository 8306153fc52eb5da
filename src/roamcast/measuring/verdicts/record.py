"""The record of verdicts: what was claimed, with which bands, and what came out, kept when any of it changes.

A band that is changed after results have been seen can be bent until a claim passes, and so can its margin, the points
and metrics that a number is made of, the reason why a claim is untestable, and the meaning of a reading. So every
judgement is written down together with the question that it answers, and a later judgement of another question shows
the earlier ones beside it, whether or not anybody remembers to say so. A paper's folder holds the record that was
published with it (``record.json``); a campaign's folder continues it.

Entries of earlier versions tell less about their question. What an entry does not mention is not taken for a change.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from roamcast.core.content_digest import content_digest
from roamcast.measuring.statistics import ERROR
from roamcast.measuring.verdicts.band import Band
from roamcast.measuring.verdicts.claim import Claim, Part
from roamcast.measuring.verdicts.finding import Finding, part_verdict
from roamcast.measuring.verdicts.quantity import Deviation
from roamcast.measuring.verdicts.words import Verdict

Document = dict[str, Any]
"""Plain values that JSON can hold."""
Record = dict[str, list[Document]]
"""The entries of each claim by its name; the question that was asked last comes last."""
DEFAULT_VALUES = "default"
"""The key under which the values that the default reading has are on record."""
FORMER = "former_verdicts"
"""The key under which an entry keeps other verdicts on the same question: of other seeds, or of an earlier version."""
BAND_KEYS = ("low", "high", "favours", "no_effect")
"""The keys of a band that every entry has, or would have if they had a value."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The circumstances that a verdict depends on besides the claim's bands."""

    scale: str
    reading: str
    version: str
    date: str
    reading_values: Document | None = None
    """Everything that decides what the reading means, as plain values; None: unknown."""
    first_seed: int | None = None
    """Where the seeds of the runs begin; None: unknown."""
    to_decide: str = ""
    """The cost of deciding the claim, in words; empty if it is decided."""


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
        "direction_certain": finding.is_direction_certain if finding.has_direction else None,
        "untestable": claim.untestable,
        "after_results": claim.after_results,
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
        "runs": part.quantity.runs if isinstance(part.quantity, Deviation) else None,
        "printed": part.quantity.printed if isinstance(part.quantity, Deviation) else None,
        "measured": _measured(part),
        "band": None if part.band is None else _band_document(part.band),
        "verdict": part_verdict(part, error).value if part.is_judged else None,
        "is_decisive": part in decisive,
    }


def _measured(part: Part) -> str | None:
    """Return a digest of what a number is made of: the points and the metrics; None if nothing was measured."""
    if part.quantity is None:
        return None
    return content_digest(
        (name, point.encode()) for name, point in sorted(part.points | {("", each) for each in part.metrics})
    )


def _band_document(band: Band) -> Document:
    return {
        "low": band.low if isfinite(band.low) else None,
        "high": band.high if isfinite(band.high) else None,
        "favours": None if band.favours is None else band.favours.name.lower(),
        "no_effect": band.no_effect,
        "margin": band.margin,
        "is_log": band.is_log,
    }


def written_down(record: Record, finding: Finding, setting: Setting) -> Record:
    """Return the record with a finding: in the place of the last answer to the same question, or as a new entry.

    An answer that is better on the same seeds stays. One with other seeds, or another verdict, stays as a line of the
    new entry: whoever draws seeds or mends the rules until a claim comes out should be seen to do so.
    """
    entry = _entry(finding, setting)
    entries = list(record.get(finding.claim.name, []))
    same = [index for index, other in enumerate(entries) if _is_same_question(other, entry)]
    if same:
        before = entries.pop(same[-1])
        stays = _is_better(before, entry)
        new, old = (before, entry) if stays else (entry, before)
        former = before.get(FORMER, [])
        if _is_of_other_seeds(old, new) or (not stays and _has_turned(old, new)):
            former = _with_line(former, old)
        entry = {**new, FORMER: former}
    return {**record, finding.claim.name: [*entries, entry]}


def _is_of_other_seeds(one: Document, other: Document) -> bool:
    return bool(one.get("first_seed") != other.get("first_seed"))


def _has_turned(before: Document, now: Document) -> bool:
    """Tell whether another version of the program gave another verdict on the same seeds.

    That a claim was open while it had fewer seeds is nothing to tell, nor what a single look said before planned ones.
    """
    is_same_sort = _is_planned(before) == _is_planned(now)
    return is_same_sort and before["verdict"] not in (now["verdict"], Verdict.UNDECIDED)


def _with_line(former: list[Document], entry: Document) -> list[Document]:
    """Return the former verdicts with an entry's, the oldest first; one that is repeated on another day is no other."""
    seeds = max((part.get("seeds") or 0 for part in entry["parts"]), default=0)
    line = {**{key: entry.get(key) for key in ("first_seed", "verdict", "date", "error")}, "seeds": seeds}
    dateless = [{**each, "date": line["date"]} for each in former]
    return former if line in dateless else [*former, line]


def _is_planned(entry: Document) -> bool:
    """Tell whether a verdict is of planned looks, each of which may err less often than a single one."""
    return bool(entry.get("error", ERROR) < ERROR)


def _is_better(before: Document, entry: Document) -> bool:
    """Tell whether a former answer says more than a new one.

    It does at planned looks, each of which may err less than a single one: the error would otherwise be spent twice.
    And it does with more seeds from the same number on, unless a planned look decides the claim with fewer: that takes
    another version of the program, whose answer counts. A judgement has fewer seeds than another if it measured fewer
    of the claim's judged numbers or, with as many of them, if the one with the most seeds has fewer.
    """
    if _is_planned(before) and not _is_planned(entry):
        return True
    if _is_of_other_seeds(before, entry) or _seeds(entry) >= _seeds(before):
        return False
    return entry["verdict"] == Verdict.UNDECIDED or not _is_planned(entry)


def earlier_verdicts(record: Record, finding: Finding, setting: Setting | None = None) -> list[Document]:
    """Return the entries about a claim, under this or a former name, that answer another question than today's.

    With a setting, only those of its reading.
    """
    now = finding_document(finding) if setting is None else _entry(finding, setting)
    scale = None if setting is None else setting.scale
    names = dict.fromkeys([*finding.claim.replaces, finding.claim.name])
    return [entry for name in names for entry in record.get(name, []) if was_changed(entry, now, scale)]


def was_changed(entry: Document, now: Document, scale: str | None = None) -> bool:
    """Tell whether a claim was another question when an entry was made than now, under the same reading.

    At another scale than this one, a claim rests on more or fewer points; there, only the bands of points that both
    have can differ.
    """
    if _differs(entry, now, "reading"):
        return False
    if _differs(entry, now, "untestable") or _means_something_else(entry, now):
        return True
    is_same_scale = scale in (None, entry["scale"])
    return _have_other_bands(entry, now, shared_only=not is_same_scale) or (
        is_same_scale and _measure_something_else(entry, now)
    )


def latest(record: Record, claim: Claim, scale: str, reading: str) -> Document | None:
    """Return the newest entry about a claim at a scale and under a reading; None if there is none."""
    entries = [
        entry for entry in record.get(claim.name, []) if (entry["scale"], entry.get("reading")) == (scale, reading)
    ]
    return entries[-1] if entries else None


def _entry(finding: Finding, setting: Setting) -> Document:
    reading_values = {} if setting.reading_values is None else {"reading_values": setting.reading_values}
    return {
        "scale": setting.scale,
        "reading": setting.reading,
        **reading_values,
        "first_seed": setting.first_seed,
        "to_decide": setting.to_decide,
        "version": setting.version,
        "date": setting.date,
        **finding_document(finding),
    }


def _is_same_question(one: Document, other: Document) -> bool:
    keys = ("scale", "reading")
    return all(one.get(key) == other.get(key) for key in keys) and not was_changed(one, other)


def _means_something_else(one: Document, other: Document) -> bool:
    """Tell whether a reading has other values now.

    Of the default, whose values are those of all keys that some reading changes, only keys that both entries know
    count: the others belong to a reading that did not exist then.
    """
    values, others = (entry.get("reading_values", {}).get(DEFAULT_VALUES) for entry in (one, other))
    if values is None or others is None:
        return _differs(one, other, "reading_values")
    return any(_differs(values, others, key) for key in values)


def _measure_something_else(one: Document, other: Document) -> bool:
    """Tell whether a judged number is made of other points or metrics; an entry of an earlier version does not say."""
    sources, others = ({part["label"]: part.get("measured") for part in _judged(each)} for each in (one, other))
    return any(found and others.get(label) not in (None, found) for label, found in sources.items())


def _judged(document: Mapping[str, Any]) -> list[Document]:
    return [part for part in document["parts"] if part["band"] is not None]


def _differs(one: Document, other: Document, key: str) -> bool:
    """Tell whether two documents that both mention a key have different values there."""
    return key in one and key in other and one[key] != other[key]


def _have_other_bands(one: Document, other: Document, *, shared_only: bool) -> bool:
    """Tell whether some number is allowed something else, or other numbers are judged.

    With ``shared_only``, numbers that only one of them has count only if they have none in common.
    """
    bands, others = bands_of(one), bands_of(other)
    shared = [label for label in bands if label in others]
    are_other_numbers = list(bands) != list(others) and not (shared and shared_only)
    return are_other_numbers or any(differing_keys(bands[label], others[label]) for label in shared)


def differing_keys(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return the keys in which two bands differ; a key that only one of them records does not count."""
    keys = {*BAND_KEYS, *(one.keys() & other.keys())}
    return sorted(key for key in keys if one.get(key) != other.get(key))


def bands_of(document: Mapping[str, Any]) -> dict[str, Document]:
    """Return what a claim allows each number, and a printed one with its runs; what was measured does not count."""
    return {
        part["label"]: {**part["band"], **{key: part[key] for key in ("runs", "printed") if key in part}}
        for part in _judged(document)
    }


def _seeds(document: Document) -> tuple[int, int]:
    """Return how many of a claim's judged numbers were measured, and the most seeds that one of them has."""
    parts: Sequence[Document] = document["parts"]
    judged = _judged(document) or parts
    seeds = [part.get("seeds") or 0 for part in judged]  # the first entries on record do not say
    return sum(count > 0 for count in seeds), max(seeds, default=0)
